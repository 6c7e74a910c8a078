/** The bar under a log: following, what is new, how much there is, and the keys that help most. */
import { useEffect, useRef, useState, useSyncExternalStore, type JSX } from 'react';
import { formatBytes } from '../../format.ts';
import { logWords } from '../../job-words.ts';
import type { LineStore } from '../../log/line-store.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import type { LogController } from './log-controller.ts';

export interface LogFootProps {
  readonly controller: LogController;
  readonly store: LineStore;
  readonly bytes: number;
  readonly finished: boolean;
  readonly problem: string | null;
  readonly finding: boolean;
  /** There is nothing to go to, and nothing will come. */
  readonly empty: boolean;
}

/** A screen reader hears of new lines this often at most. */
const SPEAK_EVERY_MS = 10_000;

export function LogFoot(props: LogFootProps): JSX.Element {
  const { controller, store } = props;
  const snapshot = useSyncExternalStore(controller.subscribe, controller.snapshot);
  const following = snapshot.follow === 'following';
  const spoken = useSpoken(snapshot.newRecords);
  if (props.empty) return <div className="logfoot t3">{logWords.onceHad(store.lines)}</div>;
  return (
    <div className="logfoot">
      {following && !props.finished ? (
        <Button
          small
          icon="follow"
          pressed
          title={logWords.follow}
          onClick={() => controller.scrollBy(-1)}
        >
          {logWords.following}
        </Button>
      ) : (
        <Button small icon="follow" title={logWords.follow} onClick={() => controller.resume()}>
          {logWords.toEnd}
        </Button>
      )}
      {store.total === 0 ? null : (
        <span>{logWords.size(store.lines, formatBytes(props.bytes))}</span>
      )}
      {store.errorCount > 0 ? <span className="trunc">{errorWords(store)}</span> : null}
      {props.problem === null ? null : <span className="st st-failed">{props.problem}</span>}
      <span className="grow" />
      <span className="lf-keys t3" aria-hidden="true">
        {props.finding ? <Key name="n" what={logWords.keys.nextHit} /> : null}
        {store.errorCount > 0 ? <Key name="e" what={logWords.keys.nextError} /> : null}
        {following ? null : <Key name="f" what={logWords.keys.follow} />}
        <Key name=":" what={logWords.keys.goTo} />
      </span>
      <span className="vh" role="status">
        {spoken}
      </span>
      {!following && snapshot.newRecords > 0 ? (
        <button type="button" className="new-lines" onClick={() => controller.resume()}>
          <Icon name="down" size={14} />
          {logWords.newLines(snapshot.newRecords)}
        </button>
      ) : null}
    </div>
  );
}

/** Errors are looked for in what is at hand, which of a very long log is a part. */
function errorWords({ errorCount, loaded, total }: LineStore): string {
  return loaded < total ? logWords.errorsAtHand(errorCount, loaded) : logWords.errors(errorCount);
}

function Key({ name, what }: { readonly name: string; readonly what: string }): JSX.Element {
  return (
    <span className="key">
      <kbd className="kbd">{name}</kbd> {what}
    </span>
  );
}

function useSpoken(newRecords: number): string {
  const [spoken, setSpoken] = useState('');
  const newest = useRef(newRecords);
  newest.current = newRecords;
  const some = newRecords > 0;
  useEffect(() => {
    if (!some) {
      setSpoken('');
      return undefined;
    }
    const timer = setInterval(() => setSpoken(logWords.spoken(newest.current)), SPEAK_EVERY_MS);
    return () => clearInterval(timer);
  }, [some]);
  return spoken;
}
