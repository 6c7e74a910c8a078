/**
 * Keeps the data folder small: persisted workspaces past their day or beyond their quota go, and so do directories of
 * local commands. Runs soon after the start and then every ten minutes; jobs that are held keep theirs.
 */
import type { Clock, Log, Timer } from '../../runner-core/ports.ts';
import { DEFAULT_SETTINGS, type HostDirectoryLimits } from '../settings-schema.ts';
import type { HostDirectories } from '../store/host-directories.ts';
import { cleanHostDirectories } from '../../runner-core/worker/host-retention.ts';
import {
  cleanWorkspaces,
  WORKSPACE_QUOTA_BYTES,
  WORKSPACE_TTL_MS,
} from '../../runner-core/worker/workspace-cleaning.ts';

const { hostDirectories: USUAL } = DEFAULT_SETTINGS;
const FIRST_PASS_MS = 30_000;
const INTERVAL_MS = 600_000;

export interface HousekeepingDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly workspacesDir: string;
  /** Ids of all held jobs. */
  readonly held: () => ReadonlySet<string>;
  /** Left out: none of them is removed. */
  readonly hostDirectories?: HostDirectories;
  readonly hostLimits?: () => HostDirectoryLimits;
  /** What else is kept small, after the workspaces; told all held jobs. Never rejects. */
  readonly tidy?: (held: ReadonlySet<string>) => Promise<void>;
}

export class Housekeeping {
  readonly #deps: HousekeepingDeps;
  #timer: Timer | null = null;
  #pass: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(deps: HousekeepingDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#schedule(FIRST_PASS_MS);
  }

  /** Resolves when a pass under way is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#pass;
  }

  #schedule(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer = this.#deps.clock.after(delayMs, () => {
      this.#pass = this.#clean().finally(() => this.#schedule(INTERVAL_MS));
    });
  }

  async #clean(): Promise<void> {
    const { clock, log, workspacesDir, held } = this.#deps;
    try {
      const { removed, failed } = await cleanWorkspaces({
        workspacesDir,
        keep: held(),
        ttlMs: WORKSPACE_TTL_MS,
        quotaBytes: WORKSPACE_QUOTA_BYTES,
        nowMs: clock.nowMs(),
      });
      if (removed.length > 0) log.info('workspaces removed', { jobs: removed });
      if (failed.length > 0) log.warn('workspaces not removable', { jobs: failed });
    } catch (error) {
      log.error('housekeeping failed', { error });
    }
    await this.#cleanHostDirectories();
    await this.#deps.tidy?.(held());
  }

  async #cleanHostDirectories(): Promise<void> {
    const { clock, log, hostDirectories, hostLimits = () => USUAL } = this.#deps;
    if (hostDirectories === undefined) return;
    try {
      const { ageMs, budgetBytes } = hostLimits();
      const { removed, failed, gone } = await cleanHostDirectories({
        directories: hostDirectories.removable(),
        nowMs: clock.nowMs(),
        ttlMs: ageMs ?? Number.POSITIVE_INFINITY,
        quotaBytes: budgetBytes ?? Number.POSITIVE_INFINITY,
      });
      for (const { path } of [...removed, ...gone]) hostDirectories.forget(path);
      const jobs = (of: typeof removed): readonly string[] => of.map(({ jobId }) => jobId);
      if (removed.length > 0)
        log.info('directories of local commands removed', { jobs: jobs(removed) });
      if (failed.length > 0) log.warn('directories of local commands stay', { jobs: jobs(failed) });
    } catch (error) {
      log.error('directories of local commands not looked at', { error });
    }
  }
}
