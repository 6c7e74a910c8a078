/**
 * The kept workspace of one job: a folder named by its id, taken over from the job it continues, leased
 * while it is in use. Clean-up of old ones is in `workspace-cleaning.ts`.
 */
import { randomBytes } from 'node:crypto';
import { cp, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '../ports.ts';

export const LEASE_FILE = '.preloop-runner-lease';
/** Well within the two minutes after which a lease no longer protects. */
const TOUCH_EVERY_MS = 30_000;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface WorkspaceRequest {
  readonly workspacesDir: string;
  readonly jobId: string;
  readonly resumeFrom: string | null;
}
export type WorkspaceFound =
  | { readonly kind: 'ready'; readonly dir: string }
  /** Nothing of the earlier job is here. `why` is a tombstone's word, or null: it was never on this host. */
  | { readonly kind: 'unrecoverable'; readonly previous: string; readonly why: string | null };

/** Where the workspace of a job is, whether there is one or not. */
export function workspaceDirOf(workspacesDir: string, jobId: string): string {
  return join(workspacesDir, jobId);
}

/**
 * The folder to mount, with the earlier job's content where one is continued. Rejects when the disk
 * refuses or an id is no UUID; the message then names the cause without any content.
 */
export async function prepareWorkspace(request: WorkspaceRequest): Promise<WorkspaceFound> {
  const { workspacesDir, jobId, resumeFrom } = request;
  for (const id of resumeFrom === null ? [jobId] : [jobId, resumeFrom])
    if (!UUID.test(id)) throw new Error('the id of a kept workspace is no UUID');
  await mkdir(workspacesDir, { recursive: true, mode: 0o700 });
  const dir = workspaceDirOf(workspacesDir, jobId);
  const isRecovered = await recover(request, dir);
  if (!isRecovered) {
    const why = await tombstone(workspacesDir, resumeFrom ?? jobId);
    return { kind: 'unrecoverable', previous: resumeFrom ?? jobId, why };
  }
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await mustBeFolder(dir);
  return { kind: 'ready', dir };
}

/** True when nothing has to be recovered, or it was. */
async function recover(request: WorkspaceRequest, dir: string): Promise<boolean> {
  const { workspacesDir, jobId, resumeFrom } = request;
  if (resumeFrom === null) return true;
  const hasOwn = await hasContent(dir);
  if (resumeFrom === jobId || hasOwn) return hasOwn;
  const previous = join(workspacesDir, resumeFrom);
  if (!(await isFolder(previous))) return false;
  await rm(dir, { recursive: true, force: true });
  await moveFolder(previous, dir);
  return true;
}

/** Moves, or copies where a move is refused. A copy that failed half-way never looks like a workspace. */
async function moveFolder(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
    return;
  } catch {
    await copyFolder(from, to);
  }
}

/** Copies modes and symbolic links as they are: a link is never followed, so none can lead the copy astray. */
export async function copyFolder(from: string, to: string): Promise<void> {
  const halfway = `${to}.copy-${randomBytes(4).toString('hex')}`;
  try {
    await cp(from, halfway, {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      errorOnExist: true,
      force: false,
    });
    await rename(halfway, to);
  } catch (error) {
    await rm(halfway, { recursive: true, force: true });
    throw error;
  }
}

async function hasContent(dir: string): Promise<boolean> {
  if (!(await isFolder(dir))) return false;
  return (await readdir(dir)).some((name) => name !== LEASE_FILE && !name.startsWith('.lease-'));
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch {
    return false;
  }
}

async function mustBeFolder(path: string): Promise<void> {
  if (!(await isFolder(path))) throw new Error('the workspace is not a folder of its own');
}

async function tombstone(workspacesDir: string, id: string): Promise<string | null> {
  try {
    const text = (await readFile(join(workspacesDir, `${id}.expired`), 'utf8')).trim();
    return /^[a-z_]{1,64}$/.test(text) ? text : null;
  } catch {
    return null;
  }
}

/** Keeps a workspace's lease fresh from construction until `release`. A touch that fails is left to the next. */
export class WorkspaceLease {
  readonly #dir: string;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #touching: Promise<void>;

  constructor(dir: string, clock: Clock) {
    this.#dir = dir;
    this.#clock = clock;
    this.#touching = this.#touch();
  }

  /** Resolves when the newest touch is over, done or failed. */
  get touched(): Promise<void> {
    return this.#touching;
  }

  /** Removes the lease. Never rejects. */
  async release(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#touching;
    await rm(join(this.#dir, LEASE_FILE), { force: true }).catch(() => undefined);
  }

  async #touch(): Promise<void> {
    this.#timer = this.#clock.after(TOUCH_EVERY_MS, () => {
      this.#touching = this.#touch();
    });
    await touchLease(this.#dir, this.#clock.nowMs()).catch(() => undefined);
  }
}

/** Writes the lease whole or not at all. Refuses one that is a symbolic link, which a job could have planted. */
export async function touchLease(dir: string, nowMs: number): Promise<void> {
  const lease = join(dir, LEASE_FILE);
  const seen = await lstat(lease).catch(() => undefined);
  if (seen?.isSymbolicLink() === true) throw new Error('the lease is a symbolic link');
  const fresh = join(dir, `.lease-${randomBytes(6).toString('hex')}`);
  await writeFile(fresh, `${new Date(nowMs).toISOString()}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await rename(fresh, lease);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}
