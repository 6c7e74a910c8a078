/**
 * The bytes of a chunk: a head, the text of its records joined by `\n`, then their lengths, flags and
 * times as columns; compressed as one. Owns the layout and nothing of what records mean.
 *
 * Head, little endian: u32 layout version, u32 records, u32 bytes of text, u32 bytes of columns, f64 epoch
 * ms of the first record. Columns: lengths (varint), flags (u8), ms since the record before (zigzag varint).
 * Text comes before the columns because a builder then compresses the buffer it collected into.
 */
import * as zlib from 'node:zlib';
import { CHUNK_CODEC, RECORD_FLAG, type ChunkCodec, type LogRecord } from '../model/log-chunk.ts';
import { RunnerError } from '../model/errors.ts';
import type { WireLineTable } from './packed-lines.ts';

export const CHUNK_HEAD_BYTES = 24;
const LAYOUT = 1;
/** Far above any chunk we make; a damaged body must not be able to fill the memory. */
const DECODED_LIMIT_BYTES = 268_435_456;
const CRC_BYTES = 4;
const LEAST_OUTPUT_BUFFER_BYTES = 16_384;
const MAX_OUTPUT_BUFFER_BYTES = 1_048_576;
const NEWLINE = '\n';

// Node before 22.15 has no zstd.
const {
  zstdCompressSync,
  zstdDecompressSync,
  constants,
}: Partial<typeof zlib> & {
  constants: typeof zlib.constants;
} = zlib;
const ZSTD_OPTIONS = {
  params: {
    [constants.ZSTD_c_compressionLevel]: 1,
    [constants.ZSTD_c_checksumFlag]: 1,
  },
};

/** A chunk's body does not decode to what a chunk is. The file it lies in is damaged, or not ours. */
export class ChunkCorruptError extends RunnerError {
  readonly code = 'chunk_corrupt';
  readonly facts: { readonly problem: 'codec' | 'compression' | 'layout' | 'columns' | 'text' };
  constructor(facts: ChunkCorruptError['facts'], options?: ErrorOptions) {
    super(`A chunk of the log is damaged: ${facts.problem}`, options);
    this.facts = facts;
  }
}

/** Columns of records whose text is in a buffer already: `records` entries are used of each. */
export interface RecordColumns {
  readonly records: number;
  readonly lengths: Uint32Array;
  readonly flags: Uint8Array;
  readonly atMs: Float64Array;
}

export interface EncodedChunk {
  readonly codec: ChunkCodec;
  readonly body: Buffer;
}

/**
 * Compresses one chunk. `scratch` has CHUNK_HEAD_BYTES free bytes, then the text up to `textEnd`; what
 * follows is overwritten, and a larger buffer made when the columns do not fit.
 */
export function encodeColumns(
  scratch: Buffer,
  textEnd: number,
  columns: RecordColumns,
  preferred: ChunkCodec = CHUNK_CODEC.zstd,
): EncodedChunk {
  const { records, lengths, flags, atMs } = columns;
  // The widest varint of a length has five bytes, of a time difference eight.
  const room = textEnd + records * 14 + CRC_BYTES;
  const bytes =
    scratch.length >= room ? scratch : Buffer.concat([scratch.subarray(0, textEnd)], room);
  let at = textEnd;
  for (let index = 0; index < records; index++) at = writeVarint(bytes, at, lengths[index] ?? 0);
  bytes.set(flags.subarray(0, records), at);
  at += records;
  const firstAtMs = atMs[0] ?? 0;
  for (let index = 0, last = firstAtMs; index < records; index++) {
    const now = atMs[index] ?? 0;
    const delta = now - last;
    at = writeVarint(bytes, at, delta < 0 ? -2 * delta - 1 : 2 * delta);
    last = now;
  }
  bytes.writeUInt32LE(LAYOUT, 0);
  bytes.writeUInt32LE(records, 4);
  bytes.writeUInt32LE(textEnd - CHUNK_HEAD_BYTES, 8);
  bytes.writeUInt32LE(at - textEnd, 12);
  bytes.writeDoubleLE(firstAtMs, 16);
  return compress(bytes, at, preferred);
}

/** Encodes records one has as text. Throws RangeError for a text with a line break. */
export function encodeChunk(
  records: readonly LogRecord[],
  preferred: ChunkCodec = CHUNK_CODEC.zstd,
): EncodedChunk {
  if (records.some((record) => record.text.includes(NEWLINE)))
    throw new RangeError('a record has a line break');
  const text = Buffer.from(records.map((record) => record.text).join(NEWLINE));
  const columns = {
    records: records.length,
    lengths: Uint32Array.from(records, (record) => Buffer.byteLength(record.text)),
    flags: Uint8Array.from(records, (record) => record.flags),
    atMs: Float64Array.from(records, (record) => record.atMs),
  };
  const textEnd = CHUNK_HEAD_BYTES + text.length;
  return encodeColumns(
    Buffer.concat([Buffer.alloc(CHUNK_HEAD_BYTES), text]),
    textEnd,
    columns,
    preferred,
  );
}

/** Every record of a chunk. Throws ChunkCorruptError. */
export function decodeChunk(chunk: { readonly codec: ChunkCodec; readonly body: Uint8Array }): {
  readonly records: LogRecord[];
} {
  const { bytes, records, columnsAt } = open(chunk.codec, chunk.body);
  const texts = textsOf(bytes, columnsAt, records);
  const column = new ColumnReader(bytes, columnsAt);
  for (let index = 0; index < records; index++) column.varint();
  const flagsAt = column.at;
  column.at += records;
  let atMs = bytes.readDoubleLE(16);
  const decoded = texts.map((text, index) => {
    const zigzag = column.varint();
    atMs += zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    return { atMs, flags: bytes[flagsAt + index] ?? 0, text };
  });
  if (column.at !== bytes.length) throw new ChunkCorruptError({ problem: 'columns' });
  return { records: decoded };
}

/** Lines as the wire shows them: continuation records left out, marked where a line goes on. Throws ChunkCorruptError. */
export function decodeWireLines(codec: ChunkCodec, body: Uint8Array, rawBytes = 0): WireLineTable {
  const { bytes, records, columnsAt } = open(codec, body, rawBytes);
  const column = new ColumnReader(bytes, columnsAt);
  const starts = new Uint32Array(records);
  const ends = new Uint32Array(records);
  let at = CHUNK_HEAD_BYTES;
  for (let index = 0; index < records; index++) {
    starts[index] = at;
    at += column.varint();
    ends[index] = at;
    at += NEWLINE.length;
  }
  if (records > 0 && at - NEWLINE.length !== columnsAt)
    throw new ChunkCorruptError({ problem: 'text' });
  const flags = bytes.subarray(column.at, column.at + records);
  if (flags.length !== records) throw new ChunkCorruptError({ problem: 'columns' });
  const special = RECORD_FLAG.continuation | RECORD_FLAG.more;
  if (!flags.some((flag) => (flag & special) !== 0)) return { bytes, starts, ends, cut: null };
  return withoutContinuations({ bytes, starts, ends, cut: null }, flags);
}

function withoutContinuations(
  { bytes, starts, ends }: WireLineTable,
  flags: Uint8Array,
): WireLineTable {
  const cut = new Uint8Array(flags.length);
  let lines = 0;
  flags.forEach((flag, index) => {
    if ((flag & RECORD_FLAG.continuation) !== 0) return;
    starts[lines] = starts[index] ?? 0;
    ends[lines] = ends[index] ?? 0;
    cut[lines] = (flag & RECORD_FLAG.more) === 0 ? 0 : 1;
    lines += 1;
  });
  return {
    bytes,
    starts: starts.subarray(0, lines),
    ends: ends.subarray(0, lines),
    cut: cut.subarray(0, lines),
  };
}

function writeVarint(bytes: Buffer, at: number, value: number): number {
  // Division, not shifts: a difference of times may need more than 32 bits.
  while (value >= 0x80) {
    bytes[at++] = (value % 0x80) | 0x80;
    value = Math.floor(value / 0x80);
  }
  bytes[at++] = value;
  return at;
}

class ColumnReader {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#bytes[this.at++];
      if (byte === undefined || scale > 2 ** 49)
        throw new ChunkCorruptError({ problem: 'columns' });
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }
}

interface OpenedChunk {
  readonly bytes: Buffer;
  readonly records: number;
  readonly columnsAt: number;
}

/** @param rawBytes bytes of text where known: one buffer of the right size is then made instead of many */
function open(codec: ChunkCodec, body: Uint8Array, rawBytes = 0): OpenedChunk {
  const bytes = decompress(codec, body, rawBytes);
  if (bytes.length < CHUNK_HEAD_BYTES || bytes.readUInt32LE(0) !== LAYOUT)
    throw new ChunkCorruptError({ problem: 'layout' });
  const columnsAt = CHUNK_HEAD_BYTES + bytes.readUInt32LE(8);
  if (columnsAt + bytes.readUInt32LE(12) !== bytes.length)
    throw new ChunkCorruptError({ problem: 'layout' });
  return { bytes, records: bytes.readUInt32LE(4), columnsAt };
}

function textsOf(bytes: Buffer, columnsAt: number, records: number): string[] {
  if (records === 0) return [];
  const texts = bytes.toString('utf8', CHUNK_HEAD_BYTES, columnsAt).split(NEWLINE);
  if (texts.length !== records) throw new ChunkCorruptError({ problem: 'text' });
  return texts;
}

function compress(bytes: Buffer, length: number, preferred: ChunkCodec): EncodedChunk {
  const whole = bytes.subarray(0, length);
  if (preferred === CHUNK_CODEC.zstd && zstdCompressSync !== undefined) {
    const body = zstdCompressSync(whole, ZSTD_OPTIONS);
    if (body.length < length) return { codec: CHUNK_CODEC.zstd, body };
  } else if (preferred !== CHUNK_CODEC.plain) {
    const body = zlib.gzipSync(whole, { level: 1 });
    if (body.length < length) return { codec: CHUNK_CODEC.gzip, body };
  }
  // Compressed bodies carry a checksum of their own.
  const body = Buffer.allocUnsafeSlow(length + CRC_BYTES);
  whole.copy(body);
  body.writeUInt32LE(zlib.crc32(whole), length);
  return { codec: CHUNK_CODEC.plain, body };
}

function decompress(codec: ChunkCodec, body: Uint8Array, rawBytes: number): Buffer {
  const limit = {
    maxOutputLength: DECODED_LIMIT_BYTES,
    // Columns take little beside the text; the library's own size is the least.
    chunkSize: Math.min(
      MAX_OUTPUT_BUFFER_BYTES,
      Math.max(LEAST_OUTPUT_BUFFER_BYTES, rawBytes + (rawBytes >> 2) + 4_096),
    ),
  };
  try {
    switch (codec) {
      case CHUNK_CODEC.zstd:
        if (zstdDecompressSync === undefined) throw new ChunkCorruptError({ problem: 'codec' });
        return zstdDecompressSync(body, limit);
      case CHUNK_CODEC.gzip:
        return zlib.gunzipSync(body, limit);
      case CHUNK_CODEC.plain:
        return checked(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
      default:
        throw new ChunkCorruptError({ problem: 'codec' });
    }
  } catch (error) {
    if (error instanceof ChunkCorruptError) throw error;
    throw new ChunkCorruptError({ problem: 'compression' }, { cause: error });
  }
}

function checked(body: Buffer): Buffer {
  const length = body.length - CRC_BYTES;
  if (length < 0 || zlib.crc32(body.subarray(0, length)) !== body.readUInt32LE(length))
    throw new ChunkCorruptError({ problem: 'compression' });
  return body.subarray(0, length);
}
