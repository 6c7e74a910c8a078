import { linesOf, plainBatches } from '../../support/outgoing-lines.ts';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LogGapError, UnknownJobError } from '../../../main/store/errors.ts';
import type { JobChange } from '../../../main/store/sqlite-job-store.ts';
import type { LogChunk } from '../../../runner-core/model/log-chunk.ts';
import { aCursor, aJobId, aSpec, aVerdict, ChunkMaker } from '../../support/job-builders.ts';
import { StoreBench } from '../../support/store-bench.ts';

const jobId = aJobId();

function settle(bench: StoreBench, id = jobId, atMs = 20): void {
  bench.store.transition(id, { kind: 'ended', atMs: atMs - 1, verdict: aVerdict() });
  bench.store.transition(id, { kind: 'acknowledged', atMs });
}

test('a field that no schema names never reaches the disk', () => {
  const bench = new StoreBench();
  const smuggled = { ...aSpec(), environment: { OPENAI_API_KEY: 'canary-4711' } };
  bench.store.accept(smuggled, 1);
  bench.close();
  const files = readdirSync(bench.dir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.map(({ name }) => name)).toContain(`${jobId}.journal`);
  for (const { parentPath, name } of files)
    expect(readFileSync(join(parentPath, name)).includes('canary-4711')).toBe(false);
});

test('writing about an unknown job throws UnknownJobError, reading gives nothing', () => {
  const { store } = new StoreBench();
  expect(() => store.appendLog(jobId, [], null)).toThrow(UnknownJobError);
  expect(() => store.noteLeftover(jobId, { kind: 'compose_project', name: 'x' })).toThrow(
    UnknownJobError,
  );
  expect(() => store.acknowledgeBatches(jobId, 1)).toThrow(UnknownJobError);
  expect(plainBatches(store.outgoing(jobId, 0, 1))).toEqual([]);
  expect(store.leftovers(jobId)).toEqual([]);
  expect(store.kept.logPage(jobId, 0, 10)).toEqual({ records: [], nextRecord: 0 });
});

test.each<[string, (chunk: LogChunk) => LogChunk]>([
  ['a missing chunk', (chunk) => ({ ...chunk, seq: chunk.seq + 1 })],
  ['a line number that does not follow', (chunk) => ({ ...chunk, firstLine: 9 })],
  ['batches that do not add up', (chunk) => ({ ...chunk, batches: [1] })],
  ['an empty batch', (chunk) => ({ ...chunk, batches: [...chunk.batches, 0] })],
  ['fewer records than lines', (chunk) => ({ ...chunk, records: 1 })],
])('%s is refused, and nothing of the append is kept', (_, spoil) => {
  const bench = new StoreBench();
  const maker = new ChunkMaker();
  bench.store.accept(aSpec(), 1);
  bench.store.appendLog(jobId, [maker.next(4)], aCursor(4));
  const before = bench.store.job(jobId);
  const chunks = [maker.next(2), spoil(maker.next(2))];
  expect(() => bench.store.appendLog(jobId, chunks, aCursor(8))).toThrow(LogGapError);
  expect(bench.store.job(jobId)).toEqual(before);
  expect(bench.reopen().job(jobId)).toEqual(before);
});

test('a repeat older than what is stored does not take the cursor back', () => {
  const { store } = new StoreBench();
  const maker = new ChunkMaker();
  const first = maker.next(1);
  store.accept(aSpec(), 1);
  store.appendLog(jobId, [first], aCursor(1));
  store.appendLog(jobId, [maker.next(1)], aCursor(2));
  store.appendLog(jobId, [first], aCursor(1));
  expect(store.job(jobId)?.cursor).toEqual(aCursor(2));
});

test('the log file is for its owner alone and holds exactly the bodies', () => {
  const bench = new StoreBench();
  const maker = new ChunkMaker();
  const chunks = [maker.next(100), maker.next(3)];
  bench.store.accept(aSpec(), 1);
  bench.store.appendLog(jobId, chunks, null);
  expect(readFileSync(bench.logFile(jobId))).toEqual(
    Buffer.concat(chunks.map((chunk) => chunk.body)),
  );
  expect(statSync(bench.logFile(jobId)).mode & 0o777).toBe(0o600);
  expect(bench.store.kept.logBytesOnDisk()).toBe(statSync(bench.logFile(jobId)).size);
});

test('calls in one transaction happen together or not at all, and are told once all are stored', () => {
  const bench = new StoreBench();
  const told: JobChange[] = [];
  const other = aJobId('other');
  bench.store.accept(aSpec(), 1);
  bench.store.accept(aSpec({ jobId: other }), 1);
  bench.store.watch((change) => told.push(change));
  const append = (maker: ChunkMaker): void => {
    bench.store.appendLog(jobId, [maker.next(1)], null);
    bench.store.appendLog(other, [maker.next(1)], null);
  };

  expect(() => bench.store.transaction(() => append(new ChunkMaker()))).toThrow(LogGapError);
  expect(bench.store.unsettled().map((job) => job.lines)).toEqual([0, 0]);
  expect(told).toEqual([]);

  bench.store.transaction(() => {
    bench.store.appendLog(jobId, [new ChunkMaker().next(1)], null);
    bench.store.appendLog(other, [new ChunkMaker().next(2)], null);
    expect(told).toEqual([]);
  });
  expect(told).toEqual([
    { jobId, part: 'log' },
    { jobId: other, part: 'log' },
  ]);
  expect(
    bench
      .reopen()
      .unsettled()
      .map((job) => job.lines),
  ).toEqual([1, 2]);
});

test('what was read of an undone append is not served for the one that takes its place', () => {
  const { store } = new StoreBench();
  store.accept(aSpec(), 1);
  const undo = (): void => {
    store.transaction(() => {
      store.appendLog(jobId, [new ChunkMaker().of([{ atMs: 1, flags: 0, text: 'undone' }])], null);
      expect(plainBatches(store.outgoing(jobId, 0, 1))).toEqual([{ index: 0, lines: ['undone'] }]);
      throw new RangeError('undo');
    });
  };
  expect(undo).toThrow(RangeError);
  store.appendLog(jobId, [new ChunkMaker().of([{ atMs: 1, flags: 0, text: 'kept' }])], null);
  expect(plainBatches(store.outgoing(jobId, 0, 1))).toEqual([{ index: 0, lines: ['kept'] }]);
});

test('a watcher that throws is noted and hinders nobody', () => {
  const bench = new StoreBench();
  const told: JobChange[] = [];
  bench.store.watch(() => {
    throw new RangeError('watcher');
  });
  const unwatch = bench.store.watch((change) => told.push(change));
  bench.store.accept(aSpec(), 1);
  unwatch();
  bench.store.transition(jobId, { kind: 'launched', atMs: 2 });
  expect(told).toEqual([{ jobId, part: 'job' }]);
  expect(bench.log.events()).toEqual(['watcher failed', 'watcher failed']);
});

test('a damaged row hides no other job and is named in the log', () => {
  const bench = new StoreBench();
  const other = aJobId('other');
  bench.store.accept(aSpec(), 1);
  bench.store.accept(aSpec({ jobId: other }), 1);
  bench.database.prepare(`UPDATE job SET spec = '{"kind":"?"}' WHERE job_id = ?`).run(jobId);
  expect(bench.store.unsettled().map((job) => job.spec.jobId)).toEqual([other]);
  expect(bench.log.lines[0]).toMatchObject({ level: 'error', fields: { jobId } });
  expect(() => bench.store.job(jobId)).toThrow(/damaged in spec/);
});

test("a settled job's log is removed and the rest kept; an unsettled one's is not", () => {
  const bench = new StoreBench();
  bench.store.accept(aSpec(), 1);
  bench.store.appendLog(jobId, [new ChunkMaker().next(5)], null);
  expect(bench.store.removeLog(jobId, 30)).toBe(false);
  settle(bench);
  expect(bench.store.kept.logPage(jobId, 0, 9).records).toHaveLength(5);

  expect(bench.store.removeLog(jobId, 30)).toBe(true);

  expect(existsSync(bench.logFile(jobId))).toBe(false);
  expect(bench.store.kept.job(jobId)).toMatchObject({ lines: 5, logRemovedAtMs: 30 });
  expect(bench.store.kept.logPage(jobId, 0, 9)).toEqual({ records: [], nextRecord: 0 });
  expect(bench.store.kept.logBytesOnDisk()).toBe(0);
});

test('an acknowledgement that comes after the log was removed does not take the count of lines back', () => {
  const bench = new StoreBench();
  bench.store.accept(aSpec(), 1);
  bench.store.appendLog(jobId, [new ChunkMaker().next(200)], null);
  bench.store.acknowledgeBatches(jobId, 1);
  settle(bench);
  bench.store.removeLog(jobId, 30);
  bench.store.acknowledgeBatches(jobId, 2);
  expect(bench.store.job(jobId)).toMatchObject({ batchesAcknowledged: 2, linesAcknowledged: 128 });
});

test('a settled job is removed with all there is of it; an unsettled one is not', () => {
  const bench = new StoreBench();
  bench.store.accept(aSpec(), 1);
  bench.store.appendLog(jobId, [new ChunkMaker().next(5)], null);
  expect(bench.store.removeJob(jobId)).toBe(false);
  settle(bench);
  expect(bench.store.removeJob(jobId)).toBe(true);
  expect(existsSync(bench.logFile(jobId))).toBe(false);
  for (const table of ['job', 'job_log', 'job_event', 'log_chunk', 'leftover'])
    expect(bench.database.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0);
});

test('only log files that belong to no job are swept', async () => {
  const bench = new StoreBench();
  bench.store.accept(aSpec(), 1);
  bench.store.appendLog(jobId, [new ChunkMaker().next(5)], null);
  writeFileSync(bench.logFile(aJobId('orphan')), 'x');
  writeFileSync(join(bench.logsDir, 'notes.txt'), 'x');
  expect(await bench.store.removeOrphanLogs()).toBe(1);
  expect(readdirSync(bench.logsDir).sort()).toEqual([`${jobId}.log`, 'notes.txt']);
});

test('more logs than may be open at once are all written and read', () => {
  const { store } = new StoreBench();
  const ids = Array.from({ length: 120 }, (_, place) => aJobId(`job-${place}`));
  const makers = ids.map(() => new ChunkMaker());
  store.transaction(() => {
    for (const id of ids) store.accept(aSpec({ jobId: id }), 1);
    for (let round = 0; round < 3; round++)
      ids.forEach((id, place) => store.appendLog(id, [makers[place]?.next(1) ?? raise()], null));
  });
  for (const id of ids)
    expect(store.outgoing(id, 0, 9).map((batch) => linesOf(batch.lines))).toEqual([
      ['line 0'],
      ['line 1'],
      ['line 2'],
    ]);
  expect(openDescriptors()).toBeLessThan(100);
});

function openDescriptors(): number {
  return existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0;
}

function raise(): never {
  throw new Error('no such job');
}
