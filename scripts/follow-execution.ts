/** Follows an execution of the embedded plane to its end, over the plane's REST: what the service itself was told. */
import type { Clock } from '../runner-core/ports.ts';
import type { PlaneClient, PlaneExecution } from '../main/cli/plane-client.ts';

const POLL_MS = 500;
const TERMINAL = new Set([
  'SUCCEEDED',
  'FAILED',
  'STOPPED',
  'CANCELLED',
  'TIMEOUT',
  'TIMED_OUT',
  'ABORTED',
]);

/** Follows an execution until it is over, handing each new line to `print`. */
export async function followExecution(
  plane: PlaneClient,
  id: string,
  clock: Clock,
  print: (line: string) => void,
): Promise<PlaneExecution> {
  let lastSeq = 0;
  for (;;) {
    // Read before the log, so that no line can come after the last look.
    const execution = await plane.execution(id);
    for (;;) {
      const page = await plane.logs(id, lastSeq);
      for (const line of page.lines) print(line);
      if (page.lines.length === 0) break;
      lastSeq = page.lastSeq;
    }
    if (TERMINAL.has(execution.status)) return execution;
    await clock.wait(POLL_MS);
  }
}
