import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Utf8Lines } from '../../../runner-core/log/utf8-lines.ts';
import { SecretMask } from '../../../runner-core/worker/secret-mask.ts';
import { MAX_RECORD_BYTES, RECORD_FLAG } from '../../../runner-core/model/log-chunk.ts';

interface Taken {
  readonly text: string;
  readonly bytes: number;
  readonly flags: number;
}

function lines(chunks: readonly Uint8Array[]): Taken[] {
  const taken: Taken[] = [];
  const splitter = new Utf8Lines((bytes, start, end, flags) => {
    taken.push({ text: bytes.toString('utf8', start, end), bytes: end - start, flags });
  });
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return taken;
}

const texts = (chunks: readonly Uint8Array[]): string[] => lines(chunks).map(({ text }) => text);

/** The whole at once, by the platform's own decoder. */
function expected(bytes: Uint8Array): string[] {
  const text = new TextDecoder('utf-8', { ignoreBOM: true });
  const parts = Buffer.from(bytes).toString('latin1').split('\n');
  const rest = parts.pop() ?? '';
  const ended = parts.map((part) => part.replace(/\r$/, ''));
  return [...ended, ...(rest === '' ? [] : [rest])].map((part) =>
    text.decode(Buffer.from(part, 'latin1')),
  );
}

test('lines end at line breaks; one carriage return before it goes, others and empty lines stay', () => {
  expect(texts([Buffer.from('a\r\n\r\nb\r\r\nc\rd\n\n  \ne\r')])).toEqual([
    'a',
    '',
    'b\r',
    'c\rd',
    '',
    '  ',
    'e\r',
  ]);
});

test('random bytes give what the platform decoder gives, wherever they are cut', () => {
  const byte = fc.oneof(
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom(0x0a, 0x0d, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0),
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), (values) => {
      const bytes = Buffer.from(values);
      const whole = expected(bytes);
      expect(texts([bytes])).toEqual(whole);
      expect(texts([...bytes].map((value) => Buffer.from([value])))).toEqual(whole);
      for (let at = 0; at <= bytes.length; at++)
        expect(texts([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
    }),
    { numRuns: 250 },
  );
});

test.each([
  [0xc0, 0xaf],
  [0xe0, 0x80, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf0, 0x80, 0x80, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
  [0xe2, 0x82],
  [0xf0, 0x9f, 0x98],
])(
  'what only looks like a character (%d %d …) is replaced alike, wherever it is cut',
  (...values) => {
    const bytes = Buffer.from([0x61, ...values, 0x62]);
    const cut = Buffer.from([0x61, ...values]);
    for (const all of [bytes, cut])
      for (let at = 0; at <= all.length; at++)
        expect(texts([all.subarray(0, at), all.subarray(at)])).toEqual(expected(all));
  },
);

test('a line of exactly the limit is one record; a byte more makes a first piece and a rest', () => {
  const whole = 'a'.repeat(MAX_RECORD_BYTES);
  expect(lines([Buffer.from(`${whole}\n`)]).map(({ flags }) => flags)).toEqual([0]);
  expect(lines([Buffer.from(`${whole}b\n`)])).toEqual([
    { text: whole, bytes: MAX_RECORD_BYTES, flags: RECORD_FLAG.more },
    { text: 'b', bytes: 1, flags: RECORD_FLAG.continuation },
  ]);
});

test('long lines are cut between characters, and the records add up to the line', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 0, max: 70_000 }),
      fc.integer({ min: 1_000, max: 90_000 }),
      (shift, length, chunkBytes) => {
        const text = 'x'.repeat(shift) + '😀'.repeat(length);
        const bytes = Buffer.from(`${text}\nnext\n`);
        const chunks: Buffer[] = [];
        for (let at = 0; at < bytes.length; at += chunkBytes)
          chunks.push(bytes.subarray(at, at + chunkBytes));
        const taken = lines(chunks);
        const next = taken.pop();
        expect(next).toEqual({ text: 'next', bytes: 4, flags: 0 });
        expect(taken.map((record) => record.text).join('')).toBe(text);
        taken.forEach((record, index) => {
          expect(record.bytes).toBeLessThanOrEqual(MAX_RECORD_BYTES);
          expect(record.text.startsWith('\uFFFD')).toBe(false);
          const continued = index === 0 ? 0 : RECORD_FLAG.continuation;
          const more = index === taken.length - 1 ? 0 : RECORD_FLAG.more;
          expect(record.flags).toBe(continued | more);
        });
      },
    ),
    { numRuns: 40 },
  );
});

test('a line that grows by being repaired is cut by its repaired size', () => {
  const taken = lines([Buffer.alloc(30_000, 0xff), Buffer.from('\n')]);
  expect(taken.map(({ bytes }) => bytes)).toEqual([65_535, 24_465]);
  expect(taken.every(({ text }) => /^\uFFFD+$/.test(text))).toBe(true);
});

test('the held part of a single line of 100 MB never exceeds one record', () => {
  const chunk = Buffer.alloc(1_000_000, 'z');
  let taken = 0;
  const splitter = new Utf8Lines((_bytes, start, end) => {
    taken += end - start;
  });
  for (let pushed = 1; pushed <= 100; pushed++) {
    splitter.push(chunk);
    expect(pushed * chunk.length - taken).toBeLessThanOrEqual(MAX_RECORD_BYTES);
  }
});

test('cutting a line gives out what is complete of it, and the next line starts anew', () => {
  const taken: Taken[] = [];
  const splitter = new Utf8Lines(
    (bytes, start, end, flags) => {
      taken.push({ text: bytes.toString('utf8', start, end), bytes: end - start, flags });
    },
    new SecretMask(['secret']).lineMask(),
  );
  splitter.push(Buffer.from('caf secr\xc3', 'latin1'));
  splitter.cut();
  expect(splitter.open).toBe(false);
  splitter.push(Buffer.from('new\n'));
  expect(taken.map(({ text, flags }) => [text, flags])).toEqual([
    ['caf', 0],
    ['new', 0],
  ]);
});
