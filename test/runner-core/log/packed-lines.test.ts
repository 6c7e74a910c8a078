import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFrame } from '../../../main/control-plane/frame-text.ts';
import { decodeWireLines, encodeChunk } from '../../../runner-core/log/chunk-codec.ts';
import { packedLines } from '../../../runner-core/log/packed-lines.ts';
import { RECORD_FLAG } from '../../../runner-core/model/log-chunk.ts';
import { LINE_SUFFIX } from '../../../runner-core/wire/log-batch.ts';

const line = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  .map((text) => text.replaceAll('\n', '').toWellFormed());

function tableOf(texts: readonly string[], flags: readonly number[] = []) {
  const { codec, body } = encodeChunk(
    texts.map((text, index) => ({ atMs: 0, flags: flags[index] ?? 0, text })),
  );
  return decodeWireLines(codec, body);
}

test('any slice of any lines is the JSON that would be made of their strings', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.nat(), fc.nat(), (texts, a, b) => {
      const first = a % texts.length;
      const count = b % (texts.length - first + 1);
      const lines = packedLines(tableOf(texts), first, count);
      const wanted = texts.slice(first, first + count);
      const target = Buffer.alloc(lines.maxJsonBytes + 3);
      const end = lines.writeJson(target, 3);
      expect(end - 3).toBeLessThanOrEqual(lines.maxJsonBytes);
      expect(JSON.parse(target.toString('utf8', 3, end))).toEqual(wanted);
      expect(lines.toArray()).toEqual(wanted);
      expect(lines.length).toBe(count);
    }),
  );
});

test('every control character, quotes and backslashes arrive as they were', () => {
  const text = String.fromCharCode(...Array.from({ length: 160 }, (_, code) => code)).replace(
    '\n',
    '',
  );
  const lines = packedLines(tableOf([text, '"\\"', '\u2028é😀']), 0, 3);
  const frame = encodeFrame({ type: 'logs', execution_id: 'e"', batch_id: 'b', lines });
  expect(JSON.parse(frame.toString())).toEqual({
    type: 'logs',
    execution_id: 'e"',
    batch_id: 'b',
    lines: [text, '"\\"', '\u2028é😀'],
  });
});

test('a line that goes on carries the suffix and its continuation is no line', () => {
  const { more, continuation } = RECORD_FLAG;
  const lines = packedLines(tableOf(['a', 'b', 'c'], [more, continuation, 0]), 0, 2);
  const frame = encodeFrame({ type: 'logs', execution_id: 'e', lines });
  expect(JSON.parse(frame.toString())).toMatchObject({ lines: [`a${LINE_SUFFIX}`, 'c'] });
});

test('a small frame after a large one has nothing of it', () => {
  const large = packedLines(tableOf(['x'.repeat(600_000)]), 0, 1);
  const small = packedLines(tableOf(['y']), 0, 1);
  expect(encodeFrame({ type: 'logs', execution_id: 'e', lines: large })).toHaveLength(600_047);
  expect(encodeFrame({ type: 'logs', execution_id: 'e', lines: small }).toString()).toBe(
    '{"type":"logs","execution_id":"e","lines":["y"]}',
  );
});
