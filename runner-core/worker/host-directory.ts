/**
 * The fresh directory of a host job: `<root>/.preloop-host-exec/<job id>`, made exclusively and for its owner alone.
 * No part of it below the root may be a link, and nobody else may write the root or the parent: who can, could put
 * another directory in its place. A root the owner named is never made.
 */
import type { Stats } from 'node:fs';
import { lstat, mkdir, realpath, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writableByOthers, type Owner, type TrustedThing } from '../host-exec/file-trust.ts';
import type { StartProblem } from '../host-exec/verdict.ts';
import { thisPlatform } from './host-command.ts';

export const HOST_PARENT = '.preloop-host-exec';

export interface DirectoryRequest {
  /** As the profile has it; null: the host's own, which is made where it is missing. */
  readonly workspaceRoot: string | null;
  readonly ownRoot: string;
  readonly jobId: string;
  /** Whom all of it has to belong to; left out: who runs this process. */
  readonly owner?: Owner;
}
export type DirectoryPlan =
  | {
      readonly kind: 'planned';
      /** Real path of the root. */
      readonly root: string;
      readonly parent: string;
      readonly directory: string;
      readonly owner: Owner;
    }
  | { readonly kind: 'problem'; readonly problem: StartProblem };

/** Where it will be, with all that can be looked at before anything is made. */
export async function planDirectory(request: DirectoryRequest): Promise<DirectoryPlan> {
  const { workspaceRoot, ownRoot, jobId, owner = thisOwner() } = request;
  try {
    if (workspaceRoot === null) await mkdir(ownRoot, { recursive: true, mode: 0o700 });
    const root = await realpath(workspaceRoot ?? ownRoot);
    const unsafeRoot = wrongRoot(await stat(root), owner);
    if (unsafeRoot !== null) return unsafeRoot;
    const parent = join(root, HOST_PARENT);
    const directory = join(parent, jobId.toLowerCase());
    const seen = await lstat(parent).catch(absent);
    const wrong = seen === null ? null : wrongParent(seen, owner);
    if (wrong !== null) return wrong;
    const there = seen === null ? null : await lstat(directory).catch(absent);
    if (there !== null)
      return problem(
        isOurs(there) ? 'EARLIER_RUN' : 'EEXIST',
        'the directory of this job is there already',
      );
    return { kind: 'planned', root, parent, directory, owner };
  } catch (error) {
    return problemOf(error, 'the workspace root cannot be used');
  }
}

/** Makes it. Null when it is there, empty and ours. */
export async function makeDirectory(
  plan: DirectoryPlan & { readonly kind: 'planned' },
): Promise<StartProblem | null> {
  const { root, parent, directory, owner } = plan;
  try {
    await mkdir(parent, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    // Time has passed since the plan, and whose the parent is was not known where it was missing.
    const wrong = wrongRoot(await lstat(root), owner) ?? wrongParent(await lstat(parent), owner);
    if (wrong !== null) return wrong.problem;
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

function wrongRoot(seen: Stats, owner: Owner): Problem | null {
  if (!seen.isDirectory()) return problem('ENOTDIR', 'the workspace root is no directory');
  return untrusted('workspace', seen, owner);
}

function wrongParent(seen: Stats, owner: Owner): Problem | null {
  if (seen.isSymbolicLink()) return problem('ENOTDIR', `${HOST_PARENT} is a link`);
  if (!seen.isDirectory()) return problem('ENOTDIR', `${HOST_PARENT} is no directory`);
  return untrusted('jobs_folder', seen, owner);
}

function untrusted(thing: TrustedThing, seen: Stats, owner: Owner): Problem | null {
  const found = writableByOthers(thing, seen, owner).find(({ severity }) => severity === 'error');
  if (found === undefined) return null;
  const { code, reason, remedy } = found;
  return problem(code, `${reason} ${remedy}`.replace(/\.$/, ''));
}

function thisOwner(): Owner {
  return { uid: process.getuid?.() ?? -1, platform: thisPlatform() };
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
