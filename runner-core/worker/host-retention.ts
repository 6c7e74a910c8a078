/**
 * Removes directories of local commands past their time, then the oldest beyond the quota. Only what is named to it,
 * and only where that is what a job of ours was given: its own directory in a parent of ours, reached by no link.
 */
import { lstat, realpath, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { HOST_PARENT } from './host-directory.ts';
import { bytesIn } from './workspace-cleaning.ts';

/** What Cursor wrote may be all there is of its work. */
export const HOST_DIRECTORY_TTL_MS = 30 * 24 * 3_600_000;
export const HOST_DIRECTORIES_QUOTA_BYTES = 4 * 1_073_741_824;
const JOB_NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Of a job that is over. */
export interface EndedDirectory {
  readonly path: string;
  readonly jobId: string;
  readonly endedAtMs: number;
}

export interface HostCleaning {
  readonly directories: readonly EndedDirectory[];
  readonly nowMs: number;
  readonly ttlMs?: number;
  readonly quotaBytes?: number;
}
export interface HostDirectoriesCleaned {
  readonly removed: readonly EndedDirectory[];
  readonly failed: readonly EndedDirectory[];
  /** Somebody else removed them, or nothing was left in them. */
  readonly gone: readonly EndedDirectory[];
}

/** One pass. Never rejects for what is on the disk. */
export async function cleanHostDirectories({
  directories,
  nowMs,
  ttlMs = HOST_DIRECTORY_TTL_MS,
  quotaBytes = HOST_DIRECTORIES_QUOTA_BYTES,
}: HostCleaning): Promise<HostDirectoriesCleaned> {
  const removed: EndedDirectory[] = [];
  const failed: EndedDirectory[] = [];
  const gone: EndedDirectory[] = [];
  const remove = async (each: EndedDirectory): Promise<boolean> => {
    // Looked at again: summing up the others took its time.
    const isRemoved = (await isOurs(each)) && (await removeTree(each.path));
    (isRemoved ? removed : failed).push(each);
    return isRemoved;
  };
  const kept: (EndedDirectory & { readonly bytes: number })[] = [];
  for (const each of directories.toSorted((a, b) => a.endedAtMs - b.endedAtMs)) {
    if (await isMissing(each.path)) gone.push(each);
    else if (!(await isOurs(each))) failed.push(each);
    else if (nowMs - each.endedAtMs > ttlMs) await remove(each);
    else kept.push({ ...each, bytes: await bytesIn(each.path) });
  }
  let bytes = kept.reduce((sum, each) => sum + each.bytes, 0);
  for (const { bytes: own, ...each } of kept) {
    if (bytes <= quotaBytes) break;
    if (await remove(each)) bytes -= own;
  }
  return { removed, failed, gone };
}

/** A directory of this user's, by the name of its job, in a parent of ours, and no part of its path a link. */
async function isOurs({ path, jobId }: EndedDirectory): Promise<boolean> {
  const name = jobId.toLowerCase();
  if (!JOB_NAME.test(name) || basename(path) !== name) return false;
  if (basename(dirname(path)) !== HOST_PARENT) return false;
  const seen = await lstat(path).catch(() => null);
  const uid = process.getuid?.();
  if (seen?.isDirectory() !== true || (uid !== undefined && seen.uid !== uid)) return false;
  return (await realpath(path).catch(() => null)) === path;
}

/** Only where the system says so: what cannot be looked at may still be there. */
function isMissing(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT',
  );
}

function removeTree(path: string): Promise<boolean> {
  return rm(path, { recursive: true, force: true, maxRetries: 2 }).then(
    () => true,
    () => false,
  );
}
