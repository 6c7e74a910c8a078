import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../main/store/database.ts';
import type { ListFilter } from '../../../main/store/job-listing.ts';
import { MIGRATIONS } from '../../../main/store/migrations/all.ts';
import { openJobStore, type SqliteJobStore } from '../../../main/store/sqlite-job-store.ts';
import type { JobSpec } from '../../../runner-core/model/job-spec.ts';
import type { OutcomeKind } from '../../../runner-core/model/outcome.ts';
import { reason } from '../../../runner-core/model/reason.ts';
import { aJobId, aSpec, aVerdict } from '../../support/job-builders.ts';
import { StoreBench } from '../../support/store-bench.ts';
import { tempDir } from '../../support/temp-dir.ts';

interface Given {
  readonly spec?: Partial<Parameters<typeof aSpec>[0]>;
  readonly outcome?: OutcomeKind;
  readonly acceptedAtMs?: number;
  readonly waitMs?: number;
  readonly runMs?: number;
  readonly settled?: boolean;
  readonly reason?: ReturnType<typeof reason>;
}

/** Job number `place`, as far along as is given: accepted, or ended. */
function add(store: SqliteJobStore, place: number, given: Given = {}): void {
  const jobId = aJobId(`5f0c2a34-8d1e-4b7a-9c55-${place.toString(16).padStart(12, '0')}`);
  const { acceptedAtMs = 1_000 * place, waitMs = 10, runMs = 100, outcome } = given;
  store.accept(aSpec({ jobId, ...given.spec }), acceptedAtMs);
  if (outcome === undefined) return;
  const startedAtMs = acceptedAtMs + waitMs;
  store.transition(jobId, { kind: 'launched', atMs: acceptedAtMs });
  store.transition(jobId, { kind: 'started', atMs: startedAtMs });
  const verdict = aVerdict({ outcome, reason: given.reason ?? null });
  store.transition(jobId, { kind: 'ended', atMs: startedAtMs + runMs, verdict });
  if (given.settled !== false)
    store.transition(jobId, { kind: 'acknowledged', atMs: startedAtMs + runMs + 1 });
}

const ALL: ListFilter = { shown: [], text: '' };
const places = (store: SqliteJobStore, filter: Partial<ListFilter>, offset = 0, limit = 100) =>
  store.listing
    .page({ ...ALL, ...filter }, offset, limit)
    .map(({ jobId }) => Number.parseInt(jobId.slice(-12), 16));

/** 0 accepted; 1, 3, 5 … succeeded; 2, 6 failed; 4, 8 lost. */
function mixed(): SqliteJobStore {
  const { store } = new StoreBench();
  add(store, 0);
  for (let place = 1; place < 10; place++) {
    const outcome = place % 2 === 1 ? 'succeeded' : place % 4 === 2 ? 'failed' : 'lost';
    add(store, place, { outcome });
  }
  return store;
}

test('pages are the newest first, anywhere in the list', () => {
  const store = mixed();
  expect(places(store, {})).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  expect(places(store, {}, 3, 4)).toEqual([6, 5, 4, 3]);
  expect(places(store, {}, 10)).toEqual([]);
});

test('a list can be narrowed to states and outcomes, several at once', () => {
  const store = mixed();
  expect(places(store, { shown: ['failed'] })).toEqual([6, 2]);
  expect(places(store, { shown: ['accepted', 'lost'] }, 1, 1)).toEqual([4]);
  expect(store.listing.total({ shown: ['accepted', 'lost', 'lost'], text: '' })).toBe(3);
});

test('counts follow every change of a job', () => {
  const { store } = new StoreBench();
  const jobId = aJobId();
  const counts = (): unknown => [...store.listing.counts()];
  store.accept(aSpec(), 1);
  expect(counts()).toEqual([['accepted', 1]]);
  store.transition(jobId, { kind: 'launched', atMs: 2 });
  store.transition(jobId, { kind: 'stop_requested', atMs: 3, cause: 'owner' });
  expect(counts()).toEqual([['stopping', 1]]);
  store.transition(jobId, { kind: 'ended', atMs: 4, verdict: aVerdict({ outcome: 'stopped' }) });
  expect([counts(), store.listing.unreported()]).toEqual([[['stopped', 1]], 1]);
  store.transition(jobId, { kind: 'acknowledged', atMs: 5 });
  expect([counts(), store.listing.unreported()]).toEqual([[['stopped', 1]], 0]);
  store.removeJob(jobId);
  expect([counts(), places(store, {})]).toEqual([[], []]);
});

test('a search looks in agent, repository, image, flow and id, in either case', () => {
  const { store } = new StoreBench();
  add(store, 0, { spec: { repository: 'github.com/Nettlebed/Web', image: 'ghcr.io/a/b:1' } });
  add(store, 1, { spec: { repository: null, flowId: 'AAAA-flow', agentType: 'pi' } });
  add(store, 2, { spec: { repository: null, flowId: null, flowName: 'Nightly Sweep' } });
  const found = (text: string): readonly number[] => places(store, { text });
  expect(found('nettlebed/web')).toEqual([0]);
  expect(found('GHCR.io')).toEqual([0]);
  expect(found('aaaa-FLOW')).toEqual([1]);
  expect(found('pi')).toEqual([1]);
  expect(found('nightly SWEEP')).toEqual([2]);
  expect(found('000000000002')).toEqual([2]);
  expect(found('5F0C2A34')).toEqual([2, 1, 0]);
  expect(found('codex 000000000000')).toEqual([0]);
  expect(found('codex nowhere')).toEqual([]);
  expect(store.listing.total({ shown: [], text: 'codex' })).toBe(2);
});

test('a search takes its text as it is, wild cards and quotes too', () => {
  const { store } = new StoreBench();
  add(store, 0, { spec: { repository: 'h/100%_sure"' } });
  add(store, 1);
  expect(places(store, { text: '%' })).toEqual([0]);
  expect(places(store, { text: `_sure"` })).toEqual([0]);
  expect(places(store, { text: `' OR 1=1` })).toEqual([]);
});

test('a row of the list is what the whole job says', () => {
  const { store } = new StoreBench();
  add(store, 3, { outcome: 'failed', reason: reason('exit_nonzero', { exitCode: '3' }) });
  expect(store.listing.page(ALL, 0, 1)).toEqual([
    {
      jobId: aJobId('5f0c2a34-8d1e-4b7a-9c55-000000000003'),
      state: 'settled',
      outcome: 'failed',
      agentType: 'codex',
      flowId: '1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f',
      flowName: null,
      repository: 'git.example.test/nettlebed/ledger',
      image: 'debian:bookworm',
      profile: null,
      acceptedAtMs: 3_000,
      startedAtMs: 3_010,
      endedAtMs: 3_110,
      lines: 0,
      reason: { code: 'exit_nonzero', facts: { exitCode: '3' } },
      error: 'exit code 3',
    },
  ]);
});

test('a job that could never run is listed as well, without an image', () => {
  const { store } = new StoreBench();
  const { jobId, flowId, flowName, repository, modelIdentifier, report } = aSpec();
  const spec: JobSpec = {
    kind: 'unrunnable',
    agentType: 'stranger',
    jobId,
    flowId,
    flowName,
    repository,
    modelIdentifier,
    report,
  };
  store.accept(spec, 1);
  expect(store.listing.page(ALL, 0, 1)).toMatchObject([{ agentType: 'stranger', image: null }]);
});

test('a day counts the jobs accepted in it, with their medians', () => {
  const { store } = new StoreBench();
  add(store, 0, { outcome: 'failed', acceptedAtMs: 999 });
  [10, 30, 20].forEach((waitMs, place) =>
    add(store, 1 + place, {
      outcome: 'succeeded',
      acceptedAtMs: 1_000 + place,
      waitMs,
      runMs: waitMs * 10,
    }),
  );
  add(store, 9, { acceptedAtMs: 5_000 });
  expect(store.listing.tallySince(1_000)).toEqual({
    total: 4,
    byOutcome: new Map([['succeeded', 3]]),
    medianWaitMs: 20,
    medianRunMs: 200,
  });
});

test('a flow has the run times of its own successes, the newest first', () => {
  const { store } = new StoreBench();
  add(store, 0, { outcome: 'succeeded', runMs: 1, spec: { flowId: 'a' } });
  add(store, 1, { outcome: 'failed', runMs: 2, spec: { flowId: 'a' } });
  add(store, 2, { outcome: 'succeeded', runMs: 3, spec: { flowId: 'a', image: 'other:1' } });
  add(store, 3, { outcome: 'succeeded', runMs: 4, spec: { flowId: 'b' } });
  expect(store.listing.runTimes('a')).toEqual([3, 1]);
});

test('jobs refused for want of a permission are found, the newest first', () => {
  const { store } = new StoreBench();
  const wanting = reason('permission_needed', { option: 'network' });
  add(store, 0, { outcome: 'failed', reason: wanting });
  add(store, 1, { outcome: 'failed', reason: reason('exit_nonzero') });
  add(store, 2, { outcome: 'failed', reason: wanting });
  const found = store.listing.wantingPermission(10);
  expect(found.map(({ acceptedAtMs }) => acceptedAtMs)).toEqual([2_000, 0]);
});

test('jobs of version 0.1, which knew no repository, are listed after the update', () => {
  const path = join(tempDir(), 'host.db');
  openDatabase(path, MIGRATIONS.slice(0, 1)).close();
  const old = new Database(path);
  const { repository, ...spec } = aSpec({ image: 'old:1' });
  expect(repository).not.toBeNull();
  old
    .prepare(
      `INSERT INTO job (job_id, spec, state, since_ms, outcome, verdict, accepted_at_ms)
       VALUES (?, ?, 'settled', 1, 'failed', ?, 1)`,
    )
    .run(spec.jobId, JSON.stringify(spec), JSON.stringify(aVerdict()));
  old.prepare('INSERT INTO job_log (job) VALUES (1)').run();
  old.close();
  const database = openDatabase(path);
  const log = new StoreBench().log;
  const store = openJobStore(database, { logsDir: tempDir(), log }, 2);
  expect(store.listing.page({ shown: ['failed'], text: 'old:1' }, 0, 10)).toMatchObject([
    { jobId: spec.jobId, repository: null, outcome: 'failed' },
  ]);
  expect(store.kept.job(spec.jobId)?.spec.repository).toBeNull();
  store.close();
  database.close();
});
