/**
 * Containers with this runner's labels that the store does not hold: of a lost database, or of a job
 * that ended while its container could not be removed. They stay until a `hello` has said whether
 * their job is still leased here; what it lists is adopted by the dispatcher, the rest is removed.
 */
import type {
  Clock,
  JobStore,
  KeptContainers,
  LabelledContainer,
  LeftoverRemover,
  Log,
  Timer,
} from '../ports.ts';
import type { JobId, RunnerId } from '../model/ids.ts';
import { occupiesSlot } from '../model/job-machine.ts';
import { settledWithin } from './settled-within.ts';

export const LOOK_UP_LIMIT_MS = 10_000;
export const SURVIVORS_RETRY_MS = 30_000;
/** By then an engine has carried out what a worker asked of it before it died. */
export const LATE_LOOK_MS = 10_000;

export interface SurvivorsDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: JobStore;
  readonly remover: LeftoverRemover;
  readonly kept?: KeptContainers;
  readonly runnerId: () => RunnerId | null;
  /** The engine is believed to be there. */
  readonly hasEngine: () => boolean;
}

export class Survivors {
  readonly #deps: SurvivorsDeps;
  #found: Map<JobId, LabelledContainer[]> | null = null;
  #listed: ReadonlySet<JobId> | null = null;
  #looking: Promise<void> | null = null;
  #retry: Timer | null = null;
  readonly #lateLooks = new Set<Timer>();
  #isStopped = false;

  constructor(deps: SurvivorsDeps) {
    this.#deps = deps;
  }

  /**
   * False while nobody could look: until then no unknown Docker job may be started. Without an
   * identity there is nothing of ours to look for.
   */
  get isKnown(): boolean {
    return this.#found !== null || this.#deps.runnerId() === null;
  }

  /** Looks once, within LOOK_UP_LIMIT_MS, and again every SURVIVORS_RETRY_MS while that fails. Never rejects. */
  lookUp(): Promise<void> {
    if (this.#found !== null || this.#isStopped) return Promise.resolve();
    this.#looking ??= this.#lookOnce().finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    this.#retry?.cancel();
    this.#retry = null;
    const runnerId = this.#deps.runnerId();
    if (runnerId !== null && this.#deps.hasEngine())
      await settledWithin(this.#deps.clock, LOOK_UP_LIMIT_MS, this.#look(runnerId));
    this.#lookedUp();
  }

  #lookedUp(): void {
    if (this.#found === null) this.#tryLater(() => void this.lookUp());
    else this.#removeUnlisted();
  }

  /** The containers of one job; they are the caller's from now on. */
  take(jobId: JobId): readonly LabelledContainer[] {
    const containers = this.#found?.get(jobId) ?? [];
    this.#found?.delete(jobId);
    return containers;
  }

  /** A `hello` came: these jobs, and no others, are leased to this runner. */
  greeted(listed: ReadonlySet<JobId>): void {
    this.#listed = listed;
    if (this.#found === null) void this.lookUp();
    else this.#removeUnlisted();
  }

  stop(): void {
    this.#isStopped = true;
    this.#retry?.cancel();
    for (const timer of this.#lateLooks) timer.cancel();
    this.#lateLooks.clear();
  }

  /**
   * The job is over, and a worker of it died before it had noted a container: one may come to be yet, and is
   * removed. It was never started.
   */
  lookLater(jobId: JobId): void {
    this.#after(LATE_LOOK_MS, () => void this.#removeLate(jobId));
  }

  #after(delayMs: number, act: () => void): void {
    if (this.#isStopped) return;
    const timer = this.#deps.clock.after(delayMs, () => {
      this.#lateLooks.delete(timer);
      act();
    });
    this.#lateLooks.add(timer);
  }

  async #removeLate(jobId: JobId): Promise<void> {
    const { remover, runnerId, kept, log } = this.#deps;
    const runner = runnerId();
    if (runner === null) return;
    try {
      for (const { leftover, jobId: owner } of await remover.labelled(runner)) {
        if (owner !== jobId || kept?.isKept(leftover.id) === true) continue;
        await remover.remove(leftover);
        log.info('late container removed', { jobId, name: leftover.name });
      }
    } catch (error) {
      log.warn('late containers not looked for', { jobId, error });
      this.#after(SURVIVORS_RETRY_MS, () => void this.#removeLate(jobId));
    }
  }

  async #look(runnerId: RunnerId): Promise<void> {
    try {
      const found = await this.#deps.remover.labelled(runnerId);
      // An answer that came after the limit, when another look had succeeded already.
      if (this.#found !== null) return;
      const byJob = new Map<JobId, LabelledContainer[]>();
      for (const container of found)
        if (this.#deps.kept?.isKept(container.leftover.id) !== true)
          byJob.set(container.jobId, [...(byJob.get(container.jobId) ?? []), container]);
      this.#found = byJob;
    } catch (error) {
      this.#deps.log.warn('labelled containers not listed', { error });
    }
  }

  #removeUnlisted(): void {
    for (const jobId of this.#found?.keys() ?? []) {
      const state = this.#deps.store.job(jobId)?.state;
      if (state !== undefined && occupiesSlot(state)) continue;
      if (state !== undefined || this.#listed?.has(jobId) === false) void this.#remove(jobId);
    }
  }

  async #remove(jobId: JobId): Promise<void> {
    const containers = this.take(jobId);
    for (const container of containers) {
      try {
        await this.#deps.remover.remove(container.leftover);
        this.#deps.log.info('unknown container removed', { jobId, name: container.leftover.name });
      } catch (error) {
        this.#deps.log.warn('unknown container not removed', { jobId, error });
        this.#found?.set(jobId, [...(this.#found.get(jobId) ?? []), container]);
        this.#tryLater(() => this.#removeUnlisted());
      }
    }
  }

  #tryLater(act: () => void): void {
    if (this.#isStopped) return;
    this.#retry?.cancel();
    this.#retry = this.#deps.clock.after(SURVIVORS_RETRY_MS, act);
  }
}
