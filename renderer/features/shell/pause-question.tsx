/** Asks how long to pause, with a note that is shown beside it everywhere. */
import { useState, type JSX } from 'react';
import { pause } from '../../actions.ts';
import { useOverview } from '../../stores/overview-store.ts';
import { words } from '../../words.ts';
import { PAUSES, type PauseName } from './pauses.ts';
import { Question } from './question.tsx';

const MOST_NOTE = 200;

export function PauseQuestion(): JSX.Element {
  const held = useOverview()?.held.length ?? 0;
  const [chosen, choose] = useState<PauseName>('now');
  const [note, setNote] = useState('');
  const question = words.dialogs.pause;
  const act = (): void => {
    const wish = PAUSES.find(({ name }) => name === chosen)?.wish(Date.now()) ?? {};
    pause(note.trim() === '' ? wish : { ...wish, note });
  };
  return (
    <Question title={question.title} safe={question.safe} act={question.act} onAct={act}>
      <p>{question.body(held)}</p>
      <fieldset className="choices">
        <legend className="vh">{question.howLong}</legend>
        {PAUSES.map(({ name }) => (
          <label key={name} className="check">
            <input
              type="radio"
              name="pause"
              checked={name === chosen}
              onChange={() => choose(name)}
            />
            {words.pause.kinds[name]}
          </label>
        ))}
      </fieldset>
      <label className="note-field">
        <span>{question.note}</span>
        <input
          type="text"
          maxLength={MOST_NOTE}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </label>
    </Question>
  );
}
