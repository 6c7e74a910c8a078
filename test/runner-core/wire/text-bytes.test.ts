import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBase64, decodeUtf8, utf8Bytes } from '../../../runner-core/wire/text-bytes.ts';

const seed = 20_261_130;

test('utf8Bytes counts what Node writes, lone surrogates included', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      (text) => utf8Bytes(text) === Buffer.byteLength(text),
    ),
    { seed },
  );
  expect(utf8Bytes('a\ud800')).toBe(4);
  expect(utf8Bytes('\ud83d\ude00')).toBe(4);
});

test('decodeBase64 gives back what Node encoded', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(decodeBase64(Buffer.from(bytes).toString('base64'))).toEqual(bytes);
    }),
    { seed },
  );
});

test.each(['a', 'ab=', 'a===', 'ab=c', '=abc', 'ab c', 'a_-b', 'abc\n', 'é==='])(
  'decodeBase64 does not take %j',
  (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  },
);

test('decodeUtf8 agrees with the strict decoder of the web on any bytes', () => {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const expected = (bytes: Uint8Array): string | undefined => {
    try {
      return strict.decode(bytes);
    } catch {
      return undefined;
    }
  };
  const nearText = fc
    .tuple(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 3 }), fc.string())
    .map(([before, bytes, after]) =>
      Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]),
    );
  fc.assert(
    fc.property(fc.oneof(nearText, fc.uint8Array({ maxLength: 8 })), (bytes) => {
      expect(decodeUtf8(bytes)).toBe(expected(bytes));
    }),
    { seed, numRuns: 3_000 },
  );
});

test.each([
  ['an overlong slash', [0xc0, 0xaf]],
  ['an overlong three-byte form', [0xe0, 0x80, 0xaf]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['a point beyond the last', [0xf4, 0x90, 0x80, 0x80]],
  ['a cut sequence', [0xe2, 0x82]],
  ['a lone continuation', [0x80]],
])('decodeUtf8 does not take %s', (_name, bytes) => {
  expect(decodeUtf8(Uint8Array.from(bytes))).toBeUndefined();
});

test('decodeUtf8 takes a text longer than one call could spread', () => {
  const text = 'é\u{1f600}x'.repeat(100_000);
  expect(decodeUtf8(Buffer.from(text))).toBe(text);
});
