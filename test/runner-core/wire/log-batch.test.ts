import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toJobId, type JobId } from '../../../runner-core/model/ids.ts';
import { BATCH_MAX_LINES, BATCH_TARGET_BYTES } from '../../../runner-core/model/log-chunk.ts';
import {
  batchId,
  LINE_SUFFIX,
  splitBatches,
  WIRE_BATCH_MAX_LINES,
  WIRE_FRAME_MAX_BYTES,
  WIRE_LINE_MAX_BYTES,
} from '../../../runner-core/wire/log-batch.ts';
import { JOB_ID } from '../../support/docker-job.ts';

const job = (text: string): JobId => {
  const id = toJobId(text);
  if (id === undefined) throw new Error(text);
  return id;
};

describe('batchId', () => {
  test('is made of the job’s digits and the index, as a version 8 UUID', () => {
    expect(batchId(job(JOB_ID), 0)).toBe('5f0c2a34-8d1e-84b7-8a9c-000000000000');
    expect(batchId(job(JOB_ID), 258)).toBe('5f0c2a34-8d1e-84b7-8a9c-000000000102');
    expect(batchId(job(JOB_ID.toUpperCase()), 2 ** 48 - 1)).toBe(
      '5f0c2a34-8d1e-84b7-8a9c-ffffffffffff',
    );
  });

  test('differs between any two batches of a job and is the same each time', () => {
    const id = fc.constantFrom(job(JOB_ID), job('nightly.7'));
    const index = fc.nat({ max: 2 ** 31 - 1 });
    fc.assert(
      fc.property(id, index, index, (jobId, a, b) => {
        expect(batchId(jobId, a) === batchId(jobId, b)).toBe(a === b);
      }),
      { seed: 8 },
    );
  });

  test('is a UUID for a job id that is none, and another one for another job', () => {
    const ids = ['a', 'b', 'job-1', 'job-2', 'x'.repeat(128)].map((id) => batchId(job(id), 1));
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-000000000001$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 48])('has no index %s', (index) => {
    expect(() => batchId(job(JOB_ID), index)).toThrow(RangeError);
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
