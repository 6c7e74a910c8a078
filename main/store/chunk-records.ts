/** The records of one chunk that never comes into the store. */
import { decodeChunk } from '../../runner-core/log/chunk-codec.ts';
import type { LogChunk, LogRecord } from '../../runner-core/model/log-chunk.ts';

/** Throws ChunkCorruptError. */
export function recordsOf(chunk: LogChunk): readonly LogRecord[] {
  return decodeChunk(chunk).records;
}
