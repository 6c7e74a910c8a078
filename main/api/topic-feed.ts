/**
 * What one watch is sent. A value: the newest, at once and after changes, never two in flight, and an older one that
 * was not sent is not kept. A log: one stretch after the other, each after the page took the one before; the store
 * is the buffer, so a slow page costs no memory.
 */
import type { TopicView } from '../contract/topics.ts';
import type { Clock, Timer } from '../../runner-core/ports.ts';

/** Ten values a second. */
export const VALUE_INTERVAL_MS = 100;
export const LOG_PAGE_RECORDS = 2_000;

/** Ends with `stop`, after which nothing is sent. */
export interface Feed {
  changed(): void;
  /** The page took a value of a stream. */
  taken(): void;
  stop(): void;
}

export interface ValueFeedDeps {
  readonly clock: Clock;
  /** Between two values, ms. */
  readonly intervalMs: number;
  readonly read: () => unknown;
  /** Resolves once the socket has room again. */
  readonly send: (value: unknown) => Promise<void>;
  /** Reading failed; the watch is over. */
  readonly failed: (error: unknown) => void;
}

/** Sends its first value at construction. */
export class ValueFeed implements Feed {
  readonly #deps: ValueFeedDeps;
  #timer: Timer | null = null;
  #isSending = false;
  #isStale = true;
  #isStopped = false;
  #lastSentMs = Number.NEGATIVE_INFINITY;
  #lastText: string | null = null;

  constructor(deps: ValueFeedDeps) {
    this.#deps = deps;
    this.#sendWhenDue();
  }

  changed(): void {
    this.#isStale = true;
    this.#sendWhenDue();
  }

  taken(): void {
    // Values need no word of the page: the newest replaces the one before.
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #sendWhenDue(): void {
    if (this.#isStopped || this.#isSending || this.#timer !== null || !this.#isStale) return;
    const { clock, intervalMs } = this.#deps;
    const dueInMs = this.#lastSentMs + intervalMs - clock.monotonicMs();
    if (dueInMs <= 0) {
      this.#sendNow();
      return;
    }
    this.#timer = clock.after(dueInMs, () => {
      this.#timer = null;
      this.#sendNow();
    });
  }

  #sendNow(): void {
    const { clock, read, send, failed } = this.#deps;
    this.#isStale = false;
    this.#lastSentMs = clock.monotonicMs();
    let value: unknown;
    try {
      value = read();
    } catch (error) {
      this.stop();
      failed(error);
      return;
    }
    const text = JSON.stringify(value);
    if (text === this.#lastText) return;
    this.#lastText = text;
    this.#isSending = true;
    void send(value).then(() => {
      this.#isSending = false;
      this.#sendWhenDue();
    });
  }
}

export interface LogStretch {
  readonly view: TopicView<'job_log'>;
  /** More is stored already. */
  readonly more: boolean;
}

export interface LogFeedDeps {
  readonly clock: Clock;
  readonly fromRecord: number;
  /** At most `limit` records from this one on. */
  readonly read: (fromRecord: number, limit: number) => LogStretch;
  readonly send: (value: TopicView<'job_log'>) => void;
  readonly failed: (error: unknown) => void;
}

/** Sends its first stretch at construction, empty or not. */
export class LogFeed implements Feed {
  readonly #deps: LogFeedDeps;
  #next: number;
  #timer: Timer | null = null;
  #isFirst = true;
  #isTaken = true;
  #isStale = true;
  #isStopped = false;
  /** What is stored already goes as fast as the page takes it; what grows goes ten times a second. */
  #dueMs = Number.NEGATIVE_INFINITY;

  constructor(deps: LogFeedDeps) {
    this.#deps = deps;
    this.#next = deps.fromRecord;
    this.#sendWhenDue();
  }

  changed(): void {
    this.#isStale = true;
    this.#sendWhenDue();
  }

  taken(): void {
    this.#isTaken = true;
    this.#sendWhenDue();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #sendWhenDue(): void {
    if (this.#isStopped || !this.#isTaken || !this.#isStale || this.#timer !== null) return;
    const { clock } = this.#deps;
    const dueInMs = this.#dueMs - clock.monotonicMs();
    if (dueInMs <= 0) {
      this.#sendNow();
      return;
    }
    this.#timer = clock.after(dueInMs, () => {
      this.#timer = null;
      this.#sendWhenDue();
    });
  }

  #sendNow(): void {
    const { clock, read, send, failed } = this.#deps;
    let stretch: LogStretch;
    try {
      stretch = read(this.#next, LOG_PAGE_RECORDS);
    } catch (error) {
      this.stop();
      failed(error);
      return;
    }
    const { view, more } = stretch;
    this.#isStale = more;
    this.#dueMs = more ? Number.NEGATIVE_INFINITY : clock.monotonicMs() + VALUE_INTERVAL_MS;
    if (view.records.length === 0 && !view.complete && !this.#isFirst) return;
    this.#isFirst = false;
    this.#next = view.nextRecord;
    this.#isTaken = false;
    if (view.complete) this.stop();
    send(view);
  }
}
