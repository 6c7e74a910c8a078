/**
 * Removes kept workspaces past their time, then the oldest beyond the quota, and says in a tombstone why.
 * Run by the host's housekeeping; workers only hold leases. A folder that cannot be removed is passed over.
 */
import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LEASE_FILE } from './workspace.ts';

const LEASE_FRESH_MS = 120_000;
/** Tombstones only serve a better message; after so long nobody continues. */
const TOMBSTONE_MS = 30 * 24 * 3_600_000;
export const WORKSPACE_TTL_MS = 24 * 3_600_000;
export const WORKSPACE_QUOTA_BYTES = 4 * 1_073_741_824;

export interface WorkspaceCleaning {
  readonly workspacesDir: string;
  /** Ids of all held jobs. */
  readonly keep: ReadonlySet<string>;
  /** 0: every idle workspace goes. */
  readonly ttlMs: number;
  readonly quotaBytes: number;
  readonly nowMs: number;
}
export interface WorkspacesCleaned {
  readonly removed: readonly string[];
  /** Ids of those that could not be removed, for example because a container left files of root. */
  readonly failed: readonly string[];
  /** Bytes of regular files in what is left. */
  readonly bytes: number;
}

type Why = 'workspace_retention_expired' | 'workspace_quota_exceeded';
interface Workspace {
  readonly id: string;
  readonly mtimeMs: number;
  /** Held or leased: counted, never removed. */
  readonly inUse: boolean;
}

/** One pass. Never rejects for what is in the folder; a missing folder is an empty one. */
export async function cleanWorkspaces(cleaning: WorkspaceCleaning): Promise<WorkspacesCleaned> {
  const removed: string[] = [];
  const failed: string[] = [];
  const remove = async (id: string, why: Why): Promise<boolean> => {
    const gone = await removeOne(cleaning.workspacesDir, id, why);
    (gone ? removed : failed).push(id);
    return gone;
  };
  const kept: Workspace[] = [];
  for (const workspace of await listWorkspaces(cleaning)) {
    const isExpired = !workspace.inUse && isPast(workspace, cleaning);
    if (!isExpired || !(await remove(workspace.id, 'workspace_retention_expired')))
      kept.push(workspace);
  }
  kept.sort((a, b) => a.mtimeMs - b.mtimeMs);
  const sizes = new Map<string, number>();
  for (const { id } of kept) sizes.set(id, await bytesIn(join(cleaning.workspacesDir, id)));
  let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  for (const { id, inUse } of kept) {
    if (bytes <= cleaning.quotaBytes) break;
    if (inUse || failed.includes(id)) continue;
    if (await remove(id, 'workspace_quota_exceeded')) bytes -= sizes.get(id) ?? 0;
  }
  return { removed, failed, bytes };
}

/** Ids of workspaces that nobody uses, the longest unused first. */
export async function idleWorkspaces(
  cleaning: Pick<WorkspaceCleaning, 'workspacesDir' | 'keep' | 'nowMs'>,
): Promise<readonly string[]> {
  const idle = (await listWorkspaces(cleaning)).filter(({ inUse }) => !inUse);
  return idle.toSorted((a, b) => a.mtimeMs - b.mtimeMs).map(({ id }) => id);
}

/** Gives its room up, and says so to who would continue it. False where it could not be removed. */
export function removeForRoom(workspacesDir: string, id: string): Promise<boolean> {
  return removeOne(workspacesDir, id, 'workspace_quota_exceeded');
}

function isPast({ mtimeMs }: Workspace, { ttlMs, nowMs }: WorkspaceCleaning): boolean {
  return ttlMs === 0 || nowMs - mtimeMs > ttlMs;
}

async function listWorkspaces(
  cleaning: Pick<WorkspaceCleaning, 'workspacesDir' | 'keep' | 'nowMs'>,
): Promise<Workspace[]> {
  const { workspacesDir, keep, nowMs } = cleaning;
  const found: Workspace[] = [];
  for (const id of await readdir(workspacesDir).catch(() => [])) {
    const path = join(workspacesDir, id);
    const seen = await lstat(path).catch(() => undefined);
    if (seen?.isFile() === true && id.endsWith('.expired') && nowMs - seen.mtimeMs > TOMBSTONE_MS)
      await rm(path, { force: true }).catch(() => undefined);
    if (seen?.isDirectory() !== true) continue;
    const inUse = keep.has(id) || (await isLeased(path, nowMs));
    found.push({ id, mtimeMs: seen.mtimeMs, inUse });
  }
  return found;
}

async function isLeased(dir: string, nowMs: number): Promise<boolean> {
  const lease = await lstat(join(dir, LEASE_FILE)).catch(() => undefined);
  return lease?.isFile() === true && nowMs - lease.mtimeMs < LEASE_FRESH_MS;
}

async function removeOne(workspacesDir: string, id: string, why: Why): Promise<boolean> {
  try {
    await rm(join(workspacesDir, id), { recursive: true, force: true, maxRetries: 2 });
    await writeFile(join(workspacesDir, `${id}.expired`), `${why}\n`, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** Bytes of regular files, links not followed, what cannot be read not counted. */
export async function bytesIn(dir: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) bytes += await bytesIn(path);
    else if (entry.isFile()) bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}
