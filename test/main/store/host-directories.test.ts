import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../main/store/database.ts';
import { hostDirectories } from '../../../main/store/host-directories.ts';
import { MIGRATIONS } from '../../../main/store/migrations/all.ts';
import type { HostExecSpec } from '../../../runner-core/model/job-spec.ts';
import type { Leftover } from '../../../runner-core/model/leftover.ts';
import { jobIdOf } from '../../support/builders.ts';
import { aSpec, aVerdict } from '../../support/job-builders.ts';
import { StoreBench } from '../../support/store-bench.ts';
import { tempDir } from '../../support/temp-dir.ts';

const JOB = jobIdOf(1);
const PATH = `/srv/runs/.preloop-host-exec/${JOB}`;
const STARTED: Leftover = {
  kind: 'process',
  name: JOB,
  pid: 4_242,
  mark: 'boot 77',
  directory: PATH,
};
const SPEC: HostExecSpec = {
  kind: 'host_exec',
  jobId: JOB,
  flowId: null,
  flowName: null,
  agentType: 'cursor',
  repository: null,
  modelIdentifier: null,
  report: { kind: 'host_exec', profile: 'review' },
  profileName: 'review',
  timeoutSeconds: null,
};

function bench() {
  const { store, database } = new StoreBench();
  const run = (leftovers: readonly Leftover[] = [STARTED]): void => {
    store.accept(SPEC, 1_000);
    store.transition(JOB, { kind: 'launched', atMs: 1_000 });
    for (const leftover of leftovers) store.noteLeftover(JOB, leftover);
    store.transition(JOB, { kind: 'started', atMs: 2_000 });
  };
  const settle = (): void => {
    store.transition(JOB, { kind: 'ended', atMs: 3_000, verdict: aVerdict() });
    store.forgetLeftover(JOB, STARTED);
    store.transition(JOB, { kind: 'acknowledged', atMs: 4_000 });
  };
  return { store, directories: hostDirectories(database), run, settle };
}

const KNOWN = { path: PATH, jobId: JOB, endedAtMs: 3_000 };

test('a directory may go once its job is settled and nothing of it is left to end', () => {
  const { store, directories, run } = bench();
  run();
  expect(directories.removable()).toEqual([]);
  store.transition(JOB, { kind: 'ended', atMs: 3_000, verdict: aVerdict() });
  store.transition(JOB, { kind: 'acknowledged', atMs: 4_000 });
  expect(directories.removable()).toEqual([]);
  store.forgetLeftover(JOB, STARTED);
  expect(directories.removable()).toEqual([KNOWN]);
});

test('that of a pinned job stays until it is pinned no longer', () => {
  const { store, directories, run, settle } = bench();
  run();
  settle();
  store.setPinned(JOB, true);
  expect(directories.removable()).toEqual([]);
  store.setPinned(JOB, false);
  expect(directories.removable()).toEqual([KNOWN]);
});

test('it outlives the job that is forgotten, and is forgotten itself when it is gone', () => {
  const { store, directories, run, settle } = bench();
  run();
  settle();
  store.removeJob(JOB);
  expect(directories.removable()).toEqual([KNOWN]);
  directories.forget(PATH);
  expect(directories.removable()).toEqual([]);
});

test('a directory that no command was started in is not known: it may be of somebody else', () => {
  const { store, directories, run } = bench();
  run([{ ...STARTED, pid: null, mark: null }]);
  store.transition(JOB, { kind: 'ended', atMs: 3_000, verdict: aVerdict() });
  store.forgetLeftover(JOB, { ...STARTED, pid: null, mark: null });
  store.transition(JOB, { kind: 'acknowledged', atMs: 4_000 });
  expect(directories.removable()).toEqual([]);
});

test('what jobs of containers leave is no directory', () => {
  const { store, directories } = bench();
  const jobId = jobIdOf(2);
  store.accept(aSpec({ jobId }), 1_000);
  store.transition(jobId, { kind: 'launched', atMs: 1_000 });
  store.noteLeftover(jobId, { kind: 'container', id: 'c'.repeat(64), name: 'job' });
  store.transition(jobId, { kind: 'ended', atMs: 3_000, verdict: aVerdict() });
  store.forgetLeftover(jobId, { kind: 'container', id: 'c'.repeat(64), name: 'job' });
  store.transition(jobId, { kind: 'acknowledged', atMs: 4_000 });
  expect(directories.removable()).toEqual([]);
});

test('those of commands that run while the database is brought up to date are known as well', () => {
  const path = join(tempDir(), 'host.db');
  openDatabase(path, MIGRATIONS.slice(0, 5)).close();
  const older = new Database(path);
  older
    .prepare(
      `INSERT INTO job (job_id, spec, state, since_ms, accepted_at_ms, ended_at_ms)
       VALUES (?, ?, 'settled', 4000, 1000, 3000)`,
    )
    .run(JOB, JSON.stringify(SPEC));
  older.prepare('INSERT INTO leftover (job, body) VALUES (1, ?)').run(JSON.stringify(STARTED));
  older.close();
  const database = openDatabase(path);
  database.prepare('DELETE FROM leftover').run();
  expect(hostDirectories(database).removable()).toEqual([KNOWN]);
  database.close();
});
