/**
 * Output of one worker on its way to the store. What arrives close together, of this job and of others,
 * is committed together, since a commit costs a disk flush; only then is the worker told.
 */
import type { Clock, JobStore, Timer } from '../ports.ts';
import { isStoreBusy } from '../model/errors.ts';
import type { JobId } from '../model/ids.ts';
import type { LogChunk, LogCursor } from '../model/log-chunk.ts';
import type { JobMarker } from '../wire/markers.ts';
import type { FromWorker } from '../worker/protocol.ts';
import { BUSY_RETRY_MS, type CommitTurns, type TurnMember } from './commit-turns.ts';

/** So many chunks wait for nobody: one commit must stay short. */
const MAX_WAITING_CHUNKS = 8;

export interface LogIntakeDeps {
  readonly clock: Clock;
  readonly store: JobStore;
  readonly turns: CommitTurns;
  readonly jobId: JobId;
  /** All chunks up to this one are on disk. */
  readonly stored: (throughSeq: number) => void;
  /** The store refused; what was taken in is not on disk. */
  readonly failed: (error: unknown) => void;
}

export class LogIntake implements TurnMember {
  readonly #deps: LogIntakeDeps;
  #chunks: LogChunk[] = [];
  #markers: JobMarker[] = [];
  #cursor: LogCursor | null = null;
  /** The database was locked at the last try; the next is under way. */
  #busyRetry: Timer | null = null;

  constructor(deps: LogIntakeDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#chunks.length;
  }

  /** Something is not on disk yet. */
  get isWaiting(): boolean {
    return this.#chunks.length > 0 || this.#cursor !== null || this.#markers.length > 0;
  }

  add(message: Extract<FromWorker, { kind: 'log' }>): void {
    this.#chunks.push(...message.chunks);
    this.#markers.push(...message.markers);
    this.#cursor = message.cursor ?? this.#cursor;
    if (this.#busyRetry === null)
      this.#deps.turns.join(this, this.#chunks.length >= MAX_WAITING_CHUNKS);
  }

  /** Commits what was taken in, at once. A failure goes to `failed`, never to the caller. */
  flush(): void {
    this.#deps.turns.leave(this);
    this.#busyRetry?.cancel();
    this.#busyRetry = null;
    if (!this.isWaiting) return;
    try {
      this.write();
    } catch (error) {
      if (isStoreBusy(error)) {
        this.#busyRetry = this.#deps.clock.after(BUSY_RETRY_MS, () => this.flush());
        return;
      }
      this.#drop();
      this.#deps.failed(error);
      return;
    }
    this.written();
  }

  write(): void {
    const { store, jobId } = this.#deps;
    store.appendLog(jobId, this.#chunks, this.#cursor);
    if (this.#markers.length > 0) store.noteMarkers(jobId, this.#markers);
  }

  written(): void {
    const last = this.#chunks.at(-1);
    this.#drop();
    if (last !== undefined) this.#deps.stored(last.seq);
  }

  /**
   * Its worker is gone and another will read on from what is on disk: what the disk does not take now is dropped,
   * for that one reads it again.
   */
  close(): void {
    this.flush();
    this.#busyRetry?.cancel();
    this.#busyRetry = null;
    this.#drop();
  }

  #drop(): void {
    this.#chunks = [];
    this.#markers = [];
    this.#cursor = null;
  }
}
