/** What a shell does of a failure nobody expected, once there is a host. Before that Node's own way ends it. */
import { settledWithin } from '../runner-core/listener/settled-within.ts';
import type { Clock } from '../runner-core/ports.ts';
import type { Host } from './host-shape.ts';

/** For the last lines of the log. */
const LAST_WORDS_MS = 1_000;

/** Node's `process`, as far as it is used here. */
export interface FailingProcess {
  on(event: 'unhandledRejection', act: (reason: unknown) => void): unknown;
  on(event: 'uncaughtException', act: (error: Error) => void): unknown;
}

/**
 * A rejection leaves the host running. After an exception nobody knows what state it is in: it ends, through `end`,
 * so that it can be started again, and its containers are adopted then.
 */
export function watchUnexpected(
  process: FailingProcess,
  host: Pick<Host, 'unexpected'>,
  clock: Clock,
  end: () => void,
): void {
  let isEnding = false;
  process.on('unhandledRejection', (reason) => void host.unexpected('rejection', reason));
  process.on('uncaughtException', (error) => {
    const kept = host.unexpected('exception', error);
    if (isEnding) return;
    isEnding = true;
    void settledWithin(clock, LAST_WORDS_MS, kept).then(end);
  });
}
