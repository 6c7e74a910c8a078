/**
 * The part of one job's log that the page has at hand, by record number. Owns what is kept and what is dropped;
 * `log-feed.ts` owns where records come from. Kept out of React on purpose: rows are read from here, one by one.
 *
 * A log has any size, the store a budget. Over it, the stretches farthest from where the reader is go first; they
 * leave a hole that `missing` names and a later `add` fills.
 */
import type { LogRecordView } from '../../main/contract/views.ts';
import { RECORD_FLAG } from '../../runner-core/model/log-chunk.ts';
import { AnsiParser, ESC } from './ansi-parser.ts';
import { PLAIN_STYLE, StyleTable, type AnsiStyle } from './ansi-style.ts';
import { isErrorLine } from './error-line.ts';
import { BLOCK_RECORDS, LineBlock, ROW_FLAG } from './line-block.ts';

export interface LogRow {
  readonly record: number;
  /** Counts from 0. */
  readonly line: number;
  readonly atMs: number;
  readonly stderr: boolean;
  /** Goes on with the line of an earlier record. */
  readonly continuation: boolean;
  readonly more: boolean;
  readonly error: boolean;
  readonly text: string;
  readonly style: AnsiStyle;
  readonly pending: string;
}

export interface StoreLimits {
  readonly maxRecords: number;
  readonly maxChars: number;
}
/** 200,000 lines are 20 to 40 MB of text, as a text with one character beyond Latin-1 takes two bytes each. */
const LIMITS: StoreLimits = { maxRecords: 200_000, maxChars: 40_000_000 };
/** Places of errors are kept when their text is dropped, up to this many. */
const MAX_ERRORS = 50_000;

interface SourceState {
  readonly style: AnsiStyle;
  readonly pending: string;
}
const RESET = `${ESC}[0m`;
const START: SourceState = { style: PLAIN_STYLE, pending: '' };

export class LineStore {
  readonly #limits: StoreLimits;
  readonly #blocks = new Map<number, LineBlock>();
  readonly #errors = new Map<number, number[]>();
  readonly #styles = new StyleTable();
  readonly #listeners = new Set<() => void>();
  /** What standard output and standard error left behind, and after which record that holds. */
  #after = { record: 0, out: START, err: START };
  #total = 0;
  #lines = 0;
  #chars = 0;
  #records = 0;
  #errorCount = 0;
  #firstAtMs: number | null = null;
  #centre = 0;

  constructor(limits: StoreLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Records of the whole log, as far as known. */
  get total(): number {
    return this.#total;
  }

  /** Lines of the whole log, as far as known. */
  get lines(): number {
    return this.#lines;
  }

  /** Records at hand. */
  get loaded(): number {
    return this.#records;
  }

  get loadedChars(): number {
    return this.#chars;
  }

  get errorCount(): number {
    return this.#errorCount;
  }

  /** When the first record known was printed. */
  get firstAtMs(): number | null {
    return this.#firstAtMs;
  }

  /** The log has this many records, whether they are at hand or not. */
  setTotal(records: number, lines: number): void {
    if (records <= this.#total && lines <= this.#lines) return;
    this.#total = Math.max(this.#total, records);
    this.#lines = Math.max(this.#lines, lines);
    this.#changed();
  }

  /** The log is gone: no record of it will come. How many lines it had stays known. */
  forgetRecords(): void {
    this.#total = 0;
    this.#changed();
  }

  /** Takes records in rising order. Those at hand already, or in the middle of a stretch not begun, are left out. */
  add(records: readonly LogRecordView[]): void {
    for (const record of records) this.#addOne(record);
    const last = records.at(-1);
    if (last === undefined) return;
    this.#drop();
    this.#changed();
  }

  row(record: number): LogRow | undefined {
    const block = this.#blocks.get(Math.floor(record / BLOCK_RECORDS));
    const at = record % BLOCK_RECORDS;
    if (block === undefined || at >= block.count) return undefined;
    const flags = block.flags(at);
    return {
      record,
      line: block.line(at),
      atMs: block.atMs(at),
      stderr: (flags & RECORD_FLAG.stderr) !== 0,
      continuation: (flags & RECORD_FLAG.continuation) !== 0,
      more: (flags & RECORD_FLAG.more) !== 0,
      error: (flags & ROW_FLAG.error) !== 0,
      text: block.text(at),
      style: this.#styles.style(block.styleId(at)),
      pending: block.pending(at),
    };
  }

  /** Where reading goes on; what is dropped first is far from here. */
  readAt(record: number): void {
    this.#centre = record;
  }

  /** The first record from `from` to before `to` that is not at hand, moved to where a stretch begins; null for none. */
  missing(from: number, to: number): number | null {
    const end = Math.min(to, this.#total);
    for (let record = Math.max(0, from); record < end;) {
      const index = Math.floor(record / BLOCK_RECORDS);
      const block = this.#blocks.get(index);
      const next = (index + 1) * BLOCK_RECORDS;
      if (block === undefined) return index * BLOCK_RECORDS;
      if (!block.isFull && index * BLOCK_RECORDS + block.count < Math.min(end, next))
        return index * BLOCK_RECORDS + block.count;
      record = next;
    }
    return null;
  }

  /** Stretches at hand, in order. */
  blocks(): readonly LineBlock[] {
    return [...this.#blocks.values()].sort((one, other) => one.first - other.first);
  }

  /** Records of error lines, in order. */
  errors(): readonly number[] {
    const indexes = [...this.#errors.keys()].sort((one, other) => one - other);
    return indexes.flatMap((index) => this.#errors.get(index) ?? []);
  }

  /** The record that line `line` starts with, where it is at hand; else the best guess. */
  recordOfLine(line: number): { readonly record: number; readonly exact: boolean } {
    for (const block of this.#blocks.values()) {
      if (block.count === 0 || line < block.line(0) || line > block.line(block.count - 1)) continue;
      for (let at = 0; at < block.count; at++)
        if (block.line(at) === line && (block.flags(at) & RECORD_FLAG.continuation) === 0)
          return { record: block.first + at, exact: true };
    }
    const share = this.#lines === 0 ? 0 : line / this.#lines;
    const guess = Math.round(share * this.#total);
    return { record: Math.max(0, Math.min(guess, this.#total - 1)), exact: false };
  }

  /** The first record at hand printed at `atMs` or later; the last one where all are earlier. */
  recordAt(atMs: number): number {
    for (const block of this.blocks()) {
      if (block.count === 0 || block.atMs(block.count - 1) < atMs) continue;
      for (let at = 0; at < block.count; at++) if (block.atMs(at) >= atMs) return block.first + at;
    }
    return Math.max(0, this.#total - 1);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #addOne(record: LogRecordView): void {
    const index = Math.floor(record.record / BLOCK_RECORDS);
    const at = record.record % BLOCK_RECORDS;
    this.#total = Math.max(this.#total, record.record + 1);
    this.#lines = Math.max(this.#lines, record.line + 1);
    if (record.record === 0 || this.#firstAtMs === null) this.#firstAtMs = record.atMs;
    let block = this.#blocks.get(index);
    if ((block?.count ?? 0) !== at) return;
    if (block === undefined)
      this.#blocks.set(index, (block = new LineBlock(index * BLOCK_RECORDS)));
    const { style, pending } = this.#stateBefore(record);
    const error = isErrorLine(record.text);
    block.push(
      record,
      record.flags | (error ? ROW_FLAG.error : 0),
      this.#styles.idOf(style),
      pending,
    );
    this.#records++;
    this.#chars += record.text.length;
    if (error) this.#noteError(index, record.record);
    this.#stateAfter(record, style, pending);
  }

  /** Colours go on from line to line, each source for itself. After a hole nothing is known and they start anew. */
  #stateBefore(record: LogRecordView): SourceState {
    if (this.#after.record !== record.record) {
      const before = this.row(record.record - 1);
      const start = before === undefined ? START : { style: before.style, pending: '' };
      this.#after = { record: record.record, out: start, err: START };
    }
    const isErr = (record.flags & RECORD_FLAG.stderr) !== 0;
    const state = isErr ? this.#after.err : this.#after.out;
    const goesOn = (record.flags & RECORD_FLAG.continuation) !== 0;
    return goesOn || state.pending === '' ? state : { style: state.style, pending: '' };
  }

  #stateAfter(record: LogRecordView, style: AnsiStyle, pending: string): void {
    const isErr = (record.flags & RECORD_FLAG.stderr) !== 0;
    this.#after.record = record.record + 1;
    let state: SourceState = { style, pending: '' };
    const escape = record.text.lastIndexOf(ESC);
    // Most coloured lines end with a reset; nothing before it can reach the next line.
    if (escape !== -1 && record.text.startsWith(RESET, escape)) state = START;
    else if (pending !== '' || escape !== -1) {
      const parser = new AnsiParser(style, pending);
      parser.feed(record.text);
      const goesOn = (record.flags & RECORD_FLAG.more) !== 0;
      if (!goesOn) parser.end();
      state = { style: parser.style, pending: parser.pending };
    }
    if (isErr) this.#after.err = state;
    else this.#after.out = state;
  }

  #noteError(index: number, record: number): void {
    const known = this.#errors.get(index) ?? [];
    if (this.#errorCount >= MAX_ERRORS || known.includes(record)) return;
    known.push(record);
    this.#errors.set(index, known);
    this.#errorCount++;
  }

  #drop(): void {
    const centre = Math.floor(this.#centre / BLOCK_RECORDS);
    while (this.#records > this.#limits.maxRecords || this.#chars > this.#limits.maxChars) {
      let farthest = -1;
      for (const index of this.#blocks.keys())
        if (farthest === -1 || Math.abs(index - centre) > Math.abs(farthest - centre))
          farthest = index;
      const block = this.#blocks.get(farthest);
      // What is being read stays, whatever it weighs.
      if (block === undefined || Math.abs(farthest - centre) <= 1) return;
      this.#blocks.delete(farthest);
      this.#records -= block.count;
      this.#chars -= block.chars;
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
