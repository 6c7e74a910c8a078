/**
 * Output of one worker on its way to the store. Messages that arrive close together are committed
 * together, since a commit costs a disk flush; only then is the worker told.
 */
import type { Clock, JobStore, Timer } from '../ports.ts';
import { isStoreBusy } from '../model/errors.ts';
import type { JobId } from '../model/ids.ts';
import type { LogChunk, LogCursor } from '../model/log-chunk.ts';
import type { JobMarker } from '../wire/markers.ts';
import type { FromWorker } from '../worker/protocol.ts';

/** A chatty job commits no oftener than this; the first message after a pause is committed at once. */
export const COMMIT_EVERY_MS = 100;
/** While another program holds the database, what came in waits here, and the worker stops reading. */
export const BUSY_RETRY_MS = 1_000;
/** So many chunks wait for nobody: one commit must stay short. */
const MAX_WAITING_CHUNKS = 8;

export interface LogIntakeDeps {
  readonly clock: Clock;
  readonly store: JobStore;
  readonly jobId: JobId;
  /** All chunks up to this one are on disk. */
  readonly stored: (throughSeq: number) => void;
  /** The store refused; what was taken in is not on disk. */
  readonly failed: (error: unknown) => void;
}

export class LogIntake {
  readonly #deps: LogIntakeDeps;
  #chunks: LogChunk[] = [];
  #markers: JobMarker[] = [];
  #cursor: LogCursor | null = null;
  #commit: Timer | null = null;
  /** The database was locked at the last try; the next is under way. */
  #isBusy = false;
  #committedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: LogIntakeDeps) {
    this.#deps = deps;
  }

  add(message: Extract<FromWorker, { kind: 'log' }>): void {
    this.#chunks.push(...message.chunks);
    this.#markers.push(...message.markers);
    this.#cursor = message.cursor ?? this.#cursor;
    if (this.#isBusy) return;
    if (this.#chunks.length >= MAX_WAITING_CHUNKS) this.#commitIn(0);
    else if (this.#commit === null) {
      const { clock } = this.#deps;
      this.#commitIn(Math.max(0, this.#committedAtMs + COMMIT_EVERY_MS - clock.monotonicMs()));
    }
  }

  #commitIn(delayMs: number): void {
    this.#commit?.cancel();
    this.#commit = this.#deps.clock.after(delayMs, () => this.flush());
  }

  /** Commits what was taken in. A failure goes to `failed`, never to the caller. */
  flush(): void {
    this.#commit?.cancel();
    this.#commit = null;
    const chunks = this.#chunks;
    const cursor = this.#cursor;
    const markers = this.#markers;
    if (chunks.length === 0 && cursor === null && markers.length === 0) return;
    this.#chunks = [];
    this.#markers = [];
    this.#cursor = null;
    this.#isBusy = false;
    this.#committedAtMs = this.#deps.clock.monotonicMs();
    try {
      this.#deps.store.appendLog(this.#deps.jobId, chunks, cursor);
      if (markers.length > 0) this.#deps.store.noteMarkers(this.#deps.jobId, markers);
    } catch (error) {
      if (isStoreBusy(error)) this.#keep(chunks, markers, cursor);
      else this.#deps.failed(error);
      return;
    }
    const last = chunks.at(-1);
    if (last !== undefined) this.#deps.stored(last.seq);
  }

  #keep(chunks: LogChunk[], markers: JobMarker[], cursor: LogCursor | null): void {
    this.#chunks = [...chunks, ...this.#chunks];
    this.#markers = [...markers, ...this.#markers];
    this.#cursor ??= cursor;
    this.#isBusy = true;
    this.#commitIn(BUSY_RETRY_MS);
  }
}
