/**
 * Rows of a list of any length, fetched as they come into view. Owns which pages are known, asked for or
 * stale; knows neither React nor the socket. Old rows are shown until newer ones are there, so that nothing
 * flickers; a page far from view is let go.
 */
import type { Problem } from '../../../main/contract/frames.ts';
import type { RequestResult } from '../../../main/contract/requests.ts';
import type { JobRow } from '../../../main/contract/views.ts';
import { toProblem } from '../../host-client/problem.ts';

export const PAGE_ROWS = 100;
/** Pages kept beside those in view: about a minute of steady scrolling, and some MiB at most. */
const KEPT_PAGES = 60;
/** Requests under way at once. Pages that fly past while they are answered are never asked for. */
const ASKED_AT_ONCE = 2;

export type JobsPage = RequestResult<'jobs.page'>;

interface Page {
  rows: readonly JobRow[];
  stale: boolean;
}

export interface JobList {
  /** Null before the first answer. */
  readonly total: number | null;
  readonly counts: JobsPage['counts'] | null;
  readonly problem: Problem | null;
  rowAt(index: number): JobRow | undefined;
}

export class JobWindows {
  readonly #fetch: (offset: number, limit: number) => Promise<JobsPage>;
  readonly #changed: () => void;
  readonly #pages = new Map<number, Page>();
  readonly #asked = new Set<number>();
  #inView: readonly [first: number, last: number] = [0, 0];
  #total: number | null = null;
  #counts: JobsPage['counts'] | null = null;
  #problem: Problem | null = null;
  #list: JobList | undefined;

  constructor(fetch: (offset: number, limit: number) => Promise<JobsPage>, changed: () => void) {
    this.#fetch = fetch;
    this.#changed = changed;
  }

  /** The same value until something changed. */
  get list(): JobList {
    this.#list ??= {
      total: this.#total,
      counts: this.#counts,
      problem: this.#problem,
      rowAt: (index) => this.#pages.get(Math.floor(index / PAGE_ROWS))?.rows[index % PAGE_ROWS],
    };
    return this.#list;
  }

  /** Rows `first` to `last` are in view: what is missing or stale of them is asked for. */
  show(first: number, last: number): void {
    this.#inView = [Math.floor(first / PAGE_ROWS), Math.floor(Math.max(first, last) / PAGE_ROWS)];
    this.#askForView();
  }

  /** Rows may have changed on the host. */
  invalidate(): void {
    for (const page of this.#pages.values()) page.stale = true;
    this.#problem = null;
    this.#askForView();
  }

  #askForView(): void {
    const [first, last] = this.#inView;
    for (let index = first; index <= last; index += 1) this.#ask(index);
  }

  #ask(index: number): void {
    const known = this.#pages.get(index);
    if (this.#asked.has(index) || (known !== undefined && !known.stale)) return;
    if (this.#problem !== null || this.#asked.size >= ASKED_AT_ONCE) return;
    this.#asked.add(index);
    // What goes stale while the answer is under way is asked for again.
    if (known !== undefined) known.stale = false;
    void this.#fetch(index * PAGE_ROWS, PAGE_ROWS).then(
      (page) => this.#take(index, page),
      (error: unknown) => this.#fail(index, toProblem(error)),
    );
  }

  #take(index: number, { rows, total, counts }: JobsPage): void {
    this.#asked.delete(index);
    const wasStale = this.#pages.get(index)?.stale ?? false;
    this.#pages.delete(index);
    this.#pages.set(index, { rows, stale: wasStale });
    this.#total = total;
    this.#counts = counts;
    this.#forgetFarPages();
    this.#tell();
    // What came into view, or went stale, while this was under way.
    this.#askForView();
  }

  #fail(index: number, problem: Problem): void {
    this.#asked.delete(index);
    const known = this.#pages.get(index);
    if (known !== undefined) known.stale = true;
    // A lost connection is told elsewhere, and the list is asked for again after it.
    if (problem.code === 'connection_lost') return;
    this.#problem = problem;
    this.#tell();
  }

  #forgetFarPages(): void {
    const [first, last] = this.#inView;
    for (const index of this.#pages.keys()) {
      if (this.#pages.size <= KEPT_PAGES) return;
      if (index < first || index > last) this.#pages.delete(index);
    }
  }

  #tell(): void {
    this.#list = undefined;
    this.#changed();
  }
}
