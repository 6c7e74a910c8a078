/** Ends what is left of a local command, whoever noted it, and takes its directory back where it is empty. */
import { rmdir } from 'node:fs/promises';
import { JOB_VARIABLE } from '../host-exec/environment.ts';
import type { Leftover } from '../model/leftover.ts';
import type { Clock } from '../ports.ts';
import { endAll } from './process-group.ts';

/** Resolves when nothing of it is left; rejects where something does not go. */
export async function removeProcess(
  clock: Clock,
  { name, pid, mark, directory }: Leftover & { readonly kind: 'process' },
): Promise<void> {
  const tag = { variable: JOB_VARIABLE, value: name };
  if (!(await endAll(clock, { pid, mark, tag })))
    throw new Error('a process of the job does not end');
  await rmdir(directory).catch(() => undefined);
}
