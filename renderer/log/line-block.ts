/**
 * A stretch of BLOCK_RECORDS records in columns: numbers in typed arrays, text as one string. Owns how records
 * are kept; `line-store.ts` owns which are.
 *
 * One joined string instead of a string a record: a string object costs more than a typical log line.
 */
import type { LogRecordView } from '../../main/contract/views.ts';

export const BLOCK_RECORDS = 512;

/** Beside the record's own flags (RECORD_FLAG, 1 to 4). */
export const ROW_FLAG = { error: 64 } as const;

export class LineBlock {
  readonly first: number;
  readonly #line = new Uint32Array(BLOCK_RECORDS);
  readonly #atMs = new Float64Array(BLOCK_RECORDS);
  readonly #flags = new Uint8Array(BLOCK_RECORDS);
  readonly #style = new Uint16Array(BLOCK_RECORDS);
  readonly #ends = new Uint32Array(BLOCK_RECORDS);
  /** Open sequences that a continuation starts with; rare. */
  readonly #pending = new Map<number, string>();
  /** Texts not joined yet. */
  #loose: string[] = [];
  #joined = '';
  #joinedRecords = 0;
  #count = 0;
  #chars = 0;

  constructor(first: number) {
    this.first = first;
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count === BLOCK_RECORDS;
  }

  /** Length of all texts together. */
  get chars(): number {
    return this.#chars;
  }

  push(record: LogRecordView, flags: number, styleId: number, pending: string): void {
    const at = this.#count++;
    this.#line[at] = record.line;
    this.#atMs[at] = record.atMs;
    this.#flags[at] = flags;
    this.#style[at] = styleId;
    this.#chars += record.text.length;
    this.#ends[at] = this.#chars;
    if (pending !== '') this.#pending.set(at, pending);
    this.#loose.push(record.text);
    if (this.#count === BLOCK_RECORDS) this.#join();
  }

  line(at: number): number {
    return this.#line[at] ?? 0;
  }

  atMs(at: number): number {
    return this.#atMs[at] ?? 0;
  }

  flags(at: number): number {
    return this.#flags[at] ?? 0;
  }

  styleId(at: number): number {
    return this.#style[at] ?? 0;
  }

  pending(at: number): string {
    return this.#pending.get(at) ?? '';
  }

  text(at: number): string {
    if (at >= this.#joinedRecords) return this.#loose[at - this.#joinedRecords] ?? '';
    return this.#joined.slice(this.#start(at), this.#ends[at]);
  }

  /** Texts of the records from `from` on, as one string and where each ends in it; to be searched elsewhere. */
  textsFrom(from: number): { readonly text: string; readonly ends: Uint32Array } {
    const start = this.#start(from);
    const ends = this.#ends.slice(from, this.#count);
    for (let at = 0; at < ends.length; at++) ends[at] = (ends[at] ?? 0) - start;
    const loose = this.#loose.slice(Math.max(0, from - this.#joinedRecords)).join('');
    const joined = from < this.#joinedRecords ? this.#joined.slice(start) : '';
    return { text: joined + loose, ends };
  }

  #start(at: number): number {
    return at === 0 ? 0 : (this.#ends[at - 1] ?? 0);
  }

  #join(): void {
    this.#joined += this.#loose.join('');
    this.#joinedRecords = this.#count;
    this.#loose = [];
  }
}
