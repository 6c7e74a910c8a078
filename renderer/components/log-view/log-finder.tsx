/** The find field of a log: what is sought, how, and how many were found. */
import { useSyncExternalStore, type JSX, type KeyboardEvent, type Ref } from 'react';
import { logWords } from '../../job-words.ts';
import type { FindSession } from '../../log/find-session.ts';
import type { FindQuery } from '../../log/find-text.ts';
import type { LineStore } from '../../log/line-store.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import type { LogController } from './log-controller.ts';

export interface LogFinderProps {
  readonly controller: LogController;
  readonly store: LineStore;
  readonly find: FindSession;
  readonly query: FindQuery;
  readonly disabled: boolean;
  readonly inputRef: Ref<HTMLInputElement>;
  readonly onQuery: (query: FindQuery) => void;
  readonly onStep: (direction: 1 | -1) => void;
  /** Esc: the field is empty and the log has the focus again. */
  readonly onLeave: () => void;
}

export function LogFinder(props: LogFinderProps): JSX.Element {
  const { controller, find, query, store } = props;
  // Hits stream in, and the controller tells of them.
  useSyncExternalStore(controller.subscribe, controller.snapshot);
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
  const counted = none ? logWords.find.none(query.text, searchedLines(store)) : countText(find);
  const partly =
    store.loaded < store.total && find.hits > 0
      ? logWords.find.partly(store.loaded, store.total)
      : '';
  const status = problem ?? counted;
  return (
    <>
      <div className={`field finder${problem === null ? '' : ' wrong'}`}>
        <Icon name="search" />
        <input
          ref={props.inputRef}
          disabled={props.disabled}
          data-filter=""
          value={query.text}
          placeholder={logWords.find.hint(store.total === 0 ? 0 : store.lines)}
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
            className={`hits${problem === null ? '' : ' bad'}`}
            role="status"
            title={`${status} ${partly}`.trim()}
          >
            {status}
            {partly === '' || problem !== null ? null : <span className="t3"> {partly}</span>}
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

/** Those at hand; a line in several records counts as often, which only a log with long lines shows. */
function searchedLines(store: LineStore): number {
  return store.loaded < store.total ? store.loaded : store.lines;
}

function problemText(find: FindSession): string | null {
  if (find.problem === null) return null;
  return find.problem.kind === 'slow'
    ? logWords.find.slow
    : logWords.find.wrong(find.problem.reason);
}

function countText(find: FindSession): string {
  if (!find.settled && find.hits === 0) return '';
  if (find.current !== null) return logWords.find.count(find.ordinal(), find.hits, find.capped);
  return find.settled || find.capped
    ? logWords.find.found(find.hits, find.capped)
    : logWords.find.soFar(find.hits);
}
