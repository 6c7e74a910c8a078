import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BATCH_MAX_LINES, BATCH_TARGET_BYTES } from '../../../runner-core/model/log-chunk.ts';
import {
  batchId,
  LINE_SUFFIX,
  splitBatches,
  WIRE_BATCH_MAX_LINES,
  WIRE_FRAME_MAX_BYTES,
  WIRE_LINE_MAX_BYTES,
} from '../../../runner-core/wire/log-batch.ts';

const SALT = '5f0c2a348d1e4b7a9c';

describe('batchId', () => {
  test('is made of the salt and the index, as a version 8 UUID', () => {
    expect(batchId(SALT, 0)).toBe('5f0c2a34-8d1e-84b7-8a9c-000000000000');
    expect(batchId(SALT, 258)).toBe('5f0c2a34-8d1e-84b7-8a9c-000000000102');
    expect(batchId(SALT, 2 ** 48 - 1)).toBe('5f0c2a34-8d1e-84b7-8a9c-ffffffffffff');
  });

  test('differs between any two batches of a job and is the same each time', () => {
    const index = fc.nat({ max: 2 ** 31 - 1 });
    fc.assert(
      fc.property(index, index, (a, b) => {
        expect(batchId(SALT, a) === batchId(SALT, b)).toBe(a === b);
      }),
      { seed: 8 },
    );
  });

  test('keeps every digit of the salt', () => {
    const others = Array.from(SALT, (digit, at) =>
      batchId(SALT.slice(0, at) + (digit === '0' ? '1' : '0') + SALT.slice(at + 1), 1),
    );
    for (const id of others)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-000000000001$/);
    expect(new Set([...others, batchId(SALT, 1)]).size).toBe(19);
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 48])('has no index %s', (index) => {
    expect(() => batchId(SALT, index)).toThrow(RangeError);
  });

  test.each(['', SALT.slice(1), SALT.toUpperCase()])('takes no salt %j', (salt) => {
    expect(() => batchId(salt, 0)).toThrow(RangeError);
  });
});

describe('splitBatches', () => {
  test('closes a batch at its most lines', () => {
    expect(splitBatches(Array.from({ length: 300 }, () => 1))).toEqual([128, 128, 44]);
  });

  test('closes a batch once it has its bytes, with the line that reached them', () => {
    const half = BATCH_TARGET_BYTES / 2;
    expect(splitBatches([half, half - 1, 1, 5, BATCH_TARGET_BYTES, 0])).toEqual([3, 2, 1]);
  });

  test('counts empty lines as lines', () => {
    expect(splitBatches([0, 0, 0])).toEqual([3]);
    expect(splitBatches([])).toEqual([]);
  });

  test('sends each line once, in batches the service takes', () => {
    const cut = WIRE_LINE_MAX_BYTES;
    fc.assert(
      fc.property(fc.array(fc.nat({ max: cut }), { maxLength: 600 }), (sizes) => {
        const counts = splitBatches(sizes);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(sizes.length);
        let at = 0;
        for (const count of counts) {
          const batch = sizes.slice(at, (at += count));
          expect(count).toBeGreaterThan(0);
          expect(count).toBeLessThanOrEqual(WIRE_BATCH_MAX_LINES);
          expect(batch.reduce((sum, size) => sum + size, 0)).toBeLessThan(WIRE_FRAME_MAX_BYTES);
        }
      }),
      { seed: 9 },
    );
  });
});

test('a record with the suffix is a line the service takes', () => {
  expect(65_536 + LINE_SUFFIX.length).toBeLessThanOrEqual(WIRE_LINE_MAX_BYTES);
  expect(BATCH_MAX_LINES).toBeLessThanOrEqual(WIRE_BATCH_MAX_LINES);
});
