/**
 * What is still to be told of one job: its batches in order, then its verdict. Owns the bookkeeping
 * of one stream; which stream sends next, and over what, is `reporter`'s.
 */
import type { JobStore, OutgoingBatch, StoredJob, Timer } from '../ports.ts';
import type { JobId } from '../model/ids.ts';
import type { ReportProtocol } from '../model/job-spec.ts';
import type { Verdict } from '../model/outcome.ts';

/** Batches read from the store at a time. */
export const PAGE_BATCHES = 32;

export type Next =
  | { readonly kind: 'batch'; readonly batch: OutgoingBatch }
  | { readonly kind: 'verdict'; readonly verdict: Verdict };

export class ReportStream {
  readonly jobId: JobId;
  readonly report: ReportProtocol;
  readonly acceptedAtMs: number;
  readonly batchSalt: string;
  /** Null while the job is held. */
  verdict: Verdict | null = null;
  isVerdictInFlight = false;
  /** The service cannot take this verdict now; another session may. */
  isVerdictRefused = false;
  /** The store failed this stream; it is left alone until then. */
  pause: Timer | null = null;
  limit: Timer | null = null;
  /** Monotonic instant since which batches are out, or unreadable, without any progress. */
  waitingSinceMs: number | null = null;
  /** Raised when batches are sent anew: replies to the earlier sending no longer count. */
  generation = 0;
  acknowledged: number;
  /** What of `acknowledged` is on disk. */
  acknowledgedOnDisk: number;
  #next: number;
  #page: readonly OutgoingBatch[] = [];
  #at = 0;
  #mayHaveMore = true;

  constructor(job: StoredJob) {
    this.jobId = job.spec.jobId;
    this.report = job.spec.report;
    this.acceptedAtMs = job.acceptedAtMs;
    this.batchSalt = job.batchSalt;
    this.acknowledged = job.batchesAcknowledged;
    this.acknowledgedOnDisk = job.batchesAcknowledged;
    this.#next = job.batchesAcknowledged;
  }

  get inFlight(): number {
    return this.#next - this.acknowledged;
  }

  /** Nothing of the log is out or known to be there. */
  get hasSentAll(): boolean {
    return !this.#mayHaveMore && this.#at >= this.#page.length && this.inFlight === 0;
  }

  moreStored(): void {
    this.#mayHaveMore = true;
  }

  /** What to send next; undefined while there is nothing, or replies have to come first. Throws what the store throws. */
  next(store: JobStore): Next | undefined {
    if (this.pause !== null || this.isVerdictInFlight || this.isVerdictRefused) return undefined;
    if (this.#at >= this.#page.length && this.#mayHaveMore) {
      this.#page = store.outgoing(this.jobId, this.#next, PAGE_BATCHES);
      this.#at = 0;
      this.#mayHaveMore = this.#page.length === PAGE_BATCHES;
    }
    const batch = this.#page[this.#at];
    if (batch !== undefined) return { kind: 'batch', batch };
    if (this.verdict !== null && this.inFlight === 0)
      return { kind: 'verdict', verdict: this.verdict };
    return undefined;
  }

  batchSent(batch: OutgoingBatch, nowMs: number): void {
    this.#at += 1;
    this.#next = batch.index + 1;
    this.waitingSinceMs ??= nowMs;
  }

  batchAcknowledged(index: number, nowMs: number): void {
    this.acknowledged = Math.max(this.acknowledged, index + 1);
    this.waitingSinceMs = this.inFlight > 0 ? nowMs : null;
  }

  /** Everything not acknowledged is to be sent again, under the same ids. */
  rewind(): void {
    this.generation += 1;
    this.#next = this.acknowledged;
    this.#page = [];
    this.#at = 0;
    this.#mayHaveMore = true;
  }

  /** The rest of the log is not sent; the verdict is next. */
  giveUpLog(): void {
    this.generation += 1;
    this.#next = this.acknowledged;
    this.#page = [];
    this.#at = 0;
    this.#mayHaveMore = false;
    this.waitingSinceMs = null;
    this.pause?.cancel();
    this.pause = null;
  }

  cancelTimers(): void {
    this.pause?.cancel();
    this.pause = null;
    this.limit?.cancel();
    this.limit = null;
  }
}
