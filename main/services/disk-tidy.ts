/**
 * Keeps our folders within the owner's age and budget, counted in bytes on disk. The oldest settled jobs give
 * way first: beyond the budget their log, past their age all that is known of them. Pinned ones stay.
 */
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobId } from '../../runner-core/model/ids.ts';
import type { Log } from '../../runner-core/ports.ts';
import { jobLogFile } from '../data-dir.ts';
import type { DiskLimits } from '../settings-schema.ts';
import type { SqliteJobStore } from '../store/sqlite-job-store.ts';

/** So many jobs are looked up at once; between them others have their turn. */
const PIECE = 50;
const BLOCK_BYTES = 512;

export interface DiskTidyDeps {
  readonly log: Log;
  readonly root: string;
  readonly logsDir: string;
  readonly setAsideDir: string;
  readonly store: Pick<SqliteJobStore, 'kept' | 'removeLog' | 'removeJob' | 'removeOrphanLogs'>;
}

export interface Tidied {
  readonly jobsRemoved: number;
  readonly logsRemoved: number;
  /** What our folders take afterwards. */
  readonly usedBytes: number;
}

/** Throws StoreUnavailableError; what was removed until then stays removed. */
export async function tidyDisk(
  deps: DiskTidyDeps,
  limits: DiskLimits,
  nowMs: number,
): Promise<Tidied> {
  await deps.store.removeOrphanLogs();
  let jobsRemoved = 0;
  if (limits.ageMs !== null) {
    const before = nowMs - limits.ageMs;
    jobsRemoved = await removeJobs(deps, before);
    await removeSetAside(deps, (folder) => folder.changedMs < before);
  }
  let usedBytes = await bytesOnDisk(deps.root);
  if (limits.budgetBytes === null) return { jobsRemoved, logsRemoved: 0, usedBytes };
  const { budgetBytes } = limits;
  // Before any log: nothing reads them, and one can be larger than all logs together.
  usedBytes -= await removeSetAside(deps, (_, freed) => usedBytes - freed > budgetBytes);
  const { logsRemoved, bytesFreed } = await removeLogs(deps, usedBytes - budgetBytes, nowMs);
  return { jobsRemoved, logsRemoved, usedBytes: usedBytes - bytesFreed };
}

/** Blocks, not lengths: what the disk gives for it. A file that vanishes meanwhile counts nothing. */
export async function bytesOnDisk(path: string): Promise<number> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return 0;
  // Windows counts no blocks.
  let sum = found.blocks === 0 ? found.size : found.blocks * BLOCK_BYTES;
  if (!found.isDirectory()) return sum;
  for (const name of await readdir(path).catch(() => []))
    sum += await bytesOnDisk(join(path, name));
  return sum;
}

async function removeJobs(deps: DiskTidyDeps, before: number): Promise<number> {
  let removed = 0;
  for (;;) {
    const jobs = deps.store.kept.removable(before, false, PIECE);
    const gone = await each(jobs, deps, (jobId) => deps.store.removeJob(jobId));
    removed += gone.length;
    if (gone.length < PIECE) return removed;
  }
}

async function removeLogs(
  deps: DiskTidyDeps,
  over: number,
  nowMs: number,
): Promise<{ readonly logsRemoved: number; readonly bytesFreed: number }> {
  let logsRemoved = 0;
  let bytesFreed = 0;
  while (bytesFreed < over) {
    const jobs = deps.store.kept.removable(Number.MAX_SAFE_INTEGER, true, PIECE);
    const gone = await each(
      jobs,
      deps,
      (jobId) => {
        return bytesFreed < over && deps.store.removeLog(jobId, nowMs);
      },
      (bytes) => (bytesFreed += bytes),
    );
    logsRemoved += gone.length;
    if (gone.length === 0) break;
  }
  return { logsRemoved, bytesFreed };
}

/** The jobs that were removed. Waits for the disk before each, which lets others have their turn. */
async function each(
  jobs: readonly JobId[],
  { logsDir }: DiskTidyDeps,
  remove: (jobId: JobId) => boolean,
  freed: (bytes: number) => void = () => undefined,
): Promise<readonly JobId[]> {
  const removed: JobId[] = [];
  for (const jobId of jobs) {
    const bytes = await bytesOnDisk(jobLogFile(logsDir, jobId));
    if (!remove(jobId)) continue;
    removed.push(jobId);
    freed(bytes);
  }
  return removed;
}

interface SetAside {
  readonly path: string;
  readonly changedMs: number;
}

/**
 * Databases that could not be used, oldest first.
 *
 * @param isDue told what was freed until then, in bytes
 * @returns bytes freed
 */
async function removeSetAside(
  { setAsideDir, log }: DiskTidyDeps,
  isDue: (folder: SetAside, freedBytes: number) => boolean,
): Promise<number> {
  let freed = 0;
  for (const folder of await setAsideFolders(setAsideDir)) {
    if (!isDue(folder, freed)) continue;
    const bytes = await bytesOnDisk(folder.path);
    try {
      await rm(folder.path, { recursive: true, force: true });
      freed += bytes;
    } catch (error) {
      log.warn('set aside not removed', { folder: folder.path, error });
    }
  }
  return freed;
}

async function setAsideFolders(setAsideDir: string): Promise<readonly SetAside[]> {
  const folders: SetAside[] = [];
  for (const name of await readdir(setAsideDir).catch(() => [])) {
    const path = join(setAsideDir, name);
    const found = await lstat(path).catch(() => null);
    if (found !== null) folders.push({ path, changedMs: found.mtimeMs });
  }
  return folders.toSorted((a, b) => a.changedMs - b.changedMs);
}
