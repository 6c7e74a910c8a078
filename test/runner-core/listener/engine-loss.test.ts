import { expect, test } from 'vitest';
import { ENGINE_AGAIN_MS, ENGINE_WAIT_MS } from '../../../runner-core/listener/engine-wait.ts';
import type { JobEvent } from '../../../runner-core/model/job-machine.ts';
import { reason } from '../../../runner-core/model/reason.ts';
import {
  failedVerdict,
  lostVerdict,
  stoppedVerdict,
} from '../../../runner-core/wire/result-report.ts';
import { containerOf, jobPayload, SUCCEEDED } from '../../support/builders.ts';
import { ELSEWHERE, FakeEngines, HERE } from '../../support/fake-engines.ts';
import {
  benchOf,
  deliveredBench,
  JOB,
  LAUNCHED,
  startContainer,
  storeAfter,
} from '../../support/job-bench.ts';

const STARTED: JobEvent = { kind: 'started', atMs: 0 };
const NO_ENGINE = failedVerdict(reason('docker_unavailable', { detail: 'ENOENT' }));

test('an engine that went away unseen is found out before a job is taken: it waits, and is taken later', async () => {
  const engines = new FakeEngines();
  const bench = benchOf({ deps: engines.deps });
  await bench.start();
  engines.goAway();
  bench.plane.session.deliver({ type: 'job', job: jobPayload(1) });
  await bench.settle();
  expect([engines.checks, bench.state(1), bench.launcher.workers.length]).toEqual([
    1,
    undefined,
    0,
  ]);
  expect(bench.log.of('job left unanswered')).toEqual([{ jobId: JOB, why: 'no engine' }]);
  engines.comeBack();
  bench.plane.session.deliver({ type: 'ack', jobs: [jobPayload(1)] });
  await bench.settle();
  expect(bench.launcher.worker.receivedOf('run')).toMatchObject([{ context: { identity: HERE } }]);
});

test('without an offer the engine is not asked', async () => {
  const engines = new FakeEngines();
  const bench = benchOf({ deps: engines.deps });
  await bench.start();
  await bench.clock.advance(3_600_000);
  expect([engines.checks, engines.misses, engines.changedLooks]).toEqual([0, 0, 0]);
});

test('a job that is halted while its engine is asked is answered without a start', async () => {
  const engines = new FakeEngines();
  const bench = benchOf({ deps: engines.deps });
  await bench.start();
  bench.plane.session.deliver({ type: 'job', job: jobPayload(1) });
  bench.plane.session.deliver({ type: 'ack', halt: true, halt_execution_ids: [] });
  await bench.settle();
  expect(bench.verdict()).toEqual(stoppedVerdict('service'));
  expect(bench.launcher.workers).toEqual([]);
});

test('a job is asked about once, and taken once, however often it comes meanwhile', async () => {
  const engines = new FakeEngines();
  const bench = benchOf({ deps: engines.deps });
  await bench.start();
  for (let times = 0; times < 3; times++)
    bench.plane.session.deliver({ type: 'ack', jobs: [jobPayload(1)] });
  await bench.settle();
  expect([engines.checks, bench.launcher.workers.length]).toEqual([1, 1]);
});

test('a job whose engine goes away before its container is there waits for it, and is run when it is back', async () => {
  const engines = new FakeEngines();
  const bench = await deliveredBench({ deps: engines.deps });
  engines.goAway();
  bench.worker.end(NO_ENGINE);
  await bench.settle();
  expect([bench.verdict(), engines.misses]).toEqual(['starting', 1]);
  expect(bench.listener.held()).toMatchObject([{ stage: 'awaiting_engine' }]);
  expect(bench.store.job(JOB)?.told).toBeNull();
  await bench.clock.advance(60_000);
  engines.comeBack();
  await bench.clock.advance(ENGINE_AGAIN_MS);
  expect(bench.launcher.workers).toHaveLength(2);
  expect(bench.launcher.worker.receivedOf('run')).toMatchObject([{ mayBeMade: true }]);
  bench.launcher.worker.end(SUCCEEDED);
  await bench.settle();
  expect(bench.verdict()).toEqual(SUCCEEDED);
});

test('a container that was made and not started when its engine went away is taken up', async () => {
  const engines = new FakeEngines();
  const bench = await deliveredBench({ deps: engines.deps });
  bench.worker.say({ kind: 'made', leftover: containerOf(1) });
  bench.worker.end(NO_ENGINE);
  await bench.clock.advance(ENGINE_AGAIN_MS);
  expect(bench.launcher.worker.receivedOf('adopt')).toMatchObject([{ container: containerOf(1) }]);
});

test('after two minutes without an engine the service is told', async () => {
  const engines = new FakeEngines();
  const bench = await deliveredBench({ deps: engines.deps });
  engines.goAway();
  bench.worker.end(NO_ENGINE);
  await bench.clock.advance(ENGINE_WAIT_MS - 1);
  expect(bench.verdict()).toBe('starting');
  await bench.clock.advance(1);
  expect(bench.verdict()).toEqual(NO_ENGINE);
});

test('an engine that answers and loses the job each time is not tried for longer than that', async () => {
  const bench = await deliveredBench({ deps: new FakeEngines().deps });
  for (let tries = 0; tries < 30 && bench.verdict() === 'starting'; tries++) {
    bench.launcher.worker.end(NO_ENGINE);
    await bench.clock.advance(ENGINE_AGAIN_MS);
  }
  expect(bench.verdict()).toEqual(NO_ENGINE);
  expect(bench.launcher.workers).toHaveLength(1 + ENGINE_WAIT_MS / ENGINE_AGAIN_MS);
});

test('a started job whose engine stays away ends as before', async () => {
  const bench = await deliveredBench({ deps: new FakeEngines().deps });
  await startContainer(bench, bench.worker);
  bench.worker.end(NO_ENGINE);
  await bench.settle();
  expect(bench.verdict()).toEqual(NO_ENGINE);
});

test('the engine of a running container that gives no answer is looked at at once', async () => {
  const engines = new FakeEngines();
  const bench = await deliveredBench({ deps: engines.deps });
  await startContainer(bench, bench.worker);
  bench.worker.say({ kind: 'engine_missed' });
  expect([engines.misses, bench.verdict()]).toEqual([1, 'running']);
});

test('a job that waits for its engine is stopped like any other', async () => {
  const engines = new FakeEngines();
  const bench = await deliveredBench({ deps: engines.deps });
  engines.goAway();
  bench.worker.end(NO_ENGINE);
  await bench.settle();
  bench.listener.stopJob(JOB, 'owner');
  await bench.settle();
  expect(bench.verdict()).toEqual(stoppedVerdict('owner'));
});

test('a job that waits for its engine is left for the next host, which starts it', async () => {
  const engines = new FakeEngines();
  const bench = await deliveredBench({ deps: engines.deps });
  engines.goAway();
  bench.worker.end(NO_ENGINE);
  await bench.settle();
  await bench.stop('leave');
  expect([bench.verdict(), bench.clock.pending]).toEqual(['starting', 0]);
  engines.comeBack();
  const next = benchOf({ deps: engines.deps, store: bench.store, clock: bench.clock });
  next.plane.hello = { jobs: [jobPayload(1)] };
  await next.start();
  expect(next.launcher.worker.receivedOf('run')).toHaveLength(1);
});

test('a stop ends a job whose engine is away within its time, and what it made stays noted until it is gone', async () => {
  const engines = new FakeEngines();
  const bench = benchOf({ store: storeAfter([LAUNCHED, STARTED], true), deps: engines.deps });
  engines.known = null;
  engines.goAway();
  bench.remover.engine = 'away';
  await bench.start();
  const drained = bench.listener.drain();
  bench.listener.stopJob(JOB, 'service');
  await bench.clock.advance(12_000);
  await drained;
  expect(bench.verdict()).toEqual(stoppedVerdict('service'));
  expect(bench.plane.sent('complete')).toHaveLength(1);
  expect(bench.store.leftovers(JOB)).toEqual([containerOf(1)]);
  bench.remover.engine = 'there';
  await bench.clock.advance(30_000);
  expect(bench.remover.removed).toEqual([containerOf(1)]);
  expect(bench.store.leftovers(JOB)).toEqual([]);
});

test('a job that was being stopped when its host died does not wait for an engine that is away', async () => {
  const stopped: JobEvent = { kind: 'stop_requested', atMs: 0, cause: 'owner' };
  const engines = new FakeEngines();
  engines.known = null;
  const bench = benchOf({
    store: storeAfter([LAUNCHED, STARTED, stopped], true),
    deps: engines.deps,
  });
  bench.remover.engine = 'away';
  await bench.start();
  await bench.clock.advance(12_000);
  expect(bench.verdict()).toEqual(stoppedVerdict('owner'));
  expect(bench.store.leftovers(JOB)).toEqual([containerOf(1)]);
});

test('a container in another engine is not taken for gone: its job waits, says why, and is adopted there', async () => {
  const store = storeAfter([LAUNCHED, STARTED]);
  store.noteLeftover(JOB, { ...containerOf(1), engine: ELSEWHERE });
  const engines = new FakeEngines();
  const bench = benchOf({ store, deps: engines.deps });
  await bench.start();
  await bench.clock.advance(600_000);
  expect(bench.verdict()).toBe('running');
  expect(bench.launcher.workers).toEqual([]);
  expect(bench.listener.held()).toMatchObject([
    {
      stage: 'awaiting_engine',
      progress: `This job's container is in another engine: ${ELSEWHERE.at}`,
    },
  ]);
  expect(store.leftovers(JOB)).toHaveLength(1);
  expect(engines.changedLooks).toBeGreaterThan(0);
  engines.is = ELSEWHERE;
  bench.listener.engineFound();
  await bench.settle();
  expect(bench.launcher.worker.receivedOf('adopt')).toHaveLength(1);
});

test('a disk that cannot be read when a worker is lost ends that job, and nothing else', async () => {
  const bench = await deliveredBench({ deps: new FakeEngines().deps }, false);
  bench.store.failing.add('leftovers');
  bench.store.systemCode = 'SQLITE_IOERR_READ';
  await bench.clock.advance(30_000);
  bench.store.failing.clear();
  await bench.clock.advance(30_000);
  expect(bench.verdict()).toEqual(lostVerdict('worker_crashed'));
  expect(bench.log.of('job not carried on')).toHaveLength(1);
});

test('a disk that cannot be read when containers are judged leaves them for the next look', async () => {
  const bench = benchOf();
  bench.remover.containers = [{ leftover: containerOf(1), jobId: JOB, running: true }];
  bench.plane.hello = null;
  await bench.start();
  bench.store.failing.add('job');
  bench.plane.session.deliver({ type: 'hello', runner_id: 'r' });
  await bench.settle();
  expect([bench.remover.removed, bench.log.of('unknown containers not judged').length]).toEqual([
    [],
    1,
  ]);
  bench.store.failing.clear();
  await bench.clock.advance(30_000);
  expect(bench.remover.removed).toEqual([containerOf(1)]);
});
