/** The database is lost, the data folder is there: each unsettled job goes on exactly where it was. */
import {
  appendFileSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BATCHES_PASSED_OVER } from '../../../main/store/journal-restore.ts';
import { setAside } from '../../../main/store/set-aside.ts';
import type { JobId } from '../../../runner-core/model/ids.ts';
import type { SqliteJobStore } from '../../../main/store/sqlite-job-store.ts';
import { batchId } from '../../../runner-core/wire/log-batch.ts';
import { NO_FACTS } from '../../../runner-core/worker/protocol.ts';
import {
  aCursor,
  aJobId,
  aSpec,
  aVerdict,
  ChunkMaker,
  numberedLines,
} from '../../support/job-builders.ts';
import { linesOf } from '../../support/outgoing-lines.ts';
import { StoreBench } from '../../support/store-bench.ts';

const JOB = aJobId();
const CONTAINER = { kind: 'container', id: 'c'.repeat(64), name: 'preloop-1' } as const;

/** A running job with 100 lines in ten chunks, four batches of them acknowledged. */
function running(bench: StoreBench, jobId = JOB): ChunkMaker {
  const { store } = bench;
  const maker = new ChunkMaker();
  store.accept(aSpec({ jobId }), 1);
  store.transition(jobId, { kind: 'launched', atMs: 2 });
  store.noteLeftover(jobId, CONTAINER);
  store.transition(jobId, { kind: 'started', atMs: 3 });
  for (let chunk = 1; chunk <= 10; chunk++)
    store.appendLog(jobId, [maker.next(10)], aCursor(chunk * 10));
  store.acknowledgeBatches(jobId, 4);
  return maker;
}

const journalOf = (bench: StoreBench, jobId: JobId = JOB): string =>
  join(bench.dir, 'journals', `${jobId}.journal`);

function loseDatabase(bench: StoreBench): void {
  for (const suffix of ['', '-wal', '-shm'])
    rmSync(`${bench.databasePath}${suffix}`, { force: true });
}

/** What goes over the wire: each batch under its id. */
function batches(store: SqliteJobStore, from: number): readonly [string, readonly string[]][] {
  const salt = store.job(JOB)?.batchSalt ?? '';
  return store
    .outgoing(JOB, from, 1_000)
    .map(({ index, lines }) => [batchId(salt, index), linesOf(lines)]);
}

test('the job is there as it was: state, leftovers, history, cursor, log, and its batches under their ids', () => {
  const bench = new StoreBench();
  running(bench);
  const before = bench.store.job(JOB);
  const history = bench.store.kept.history(JOB);
  const sent = batches(bench.store, 0);
  const after = bench.reopen(() => loseDatabase(bench));
  expect(after.job(JOB)).toEqual({ ...before, batches: 10 + BATCHES_PASSED_OVER });
  expect(after.unsettled()).toHaveLength(1);
  expect(after.leftovers(JOB)).toEqual([CONTAINER]);
  expect(after.kept.history(JOB)).toEqual(history);
  expect(batches(after, 0)).toEqual(sent);
  expect(after.kept.logPage(JOB, 0, 200).records.map(({ text }) => text)).toEqual(
    numberedLines(0, 100),
  );
});

test('what follows gets ids that were never used, is told once, and survives the next loss as well', () => {
  const bench = new StoreBench();
  const maker = running(bench);
  const service = new Map(batches(bench.store, 0));
  for (let loss = 0; loss < 3; loss++) {
    const store = bench.reopen(() => loseDatabase(bench));
    const from = store.job(JOB)?.batchesAcknowledged ?? 0;
    store.appendLog(JOB, [maker.next(5)], aCursor(105 + loss * 5));
    for (const [id, lines] of batches(store, from)) {
      expect(service.get(id) ?? lines).toEqual(lines);
      service.set(id, lines);
    }
    store.acknowledgeBatches(JOB, (store.outgoing(JOB, from, 1_000).at(-1)?.index ?? 0) + 1);
  }
  expect([...service.values()].flat()).toEqual(numberedLines(0, 115));
  const { batches: fixed, batchesAcknowledged, linesAcknowledged } = bench.store.job(JOB) ?? {};
  expect([fixed, linesAcknowledged]).toEqual([batchesAcknowledged, 115]);
});

test('a verdict that was told is kept, with the state it was told in', () => {
  const bench = new StoreBench();
  running(bench);
  bench.store.noteEnding(JOB, aVerdict(), { ...NO_FACTS, exitCode: 3 });
  const told = bench.reopen(() => loseDatabase(bench));
  expect(told.job(JOB)).toMatchObject({ told: aVerdict(), state: { kind: 'running' } });
  told.transition(JOB, { kind: 'ended', atMs: 9, verdict: aVerdict() });
  const ended = bench.reopen(() => loseDatabase(bench));
  expect(ended.job(JOB)?.state).toEqual({ kind: 'reporting', sinceMs: 9, verdict: aVerdict() });
  expect(ended.kept.job(JOB)?.facts?.exitCode).toBe(3);
});

test('a settled job has no journal, nor one that a crash left behind', () => {
  const bench = new StoreBench();
  running(bench);
  const left = readFileSync(journalOf(bench));
  expect(statSync(journalOf(bench)).mode & 0o777).toBe(0o600);
  bench.store.transition(JOB, { kind: 'ended', atMs: 9, verdict: aVerdict() });
  bench.store.transition(JOB, { kind: 'acknowledged', atMs: 10 });
  expect(readdirSync(join(bench.dir, 'journals'))).toEqual([]);
  bench.reopen(() => writeFileSync(journalOf(bench), left));
  expect(readdirSync(join(bench.dir, 'journals'))).toEqual([]);
  expect(bench.store.job(JOB)?.state.kind).toBe('settled');
});

test('a database that is there counts alone, and the journal follows it', () => {
  const bench = new StoreBench();
  const maker = running(bench);
  const before = bench.store.job(JOB);
  const store = bench.reopen(() => truncateSync(journalOf(bench), 40));
  expect(store.job(JOB)).toEqual(before);
  store.appendLog(JOB, [maker.next(3)], aCursor(103));
  expect(bench.reopen(() => loseDatabase(bench)).job(JOB)).toMatchObject({
    lines: 103,
    linesAcknowledged: 40,
    cursor: aCursor(103),
  });
});

test.each<[string, (journal: string) => void, number]>([
  ['its last line is cut', (path) => truncateSync(path, statSync(path).size - 5), 100],
  ['its end is missing', (path) => keepLines(path, 9), 40],
  ['a line is missing', (path) => dropLine(path, 9), 40],
  ['there is noise in it', (path) => appendFileSync(path, 'noise\n'), 100],
])('of a journal where %s what stands before is used, and no id comes twice', (_, spoil, lines) => {
  const bench = new StoreBench();
  running(bench);
  const used = new Map(batches(bench.store, 0));
  const after = bench.reopen(() => {
    loseDatabase(bench);
    spoil(journalOf(bench));
  });
  expect(after.job(JOB)).toMatchObject({ lines, cursor: aCursor(lines) });
  after.appendLog(JOB, [new ChunkMaker({ chunks: lines / 10, lines }).next(7)], null);
  for (const [id, sent] of batches(after, 0)) expect(used.get(id) ?? sent).toEqual(sent);
});

test.each([
  ['of another version', '{"version":1}\n'],
  ['without its job', ''],
  ['with a job that does not read', ''],
])('a journal %s is no job, and goes', (what, first) => {
  const bench = new StoreBench();
  running(bench);
  const lines = readFileSync(journalOf(bench), 'utf8').split('\n');
  const store = bench.reopen(() => {
    loseDatabase(bench);
    if (first !== '') lines[0] = first.trim();
    else if (what.startsWith('without')) lines.splice(1);
    else
      lines[1] = (lines[1] ?? '').replace('\\"kind\\":\\"docker_launch\\"', '\\"kind\\":\\"x\\"');
    writeFileSync(
      journalOf(bench),
      lines
        .filter((line) => what.startsWith('of') || !line.includes('"job":') || line === lines[1])
        .join('\n'),
    );
  });
  expect(store.unsettled()).toEqual([]);
  expect(existsSync(journalOf(bench))).toBe(false);
  store.accept(aSpec(), 5);
  expect(store.job(JOB)).toMatchObject({ lines: 0, batches: 0 });
});

test('a log that is shorter than its journal says falls back to its last whole append', () => {
  const bench = new StoreBench();
  running(bench);
  const after = bench.reopen(() => {
    loseDatabase(bench);
    truncateSync(bench.logFile(JOB), statSync(bench.logFile(JOB)).size - 1);
  });
  expect(after.job(JOB)).toMatchObject({ lines: 90, cursor: aCursor(90), linesAcknowledged: 40 });
});

test('a folder for journals that cannot be made costs nothing but the journals', () => {
  const bench = new StoreBench();
  running(bench);
  const store = bench.reopen(() => {
    rmSync(join(bench.dir, 'journals'), { recursive: true });
    writeFileSync(join(bench.dir, 'journals'), '');
  });
  expect(store.job(JOB)?.lines).toBe(100);
  store.transition(JOB, { kind: 'ended', atMs: 9, verdict: aVerdict() });
  expect(store.job(JOB)?.state.kind).toBe('reporting');
});

test('a journal that cannot be written costs the job nothing but the journal', () => {
  const bench = new StoreBench();
  const maker = running(bench);
  rmSync(join(bench.dir, 'journals'), { recursive: true });
  const reopened = bench.reopen();
  rmSync(join(bench.dir, 'journals'), { recursive: true });
  reopened.appendLog(JOB, [maker.next(1)], aCursor(101));
  reopened.appendLog(JOB, [maker.next(1)], aCursor(102));
  expect(reopened.job(JOB)?.lines).toBe(102);
  expect(bench.log.events().filter((event) => event.includes('not written'))).toHaveLength(1);
});

test.each([
  ['damaged', 100],
  ['newer', undefined],
] as const)(
  'with a database set aside as %s the log of a running job stays: %s lines',
  (because, lines) => {
    const bench = new StoreBench();
    running(bench);
    running(bench, aJobId('settled-1'));
    bench.store.transition(aJobId('settled-1'), { kind: 'ended', atMs: 9, verdict: aVerdict() });
    bench.store.transition(aJobId('settled-1'), { kind: 'acknowledged', atMs: 9 });
    const { logsDir, databasePath: database } = bench;
    const setAsideDir = join(bench.dir, 'set-aside');
    let folder = '';
    const after = bench.reopen(() => {
      ({ folder } = setAside(because, { database, logsDir, setAsideDir }, 1));
    });
    expect(after.job(JOB)?.lines).toBe(lines);
    expect(readdirSync(logsDir)).toEqual(lines === undefined ? [] : [`${JOB}.log`]);
    expect(readdirSync(join(folder, 'logs'))).toContain('settled-1.log');
  },
);

function keepLines(path: string, count: number): void {
  writeFileSync(path, `${readFileSync(path, 'utf8').split('\n').slice(0, count).join('\n')}\n`);
}

function dropLine(path: string, at: number): void {
  const lines = readFileSync(path, 'utf8').split('\n');
  lines.splice(at, 1);
  writeFileSync(path, lines.join('\n'));
}
