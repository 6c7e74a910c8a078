/** Reads stored chunks back: as wire batches for the service, as numbered records for the page. */
import type { JobId } from '../../runner-core/model/ids.ts';
import { RECORD_FLAG, type LogRecord } from '../../runner-core/model/log-chunk.ts';
import { decodeChunk, decodeWireLines } from '../../runner-core/log/chunk-codec.ts';
import { packedLines, type WireLineTable } from '../../runner-core/log/packed-lines.ts';
import type { OutgoingBatch } from '../../runner-core/ports.ts';
import { DecodedChunks } from './decoded-chunks.ts';
import { gapText } from './log-gaps.ts';
import type { LogFiles } from './log-files.ts';
import type { ChunkRow, LogIndex } from './log-index.ts';
import { batchesSchema, readStored } from './stored-values.ts';

/** Stands for each line of a chunk whose body is gone, so that numbers and batches stay as they were. */
export const DAMAGED_LINE = '[this line is lost: the log file on the runner host is damaged]';
/** A page ends once it has this much text, so that one page is never more than a few MiB. */
const PAGE_MAX_CHARACTERS = 1024 * 1024;

/** `line` and `record` count from 0 within the job. A continuation record has the line of its first piece. */
export interface NumberedRecord extends LogRecord {
  readonly line: number;
  readonly record: number;
}

export interface LogPage {
  readonly records: readonly NumberedRecord[];
  /** Where the next page starts; the end of the log when nothing more is stored. */
  readonly nextRecord: number;
}

interface JobRef {
  readonly n: number;
  readonly jobId: JobId;
}

export class LogReader {
  readonly #index: LogIndex;
  readonly #files: LogFiles;
  readonly #wireLines = new DecodedChunks<WireLineTable | null>();
  readonly #records = new DecodedChunks<readonly LogRecord[]>();

  constructor(index: LogIndex, files: LogFiles) {
    this.#index = index;
    this.#files = files;
  }

  /** At most `limit` batches with index ≥ `from`. */
  outgoing(job: JobRef, from: number, limit: number): readonly OutgoingBatch[] {
    const found: OutgoingBatch[] = [];
    let chunk = this.#index.chunkAtBatch(job.n, from);
    while (chunk !== undefined && found.length < limit) {
      this.#takeBatches(job, chunk, { from, limit, found });
      chunk = this.#index.chunk(job.n, chunk.seq + 1);
    }
    return found;
  }

  /** Lines in the batches with index < `count`. */
  linesThroughBatch(job: JobRef, count: number): number {
    const chunk = this.#index.chunkAtBatch(job.n, count);
    if (chunk === undefined) return 0;
    const batches = this.#batches(job, chunk).slice(0, count - chunk.first_batch);
    return batches.reduce((sum, lines) => sum + lines, chunk.first_line + chunk.unsent_lines);
  }

  pageFromLine(job: JobRef, line: number, limit: number): LogPage {
    const chunk = this.#index.chunkAtLine(job.n, line);
    return this.#page(job, chunk, { limit, wanted: (record) => record.line >= line });
  }

  pageFromRecord(job: JobRef, from: number, limit: number): LogPage {
    const chunk = this.#index.chunkAtRecord(job.n, from);
    return this.#page(job, chunk, { limit, wanted: (record) => record.record >= from });
  }

  /** Forgets what was decoded; to be called when stored chunks were dropped. */
  forget(): void {
    this.#wireLines.clear();
    this.#records.clear();
  }

  #takeBatches(
    job: JobRef,
    chunk: ChunkRow,
    wanted: { from: number; limit: number; found: OutgoingBatch[] },
  ): void {
    const batches = this.#batches(job, chunk);
    if (wanted.from >= chunk.first_batch + batches.length) return;
    const lines = isGap(chunk) ? null : this.#linesOf(job, chunk);
    let start = chunk.unsent_lines;
    for (const [place, count] of batches.entries()) {
      const index = chunk.first_batch + place;
      if (index >= wanted.from) {
        wanted.found.push({
          index,
          lines: lines === null ? missingLines(chunk, count) : packedLines(lines, start, count),
        });
        if (wanted.found.length === wanted.limit) return;
      }
      start += count;
    }
  }

  #page(
    job: JobRef,
    first: ChunkRow | undefined,
    how: { limit: number; wanted: (record: NumberedRecord) => boolean },
  ): LogPage {
    const records: NumberedRecord[] = [];
    let characters = 0;
    let nextRecord = 0;
    let chunk = first;
    while (chunk !== undefined) {
      nextRecord = chunk.first_record;
      let line = chunk.first_line - 1;
      for (const plain of this.#recordsOf(job, chunk)) {
        if ((plain.flags & RECORD_FLAG.continuation) === 0) line += 1;
        const record = { ...plain, line, record: nextRecord };
        nextRecord += 1;
        if (!how.wanted(record)) continue;
        records.push(record);
        characters += record.text.length;
        if (records.length >= how.limit || characters >= PAGE_MAX_CHARACTERS)
          return { records, nextRecord };
      }
      chunk = this.#index.chunk(job.n, chunk.seq + 1);
    }
    return { records, nextRecord };
  }

  #batches(job: JobRef, chunk: ChunkRow): readonly number[] {
    const where = { jobId: job.jobId, field: `chunk ${chunk.seq}: batches` };
    return readStored(batchesSchema, chunk.batches, where);
  }

  /** Null where the chunk is damaged. */
  #linesOf(job: JobRef, chunk: ChunkRow): WireLineTable | null {
    return this.#wireLines.get(`${job.n}:${chunk.seq}`, chunk.raw_bytes, () => {
      const table = this.#decode(job, chunk, (body) =>
        decodeWireLines(chunk.codec, body, chunk.raw_bytes),
      );
      return table?.starts.length === chunk.lines ? table : null;
    });
  }

  #recordsOf(job: JobRef, chunk: ChunkRow): readonly LogRecord[] {
    if (isGap(chunk)) return [gapRecord(chunk)];
    return this.#records.get(`${job.n}:${chunk.seq}`, chunk.raw_bytes, () => {
      const records = this.#decode(
        job,
        chunk,
        (body) => decodeChunk({ codec: chunk.codec, body }).records,
      );
      return records?.length === chunk.records ? records : damagedRecords(chunk);
    });
  }

  /**
   * Undefined where the body is missing, cut or changed (each carries a checksum of its own): a hole in
   * a log must not stop its report.
   */
  #decode<T>(job: JobRef, chunk: ChunkRow, decode: (body: Uint8Array) => T): T | undefined {
    const body = this.#files.read(job.jobId, chunk.file_offset, chunk.length);
    try {
      return decode(body);
    } catch {
      return undefined;
    }
  }
}

/** Its lines found no room on the disk; see `log-gaps.ts`. */
function isGap(chunk: ChunkRow): boolean {
  return chunk.length === 0;
}

function missingLines(chunk: ChunkRow, count: number): readonly string[] {
  if (isGap(chunk)) return [gapText(chunk.lines, chunk.raw_bytes)];
  return new Array<string>(count).fill(DAMAGED_LINE);
}

function gapRecord({ first_at_ms: atMs, lines, raw_bytes: bytes }: ChunkRow): LogRecord {
  const flags = lines === 0 ? RECORD_FLAG.continuation : 0;
  return { atMs, flags, text: gapText(lines, bytes) };
}

function damagedRecords(chunk: ChunkRow): readonly LogRecord[] {
  return Array.from({ length: chunk.records }, (_, place) => ({
    atMs: chunk.first_at_ms,
    flags: place < chunk.lines ? 0 : RECORD_FLAG.continuation,
    text: DAMAGED_LINE,
  }));
}
