/**
 * Halts of jobs this host does not hold. A later delivery of such a job is answered STOPPED without a
 * start. Halts repeat in every heartbeat's reply, so forgetting one costs a repeat, never a run.
 */
import type { Clock } from '../ports.ts';

export const PENDING_HALT_MS = 10 * 60_000;
export const MAX_PENDING_HALTS = 256;

export class PendingHalts {
  readonly #clock: Clock;
  /** Execution id to the monotonic instant it is forgotten; oldest first. */
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  remember(jobId: string): void {
    this.#untilMs.delete(jobId);
    this.#untilMs.set(jobId, this.#clock.monotonicMs() + PENDING_HALT_MS);
    const oldest = this.#untilMs.keys().next();
    if (this.#untilMs.size > MAX_PENDING_HALTS && oldest.done !== true)
      this.#untilMs.delete(oldest.value);
  }

  has(jobId: string): boolean {
    const untilMs = this.#untilMs.get(jobId);
    if (untilMs === undefined) return false;
    if (untilMs > this.#clock.monotonicMs()) return true;
    this.#untilMs.delete(jobId);
    return false;
  }

  forget(jobId: string): void {
    this.#untilMs.delete(jobId);
  }
}
