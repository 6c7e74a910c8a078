/** `preloop-host submit job.yaml`: hands a job to the embedded plane, and with --wait follows it to its end. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import * as z from 'zod';
import type { Clock } from '../../runner-core/ports.ts';
import type { PlaneClient, PlaneExecution } from './plane-client.ts';

const MAX_FILE_BYTES = 2 * 1024 * 1024;
const POLL_MS = 500;
const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a folder, not a job file',
  EACCES: 'may not be read by this user',
};
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
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new JobFileError(`${path} ${FILE_PROBLEMS[code] ?? `cannot be read (${code})`}`);
  }
  if (Buffer.byteLength(text) > MAX_FILE_BYTES)
    throw new JobFileError(`${path} is larger than 2 MiB`);
  const job = parseYaml(path, text);
  if (typeof job !== 'object' || job === null || Array.isArray(job))
    throw new JobFileError(
      `${path} holds no job. Write one field a line: name, agent_type, image, script`,
    );
  return job;
}

function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 20 });
  } catch (error) {
    const said = error instanceof Error ? error.message.trimEnd() : 'unreadable';
    throw new JobFileError(`${path} is not YAML: ${said}`);
  }
}

/** How an execution ended, in one line: its status and, unless it succeeded, why. */
export function endingLine({ status, error_message: error, result }: PlaneExecution): string {
  if (status === 'SUCCEEDED') return status;
  const why = error || summaryOf(result);
  return why === '' ? status : `${status}: ${why}`;
}

/** What the job itself says of its result, on one line; empty where it says nothing. */
function summaryOf(result: unknown): string {
  const parsed = z.object({ summary: z.string() }).safeParse(result);
  return parsed.success ? parsed.data.summary.replace(/\s+/g, ' ').trim() : '';
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
