/**
 * Collects records and closes them into numbered chunks. The hot path: one copy a record; repairing UTF-8,
 * masking and looking for markers are done once for all text of a chunk, when it is closed.
 */
import { isUtf8 } from 'node:buffer';
import {
  CHUNK_TARGET_BYTES,
  MAX_RECORD_BYTES,
  RECORD_FLAG,
  type LogChunk,
} from '../model/log-chunk.ts';
import { LINE_SUFFIX, splitBatches } from '../wire/log-batch.ts';
import { CHUNK_HEAD_BYTES, encodeColumns } from './chunk-codec.ts';
import { repaired } from './utf8-lines.ts';

/** What a builder needs of a mask: where secrets are, as start and end in turn, in order and apart. */
export interface SpanMask {
  spansIn(text: Buffer): readonly number[];
}

const REPLACEMENT = Buffer.from('***');
const NEWLINE = 10;
const SUFFIX_BYTES = Buffer.byteLength(LINE_SUFFIX);
/** Beyond the target: the record that closes a chunk, and the columns. */
const FIRST_ROOM_BYTES = CHUNK_HEAD_BYTES + CHUNK_TARGET_BYTES + 2 * MAX_RECORD_BYTES;
const FIRST_RECORDS = 8_192;
/** Below this a loop copies faster than a call into the runtime. */
const SHORT_COPY_BYTES = 24;

/** A closed chunk, and the lines in it that contain the hint the builder was given. */
export interface ClosedChunk {
  readonly chunk: LogChunk;
  readonly hinted: readonly string[];
}

export class ChunkBuilder {
  readonly #mask: SpanMask;
  readonly #hint: string;
  #bytes = Buffer.allocUnsafeSlow(FIRST_ROOM_BYTES);
  /** End of the text, after the line break that joins a further record to it. */
  #at = CHUNK_HEAD_BYTES;
  #records = 0;
  #continuations = 0;
  #lengths = new Uint32Array(FIRST_RECORDS);
  #flags = new Uint8Array(FIRST_RECORDS);
  #atMs = new Float64Array(FIRST_RECORDS);

  /** `hint`: text that marks lines worth a closer look; '' for none. */
  constructor(mask: SpanMask, hint = '') {
    this.#mask = mask;
    this.#hint = hint;
  }

  get records(): number {
    return this.#records;
  }

  /** Line breaks count as text here, or empty lines would never fill a chunk. */
  get full(): boolean {
    return this.#at - CHUNK_HEAD_BYTES >= CHUNK_TARGET_BYTES;
  }

  /** Adds one record: raw bytes without a line break, that are at most MAX_RECORD_BYTES once repaired. */
  add(bytes: Buffer, start: number, end: number, flags: number, atMs: number): void {
    const length = end - start;
    if (this.#at + length + 1 > this.#bytes.length) this.#growText(length + 1);
    if (this.#records === this.#flags.length) this.#growColumns();
    let at = this.#at;
    if (length < SHORT_COPY_BYTES) {
      const target = this.#bytes;
      for (let from = start; from < end; from++) target[at++] = bytes[from] ?? 0;
    } else {
      bytes.copy(this.#bytes, at, start, end);
      at += length;
    }
    this.#bytes[at] = NEWLINE;
    this.#at = at + 1;
    const index = this.#records++;
    this.#lengths[index] = length;
    this.#flags[index] = flags;
    this.#atMs[index] = atMs;
    if ((flags & RECORD_FLAG.continuation) !== 0) this.#continuations += 1;
  }

  /** The records so far as one chunk, and none are held any more. Call it with one record at least. */
  close(seq: number, firstLine: number): ClosedChunk {
    this.#repair();
    this.#maskText();
    const records = this.#records;
    const textEnd = this.#at - 1;
    const columns = { records, lengths: this.#lengths, flags: this.#flags, atMs: this.#atMs };
    const chunk = {
      seq,
      firstLine,
      lines: records - this.#continuations,
      records,
      rawBytes: textEnd - CHUNK_HEAD_BYTES - (records - 1),
      firstAtMs: this.#atMs[0] ?? 0,
      lastAtMs: this.#atMs[records - 1] ?? 0,
      batches: splitBatches(this.#wireBytes()),
    };
    const hinted = this.#hintedLines(textEnd);
    const encoded = encodeColumns(this.#bytes, textEnd, columns);
    this.#at = CHUNK_HEAD_BYTES;
    this.#records = 0;
    this.#continuations = 0;
    return { chunk: { ...chunk, ...encoded }, hinted };
  }

  #wireBytes(): number[] {
    const bytes: number[] = [];
    for (let index = 0; index < this.#records; index++) {
      const flags = this.#flags[index] ?? 0;
      if ((flags & RECORD_FLAG.continuation) !== 0) continue;
      const suffix = (flags & RECORD_FLAG.more) === 0 ? 0 : SUFFIX_BYTES;
      bytes.push((this.#lengths[index] ?? 0) + suffix);
    }
    return bytes;
  }

  #repair(): void {
    if (isUtf8(this.#bytes.subarray(CHUNK_HEAD_BYTES, this.#at))) return;
    const pieces: Buffer[] = [];
    this.#eachRecord((index, start, end) => {
      const whole = repaired(this.#bytes.subarray(start, end));
      this.#lengths[index] = whole.length;
      pieces.push(whole, this.#bytes.subarray(end, end + 1));
    });
    this.#replaceText(Buffer.concat(pieces));
  }

  #maskText(): void {
    const text = this.#bytes.subarray(CHUNK_HEAD_BYTES, this.#at);
    const spans = this.#mask.spansIn(text);
    if (spans.length === 0) return;
    const pieces: Buffer[] = [];
    let from = 0;
    for (let index = 0; index < spans.length; index += 2) {
      pieces.push(text.subarray(from, spans[index]), REPLACEMENT);
      from = spans[index + 1] ?? from;
    }
    pieces.push(text.subarray(from));
    this.#shrinkLengths(spans);
    this.#replaceText(Buffer.concat(pieces));
  }

  /** Both spans and records are in order: one walk over the two. No span crosses a line break. */
  #shrinkLengths(spans: readonly number[]): void {
    let next = 0;
    this.#eachRecord((index, start, end) => {
      let shrunk = 0;
      while (next < spans.length && (spans[next] ?? 0) + CHUNK_HEAD_BYTES < end) {
        shrunk += (spans[next + 1] ?? 0) - (spans[next] ?? 0) - REPLACEMENT.length;
        next += 2;
      }
      this.#lengths[index] = end - start - shrunk;
    });
  }

  #hintedLines(textEnd: number): string[] {
    if (this.#hint === '') return [];
    const text = this.#bytes.subarray(CHUNK_HEAD_BYTES, textEnd);
    let hit = text.indexOf(this.#hint);
    if (hit === -1) return [];
    const lines: string[] = [];
    this.#eachRecord((index, start, end) => {
      if (hit === -1 || hit + CHUNK_HEAD_BYTES >= end) return;
      if (((this.#flags[index] ?? 0) & RECORD_FLAG.continuation) === 0)
        lines.push(this.#bytes.toString('utf8', start, end));
      hit = text.indexOf(this.#hint, end - CHUNK_HEAD_BYTES);
    });
    return lines;
  }

  #eachRecord(visit: (index: number, start: number, end: number) => void): void {
    for (let index = 0, start = CHUNK_HEAD_BYTES; index < this.#records; index++) {
      const end = start + (this.#lengths[index] ?? 0);
      visit(index, start, end);
      start = end + 1;
    }
  }

  #replaceText(text: Buffer): void {
    this.#at = CHUNK_HEAD_BYTES;
    if (text.length + CHUNK_HEAD_BYTES > this.#bytes.length) this.#growText(text.length);
    text.copy(this.#bytes, CHUNK_HEAD_BYTES);
    this.#at += text.length;
  }

  #growText(by: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#at + by, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }

  #growColumns(): void {
    const size = this.#flags.length * 2;
    this.#lengths = grown(this.#lengths, new Uint32Array(size));
    this.#flags = grown(this.#flags, new Uint8Array(size));
    this.#atMs = grown(this.#atMs, new Float64Array(size));
  }
}

function grown<Column extends Uint32Array | Uint8Array | Float64Array>(
  from: Column,
  to: Column,
): Column {
  to.set(from);
  return to;
}
