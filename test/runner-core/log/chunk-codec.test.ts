import { packedLines } from '../../../runner-core/log/packed-lines.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeChunk, decodeWireLines, encodeChunk } from '../../../runner-core/log/chunk-codec.ts';
import { CHUNK_CODEC, type ChunkCodec, RECORD_FLAG } from '../../../runner-core/model/log-chunk.ts';
import { LINE_SUFFIX } from '../../../runner-core/wire/log-batch.ts';

const codecs = [CHUNK_CODEC.plain, CHUNK_CODEC.gzip, CHUNK_CODEC.zstd] as const;
const record = fc.record({
  atMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  flags: fc.integer({ min: 0, max: 7 }),
  text: fc.string({ unit: 'binary' }).map((text) => text.toWellFormed().replaceAll('\n', '')),
});

test('records come back as they went in, by every codec', () => {
  fc.assert(
    fc.property(fc.array(record), fc.constantFrom(...codecs), (records, codec) => {
      expect(decodeChunk(encodeChunk(records, codec)).records).toEqual(records);
    }),
  );
});

test('a chunk that is worth compressing is compressed, by what was asked for', () => {
  const records = Array.from({ length: 100 }, () => ({ atMs: 5, flags: 0, text: 'the same text' }));
  for (const codec of codecs) expect(encodeChunk(records, codec).codec).toBe(codec);
  expect(encodeChunk([{ atMs: 0, flags: 0, text: '' }]).codec).toBe(CHUNK_CODEC.plain);
});

function wireLines(codec: ChunkCodec, body: Uint8Array): readonly string[] {
  const table = decodeWireLines(codec, body);
  return packedLines(table, 0, table.starts.length).toArray();
}

test('wire lines leave continuations out and say where a line was cut', () => {
  const { stderr, continuation, more } = RECORD_FLAG;
  const texts = ['one', 'long', 'rest', 'end', '', 'two'];
  const flags = [0, more, continuation | more, continuation, stderr, stderr];
  const records = texts.map((text, index) => ({ atMs: 0, flags: flags[index] ?? 0, text }));
  const { codec, body } = encodeChunk(records);
  expect(wireLines(codec, body)).toEqual(['one', `long${LINE_SUFFIX}`, '', 'two']);
});

test('wire lines of a chunk without long lines are its texts', () => {
  fc.assert(
    fc.property(fc.array(record), (records) => {
      const plain = records.map((item) => ({ ...item, flags: item.flags & RECORD_FLAG.stderr }));
      const { codec, body } = encodeChunk(plain);
      expect(wireLines(codec, body)).toEqual(plain.map(({ text }) => text));
    }),
  );
});

test('a body that is cut or has a flipped bit is refused, never read as something else', () => {
  const records = Array.from({ length: 40 }, (_, index) => ({
    atMs: 1_000 * index,
    flags: 0,
    text: `line ${index} of the log`,
  }));
  for (const wanted of codecs) {
    const { codec, body } = encodeChunk(records, wanted);
    expect(codec).toBe(wanted);
    for (let at = 0; at < body.length; at++) {
      const damaged = Buffer.from(body);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      for (const bad of [damaged, body.subarray(0, at)]) {
        let read: unknown;
        try {
          read = decodeChunk({ codec, body: bad }).records;
        } catch (error) {
          expect(error).toMatchObject({ code: 'chunk_corrupt' });
          continue;
        }
        // Some bits of a gzip head, such as its time and system, mean nothing.
        expect(read, `codec ${codec}, byte ${at}`).toEqual(records);
      }
    }
  }
});

test('a codec nobody knows, an empty body and another layout are refused', () => {
  const unknown = 9 as typeof CHUNK_CODEC.plain;
  const { body } = encodeChunk([{ atMs: 0, flags: 0, text: 'x' }], CHUNK_CODEC.plain);
  for (const chunk of [
    { codec: unknown, body },
    { codec: CHUNK_CODEC.plain, body: new Uint8Array() },
    { codec: CHUNK_CODEC.zstd, body },
  ]) {
    expect(() => decodeChunk(chunk)).toThrow(expect.objectContaining({ code: 'chunk_corrupt' }));
    expect(() => decodeWireLines(chunk.codec, chunk.body)).toThrow(
      expect.objectContaining({ code: 'chunk_corrupt' }),
    );
  }
});

test('a text with a line break cannot be encoded', () => {
  expect(() => encodeChunk([{ atMs: 0, flags: 0, text: 'a\nb' }])).toThrow(RangeError);
});
