/**
 * Fills a line store: follows the end of the log, and fetches what a reader scrolls to and what is not at hand.
 * Owns pacing. What comes is taken in once a drawn frame, and only then is the next asked for, so the host
 * waits for a slow page and not the page for its own backlog.
 */
import type { LogRecordView } from '../../main/contract/views.ts';
import { BLOCK_RECORDS } from './line-block.ts';
import type { LineStore } from './line-store.ts';

export interface LogPageView {
  readonly records: readonly LogRecordView[];
  readonly nextRecord: number;
}

/** Where the log comes from; the page's client in production. */
export interface LogSource {
  /** Pages from a record on, for as long as it is watched; the next once `take` has resolved. */
  watch(
    fromRecord: number,
    take: (page: LogPageView & { readonly complete: boolean }) => Promise<void>,
  ): () => void;
  page(fromRecord: number, limit: number): Promise<LogPageView>;
}

/** Logs up to this long are loaded whole, so that find and errors know all of them. */
export const LOAD_WHOLE_RECORDS = 200_000;
/** The record that following begins with in a log of this many. */
export function firstFollowed(records: number): number {
  return Math.ceil(Math.max(0, records - LOAD_WHOLE_RECORDS) / BLOCK_RECORDS) * BLOCK_RECORDS;
}

/** How a page takes its time. */
export interface Pace {
  /** Resolves with the next drawn frame. */
  readonly frame: () => Promise<void>;
  /** Resolves a little later: what a log prints meanwhile comes as one page instead of many. */
  readonly rest: () => Promise<void>;
}

/** A page of fewer shows that all there is has been given. */
const FULL_PAGE = 500;
/** Two stretches a request. */
const FETCH_RECORDS = 2 * BLOCK_RECORDS;

export class LogFeed {
  readonly #store: LineStore;
  readonly #source: LogSource;
  readonly #pace: Pace;
  readonly #changed: () => void;
  #unwatch: (() => void) | undefined;
  #complete = false;
  #removed = false;
  #failed = false;
  #fetching = false;
  #fetched: Promise<void> = Promise.resolve();
  #wanted: { readonly from: number; readonly to: number } | undefined;

  constructor(store: LineStore, source: LogSource, pace: Pace, changed: () => void) {
    this.#store = store;
    this.#source = source;
    this.#pace = pace;
    this.#changed = changed;
  }

  /** Nothing more will come. */
  get complete(): boolean {
    return this.#complete;
  }

  /** The log is over, and what it once had is not kept any more. */
  get removed(): boolean {
    return this.#removed;
  }

  /** The last fetch failed; the next one may not. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Begins to follow. `records` and `lines` are how much there is already. */
  start(records: number, lines: number): void {
    this.#store.setTotal(records, lines);
    this.#unwatch = this.#source.watch(firstFollowed(records), async (page) => {
      await this.#pace.frame();
      if (this.#unwatch === undefined) return;
      this.#store.add(page.records);
      if (page.complete !== this.#complete) this.#become(page.complete);
      if (page.records.length < FULL_PAGE) await this.#pace.rest();
    });
  }

  /** These rows are in view: fetches what is not at hand of them. The newest wish counts. */
  want(from: number, to: number): void {
    this.#wanted = { from, to };
    if (!this.#fetching) this.#fetched = this.#fetch();
  }

  /** Resolves when nothing is being fetched. */
  async idle(): Promise<void> {
    await this.#fetched;
  }

  stop(): void {
    const unwatch = this.#unwatch;
    this.#unwatch = undefined;
    this.#wanted = undefined;
    unwatch?.();
  }

  #become(complete: boolean): void {
    this.#complete = complete;
    // A log that is there gives at least its end.
    this.#removed = complete && this.#store.loaded === 0 && this.#store.lines > 0;
    if (this.#removed) this.#store.forgetRecords();
    this.#changed();
  }

  async #fetch(): Promise<void> {
    const failedBefore = this.#failed;
    this.#fetching = true;
    for (let last = -1; this.#wanted !== undefined;) {
      const first = this.#store.missing(this.#wanted.from, this.#wanted.to);
      // The same hole twice: the host has not got it either.
      if (first === null || first === last) break;
      last = first;
      try {
        const page = await this.#source.page(first, FETCH_RECORDS);
        this.#failed = false;
        this.#store.add(page.records);
      } catch {
        this.#failed = true;
        break;
      }
    }
    this.#fetching = false;
    if (this.#failed !== failedBefore) this.#changed();
  }
}
