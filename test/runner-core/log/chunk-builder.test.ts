import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChunkBuilder } from '../../../runner-core/log/chunk-builder.ts';
import { decodeChunk } from '../../../runner-core/log/chunk-codec.ts';
import { CHUNK_TARGET_BYTES, RECORD_FLAG } from '../../../runner-core/model/log-chunk.ts';
import { LINE_SUFFIX, splitBatches } from '../../../runner-core/wire/log-batch.ts';
import { SecretMask } from '../../../runner-core/worker/secret-mask.ts';

function add(builder: ChunkBuilder, line: Uint8Array | string, flags = 0, atMs = 0): void {
  const bytes = Buffer.concat([Buffer.from('<<'), Buffer.from(line), Buffer.from('>>')]);
  builder.add(bytes, 2, bytes.length - 2, flags, atMs);
}

test('text is repaired and masked line by line, however many lines a chunk has', () => {
  const line = fc.array(
    fc.constantFrom(
      Buffer.from('hunter22'),
      Buffer.from('hunter'),
      Buffer.from('22'),
      Buffer.from('héllo '),
      Buffer.from([0xc3]),
      Buffer.from([0xff, 0x20]),
    ),
    { maxLength: 6 },
  );
  const mask = new SecretMask(['hunter22', '22hunter']);
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 30 }), (lines) => {
      const builder = new ChunkBuilder(mask);
      const raw = lines.map((parts) => Buffer.concat(parts));
      raw.forEach((bytes, index) => add(builder, bytes, 0, index));
      const { chunk } = builder.close(1, 0);
      const texts = raw.map((bytes) => mask.maskText(new TextDecoder().decode(bytes)));
      expect(decodeChunk(chunk).records.map(({ text }) => text)).toEqual(texts);
      expect(chunk.rawBytes).toBe(Buffer.byteLength(texts.join('')));
      expect(chunk.batches).toEqual(splitBatches(texts.map((text) => Buffer.byteLength(text))));
    }),
  );
});

test('a chunk counts lines and records, keeps its first and last instant, and is empty afterwards', () => {
  const builder = new ChunkBuilder(new SecretMask());
  add(builder, 'first', RECORD_FLAG.more, 700);
  add(builder, 'rest', RECORD_FLAG.continuation, 700);
  add(builder, 'second', RECORD_FLAG.stderr, 650);
  const { chunk } = builder.close(7, 41);
  expect(chunk).toMatchObject({
    seq: 7,
    firstLine: 41,
    lines: 2,
    records: 3,
    rawBytes: 15,
    firstAtMs: 700,
    lastAtMs: 650,
    batches: [2],
  });
  expect(builder.records).toBe(0);
  add(builder, 'third', 0, 900);
  const next = builder.close(8, 43).chunk;
  expect(decodeChunk(next).records).toEqual([{ atMs: 900, flags: 0, text: 'third' }]);
  expect(next.lines).toBe(1);
});

test('batches of a chunk count a cut line with the suffix that the wire adds', () => {
  const builder = new ChunkBuilder(new SecretMask());
  for (let index = 0; index < 3; index++) {
    add(builder, 'x'.repeat(32_768 - LINE_SUFFIX.length), RECORD_FLAG.more);
    add(builder, 'y'.repeat(60_000), RECORD_FLAG.continuation);
  }
  expect(builder.close(1, 0).chunk.batches).toEqual([2, 1]);
});

test('a chunk is full at its target, by text or by the number of empty lines', () => {
  const builder = new ChunkBuilder(new SecretMask());
  add(builder, 'x'.repeat(CHUNK_TARGET_BYTES - 2));
  expect(builder.full).toBe(false);
  add(builder, '');
  expect(builder.full).toBe(true);
  builder.close(1, 0);
  const nothing = Buffer.alloc(0);
  for (let index = 0; index < CHUNK_TARGET_BYTES; index++) builder.add(nothing, 0, 0, 0, 0);
  expect(builder.full).toBe(true);
  const { chunk } = builder.close(2, 0);
  expect(chunk.records).toBe(CHUNK_TARGET_BYTES);
  expect(decodeChunk(chunk).records.every(({ text }) => text === '')).toBe(true);
});

test('a record far beyond the target is kept whole', () => {
  const builder = new ChunkBuilder(new SecretMask());
  const long = 'é'.repeat(600_000);
  add(builder, long);
  expect(decodeChunk(builder.close(1, 0).chunk).records[0]?.text).toBe(long);
});

test('only lines with the hint are handed back, masked and once each, and no continuations', () => {
  const builder = new ChunkBuilder(new SecretMask(['s3cr3t!']), 'HINT_');
  add(builder, 'HINT_A then HINT_B s3cr3t!');
  add(builder, 'nothing HIN');
  add(builder, 'T_ split over lines');
  add(builder, 'HINT_C goes on', RECORD_FLAG.continuation);
  add(builder, 'at the end HINT_');
  expect(builder.close(1, 0).hinted).toEqual(['HINT_A then HINT_B ***', 'at the end HINT_']);
});
