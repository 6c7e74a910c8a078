/** How stored lines become batches with stable ids, and what the service takes in one frame. */
import type { JobId } from '../model/ids.ts';
import { BATCH_MAX_LINES, BATCH_TARGET_BYTES } from '../model/log-chunk.ts';

/** Ends a line that was cut for the wire; the disk has the rest. */
export const LINE_SUFFIX = ' [line truncated]';

/** Limits of one `logs` frame, checked by the service; bytes are of UTF-8. */
export const WIRE_LINE_MAX_BYTES = 67_584;
export const WIRE_FRAME_MAX_BYTES = 4_194_304;
/** Lines of a frame with a batch id, and of one without. */
export const WIRE_BATCH_MAX_LINES = 128;
export const WIRE_UNBATCHED_MAX_LINES = 8_192;

const INDEX_LIMIT = 2 ** 48;
const UUID_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The id of a job's batch: a version 8 UUID (RFC 9562) of 72 bits of the job id and 48 bits of the
 * index. A restart sends the same lines under the same id, and no two batches of a job share one;
 * the service tells lines apart by job, batch id and place in the batch.
 *
 * @throws RangeError unless `index` is an integer, 0 or more and below 2^48
 */
export function batchId(jobId: JobId, index: number): string {
  if (!Number.isInteger(index) || index < 0 || index >= INDEX_LIMIT)
    throw new RangeError(`batch index ${index}`);
  const job = jobDigits(jobId);
  const tail = index.toString(16).padStart(12, '0');
  return `${job.slice(0, 8)}-${job.slice(8, 12)}-8${job.slice(12, 15)}-8${job.slice(15, 18)}-${tail}`;
}

/** 18 hex digits of a job id: its own where it is a UUID, else a hash of it. */
function jobDigits(jobId: JobId): string {
  const lower = jobId.toLowerCase();
  if (UUID_PATTERN.test(lower)) return lower.replaceAll('-', '').slice(0, 18);
  return (fnv1a(jobId) + fnv1a(`${jobId}#`)).slice(0, 18);
}

/** FNV-1a of 64 bits, as 16 hex digits. Source: G. Fowler, L. C. Noll, K.-P. Vo. */
function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let at = 0; at < text.length; at++)
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

/**
 * Batches of a run of lines, each by its number of lines. A batch is closed at BATCH_MAX_LINES lines
 * or once it has BATCH_TARGET_BYTES, checked after a line was added: no line is ever split.
 */
export function splitBatches(lineBytes: readonly number[]): number[] {
  const batches: number[] = [];
  let lines = 0;
  let bytes = 0;
  for (const size of lineBytes) {
    lines += 1;
    bytes += size;
    if (lines < BATCH_MAX_LINES && bytes < BATCH_TARGET_BYTES) continue;
    batches.push(lines);
    lines = 0;
    bytes = 0;
  }
  if (lines > 0) batches.push(lines);
  return batches;
}
