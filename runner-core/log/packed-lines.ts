/**
 * Lines of a chunk as the wire shows them, kept as the bytes they were stored as: a million lines pass from
 * the disk to the socket without one of them becoming a string.
 */
import type { PackedLines } from '../wire/frames.ts';
import { LINE_SUFFIX } from '../wire/log-batch.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const HEX = Buffer.from('0123456789abcdef');
const UNICODE_ESCAPE = Buffer.from('\\u00');
const SUFFIX = Buffer.from(LINE_SUFFIX);
/** `\u001f` for one byte. */
const WORST_GROWTH = 6;
/** Quotes, comma and suffix. */
const PER_LINE_BYTES = 3 + SUFFIX.length;

/** Where each wire line lies in `bytes`; `cut` marks the lines that go on. All of one length. */
export interface WireLineTable {
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Null where no line goes on. */
  readonly cut: Uint8Array | null;
}

/** `count` lines of the table from line `first` on. Holds on to the table's bytes. */
export function packedLines(table: WireLineTable, first: number, count: number): PackedLines {
  const { bytes, starts, ends, cut } = table;
  const last = first + count - 1;
  const textBytes = count === 0 ? 0 : (ends[last] ?? 0) - (starts[first] ?? 0);
  return {
    length: count,
    maxJsonBytes: 2 + textBytes * WORST_GROWTH + count * PER_LINE_BYTES,
    writeJson(target, at) {
      let end = at;
      target[end++] = OPEN_BRACKET;
      for (let line = first; line <= last; line++) {
        if (line > first) target[end++] = COMMA;
        target[end++] = QUOTE;
        const from = starts[line] ?? 0;
        const to = ends[line] ?? 0;
        if (needsEscape(bytes, from, to)) end = writeEscaped(bytes, from, to, target, end);
        else {
          bytes.copy(target, end, from, to);
          end += to - from;
        }
        if (cut?.[line] === 1) {
          target.set(SUFFIX, end);
          end += SUFFIX.length;
        }
        target[end++] = QUOTE;
      }
      target[end++] = CLOSE_BRACKET;
      return end;
    },
    toArray: () =>
      Array.from({ length: count }, (_, place) => {
        const line = first + place;
        const text = bytes.toString('utf8', starts[line], ends[line]);
        return cut?.[line] === 1 ? text + LINE_SUFFIX : text;
      }),
  };
}

function needsEscape(bytes: Buffer, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    const byte = bytes[index] ?? 0;
    if (byte < FIRST_PRINTABLE || byte === QUOTE || byte === BACKSLASH) return true;
  }
  return false;
}

/** The bytes as the inside of a JSON string; they are UTF-8 and stay it. */
function writeEscaped(
  source: Buffer,
  start: number,
  end: number,
  target: Uint8Array,
  at: number,
): number {
  let out = at;
  for (let index = start; index < end; index++) {
    const byte = source[index] ?? 0;
    if (byte === QUOTE || byte === BACKSLASH) {
      target[out++] = BACKSLASH;
      target[out++] = byte;
    } else if (byte < FIRST_PRINTABLE) {
      target.set(UNICODE_ESCAPE, out);
      target[out + 4] = HEX[byte >> 4] ?? 0;
      target[out + 5] = HEX[byte & 15] ?? 0;
      out += WORST_GROWTH;
    } else {
      target[out++] = byte;
    }
  }
  return out;
}
