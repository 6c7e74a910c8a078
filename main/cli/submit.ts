/** `preloop-host submit job.yaml`: hands a job to the embedded plane, and with --wait follows it to its end. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { Clock } from '../../runner-core/ports.ts';
import type { PlaneClient, PlaneExecution } from './plane-client.ts';

const MAX_FILE_BYTES = 2 * 1024 * 1024;
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

export class JobFileError extends Error {
  readonly code = 'job_file_unusable';
}

/** Reads a job file. The fields themselves are checked by the plane, which names what is wrong. */
export async function readJobFile(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new JobFileError(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
    );
  }
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    throw new JobFileError(`${path} is larger than 2 MiB`);
  try {
    return parse(text, { maxAliasCount: 20 });
  } catch (error) {
    throw new JobFileError(
      `${path} is not YAML: ${error instanceof Error ? error.message : 'unreadable'}`,
    );
  }
}

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
