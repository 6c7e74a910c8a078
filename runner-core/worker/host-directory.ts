/**
 * The fresh directory of a host job: `<root>/.preloop-host-exec/<job id>`, made exclusively and for its owner alone.
 * No part of it below the root may be a link. A root the owner named is never made.
 */
import type { Stats } from 'node:fs';
import { lstat, mkdir, realpath, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StartProblem } from '../host-exec/verdict.ts';

export const HOST_PARENT = '.preloop-host-exec';
const OTHERS_MAY_WRITE = 0o002;

export interface DirectoryRequest {
  /** As the profile has it; null: the host's own, which is made where it is missing. */
  readonly workspaceRoot: string | null;
  readonly ownRoot: string;
  readonly jobId: string;
}
export type DirectoryPlan =
  | {
      readonly kind: 'planned';
      /** Real path of the root. */
      readonly root: string;
      readonly parent: string;
      readonly directory: string;
    }
  | { readonly kind: 'problem'; readonly problem: StartProblem };

/** Where it will be, with all that can be looked at before anything is made. */
export async function planDirectory(request: DirectoryRequest): Promise<DirectoryPlan> {
  const { workspaceRoot, ownRoot, jobId } = request;
  try {
    if (workspaceRoot === null) await mkdir(ownRoot, { recursive: true, mode: 0o700 });
    const root = await realpath(workspaceRoot ?? ownRoot);
    if (!(await stat(root)).isDirectory())
      return problem('ENOTDIR', 'the workspace root is a file');
    const parent = join(root, HOST_PARENT);
    const directory = join(parent, jobId.toLowerCase());
    const seen = await lstat(parent).catch(absent);
    const wrong = seen === null ? null : wrongParent(seen);
    if (wrong !== null) return problem('ENOTDIR', wrong);
    const there = seen === null ? null : await lstat(directory).catch(absent);
    if (there !== null)
      return problem(
        isOurs(there) ? 'EARLIER_RUN' : 'EEXIST',
        'the directory of this job is there already',
      );
    return { kind: 'planned', root, parent, directory };
  } catch (error) {
    return problemOf(error, 'the workspace root cannot be used');
  }
}

/** Makes it. Null when it is there, empty and ours. */
export async function makeDirectory(
  plan: DirectoryPlan & { readonly kind: 'planned' },
): Promise<StartProblem | null> {
  const { parent, directory } = plan;
  try {
    await mkdir(parent, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    const wrong = wrongParent(await lstat(parent));
    if (wrong !== null) return problem('ENOTDIR', wrong).problem;
    await mkdir(directory, { mode: 0o700 });
    // The parent may have been swapped between the look and the making.
    if ((await realpath(directory)) === directory) return null;
    await removeFresh(directory);
    return problem('ELOOP', 'the directory of this job was reached through a link').problem;
  } catch (error) {
    return problemOf(error, 'the directory of this job could not be made').problem;
  }
}

/** Takes an unused directory back. Never rejects; one with something in it stays. */
export async function removeFresh(directory: string): Promise<void> {
  await rmdir(directory).catch(() => undefined);
}

/** As only this host makes one: for its owner alone. An earlier run of the job, of which the database is gone. */
function isOurs(seen: Stats): boolean {
  const uid = process.getuid?.();
  return (
    uid !== undefined && seen.isDirectory() && seen.uid === uid && (seen.mode & 0o777) === 0o700
  );
}

function wrongParent(seen: Awaited<ReturnType<typeof lstat>>): string | null {
  if (seen.isSymbolicLink()) return `${HOST_PARENT} is a link`;
  if (!seen.isDirectory()) return `${HOST_PARENT} is no directory`;
  if (process.platform !== 'win32' && (Number(seen.mode) & OTHERS_MAY_WRITE) !== 0)
    return `others may write in ${HOST_PARENT}`;
  return null;
}

type Problem = Extract<DirectoryPlan, { kind: 'problem' }>;

function problem(code: string, detail: string): Problem {
  return { kind: 'problem', problem: { step: 'directory', code, detail } };
}

/** The system's code and our words: its own message quotes paths. */
function problemOf(error: unknown, detail: string): Problem {
  const code = codeOf(error);
  if (code === null) throw error;
  return problem(code, code === 'EEXIST' ? 'the directory of this job is there already' : detail);
}

function absent(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}

export function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : null;
}
