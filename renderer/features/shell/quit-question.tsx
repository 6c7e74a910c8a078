/** Asks what becomes of running jobs when the app ends. The button repeats the choice. */
import { useRef, useState, type JSX } from 'react';
import { heldKinds } from '../../../main/contract/leave-words.ts';
import { quit } from '../../actions.ts';
import { useOverview } from '../../stores/overview-store.ts';
import { words } from '../../words.ts';
import { Question } from './question.tsx';

const WAYS = ['drain', 'stop', 'leave'] as const;

export function QuitQuestion(): JSX.Element {
  const kinds = heldKinds(useOverview()?.held ?? []);
  const held = kinds.containers + kinds.commands;
  const [how, choose] = useState<(typeof WAYS)[number]>('drain');
  const first = useRef<HTMLInputElement>(null);
  const question = words.dialogs.quit;
  if (held === 0)
    return (
      <Question
        title={question.titleIdle}
        safe={question.safe}
        act={question.actIdle}
        onAct={() => quit('stop', 0)}
      >
        <p>{question.bodyIdle}</p>
      </Question>
    );
  return (
    <Question
      title={question.title(held)}
      safe={question.safe}
      act={question.ways[how].act(kinds)}
      danger={how === 'stop'}
      focus={first}
      onAct={() => quit(how, held)}
    >
      <fieldset className="choices">
        <legend className="vh">{question.title(held)}</legend>
        {WAYS.map((way) => (
          <label key={way} className="check">
            <input
              ref={way === WAYS[0] ? first : null}
              type="radio"
              name="quit"
              checked={way === how}
              onChange={() => choose(way)}
            />
            {question.ways[way].text(kinds)}
          </label>
        ))}
      </fieldset>
      <p>{question.ways[how].body(kinds)}</p>
    </Question>
  );
}
