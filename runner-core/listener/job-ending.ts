/**
 * The end of one job, made sure of: its verdict is on disk before what it made goes, and the end is stored however
 * often the disk refuses it.
 */
import type { Clock, JobStore, KeptContainers, Log } from '../ports.ts';
import { IllegalTransitionError } from '../model/errors.ts';
import type { JobId } from '../model/ids.ts';
import { newestContainer } from '../model/leftover.ts';
import type { Verdict } from '../model/outcome.ts';
import { NO_FACTS } from '../worker/protocol.ts';
import type { LeftoverSweeper } from './leftover-sweeper.ts';

/** An end the disk refused is tried again this often; the job keeps its slot until then. */
export const STORE_RETRY_MS = 30_000;

export interface JobEndingDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: JobStore;
  readonly sweeper: LeftoverSweeper;
  /** Left out: every container goes when its job is over. */
  readonly kept?: KeptContainers;
}

export class JobEnding {
  readonly #deps: JobEndingDeps;
  readonly #jobId: JobId;
  /** Aborted when the job is left for the next host. */
  readonly #leaving: AbortSignal;

  constructor(deps: JobEndingDeps, jobId: JobId, leaving: AbortSignal) {
    this.#deps = deps;
    this.#jobId = jobId;
    this.#leaving = leaving;
  }

  /**
   * Resolves when the end is stored, or the job is left. What is not removed within `sweepMs` stays noted. Never rejects.
   *
   * @param atLast what is stored: of some jobs a stop counts until then
   */
  async carryOut(verdict: Verdict, sweepMs: number, atLast: () => Verdict): Promise<void> {
    // Once more for one that an earlier host judged and did not live to clear away.
    this.keepsContainer(verdict);
    this.#noteVerdict(verdict);
    await this.#deps.sweeper.sweep(this.#jobId, sweepMs);
    const { clock, store } = this.#deps;
    const end = (): unknown =>
      store.transition(this.#jobId, { kind: 'ended', atMs: clock.nowMs(), verdict: atLast() });
    while (!this.store(end)) {
      try {
        await clock.wait(STORE_RETRY_MS, this.#leaving);
      } catch {
        return;
      }
    }
  }

  /** Whether the container of a job that ended so stays. Never throws. */
  keepsContainer(verdict: Verdict): boolean {
    const { kept, store, log } = this.#deps;
    if (kept === undefined) return false;
    try {
      const container = newestContainer(store.leftovers(this.#jobId));
      return container !== undefined && kept.keep(this.#jobId, container, verdict);
    } catch (error) {
      log.error('failed container not kept', { jobId: this.#jobId, error });
      return false;
    }
  }

  /** False when the disk refused and trying again may help. */
  store(act: () => unknown): boolean {
    try {
      act();
      return true;
    } catch (error) {
      this.#deps.log.error('job state not stored', { jobId: this.#jobId, error });
      return error instanceof IllegalTransitionError;
    }
  }

  /** On disk before anything goes: a host that dies meanwhile must not look for a container that is gone. */
  #noteVerdict(verdict: Verdict): void {
    const { store } = this.#deps;
    this.store(() => {
      if (store.job(this.#jobId)?.told !== null || store.leftovers(this.#jobId).length === 0)
        return;
      store.noteEnding(this.#jobId, verdict, NO_FACTS);
    });
  }
}
