/** The find field of a log: what is sought, how, and how many were found. */
import { useRef, type JSX, type KeyboardEvent, type Ref } from 'react';
import { logWords } from '../../job-words.ts';
import type { FindSession } from '../../log/find-session.ts';
import type { FindQuery } from '../../log/find-text.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';

export interface LogFinderProps {
  readonly find: FindSession;
  readonly query: FindQuery;
  readonly lines: number;
  readonly loaded: number;
  readonly total: number;
  readonly inputRef: Ref<HTMLInputElement>;
  readonly onQuery: (query: FindQuery) => void;
  readonly onStep: (direction: 1 | -1) => void;
  /** Esc: the field is empty and the log has the focus again. */
  readonly onLeave: () => void;
}

export function LogFinder(props: LogFinderProps): JSX.Element {
  const { find, query } = props;
  const status = useRef<HTMLSpanElement>(null);
  const change = (changed: Partial<FindQuery>): void => props.onQuery({ ...query, ...changed });
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      props.onStep(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      props.onLeave();
    }
  };
  const active = query.text !== '';
  const problem = active ? problemText(find) : null;
  const none = active && problem === null && find.settled && find.hits === 0;
  return (
    <>
      <div className={`field finder${problem === null ? '' : ' wrong'}`}>
        <Icon name="search" />
        <input
          ref={props.inputRef}
          data-filter=""
          value={query.text}
          placeholder={logWords.find.hint(props.lines)}
          aria-label={logWords.find.label}
          aria-invalid={problem !== null}
          spellCheck={false}
          autoComplete="off"
          maxLength={500}
          onChange={(event) => change({ text: event.target.value })}
          onKeyDown={keys}
        />
        <Toggle
          text="Aa"
          label={logWords.find.matchCase}
          on={query.matchCase}
          onClick={() => change({ matchCase: !query.matchCase })}
        />
        <Toggle
          text="W"
          label={logWords.find.wholeWord}
          on={query.wholeWord}
          onClick={() => change({ wholeWord: !query.wholeWord })}
        />
        <Toggle
          text=".*"
          label={logWords.find.regex}
          on={query.regex}
          onClick={() => change({ regex: !query.regex })}
        />
      </div>
      {active ? (
        <>
          <span
            ref={status}
            className={`hits${problem !== null || none ? ' bad' : ''}`}
            role="status"
          >
            {problem ?? countText(find)}
          </span>
          {problem !== null || none ? null : (
            <>
              <Button
                small
                kind="ghost"
                icon="up"
                label={logWords.find.previous}
                onClick={() => props.onStep(-1)}
              />
              <Button
                small
                kind="ghost"
                icon="down"
                label={logWords.find.next}
                onClick={() => props.onStep(1)}
              />
            </>
          )}
          <Button small kind="ghost" icon="x" label={logWords.find.clear} onClick={props.onLeave} />
        </>
      ) : null}
    </>
  );
}

interface ToggleProps {
  readonly text: string;
  readonly label: string;
  readonly on: boolean;
  readonly onClick: () => void;
}

function Toggle({ text, label, on, onClick }: ToggleProps): JSX.Element {
  return (
    <button
      type="button"
      className="btn ghost opt-key"
      aria-label={label}
      title={label}
      aria-pressed={on}
      onClick={onClick}
    >
      {text}
    </button>
  );
}

function problemText(find: FindSession): string | null {
  if (find.problem === null) return null;
  return find.problem.kind === 'slow'
    ? logWords.find.slow
    : logWords.find.wrong(find.problem.reason);
}

function countText(find: FindSession): string {
  if (!find.settled && find.hits === 0) return '';
  if (find.hits === 0) return logWords.find.noneShort;
  if (find.current !== null) return logWords.find.count(find.ordinal(), find.hits, find.capped);
  return find.settled || find.capped
    ? logWords.find.found(find.hits, find.capped)
    : logWords.find.soFar(find.hits);
}
