/** The ruler with the marks of a store and a search. Marks are gathered four times a second at most. */
import { useEffect, useRef, useState, useSyncExternalStore, type JSX } from 'react';
import type { FindSession } from '../../log/find-session.ts';
import type { LineStore } from '../../log/line-store.ts';
import type { LogController } from './log-controller.ts';
import { LogRuler } from './log-ruler.tsx';

export interface MarkedRulerProps {
  readonly controller: LogController;
  readonly find: FindSession;
  readonly store: LineStore;
}

interface Marks {
  readonly hits: readonly number[];
  readonly errors: readonly number[];
}

const GATHER_EVERY_MS = 250;

export function MarkedRuler({ controller, find, store }: MarkedRulerProps): JSX.Element {
  const snapshot = useSyncExternalStore(controller.subscribe, controller.snapshot);
  const [marks, setMarks] = useState<Marks>({ hits: [], errors: [] });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const key = `${find.hits} ${store.errorCount} ${find.query?.text ?? ''}`;
  useEffect(() => {
    // A timer that runs already will see this change too; in a log that streams it must not be put off for ever.
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setMarks({ hits: find.records(), errors: store.errors() });
    }, GATHER_EVERY_MS);
  }, [key, find, store]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return (
    <LogRuler
      snapshot={snapshot}
      hits={marks.hits}
      errors={marks.errors}
      current={find.current?.record ?? null}
      onShare={(share) => controller.showShare(share)}
    />
  );
}
