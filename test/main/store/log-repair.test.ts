import { linesOf, plainBatches } from '../../support/outgoing-lines.ts';
import { appendFileSync, closeSync, openSync, truncateSync, unlinkSync, writeSync } from 'node:fs';
import * as fs from 'node:fs';
import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DAMAGED_LINE } from '../../../main/store/log-reader.ts';
import type { LogFileSystem } from '../../../main/store/log-files.ts';
import { StoreUnavailableError } from '../../../runner-core/model/errors.ts';
import type { LogChunk } from '../../../runner-core/model/log-chunk.ts';
import {
  aCursor,
  aJobId,
  aSpec,
  aVerdict,
  ChunkMaker,
  numberedLines,
} from '../../support/job-builders.ts';
import { OPENED_AT_MS, StoreBench } from '../../support/store-bench.ts';

const jobId = aJobId();

/** Three appends: one chunk; two chunks; one chunk. 200, 10, 20 and 300 lines. */
function storedLog(): { bench: StoreBench; chunks: readonly LogChunk[] } {
  const bench = new StoreBench();
  const maker = new ChunkMaker();
  const chunks = [200, 10, 20, 300].map((lines) => maker.next(lines));
  bench.store.accept(aSpec(), 1);
  bench.store.appendLog(jobId, chunks.slice(0, 1), aCursor(200));
  bench.store.appendLog(jobId, chunks.slice(1, 3), aCursor(230));
  bench.store.appendLog(jobId, chunks.slice(3), aCursor(530));
  return { bench, chunks };
}

function bytesThrough(chunks: readonly LogChunk[], count: number): number {
  return chunks.slice(0, count).reduce((sum, chunk) => sum + chunk.body.length, 0);
}

test('bytes that the index does not know are cut at the next start', () => {
  const { bench, chunks } = storedLog();
  const before = bench.store.job(jobId);
  bench.reopen(() => appendFileSync(bench.logFile(jobId), 'half a chunk'));
  expect(statSync(bench.logFile(jobId)).size).toBe(bytesThrough(chunks, 4));
  expect(bench.store.job(jobId)).toEqual(before);
  expect(bench.log.events()).toEqual([]);
});

test('bytes of a first append that never committed are cut at the next start', () => {
  const bench = new StoreBench();
  bench.store.accept(aSpec(), 1);
  bench.reopen(() => appendFileSync(bench.logFile(jobId), 'half a chunk'));
  expect(statSync(bench.logFile(jobId)).size).toBe(0);
});

test.each([
  {
    left: 'all but the last byte',
    size: (c: readonly LogChunk[]) => bytesThrough(c, 4) - 1,
    kept: 3,
  },
  {
    left: 'exactly the second append',
    size: (c: readonly LogChunk[]) => bytesThrough(c, 3),
    kept: 3,
  },
  // The second chunk is whole, but its append is not, and only the append's end has a cursor.
  {
    left: 'half of the second append',
    size: (c: readonly LogChunk[]) => bytesThrough(c, 2),
    kept: 1,
  },
  { left: 'nothing', size: () => 0, kept: 0 },
])('of a file that kept $left, chunks up to $kept remain, with their cursor', ({ size, kept }) => {
  const { bench, chunks } = storedLog();
  bench.reopen(() => truncateSync(bench.logFile(jobId), size(chunks)));
  const lines = chunks.slice(0, kept).reduce((sum, chunk) => sum + chunk.lines, 0);
  expect(bench.store.job(jobId)).toMatchObject({
    chunks: kept,
    lines,
    bytes: chunks.slice(0, kept).reduce((sum, chunk) => sum + chunk.rawBytes, 0),
    cursor: kept === 0 ? null : aCursor(lines),
  });
  expect(bench.store.outgoing(jobId, 0, 99).flatMap((batch) => linesOf(batch.lines))).toEqual(
    numberedLines(0, lines),
  );
  expect(statSync(bench.logFile(jobId)).size).toBe(bytesThrough(chunks, kept));
  expect(bench.log.lines).toEqual([
    {
      level: 'warn',
      event: 'log shortened',
      fields: { jobId, chunksLost: 4 - kept, linesLost: 530 - lines },
    },
  ]);
  expect(bench.store.kept.history(jobId).at(-1)).toEqual({
    kind: 'log_shortened',
    atMs: OPENED_AT_MS,
    detail: String(530 - lines),
  });
});

test('an end of the right length with other bytes in it is not taken for the log', () => {
  const { bench, chunks } = storedLog();
  bench.reopen(() => {
    const fd = openSync(bench.logFile(jobId), 'r+');
    writeSync(fd, Buffer.alloc(5), 0, 5, bytesThrough(chunks, 3) + 3);
    closeSync(fd);
  });
  expect(bench.store.job(jobId)).toMatchObject({ chunks: 3, lines: 230, cursor: aCursor(230) });
});

test('a missing file is an empty log, and the job is read again from its start', () => {
  const { bench } = storedLog();
  bench.reopen(() => unlinkSync(bench.logFile(jobId)));
  expect(bench.store.job(jobId)).toMatchObject({ chunks: 0, lines: 0, cursor: null });
});

test('lines read again go out once: those the service has are left out, and no batch number comes twice', () => {
  const { bench, chunks } = storedLog();
  // Batches 0..6: 128, 72 | 10 | 20 | 128, 128, 44.
  bench.store.acknowledgeBatches(jobId, 5);
  bench.reopen(() => truncateSync(bench.logFile(jobId), bytesThrough(chunks, 3)));
  expect(bench.store.job(jobId)).toMatchObject({
    lines: 230,
    batches: 7,
    batchesAcknowledged: 7,
    linesAcknowledged: 358,
  });

  const again = new ChunkMaker({ chunks: 3, lines: 230 });
  bench.store.appendLog(jobId, [again.next(100)], aCursor(330));
  bench.store.appendLog(jobId, [again.next(200)], aCursor(530));

  const expected = [
    { index: 7, lines: numberedLines(358, 458) },
    { index: 8, lines: numberedLines(458, 530) },
  ];
  expect(plainBatches(bench.store.outgoing(jobId, 7, 99))).toEqual(expected);
  expect(plainBatches(bench.reopen().outgoing(jobId, 7, 99))).toEqual(expected);
  expect(bench.store.kept.logPage(jobId, 329, 2).records.map((record) => record.text)).toEqual(
    numberedLines(329, 331),
  );
  bench.store.acknowledgeBatches(jobId, 8);
  expect(bench.store.job(jobId)).toMatchObject({ batchesAcknowledged: 8, linesAcknowledged: 458 });
});

test('batches that were kept and not acknowledged still go out before the new ones', () => {
  const { bench, chunks } = storedLog();
  bench.store.acknowledgeBatches(jobId, 2);
  bench.reopen(() => truncateSync(bench.logFile(jobId), bytesThrough(chunks, 3)));
  bench.store.appendLog(jobId, [new ChunkMaker({ chunks: 3, lines: 230 }).next(1)], null);
  expect(plainBatches(bench.store.outgoing(jobId, 2, 99))).toEqual([
    { index: 2, lines: numberedLines(200, 210) },
    { index: 3, lines: numberedLines(210, 230) },
    { index: 7, lines: numberedLines(230, 231) },
  ]);
  bench.store.acknowledgeBatches(jobId, 4);
  expect(bench.store.job(jobId)).toMatchObject({ batchesAcknowledged: 4, linesAcknowledged: 230 });
});

test('lines of a settled job whose file is damaged are shown as lost, each in its place', () => {
  const { bench, chunks } = storedLog();
  bench.store.transition(jobId, { kind: 'ended', atMs: 5, verdict: aVerdict() });
  bench.store.transition(jobId, { kind: 'acknowledged', atMs: 6 });
  bench.reopen(() => truncateSync(bench.logFile(jobId), bytesThrough(chunks, 2) + 1));
  const texts = bench.store.kept.logPage(jobId, 209, 23).records.map((record) => record.text);
  expect(texts).toEqual(['line 209', ...new Array<string>(22).fill(DAMAGED_LINE)]);
  expect(plainBatches(bench.store.outgoing(jobId, 3, 1))).toEqual([
    { index: 3, lines: new Array<string>(20).fill(DAMAGED_LINE) },
  ]);
});

test('lines of a settled job whose file is missing are shown as lost', () => {
  const { bench } = storedLog();
  bench.store.transition(jobId, { kind: 'ended', atMs: 5, verdict: aVerdict() });
  bench.store.transition(jobId, { kind: 'acknowledged', atMs: 6 });
  bench.reopen(() => unlinkSync(bench.logFile(jobId)));
  expect(bench.store.kept.logPage(jobId, 529, 9).records.map((record) => record.text)).toEqual([
    DAMAGED_LINE,
  ]);
});

/** Node's own, but that writes stop after `room` bytes, as on a full disk. */
function fullDisk(room: number): LogFileSystem & { freed: boolean } {
  let left = room;
  const disk = {
    ...fs,
    freed: false,
    writeSync: (
      fd: number,
      body: Uint8Array,
      offset: number,
      length: number,
      at: number,
    ): number => {
      const take = disk.freed ? length : Math.min(length, left);
      if (take === 0)
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      left -= take;
      return writeSync(fd, body, offset, take, at);
    },
  };
  return disk as unknown as LogFileSystem & { freed: boolean };
}

test('on a full disk nothing of the append is kept, and it succeeds once there is room', () => {
  const maker = new ChunkMaker();
  const chunks = [maker.next(100), maker.next(100), maker.next(100)];
  const disk = fullDisk(bytesThrough(chunks, 2) + 7);
  const bench = new StoreBench(disk);
  bench.store.accept(aSpec(), 1);
  bench.store.appendLog(jobId, chunks.slice(0, 1), aCursor(100));
  const before = bench.store.job(jobId);
  const append = (): void => bench.store.appendLog(jobId, chunks.slice(1), aCursor(300));

  expect(append).toThrow(StoreUnavailableError);
  expect(append).toThrow(/ENOSPC/);
  expect(bench.store.job(jobId)).toEqual(before);
  expect(statSync(bench.logFile(jobId)).size).toBe(bytesThrough(chunks, 1));

  disk.freed = true;
  append();
  expect(
    bench
      .reopen()
      .outgoing(jobId, 0, 99)
      .flatMap((batch) => linesOf(batch.lines)),
  ).toEqual(numberedLines(0, 300));
});

test('an append that the database refuses leaves nothing behind, and succeeds once there is room', () => {
  const bench = new StoreBench();
  const maker = new ChunkMaker();
  const append = (chunk: LogChunk): void =>
    bench.store.appendLog(jobId, [chunk], aCursor(chunk.firstLine + chunk.lines));
  bench.store.accept(aSpec(), 1);
  bench.database.pragma('max_page_count = 1');
  let stored = bench.store.job(jobId);
  let chunk = maker.next(10);

  expect(() => {
    for (;;) {
      append(chunk);
      stored = bench.store.job(jobId);
      chunk = maker.next(10);
    }
  }).toThrow(StoreUnavailableError);
  expect(bench.store.job(jobId)).toEqual(stored);

  bench.database.pragma('max_page_count = 100000');
  append(chunk);
  const batches = bench.reopen().outgoing(jobId, 0, 9_999);
  expect(batches.flatMap((batch) => linesOf(batch.lines))).toEqual(
    numberedLines(0, chunk.firstLine + 10),
  );
  expect(bench.log.events()).toEqual([]);
});
