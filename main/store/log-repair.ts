/**
 * Makes index and file of a log agree after a crash. Bodies are not flushed, so a power cut may take
 * the end of a file whose index survived; the log then falls back to its last whole append, with that
 * append's cursor, and the lost lines are read again from the container.
 */
import { crc32 } from 'node:zlib';
import type { JobId } from '../../runner-core/model/ids.ts';
import type { HistoryEntry } from './job-table.ts';
import type { LogFiles } from './log-files.ts';
import type { ChunkRow, LogIndex, LogTally } from './log-index.ts';

export interface LogShortened {
  readonly chunksLost: number;
  readonly linesLost: number;
}

/** For the job's history. */
export function shortened({ linesLost }: LogShortened, atMs: number): HistoryEntry {
  return { kind: 'log_shortened', atMs, detail: String(linesLost) };
}

/**
 * To be called in a transaction, before anything else is done with the log. Returns what was lost, or
 * undefined where every indexed chunk is there (a torn end that the index does not know is cut silently).
 */
export function repairLog(
  job: { readonly n: number; readonly jobId: JobId },
  index: LogIndex,
  files: LogFiles,
): LogShortened | undefined {
  const tally = index.tally(job.n);
  if (tally === undefined) return undefined;
  const size = files.size(job.jobId);
  const kept = lastWhole(job, { index, files, tally, size });
  if (kept?.seq === tally.chunks || tally.chunks === 0) {
    if (size > tally.file_bytes) files.cut(job.jobId, tally.file_bytes);
    return undefined;
  }
  const shorter = tallyThrough(tally, kept);
  index.dropAfter(job.n, shorter.chunks);
  index.write(job.n, shorter);
  if (size > shorter.file_bytes) files.cut(job.jobId, shorter.file_bytes);
  return {
    chunksLost: tally.chunks - shorter.chunks,
    linesLost: tally.lines - shorter.lines,
  };
}

function lastWhole(
  job: { readonly n: number; readonly jobId: JobId },
  log: { index: LogIndex; files: LogFiles; tally: LogTally; size: number },
): ChunkRow | undefined {
  let before = log.tally.chunks + 1;
  for (;;) {
    const row = log.index.resumableBefore(job.n, before, log.size);
    if (row === undefined) return undefined;
    const body = log.files.read(job.jobId, row.file_offset, row.length);
    // A file system may also keep the length and lose the bytes.
    if (crc32(body) === row.crc) return row;
    before = row.seq;
  }
}

/**
 * Batch numbers are never used twice: the service drops a second batch under a known id, so one that
 * may have been sent must not come back with other lines. New batches start after all old ones.
 */
function tallyThrough(tally: LogTally, kept: ChunkRow | undefined): LogTally {
  const keptBatches = kept === undefined ? 0 : kept.first_batch + countOf(kept.batches);
  return {
    ...tally,
    chunks: kept?.seq ?? 0,
    lines: kept === undefined ? 0 : kept.first_line + kept.lines,
    records: kept === undefined ? 0 : kept.first_record + kept.records,
    bytes: kept === undefined ? 0 : kept.first_byte + kept.raw_bytes,
    file_bytes: kept === undefined ? 0 : kept.file_offset + kept.length,
    cursor: kept?.cursor ?? 'null',
    batches_acked: tally.batches_acked >= keptBatches ? tally.batches : tally.batches_acked,
  };
}

/** How many numbers a stored list has. */
export function countOf(batches: string): number {
  return batches === '[]' ? 0 : batches.split(',').length;
}
