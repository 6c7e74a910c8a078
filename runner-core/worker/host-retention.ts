/**
 * Removes directories of local commands past their time, then the oldest beyond the quota. Only what is named as a
 * job is, in a parent of ours, and no link; those of held jobs stay.
 */
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HOST_PARENT } from './host-directory.ts';
import { bytesIn } from './workspace-cleaning.ts';

/** What Cursor wrote may be all there is of its work. */
export const HOST_DIRECTORY_TTL_MS = 30 * 24 * 3_600_000;
export const HOST_DIRECTORIES_QUOTA_BYTES = 4 * 1_073_741_824;
const JOB_NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface HostCleaning {
  readonly roots: readonly string[];
  /** Names of the directories of held jobs. */
  readonly keep: ReadonlySet<string>;
  readonly nowMs: number;
  readonly ttlMs?: number;
  readonly quotaBytes?: number;
}
export interface HostDirectoriesCleaned {
  readonly removed: readonly string[];
  readonly failed: readonly string[];
}

interface Found {
  readonly path: string;
  readonly name: string;
  readonly mtimeMs: number;
}

/** One pass. Never rejects for what is in the folders; a root that is missing has nothing. */
export async function cleanHostDirectories({
  roots,
  keep,
  nowMs,
  ttlMs = HOST_DIRECTORY_TTL_MS,
  quotaBytes = HOST_DIRECTORIES_QUOTA_BYTES,
}: HostCleaning): Promise<HostDirectoriesCleaned> {
  const removed: string[] = [];
  const failed: string[] = [];
  const remove = async ({ path, name }: Found): Promise<boolean> => {
    const gone = await rm(path, { recursive: true, force: true, maxRetries: 2 }).then(
      () => true,
      () => false,
    );
    (gone ? removed : failed).push(name);
    return gone;
  };
  const lists = await Promise.all(roots.map((root) => directoriesIn(join(root, HOST_PARENT))));
  const found = lists.flat().filter(({ name }) => !keep.has(name));
  found.sort((a, b) => a.mtimeMs - b.mtimeMs);
  const kept: (Found & { readonly bytes: number })[] = [];
  for (const each of found)
    if (nowMs - each.mtimeMs <= ttlMs) kept.push({ ...each, bytes: await bytesIn(each.path) });
    else await remove(each);
  let bytes = kept.reduce((sum, each) => sum + each.bytes, 0);
  for (const each of kept) {
    if (bytes <= quotaBytes) break;
    if (await remove(each)) bytes -= each.bytes;
  }
  return { removed, failed };
}

async function directoriesIn(parent: string): Promise<readonly Found[]> {
  const itself = await lstat(parent).catch(() => null);
  if (itself?.isDirectory() !== true) return [];
  const names = (await readdir(parent).catch(() => [])).filter((name) => JOB_NAME.test(name));
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(parent, name);
      const seen = await lstat(path).catch(() => null);
      return seen?.isDirectory() === true ? { path, name, mtimeMs: seen.mtimeMs } : null;
    }),
  );
  return found.filter((each) => each !== null);
}
