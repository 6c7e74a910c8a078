/**
 * Bytes of text where neither Node nor the web is at hand: UTF-8 lengths, strict UTF-8 and strict
 * base64. Everything here is linear and never throws; what cannot be decoded is undefined.
 */

/** Bytes of `text` in UTF-8; a lone surrogate counts as the three bytes of its replacement. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      bytes += 1;
    } else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(at + 1))) {
      bytes += 2;
      at += 1;
    } else {
      bytes += 2;
    }
  }
  return bytes;
}

const BASE64_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const SEXTET_OF = new Map(
  Array.from(BASE64_ALPHABET, (char, value) => [char.charCodeAt(0), value] as const),
);

/** The bytes of standard, padded base64; undefined for any other character, length or padding. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let held = 0;
  let heldBits = 0;
  let filled = 0;
  for (let at = 0; at < digits; at++) {
    const sextet = SEXTET_OF.get(text.charCodeAt(at));
    if (sextet === undefined) return undefined;
    held = ((held << 6) | sextet) & 0xffff;
    heldBits += 6;
    if (heldBits >= 8) {
      heldBits -= 8;
      bytes[filled++] = (held >> heldBits) & 0xff;
    }
  }
  return bytes;
}

/** How long a UTF-8 sequence is and the smallest code point it may carry, by its first byte. */
function sequenceOf(first: number): { length: number; least: number; bits: number } | undefined {
  if (first < 0x80) return { length: 1, least: 0, bits: first };
  if (first >= 0xc2 && first < 0xe0) return { length: 2, least: 0x80, bits: first & 0x1f };
  if (first >= 0xe0 && first < 0xf0) return { length: 3, least: 0x800, bits: first & 0x0f };
  if (first >= 0xf0 && first < 0xf5) return { length: 4, least: 0x10000, bits: first & 0x07 };
  return undefined;
}

/** The text of well-formed UTF-8; undefined for overlong forms, surrogates and cut sequences. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  const pieces: string[] = [];
  let points: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const sequence = sequenceOf(bytes[at] ?? 0xff);
    if (sequence === undefined || at + sequence.length > bytes.length) return undefined;
    let point = sequence.bits;
    for (let next = 1; next < sequence.length; next++) {
      const byte = bytes[at + next] ?? 0;
      if ((byte & 0xc0) !== 0x80) return undefined;
      point = (point << 6) | (byte & 0x3f);
    }
    if (point < sequence.least || point > 0x10ffff) return undefined;
    if (point >= 0xd800 && point <= 0xdfff) return undefined;
    points.push(point);
    at += sequence.length;
    // Spreading a long list into one call overflows the stack, hence pieces.
    if (points.length === 4_096) {
      pieces.push(String.fromCodePoint(...points));
      points = [];
    }
  }
  pieces.push(String.fromCodePoint(...points));
  return pieces.join('');
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
