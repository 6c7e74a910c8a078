/** How stored lines become batches with stable ids, and what the service takes in one frame. */
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
/** 72 bits. */
const SALT_PATTERN = /^[0-9a-f]{18}$/;

/**
 * The id of a job's batch: a version 8 UUID (RFC 9562) of the job's salt and 48 bits of the index. A restart sends
 * the same lines under the same id, and no two batches of a job share one; the service tells lines apart by job,
 * batch id and place in the batch, and drops what comes under a known id. A database that was begun anew cuts the
 * same log otherwise, so the salt is drawn with each job that is accepted, and goes where its batches go.
 *
 * @param salt 18 lower-case hex digits
 * @throws RangeError for another salt, or unless `index` is an integer, 0 or more and below 2^48
 */
export function batchId(salt: string, index: number): string {
  if (!SALT_PATTERN.test(salt)) throw new RangeError('batch salt');
  if (!Number.isInteger(index) || index < 0 || index >= INDEX_LIMIT)
    throw new RangeError(`batch index ${index}`);
  const tail = index.toString(16).padStart(12, '0');
  return `${salt.slice(0, 8)}-${salt.slice(8, 12)}-8${salt.slice(12, 15)}-8${salt.slice(15)}-${tail}`;
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
