/**
 * Removes what a job's worker noted, the same after a run and after a crash. Owns order, limit and
 * repetition; how one leftover is removed is the LeftoverRemover's.
 */
import type { Clock, JobStore, KeptContainers, LeftoverRemover, Log, Timer } from '../ports.ts';
import type { JobId } from '../model/ids.ts';
import type { Leftover } from '../model/leftover.ts';
import { settledWithin } from './settled-within.ts';

/** From the stop of a job, or its worker's exit, until all it made is seen gone. */
export const SWEEP_LIMIT_MS = 12_000;
/** What could not be removed (the engine is away) is tried again this often. */
export const SWEEP_RETRY_MS = 30_000;

export interface SweeperDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: JobStore;
  readonly remover: LeftoverRemover;
  /** What the owner wants to look at is left alone, and stays noted. */
  readonly kept?: KeptContainers;
}

export class LeftoverSweeper {
  readonly #deps: SweeperDeps;
  /** Jobs with something left, each with its next attempt. */
  readonly #kept = new Map<JobId, Timer>();
  #isStopped = false;

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
  }

  /**
   * Removes all a job noted. True when everything is seen gone; false when `limitMs` passed or
   * something failed: that stays noted and is tried again every SWEEP_RETRY_MS, so a verdict need not
   * wait for an engine that is away.
   */
  async sweep(jobId: JobId, limitMs: number): Promise<boolean> {
    this.#kept.get(jobId)?.cancel();
    this.#kept.delete(jobId);
    const removal = this.#removeAll(jobId);
    const inTime = await settledWithin(this.#deps.clock, limitMs, removal);
    if (inTime && (await removal)) return true;
    this.#deps.log.warn('leftovers kept', { jobId, limitMs, inTime });
    this.#tryLater(jobId);
    return false;
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#kept.values()) timer.cancel();
    this.#kept.clear();
  }

  /** One that cannot be removed does not keep the others. */
  async #removeAll(jobId: JobId): Promise<boolean> {
    try {
      const { store, kept } = this.#deps;
      const noted = store
        .leftovers(jobId)
        .filter((leftover) => leftover.kind !== 'container' || kept?.isKept(leftover.id) !== true);
      const users = noted.filter(({ kind }) => kind !== 'network');
      const networks = noted.filter(({ kind }) => kind === 'network');
      // A network goes only when no container uses it.
      const usersGone = await this.#removeTogether(jobId, users);
      return (await this.#removeTogether(jobId, networks)) && usersGone;
    } catch (error) {
      this.#deps.log.error('leftovers not read', { jobId, error });
      return false;
    }
  }

  async #removeTogether(jobId: JobId, leftovers: readonly Leftover[]): Promise<boolean> {
    const gone = await Promise.all(leftovers.map((leftover) => this.#remove(jobId, leftover)));
    return gone.every(Boolean);
  }

  async #remove(jobId: JobId, leftover: Leftover): Promise<boolean> {
    try {
      await this.#deps.remover.remove(leftover);
      this.#deps.store.forgetLeftover(jobId, leftover);
      return true;
    } catch (error) {
      this.#deps.log.warn('leftover not removed', { jobId, kind: leftover.kind, error });
      return false;
    }
  }

  #tryLater(jobId: JobId): void {
    if (this.#isStopped) return;
    const timer = this.#deps.clock.after(SWEEP_RETRY_MS, () => {
      this.#kept.delete(jobId);
      void this.sweep(jobId, SWEEP_LIMIT_MS);
    });
    this.#kept.set(jobId, timer);
  }
}
