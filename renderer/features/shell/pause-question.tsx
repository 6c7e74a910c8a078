/** Asks how long to pause, with a note that is shown beside it everywhere. */
import { useState, type JSX } from 'react';
import type { RequestInput } from '../../../main/contract/requests.ts';
import { pause } from '../../actions.ts';
import { useOverview } from '../../stores/overview-store.ts';
import { words } from '../../words.ts';
import { nextClock, PAUSES, type PauseName } from './pauses.ts';
import { Question } from './question.tsx';

const MOST_NOTE = 200;
/** What the dialog offers beside the pauses of menu and palette. */
type Choice = PauseName | 'until' | 'battery';

export function PauseQuestion(): JSX.Element {
  const held = useOverview()?.held.length ?? 0;
  const [chosen, choose] = useState<Choice>('now');
  const [note, setNote] = useState('');
  const question = words.dialogs.pause;
  const [until, setUntil] = useState('18:00');
  const act = (): void => {
    const wish = wishOf(chosen, until);
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
        <div className="row">
          <label className="check">
            <input
              type="radio"
              name="pause"
              checked={chosen === 'until'}
              onChange={() => choose('until')}
            />
            {question.until}
          </label>
          <input
            type="time"
            className="pause-until"
            required
            aria-label={question.untilWhen}
            value={until}
            onChange={(event) => {
              // An emptied field is no time; what was there stays.
              if (event.target.value !== '') setUntil(event.target.value);
              choose('until');
            }}
          />
        </div>
        <label className="check">
          <input
            type="radio"
            name="pause"
            checked={chosen === 'battery'}
            onChange={() => choose('battery')}
          />
          {words.pause.onBattery}
        </label>
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

function wishOf(chosen: Choice, until: string): RequestInput<'host.pause'> {
  if (chosen === 'battery') return { onBattery: true };
  if (chosen === 'until') return { untilMs: nextClock(until, Date.now()) };
  return PAUSES.find(({ name }) => name === chosen)?.wish(Date.now()) ?? {};
}
