import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_FRAME_BYTES, StreamFrames } from '../../../runner-core/docker/stream-frames.ts';
import { frame } from '../../support/fake-log-source.ts';

type Seen = readonly [source: number, text: string];

function split(chunks: readonly Uint8Array[]): Seen[] {
  const seen: Seen[] = [];
  const frames = new StreamFrames((source, bytes, start, end) => {
    seen.push([source, bytes.toString('latin1', start, end)]);
  });
  for (const chunk of chunks) frames.push(chunk);
  expect(frames.midFrame).toBe(false);
  return seen;
}

test('the same bytes cut in two at every offset give the same frames', () => {
  const bytes = Buffer.concat([frame(0, 'one'), frame(1, ''), frame(1, 'two\n'), frame(0, 'x')]);
  const whole = split([bytes]);
  expect(whole).toEqual([
    [0, 'one'],
    [1, ''],
    [1, 'two\n'],
    [0, 'x'],
  ]);
  for (let at = 0; at <= bytes.length; at++)
    expect(split([bytes.subarray(0, at), bytes.subarray(at)]), `cut at ${at}`).toEqual(whole);
});

test('frames of any size arrive whole however the stream is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(0, 1), fc.uint8Array({ maxLength: 300 }))),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      (written, sizes) => {
        const bytes = Buffer.concat(
          written.map(([source, text]) => frame(source === 0 ? 0 : 1, text)),
        );
        const chunks: Buffer[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(split(chunks)).toEqual(
          written.map(([source, text]) => [source, Buffer.from(text).toString('latin1')]),
        );
      },
    ),
  );
});

test('a frame larger than any chunk arrives in one piece, and a small one after it too', () => {
  const large = Buffer.alloc(3_000_000, 'abcdefghij');
  const bytes = Buffer.concat([frame(0, large), frame(1, 'after')]);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
    bytes.subarray(index * 65_536, (index + 1) * 65_536),
  );
  expect(split(chunks)).toEqual([
    [0, large.toString('latin1')],
    [1, 'after'],
  ]);
});

test('standard input in a frame header counts as output, as the engine means it', () => {
  const bytes = frame(0, 'text');
  bytes[0] = 0;
  expect(split([bytes])).toEqual([[0, 'text']]);
});

test.each([
  ['a source that does not exist', [4, 0, 0, 0, 0, 0, 0, 1], { problem: 'header', value: 4 }],
  [
    'text instead of a header',
    [0x32, 0x30, 0x32, 0x36, 0x2d, 0x31, 0x31, 0x2d],
    { problem: 'header', value: 0x32 },
  ],
  ['padding that is not zero', [1, 0, 7, 0, 0, 0, 0, 1], { problem: 'header', value: 1 }],
  [
    'the engine reporting its own failure',
    [3, 0, 0, 0, 0, 0, 0, 9],
    { problem: 'engine', value: 3 },
  ],
  [
    'a length beyond reason',
    [1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
    { problem: 'length', value: 0xffffffff },
  ],
])('%s is refused with what was wrong, in one chunk or byte by byte', (_name, header, facts) => {
  const bytes = Buffer.from([...frame(0, 'good'), ...header, 0x41]);
  for (const size of [bytes.length, 1]) {
    const seen: string[] = [];
    const frames = new StreamFrames((_source, from, start, end) => {
      seen.push(from.toString('latin1', start, end));
    });
    const pushAll = (): void => {
      for (let at = 0; at < bytes.length; at += size) frames.push(bytes.subarray(at, at + size));
    };
    expect(pushAll).toThrow(expect.objectContaining({ code: 'log_stream_malformed', facts }));
    expect(seen).toEqual(['good']);
  }
});

test('a frame of exactly the limit is begun, one byte more is not', () => {
  const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(MAX_FRAME_BYTES, 4);
  const frames = new StreamFrames(() => undefined);
  frames.push(header);
  expect(frames.midFrame).toBe(true);
  header.writeUInt32BE(MAX_FRAME_BYTES + 1, 4);
  expect(() => new StreamFrames(() => undefined).push(header)).toThrow(/length/);
});
