import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesOnDisk, tidyDisk } from '../../../main/services/disk-tidy.ts';
import type { JobId } from '../../../runner-core/model/ids.ts';
import { aCursor, aJobId, aSpec, aVerdict, ChunkMaker } from '../../support/job-builders.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { StoreBench } from '../../support/store-bench.ts';

const NO_LIMITS = { budgetBytes: null, ageMs: null, freeFloorBytes: null };
const NONE_HELD: ReadonlySet<string> = new Set();
const id = (n: number): JobId => aJobId(`5f0c2a34-8d1e-4b7a-9c55-00000000000${n}`);

/** Jobs 1 to `count`, settled in that order at 100, 200, …, each with a log file of 64 KiB on disk. */
function withJobs(count: number) {
  const bench = new StoreBench();
  const { store } = bench;
  for (let n = 1; n <= count; n++) {
    store.accept(aSpec({ jobId: id(n) }), 1);
    store.transition(id(n), { kind: 'launched', atMs: 2 });
    store.appendLog(id(n), [new ChunkMaker().next(10)], aCursor(10));
    store.transition(id(n), { kind: 'ended', atMs: 3, verdict: aVerdict() });
    store.transition(id(n), { kind: 'acknowledged', atMs: n * 100 });
    writeFileSync(bench.logFile(id(n)), Buffer.alloc(65_536, 1));
  }
  const setAsideDir = join(bench.dir, 'set-aside');
  const workspacesDir = join(bench.dir, 'workspaces');
  const deps = {
    log: new RecordedLog(),
    root: bench.dir,
    logsDir: bench.logsDir,
    setAsideDir,
    workspacesDir,
    hostWorkspacesDir: join(bench.dir, 'host-workspaces'),
    scratchDir: join(bench.dir, 'tried-commands'),
    store,
  };
  const hasLog = (): readonly number[] =>
    Array.from({ length: count }, (_, place) => place + 1).filter((n) =>
      existsSync(bench.logFile(id(n))),
    );
  return { bench, store, deps, hasLog, setAsideDir, workspacesDir };
}

test('beyond the budget the oldest logs go until it is kept, and verdict and times stay', async () => {
  const { bench, store, deps, hasLog } = withJobs(5);
  const before = await bytesOnDisk(bench.dir);
  const limits = { ...NO_LIMITS, budgetBytes: before - 100_000 };
  const tidied = await tidyDisk(deps, limits, NONE_HELD, 9_000);
  expect(tidied).toMatchObject({ logsRemoved: 2, jobsRemoved: 0 });
  expect(tidied.usedBytes).toBeLessThanOrEqual(limits.budgetBytes);
  expect(hasLog()).toEqual([3, 4, 5]);
  expect(store.kept.job(id(1))).toMatchObject({
    state: { kind: 'settled', verdict: aVerdict() },
    settledAtMs: 100,
    logRemovedAtMs: 9_000,
  });
});

test('a pinned job keeps its log beyond the budget and its row beyond its age, until it is unpinned', async () => {
  const { bench, store, deps, hasLog } = withJobs(3);
  expect(store.setPinned(id(1), true)).toBe(true);
  expect(store.kept.job(id(1))?.pinned).toBe(true);
  const budgetBytes = (await bytesOnDisk(bench.dir)) - 2 * 65_536;
  await tidyDisk(deps, { ...NO_LIMITS, budgetBytes }, NONE_HELD, 9_000);
  expect(hasLog()).toEqual([1]);
  await tidyDisk(deps, { ...NO_LIMITS, ageMs: 1_000 }, NONE_HELD, 9_000);
  expect([1, 2, 3].filter((n) => store.job(id(n)) !== undefined)).toEqual([1]);
  store.setPinned(id(1), false);
  await tidyDisk(deps, { ...NO_LIMITS, ageMs: 1_000 }, NONE_HELD, 9_000);
  expect(store.job(id(1))).toBeUndefined();
  expect(hasLog()).toEqual([]);
});

test('past their age jobs are forgotten, younger and unsettled ones are not', async () => {
  const { store, deps } = withJobs(4);
  store.accept(aSpec({ jobId: id(9) }), 1);
  await tidyDisk(deps, { ...NO_LIMITS, ageMs: 1_000 }, NONE_HELD, 1_250);
  expect([1, 2, 3, 4, 9].filter((n) => store.job(id(n)) !== undefined)).toEqual([3, 4, 9]);
});

test('without limits nothing goes', async () => {
  const { deps, hasLog } = withJobs(2);
  expect(await tidyDisk(deps, NO_LIMITS, NONE_HELD, 1e15)).toMatchObject({
    logsRemoved: 0,
    jobsRemoved: 0,
  });
  expect(hasLog()).toEqual([1, 2]);
});

test('a database that was set aside is kept as long as a job would be', async () => {
  const { deps, setAsideDir } = withJobs(1);
  for (const [name, atMs] of [
    ['old', 1_000],
    ['young', 5_000],
  ] as const) {
    mkdirSync(join(setAsideDir, name), { recursive: true });
    utimesSync(join(setAsideDir, name), atMs / 1_000, atMs / 1_000);
  }
  await tidyDisk(deps, { ...NO_LIMITS, ageMs: 3_000 }, NONE_HELD, 6_000);
  expect(existsSync(join(setAsideDir, 'old'))).toBe(false);
  expect(existsSync(join(setAsideDir, 'young'))).toBe(true);
});

test('beyond the budget databases that were set aside go before any log, oldest first and no more than needed', async () => {
  const { bench, deps, hasLog, setAsideDir } = withJobs(2);
  for (const [name, atMs] of [
    ['young', 5_000],
    ['old', 1_000],
  ] as const) {
    mkdirSync(join(setAsideDir, name), { recursive: true });
    writeFileSync(join(setAsideDir, name, 'host.db'), Buffer.alloc(100_000, 1));
    utimesSync(join(setAsideDir, name), atMs / 1_000, atMs / 1_000);
  }
  const budgetBytes = (await bytesOnDisk(bench.dir)) - 50_000;
  const tidied = await tidyDisk(deps, { ...NO_LIMITS, budgetBytes }, NONE_HELD, 9_000);
  expect(tidied).toMatchObject({ logsRemoved: 0 });
  expect(tidied.usedBytes).toBe(await bytesOnDisk(bench.dir));
  expect(hasLog()).toEqual([1, 2]);
  expect(existsSync(join(setAsideDir, 'old'))).toBe(false);
  expect(existsSync(join(setAsideDir, 'young'))).toBe(true);
});

/** A workspace of 64 KiB, last used at `atMs`. */
function withWorkspace(workspacesDir: string, name: string, atMs: number): void {
  mkdirSync(join(workspacesDir, name), { recursive: true });
  writeFileSync(join(workspacesDir, name, 'big'), Buffer.alloc(65_536, 1));
  utimesSync(join(workspacesDir, name), atMs / 1_000, atMs / 1_000);
}

test('beyond the budget workspaces that nobody uses go before any log, the longest unused first', async () => {
  const { bench, deps, hasLog, workspacesDir } = withJobs(3);
  for (const [name, atMs] of [
    ['held', 1_000],
    ['old', 2_000],
    ['young', 5_000],
  ] as const)
    withWorkspace(workspacesDir, name, atMs);
  const budgetBytes = (await bytesOnDisk(bench.dir)) - 40_000;
  const held = new Set(['held']);
  const tidied = await tidyDisk(deps, { ...NO_LIMITS, budgetBytes }, held, 9_000);
  expect(tidied).toMatchObject({ workspacesRemoved: 1, logsRemoved: 0, staying: null });
  expect(hasLog()).toEqual([1, 2, 3]);
  expect(['held', 'old', 'young'].map((name) => existsSync(join(workspacesDir, name)))).toEqual([
    true,
    false,
    true,
  ]);
});

test('no log goes where all logs together would not be enough, and what is over is named', async () => {
  const { bench, store, deps, hasLog, workspacesDir } = withJobs(3);
  store.setPinned(id(1), true);
  withWorkspace(workspacesDir, 'held', 1_000);
  const limits = { ...NO_LIMITS, budgetBytes: 65_536 };
  const tidied = await tidyDisk(deps, limits, new Set(['held']), 9_000);
  expect(hasLog()).toEqual([1, 2, 3]);
  expect(tidied).toMatchObject({ logsRemoved: 0, usedBytes: await bytesOnDisk(bench.dir) });
  expect(tidied.staying?.logBytes).toBe(await bytesOnDisk(bench.logFile(id(1))));
  expect(tidied.staying?.workspaceBytes).toBe(await bytesOnDisk(workspacesDir));
  expect(tidied.staying?.otherBytes).toBeGreaterThan(0);
});

test('directories of local commands have a budget of their own: no log and no workspace goes for them', async () => {
  const { bench, deps, hasLog, workspacesDir } = withJobs(2);
  withWorkspace(workspacesDir, 'old', 2_000);
  const budgetBytes = await bytesOnDisk(bench.dir);
  for (const folder of [deps.hostWorkspacesDir, deps.scratchDir]) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'made by Cursor'), Buffer.alloc(1_000_000, 1));
  }
  const tidied = await tidyDisk(deps, { ...NO_LIMITS, budgetBytes }, NONE_HELD, 9_000);
  expect(tidied).toEqual({
    jobsRemoved: 0,
    logsRemoved: 0,
    workspacesRemoved: 0,
    usedBytes: budgetBytes,
    localCommandBytes:
      (await bytesOnDisk(deps.hostWorkspacesDir)) + (await bytesOnDisk(deps.scratchDir)),
    staying: null,
  });
  expect(hasLog()).toEqual([1, 2]);
  expect(existsSync(join(workspacesDir, 'old'))).toBe(true);
});
