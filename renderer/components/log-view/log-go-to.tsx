/** The small field that `:` opens: to a line or a time. */
import { useState, type JSX, type SubmitEvent } from 'react';
import { logWords } from '../../job-words.ts';
import { readTarget, type Target } from '../../log/go-to.ts';

export interface LogGoToProps {
  readonly startMs: number;
  readonly onGo: (target: Target) => void;
  readonly onClose: () => void;
}

export function LogGoTo({ startMs, onGo, onClose }: LogGoToProps): JSX.Element {
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState(false);
  const go = (event: SubmitEvent): void => {
    event.preventDefault();
    const target = readTarget(text, startMs);
    if (target === null) setWrong(true);
    else onGo(target);
  };
  return (
    <form className="goto-line" onSubmit={go}>
      <label className={`field${wrong ? ' wrong' : ''}`}>
        <span className="t3">:</span>
        <input
          ref={(input) => input?.focus()}
          value={text}
          placeholder={logWords.goTo.hint}
          aria-label={logWords.goTo.label}
          aria-invalid={wrong}
          aria-describedby={wrong ? 'goto-wrong' : undefined}
          maxLength={20}
          autoComplete="off"
          onChange={(event) => {
            setText(event.target.value);
            setWrong(false);
          }}
          onBlur={onClose}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.stopPropagation();
            onClose();
          }}
        />
      </label>
      {wrong ? (
        <p id="goto-wrong" role="alert">
          {logWords.goTo.wrong}
        </p>
      ) : null}
    </form>
  );
}
