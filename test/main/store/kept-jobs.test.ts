import { expect, test } from 'vitest';
import { RECORD_FLAG } from '../../../runner-core/model/log-chunk.ts';
import type { JobId } from '../../../runner-core/model/ids.ts';
import type { RunFacts } from '../../../runner-core/worker/protocol.ts';
import type { LogPage } from '../../../main/store/log-reader.ts';
import { aJobId, aSpec, aVerdict, ChunkMaker, numberedLines } from '../../support/job-builders.ts';
import { StoreBench } from '../../support/store-bench.ts';

const jobId = aJobId();

/** Six jobs: 0 accepted, 1 running, 2 reporting (failed), 3 to 5 settled (failed, succeeded, succeeded). */
function sixJobs(): { bench: StoreBench; ids: readonly JobId[] } {
  const bench = new StoreBench();
  const ids = [0, 1, 2, 3, 4, 5].map((place) => aJobId(`job-${place}`));
  ids.forEach((id, place) => {
    const { store } = bench;
    store.accept(aSpec({ jobId: id }), 100 + place);
    if (place === 1) {
      store.transition(id, { kind: 'launched', atMs: 200 });
      store.transition(id, { kind: 'started', atMs: 201 });
    }
    const succeeded = { outcome: 'succeeded', status: 'SUCCEEDED', reason: null } as const;
    const verdict = place < 4 ? aVerdict() : aVerdict(succeeded);
    if (place >= 2) store.transition(id, { kind: 'ended', atMs: 300, verdict });
    if (place >= 3) store.transition(id, { kind: 'acknowledged', atMs: 400 - place });
  });
  return { bench, ids };
}

test('jobs are listed newest first, page after page, each once', () => {
  const { bench, ids } = sixJobs();
  const { kept } = bench.store;
  const first = kept.list({ limit: 4 });
  const second = kept.list({ limit: 4, before: first.at(-1)?.order });
  expect([...first, ...second].map((job) => job.spec.jobId)).toEqual(ids.toReversed());
});

test.each([
  [{ state: 'running' } as const, [1]],
  [{ state: 'settled' } as const, [5, 4, 3]],
  [{ unsettled: true } as const, [2, 1, 0]],
  [{ outcome: 'failed' } as const, [3, 2]],
])('the list narrowed to %o has those jobs only', (filter, places) => {
  const { bench, ids } = sixJobs();
  const listed = bench.store.kept.list({ filter, limit: 10 });
  expect(listed.map((job) => ids.indexOf(job.spec.jobId))).toEqual(places);
});

test('counts are by state and by ending', () => {
  const { bench } = sixJobs();
  const { byState, byOutcome } = bench.store.kept.counts();
  expect(Object.fromEntries(byState)).toEqual({
    accepted: 1,
    running: 1,
    reporting: 1,
    settled: 3,
  });
  expect(Object.fromEntries(byOutcome)).toEqual({ failed: 2, succeeded: 2 });
});

test('settled jobs are offered for removal the longest settled first, up to the instant', () => {
  const { bench, ids } = sixJobs();
  const old = bench.store.kept.settledBefore(397, 10);
  expect(old.map((job) => ids.indexOf(job.spec.jobId))).toEqual([5, 4]);
  expect(old.map((job) => job.settledAtMs)).toEqual([395, 396]);
});

test('the history has every event with its instant and what is worth saying of it', () => {
  const bench = new StoreBench();
  bench.store.accept(aSpec(), 1);
  bench.store.transition(jobId, { kind: 'launched', atMs: 2 });
  bench.store.transition(jobId, { kind: 'stop_requested', atMs: 3, cause: 'owner' });
  bench.store.transition(jobId, { kind: 'stop_requested', atMs: 4, cause: 'service' });
  bench.store.transition(jobId, { kind: 'ended', atMs: 5, verdict: aVerdict() });
  expect(bench.reopen().kept.history(jobId)).toEqual([
    { kind: 'accepted', atMs: 1, detail: null },
    { kind: 'launched', atMs: 2, detail: null },
    { kind: 'stop_requested', atMs: 3, detail: 'owner' },
    { kind: 'ended', atMs: 5, detail: 'exit_nonzero' },
  ]);
});

test('the facts of a run are kept', () => {
  const bench = new StoreBench();
  const facts: RunFacts = {
    containerId: 'c1',
    imageId: 'sha256:1',
    oomKilled: true,
    exitCode: 137,
    peakMemoryBytes: 8 * 2 ** 30,
    cpuMs: 61_000,
    phases: [{ phase: 'pulling', atMs: 1_200 }],
    limits: { memoryBytes: 8 * 2 ** 30, cpus: null, pids: 512, timeLimitMs: 3_600_000 },
  };
  bench.store.accept(aSpec(), 1);
  expect(bench.store.kept.job(jobId)?.facts).toBeNull();
  bench.store.noteEnding(jobId, aVerdict(), facts);
  expect(bench.reopen().kept.job(jobId)?.facts).toEqual(facts);
});

test('a page starts at its line, and the pages in a row are the whole log', () => {
  const { store } = new StoreBench();
  const maker = new ChunkMaker();
  store.accept(aSpec(), 1);
  for (const lines of [10, 1, 25]) store.appendLog(jobId, [maker.next(lines)], null);
  for (let from = 0; from <= 36; from++) {
    const page = store.kept.logPage(jobId, from, 7);
    expect(page.records.map((record) => record.text)).toEqual(
      numberedLines(from, Math.min(from + 7, 36)),
    );
    expect(page.records.map((record) => record.line)).toEqual(
      page.records.map((_, place) => from + place),
    );
  }
  const pages: LogPage[] = [];
  for (let next = 0; next < 36; next = pages.at(-1)?.nextRecord ?? 36)
    pages.push(store.kept.logPageFromRecord(jobId, next, 8));
  expect(pages.flatMap((page) => page.records).map((record) => record.text)).toEqual(
    numberedLines(0, 36),
  );
});

test('a page behind the end is empty and says where the log goes on', () => {
  const { store } = new StoreBench();
  store.accept(aSpec(), 1);
  expect(store.kept.logPage(jobId, 0, 5)).toEqual({ records: [], nextRecord: 0 });
  store.appendLog(jobId, [new ChunkMaker().next(3)], null);
  expect(store.kept.logPage(jobId, 3, 5)).toEqual({ records: [], nextRecord: 3 });
  expect(store.kept.logPage(jobId, 99, 5)).toEqual({ records: [], nextRecord: 3 });
  expect(store.kept.logPageFromRecord(jobId, 99, 5)).toEqual({ records: [], nextRecord: 3 });
});

test('every piece of a long line carries its line number, also in a later chunk', () => {
  const { store } = new StoreBench();
  const maker = new ChunkMaker();
  const { more, continuation, stderr } = RECORD_FLAG;
  store.accept(aSpec(), 1);
  store.appendLog(
    jobId,
    [
      maker.of([
        { atMs: 1, flags: 0, text: 'a' },
        { atMs: 2, flags: more, text: 'b1' },
      ]),
      maker.of([{ atMs: 2, flags: more | continuation, text: 'b2' }]),
      maker.of([
        { atMs: 2, flags: continuation, text: 'b3' },
        { atMs: 3, flags: stderr, text: 'c' },
      ]),
    ],
    null,
  );
  const pieces = store.kept.logPage(jobId, 1, 99).records;
  expect(pieces).toEqual([
    { atMs: 2, flags: more, text: 'b1', line: 1, record: 1 },
    { atMs: 2, flags: more | continuation, text: 'b2', line: 1, record: 2 },
    { atMs: 2, flags: continuation, text: 'b3', line: 1, record: 3 },
    { atMs: 3, flags: stderr, text: 'c', line: 2, record: 4 },
  ]);
  expect(store.kept.logPageFromRecord(jobId, 3, 1)).toEqual({
    records: pieces.slice(2, 3),
    nextRecord: 4,
  });
});

test('a page ends at about 1 MiB of text, however many records were asked for', () => {
  const { store } = new StoreBench();
  const maker = new ChunkMaker();
  const text = 'x'.repeat(65_536);
  store.accept(aSpec(), 1);
  for (let chunk = 0; chunk < 10; chunk++)
    store.appendLog(
      jobId,
      [maker.of([0, 1, 2, 3].map((atMs) => ({ atMs, flags: 0, text })))],
      null,
    );
  const page = store.kept.logPage(jobId, 0, 1_000);
  expect(page.records).toHaveLength(16);
  expect(page.nextRecord).toBe(16);
});
