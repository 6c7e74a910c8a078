/**
 * Keeps our folders within the owner's age and budget, counted in bytes on disk. Past their age settled jobs go
 * whole. Beyond the budget databases that were set aside give way first, then workspaces that nobody uses, then
 * logs of settled jobs, the oldest of each; pinned jobs stay. No log goes where all of them would not be enough.
 * Directories of local commands are measured apart: they have limits of their own, kept by `housekeeping.ts`.
 */
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobId } from '../../runner-core/model/ids.ts';
import type { Log } from '../../runner-core/ports.ts';
import { idleWorkspaces, removeForRoom } from '../../runner-core/worker/workspace-cleaning.ts';
import { jobLogFile } from '../data-dir.ts';
import type { DiskLimits } from '../settings-schema.ts';
import type { SqliteJobStore } from '../store/sqlite-job-store.ts';
import type { Staying } from './views/storage-words.ts';

/** So many jobs are looked up at once; between them others have their turn. */
const PIECE = 50;
const BLOCK_BYTES = 512;

export interface DiskTidyDeps {
  readonly log: Log;
  readonly root: string;
  readonly logsDir: string;
  readonly setAsideDir: string;
  readonly workspacesDir: string;
  /** Both of local commands, and outside the budget. */
  readonly hostWorkspacesDir: string;
  readonly scratchDir: string;
  readonly store: Pick<SqliteJobStore, 'kept' | 'removeLog' | 'removeJob' | 'removeOrphanLogs'>;
}

export interface Tidied {
  readonly jobsRemoved: number;
  readonly logsRemoved: number;
  readonly workspacesRemoved: number;
  /** What our folders take afterwards, but for directories of local commands. */
  readonly usedBytes: number;
  /** What those take. */
  readonly localCommandBytes: number;
  /** What cannot give way and is more than the budget allows; null within the budget. */
  readonly staying: Staying | null;
}

/**
 * Throws StoreUnavailableError; what was removed until then stays removed.
 *
 * @param held ids of all held jobs: their workspaces stay
 */
export async function tidyDisk(
  deps: DiskTidyDeps,
  limits: DiskLimits,
  held: ReadonlySet<string>,
  nowMs: number,
): Promise<Tidied> {
  await deps.store.removeOrphanLogs();
  let jobsRemoved = 0;
  if (limits.ageMs !== null) {
    const before = nowMs - limits.ageMs;
    jobsRemoved = await removeJobs(deps, before);
    await removeSetAside(deps, (folder) => folder.changedMs < before);
  }
  const { hostWorkspacesDir, scratchDir } = deps;
  const apart = new Set([hostWorkspacesDir, scratchDir]);
  let usedBytes = await bytesOnDisk(deps.root, apart);
  const localCommandBytes =
    (await bytesOnDisk(hostWorkspacesDir)) + (await bytesOnDisk(scratchDir));
  const none = { logsRemoved: 0, workspacesRemoved: 0, staying: null };
  const kept = { ...none, jobsRemoved, localCommandBytes };
  if (limits.budgetBytes === null) return { ...kept, usedBytes };
  const { budgetBytes } = limits;
  // Before any log: nothing reads them, and one can be larger than all logs together.
  usedBytes -= await removeSetAside(deps, (_, freed) => usedBytes - freed > budgetBytes);
  const workspaces = await removeWorkspaces(deps, usedBytes - budgetBytes, held, nowMs);
  usedBytes -= workspaces.bytesFreed;
  const workspacesRemoved = workspaces.removed;
  if (usedBytes <= budgetBytes) return { ...kept, workspacesRemoved, usedBytes };
  const logs = await bytesOfLogs(deps);
  if (usedBytes - logs.removable > budgetBytes) {
    const workspaceBytes = await bytesOnDisk(deps.workspacesDir);
    const otherBytes = usedBytes - logs.removable - logs.staying - workspaceBytes;
    const staying = { logBytes: logs.staying, workspaceBytes, otherBytes };
    return { ...kept, workspacesRemoved, usedBytes, staying };
  }
  const { logsRemoved, bytesFreed } = await removeLogs(deps, usedBytes - budgetBytes, nowMs);
  return { ...kept, logsRemoved, workspacesRemoved, usedBytes: usedBytes - bytesFreed };
}

/**
 * Blocks, not lengths: what the disk gives for it. A file that vanishes meanwhile counts nothing.
 *
 * @param without full paths that are left out, with all they hold
 */
export async function bytesOnDisk(
  path: string,
  without: ReadonlySet<string> = new Set(),
): Promise<number> {
  if (without.has(path)) return 0;
  const found = await lstat(path).catch(() => null);
  if (found === null) return 0;
  // Windows counts no blocks.
  let sum = found.blocks === 0 ? found.size : found.blocks * BLOCK_BYTES;
  if (!found.isDirectory()) return sum;
  for (const name of await readdir(path).catch(() => []))
    sum += await bytesOnDisk(join(path, name), without);
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

/** Those of held jobs, and those a container still uses, stay. */
async function removeWorkspaces(
  { workspacesDir, log }: DiskTidyDeps,
  over: number,
  keep: ReadonlySet<string>,
  nowMs: number,
): Promise<{ readonly removed: number; readonly bytesFreed: number }> {
  let removed = 0;
  let bytesFreed = 0;
  if (over <= 0) return { removed, bytesFreed };
  for (const id of await idleWorkspaces({ workspacesDir, keep, nowMs })) {
    if (bytesFreed >= over) break;
    const bytes = await bytesOnDisk(join(workspacesDir, id));
    if (await removeForRoom(workspacesDir, id)) {
      removed += 1;
      bytesFreed += bytes;
    } else log.warn('workspace not removed', { jobId: id });
  }
  return { removed, bytesFreed };
}

async function bytesOfLogs({
  store,
  logsDir,
}: DiskTidyDeps): Promise<{ readonly removable: number; readonly staying: number }> {
  let all = 0;
  for (const name of await readdir(logsDir).catch(() => []))
    if (name.endsWith('.log')) all += await bytesOnDisk(join(logsDir, name));
  let staying = 0;
  for (const jobId of store.kept.staying())
    staying += await bytesOnDisk(jobLogFile(logsDir, jobId));
  return { removable: all - staying, staying };
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
