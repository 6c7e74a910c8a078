/**
 * Where each chunk of a job's log lies, which lines and wire batches it holds, and the sums over them.
 * Rows only; the bodies are in `log-files.ts`.
 */
import { crc32 } from 'node:zlib';
import type { ChunkCodec, LogChunk, LogCursor } from '../../runner-core/model/log-chunk.ts';
import type { HostDatabase } from './database.ts';

/** The sums over one job's chunks: its row in `job_log`. */
export interface LogTally {
  readonly chunks: number;
  readonly lines: number;
  readonly records: number;
  readonly bytes: number;
  readonly file_bytes: number;
  readonly batches: number;
  readonly batches_acked: number;
  readonly lines_acked: number;
  readonly cursor: string;
}

export interface ChunkRow {
  readonly seq: number;
  readonly first_line: number;
  readonly lines: number;
  readonly first_record: number;
  readonly records: number;
  readonly first_byte: number;
  readonly raw_bytes: number;
  readonly file_offset: number;
  readonly length: number;
  readonly crc: number;
  readonly codec: ChunkCodec;
  readonly first_at_ms: number;
  readonly last_at_ms: number;
  readonly first_batch: number;
  readonly batches: string;
  readonly unsent_lines: number;
  readonly cursor: string | null;
}

export const CHUNK_COLUMNS = `seq, first_line, lines, first_record, records, first_byte, raw_bytes, file_offset, length,
  crc, codec, first_at_ms, last_at_ms, first_batch, batches, unsent_lines, cursor`;
const TALLY_COLUMNS =
  'chunks, lines, records, bytes, file_bytes, batches, batches_acked, lines_acked, cursor';

/** `job` is the row number in table `job` throughout. Calls that write belong in a transaction. */
export class LogIndex {
  readonly #statements: ReturnType<typeof prepare>;

  constructor(database: HostDatabase) {
    this.#statements = prepare(database);
  }

  tally(job: number): LogTally | undefined {
    return this.#statements.tally.get(job);
  }

  begin(job: number): void {
    this.#statements.begin.run(job);
  }

  /** Adds chunks that follow what `tally` counts, their bodies lying one behind the other from `file_bytes` on. */
  add(job: number, tally: LogTally, chunks: readonly LogChunk[], cursor: LogCursor | null): void {
    const cursorText = cursor === null ? tally.cursor : JSON.stringify(cursor);
    const sums = { ...tally, cursor: cursorText };
    for (const [index, chunk] of chunks.entries()) {
      const { unsentLines, batches } = batchesToSend(chunk, sums.lines_acked);
      this.#statements.add.run({
        job,
        seq: chunk.seq,
        first_line: chunk.firstLine,
        lines: chunk.lines,
        first_record: sums.records,
        records: chunk.records,
        first_byte: sums.bytes,
        raw_bytes: chunk.rawBytes,
        file_offset: sums.file_bytes,
        length: chunk.body.length,
        crc: crc32(chunk.body),
        codec: chunk.codec,
        first_at_ms: chunk.firstAtMs,
        last_at_ms: chunk.lastAtMs,
        first_batch: sums.batches,
        batches: JSON.stringify(batches),
        unsent_lines: unsentLines,
        cursor: index === chunks.length - 1 ? cursorText : null,
      });
      sums.chunks = chunk.seq;
      sums.lines += chunk.lines;
      sums.records += chunk.records;
      sums.bytes += chunk.rawBytes;
      sums.file_bytes += chunk.body.length;
      sums.batches += batches.length;
    }
    this.write(job, sums);
  }

  /** Puts back rows of another database, with what they add up to. */
  restore(job: number, rows: readonly ChunkRow[], tally: LogTally): void {
    this.#statements.begin.run(job);
    for (const row of rows) this.#statements.add.run({ ...row, job });
    this.write(job, tally);
  }

  write(job: number, tally: LogTally): void {
    this.#statements.write.run({ ...tally, job });
  }

  /** This chunk or, where it is part of a gap that carries a later number, that one. */
  chunk(job: number, seq: number): ChunkRow | undefined {
    return this.#statements.chunk.get(job, seq);
  }

  /** The last chunk that starts at or before the batch, line or record of this number. */
  chunkAtBatch(job: number, batch: number): ChunkRow | undefined {
    return this.#statements.atBatch.get(job, batch);
  }

  chunkAtLine(job: number, line: number): ChunkRow | undefined {
    return this.#statements.atLine.get(job, line);
  }

  chunkAtRecord(job: number, record: number): ChunkRow | undefined {
    return this.#statements.atRecord.get(job, record);
  }

  /** The chunks that end an append and lie within the first `fileBytes` of the file, newest first, one a call. */
  resumableBefore(job: number, seq: number, fileBytes: number): ChunkRow | undefined {
    return this.#statements.resumable.get(job, seq, fileBytes);
  }

  /** Forgets the chunks after `seq`. */
  dropAfter(job: number, seq: number): void {
    this.#statements.dropAfter.run(job, seq);
  }
}

/**
 * The wire batches of a chunk. After a log was shortened (`log-repair.ts`) the lines read again may be
 * at the service already: those are left out, since under a new batch id they would appear twice.
 */
function batchesToSend(
  chunk: LogChunk,
  linesAcknowledged: number,
): { readonly unsentLines: number; readonly batches: readonly number[] } {
  const unsentLines = Math.min(Math.max(linesAcknowledged - chunk.firstLine, 0), chunk.lines);
  // Nothing is left of these lines but their number: the last stands for all.
  if (chunk.body.length === 0 && unsentLines < chunk.lines)
    return { unsentLines: chunk.lines - 1, batches: [1] };
  if (unsentLines === 0) return { unsentLines, batches: chunk.batches };
  const batches: number[] = [];
  let skip = unsentLines;
  for (const lines of chunk.batches) {
    const skipped = Math.min(skip, lines);
    skip -= skipped;
    if (lines > skipped) batches.push(lines - skipped);
  }
  return { unsentLines, batches };
}

function prepare(database: HostDatabase) {
  const names = CHUNK_COLUMNS.split(',').map((name) => name.trim());
  const columns = ['job', ...names];
  const last = (column: string, index: string): string =>
    `SELECT ${CHUNK_COLUMNS} FROM log_chunk WHERE job = ? AND ${column} <= ? ORDER BY ${index} DESC LIMIT 1`;
  return {
    begin: database.prepare<[number]>('INSERT INTO job_log (job) VALUES (?)'),
    tally: database.prepare<[number], LogTally>(
      `SELECT ${TALLY_COLUMNS} FROM job_log WHERE job = ?`,
    ),
    write: database.prepare<[LogTally & { readonly job: number }]>(
      `UPDATE job_log SET chunks = @chunks, lines = @lines, records = @records, bytes = @bytes,
         file_bytes = @file_bytes, batches = @batches, batches_acked = @batches_acked,
         lines_acked = @lines_acked, cursor = @cursor WHERE job = @job`,
    ),
    add: database.prepare<[ChunkRow & { readonly job: number }]>(
      `INSERT INTO log_chunk (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`,
    ),
    chunk: database.prepare<[number, number], ChunkRow>(
      `SELECT ${CHUNK_COLUMNS} FROM log_chunk WHERE job = ? AND seq >= ? ORDER BY seq LIMIT 1`,
    ),
    atBatch: database.prepare<[number, number], ChunkRow>(
      last('first_batch', 'first_batch DESC, seq'),
    ),
    atLine: database.prepare<[number, number], ChunkRow>(
      last('first_line', 'first_line DESC, seq'),
    ),
    atRecord: database.prepare<[number, number], ChunkRow>(last('first_record', 'first_record')),
    resumable: database.prepare<[number, number, number], ChunkRow>(
      `SELECT ${CHUNK_COLUMNS} FROM log_chunk
       WHERE job = ? AND seq < ? AND cursor IS NOT NULL AND file_offset + length <= ?
       ORDER BY seq DESC LIMIT 1`,
    ),
    dropAfter: database.prepare<[number, number]>(
      'DELETE FROM log_chunk WHERE job = ? AND seq > ?',
    ),
  };
}
