/**
 * One search in a log that may still grow: which stretches were searched, which hits there are, which is the
 * current one. Owns no worker and no text; drawing asks `hitsOf` row by row.
 */
import { compile, type FindQuery, type HitList } from './find-text.ts';
import { SlowPatternError, type FindEngine } from './find-engine.ts';
import type { Hit } from './row-pieces.ts';
import { BLOCK_RECORDS } from './line-block.ts';
import type { LineStore } from './line-store.ts';

export type FindProblem =
  { readonly kind: 'wrong'; readonly reason: string } | { readonly kind: 'slow' };

export interface FindPlace {
  readonly record: number;
  readonly start: number;
}

interface Searched {
  /** Records of the stretch that were searched. */
  upTo: number;
  /** As of find-text, record counted from the start of the stretch. */
  lists: HitList[];
  hits: number;
}

const NONE: readonly Hit[] = [];
/** Searching ends here: nobody steps through more, and each is kept. */
export const MAX_HITS = 200_000;

export class FindSession {
  readonly #store: LineStore;
  readonly #engine: FindEngine;
  readonly #changed: () => void;
  readonly #searched = new Map<number, Searched>();
  readonly #unsubscribe: () => void;
  #query: FindQuery | null = null;
  #problem: FindProblem | null = null;
  #hits = 0;
  #current: FindPlace | null = null;
  #running = false;
  #order: number[] | undefined;
  /** A step that was asked for before there was a hit. */
  #wished: { readonly direction: 1 | -1; readonly from: number } | undefined;
  readonly #found: (place: FindPlace) => void;

  /** `found` is told of a hit that was stepped to late, once there was one. */
  constructor(
    store: LineStore,
    engine: FindEngine,
    changed: () => void,
    found: (place: FindPlace) => void = () => undefined,
  ) {
    this.#found = found;
    this.#store = store;
    this.#engine = engine;
    this.#changed = changed;
    this.#unsubscribe = store.subscribe(() => void this.#run());
  }

  get query(): FindQuery | null {
    return this.#query;
  }

  get problem(): FindProblem | null {
    return this.#problem;
  }

  /** Hits so far. */
  get hits(): number {
    return this.#hits;
  }

  /** There are more than are listed. */
  get capped(): boolean {
    return this.#hits >= MAX_HITS;
  }

  /** All that is at hand was searched. */
  get settled(): boolean {
    return !this.#running;
  }

  get current(): FindPlace | null {
    return this.#current;
  }

  /** Null ends the search. */
  search(query: FindQuery | null): void {
    this.#query = query;
    this.#searched.clear();
    this.#order = undefined;
    this.#hits = 0;
    this.#current = null;
    this.#wished = undefined;
    const compiled = query === null ? null : compile(query);
    this.#problem =
      compiled !== null && 'wrong' in compiled ? { kind: 'wrong', reason: compiled.wrong } : null;
    this.#changed();
    void this.#run();
  }

  /** Hits of one record, for drawing. */
  hitsOf(record: number): readonly Hit[] {
    const index = Math.floor(record / BLOCK_RECORDS);
    const searched = this.#searched.get(index);
    if (searched === undefined || searched.hits === 0) return NONE;
    const at = record % BLOCK_RECORDS;
    const found: Hit[] = [];
    for (const list of searched.lists)
      for (let place = firstOf(list, at); place < list.length && list[place] === at; place += 3) {
        const start = list[place + 1] ?? 0;
        const current = this.#current?.record === record && this.#current.start === start;
        found.push({ start, end: list[place + 2] ?? start, current });
      }
    // The same for all rows without: a row that is told nothing new is not drawn anew.
    return found.length === 0 ? NONE : found;
  }

  /** Records with hits, in order, each once. */
  records(): readonly number[] {
    const records: number[] = [];
    for (const index of this.#indexes())
      for (const list of this.#searched.get(index)?.lists ?? [])
        for (let place = 0; place < list.length; place += 3) {
          const record = index * BLOCK_RECORDS + (list[place] ?? 0);
          if (records.at(-1) !== record) records.push(record);
        }
    return records;
  }

  /** Goes to the next hit (or the one before) and round; from `from` where there is no current one yet. */
  step(direction: 1 | -1, from: number): FindPlace | null {
    if (this.#hits === 0 && !this.settled) this.#wished = { direction, from };
    const origin = this.#current ?? { record: from, start: direction === 1 ? -1 : Infinity };
    const ahead = (place: FindPlace): boolean =>
      (place.record - origin.record || place.start - origin.start) * direction > 0;
    const indexes = direction === 1 ? this.#indexes() : [...this.#indexes()].reverse();
    let round: FindPlace | null = null;
    for (const index of indexes)
      for (const place of this.#placesOf(index, direction)) {
        round ??= place;
        if (ahead(place)) return this.#goTo(place);
      }
    return this.#goTo(round);
  }

  /** Which hit the current one is, from 1; 0 for none. */
  ordinal(): number {
    const current = this.#current;
    if (current === null) return 0;
    const own = Math.floor(current.record / BLOCK_RECORDS);
    let before = 0;
    for (const index of this.#indexes()) {
      if (index < own) before += this.#searched.get(index)?.hits ?? 0;
      if (index !== own) continue;
      for (const place of this.#placesOf(index, 1)) {
        before++;
        if (place.record === current.record && place.start === current.start) return before;
      }
    }
    return 0;
  }

  stop(): void {
    this.#unsubscribe();
    this.#query = null;
    this.#engine.stop();
  }

  #goTo(place: FindPlace | null): FindPlace | null {
    this.#current = place;
    this.#changed();
    return place;
  }

  *#placesOf(index: number, direction: 1 | -1): Generator<FindPlace> {
    const lists = this.#searched.get(index)?.lists ?? [];
    for (const list of direction === 1 ? lists : [...lists].reverse()) {
      const first = direction === 1 ? 0 : list.length - 3;
      for (let at = first; at >= 0 && at < list.length; at += 3 * direction)
        yield { record: index * BLOCK_RECORDS + (list[at] ?? 0), start: list[at + 1] ?? 0 };
    }
  }

  #indexes(): readonly number[] {
    return (this.#order ??= [...this.#searched.keys()].sort((one, other) => one - other));
  }

  /** One batch after another until all that is at hand was searched; called again when more came. */
  async #run(): Promise<void> {
    if (this.#running || this.#query === null || this.#problem !== null) return;
    this.#running = true;
    for (;;) {
      const query = this.#query as FindQuery | null;
      const next =
        query === null || this.#problem !== null || this.capped ? undefined : this.#nextBatch();
      if (query === null || next === undefined) break;
      const { index, from, count } = next;
      try {
        const hits = await this.#engine.search(query, next.batch);
        if (query === this.#query) this.#take(index, from, count, hits);
      } catch (error) {
        if (query === this.#query && error instanceof SlowPatternError)
          this.#problem = { kind: 'slow' };
        else if (query === this.#query) this.#problem = { kind: 'wrong', reason: String(error) };
      }
      this.#changed();
    }
    this.#running = false;
    const wished = this.#wished;
    this.#wished = undefined;
    const place = wished === undefined ? null : this.step(wished.direction, wished.from);
    if (place !== null) this.#found(place);
    this.#changed();
  }

  #take(index: number, from: number, count: number, hits: HitList): void {
    let searched = this.#searched.get(index);
    if (searched === undefined) {
      searched = { upTo: 0, lists: [], hits: 0 };
      this.#searched.set(index, searched);
      this.#order = undefined;
    }
    searched.upTo = from + count;
    this.#hits += hits.length / 3;
    searched.hits += hits.length / 3;
    if (hits.length === 0) return;
    for (let place = 0; place < hits.length; place += 3) hits[place] = (hits[place] ?? 0) + from;
    searched.lists.push(hits);
  }

  #nextBatch() {
    for (const block of this.#store.blocks()) {
      const index = block.first / BLOCK_RECORDS;
      const from = this.#searched.get(index)?.upTo ?? 0;
      if (from < block.count)
        return { index, from, count: block.count - from, batch: block.textsFrom(from) };
    }
    return undefined;
  }
}

/** The place of the first hit of record `at` or a later one; lists are sorted by record. */
function firstOf(list: HitList, at: number): number {
  let low = 0;
  let high = list.length / 3;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle * 3] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low * 3;
}
