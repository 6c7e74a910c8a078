/**
 * A numbered, compressed piece of a job's output. Owns shapes and size limits; the byte layout is in
 * `runner-core/log/chunk-codec.ts`.
 *
 * A *record* is what is kept of one line: the whole line when it has at most MAX_RECORD_BYTES of
 * UTF-8, else its first piece followed by continuation records. The wire shows the first piece with
 * the protocol's suffix; the disk has all of them.
 */
export const MAX_RECORD_BYTES = 65_536;
/** A chunk is closed at this many bytes of text (checked after adding a record) or after CHUNK_MAX_AGE_MS. */
export const CHUNK_TARGET_BYTES = 262_144;
export const CHUNK_MAX_AGE_MS = 100;
/** The pump stops reading its source with this many chunks not yet stored by the listener. */
export const MAX_CHUNKS_IN_FLIGHT = 32;

/** One wire batch: at most this many lines, and closed once its lines have this many bytes. */
export const BATCH_MAX_LINES = 128;
export const BATCH_TARGET_BYTES = 65_536;

export const RECORD_FLAG = {
  /** From standard error; else standard output. */
  stderr: 1,
  /** Continues the previous record of the same source: not the start of a line. Never on the wire. */
  continuation: 2,
  /** The line goes on in a continuation record. */
  more: 4,
} as const;

export const CHUNK_CODEC = { plain: 0, zstd: 1, gzip: 2 } as const;
export type ChunkCodec = (typeof CHUNK_CODEC)[keyof typeof CHUNK_CODEC];

/**
 * `seq` counts from 1 within the job. `firstLine` is the number of lines (records that are no
 * continuation) before this chunk; `lines` and `records` are counts in it. `batches` are the wire
 * batches this chunk is sent as, each by its number of lines; they sum to `lines`. Fixed before the
 * first send, so that a restart sends the same lines under the same id.
 */
export interface LogChunk {
  readonly seq: number;
  readonly firstLine: number;
  readonly lines: number;
  readonly records: number;
  /** Bytes of text before compression. */
  readonly rawBytes: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly codec: ChunkCodec;
  readonly body: Uint8Array;
  readonly batches: readonly number[];
}

/** One decoded record. `text` has no line break and is masked. */
export interface LogRecord {
  readonly atMs: number;
  readonly flags: number;
  readonly text: string;
}

/** Records of one log by their number from 0, both ends among them. */
export interface RecordRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Where a container's log was read to, per source. Every position lies at the start of a line, so no
 * unfinished (and perhaps unmasked) text is ever kept: an open line is read again from the engine.
 */
export interface SourceCursor {
  /** Timestamp of the newest record taken, exactly as the engine wrote it; '' before the first. */
  readonly newest: string;
  /** Records taken that carry `newest`. */
  readonly takenAtNewest: number;
  /** Records taken in all. */
  readonly taken: number;
  /** The line that is open after the position: timestamp of its first piece, and how many masked
   * bytes of it were already emitted as records (0 while it is within MAX_RECORD_BYTES). */
  readonly open: { readonly since: string; readonly emittedBytes: number } | null;
}

export interface LogCursor {
  readonly stdout: SourceCursor;
  readonly stderr: SourceCursor;
}

export const START_OF_SOURCE: SourceCursor = { newest: '', takenAtNewest: 0, taken: 0, open: null };
export const START_OF_LOG: LogCursor = { stdout: START_OF_SOURCE, stderr: START_OF_SOURCE };
