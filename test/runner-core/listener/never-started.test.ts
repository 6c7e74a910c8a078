/** A job whose host died between its acceptance and its container's start: nothing of it ran, so it is started, once. */
import { expect, test } from 'vitest';
import { lostVerdict } from '../../../runner-core/wire/result-report.ts';
import { containerOf, jobPayload, SUCCEEDED } from '../../support/builders.ts';
import { JOB, LAUNCHED, benchOf, storeAfter } from '../../support/job-bench.ts';
import { ENGINE } from '../../support/listener-bench.ts';

test('a container that was created but never noted is noted, and its start left to a worker', async () => {
  const store = storeAfter([LAUNCHED]);
  const bench = benchOf({ store });
  bench.remover.containers = [{ leftover: containerOf(1), jobId: JOB, running: false }];
  bench.plane.hello = { jobs: [jobPayload(1)] };
  await bench.start();
  expect(store.leftovers(JOB)).toEqual([containerOf(1)]);
  expect(bench.launcher.workers).toHaveLength(1);
  expect(bench.launcher.worker.receivedOf('adopt')).toMatchObject([{ container: containerOf(1) }]);
});

test('of two containers that were noted the newer is adopted: the older was given up', async () => {
  const store = storeAfter([LAUNCHED], true);
  store.noteLeftover(JOB, containerOf(2));
  const bench = benchOf({ store });
  await bench.start();
  expect(bench.launcher.worker.receivedOf('adopt')).toMatchObject([{ container: containerOf(2) }]);
});

test('a container that was noted and is gone gives way to one that is there', async () => {
  const bench = benchOf({ store: storeAfter([LAUNCHED], true) });
  bench.remover.containers = [{ leftover: containerOf(2), jobId: JOB, running: false }];
  await bench.start();
  expect(bench.launcher.worker.receivedOf('adopt')).toMatchObject([{ container: containerOf(2) }]);
});

test('a job that was starting, and has no container, is started once when hello brings its launch', async () => {
  const bench = benchOf({ store: storeAfter([LAUNCHED]) });
  bench.plane.hello = null;
  await bench.start();
  expect(bench.launcher.workers).toEqual([]);
  expect(bench.verdict()).toBe('starting');
  expect(bench.listener.held().map(({ stage }) => stage)).toEqual(['awaiting_redelivery']);
  bench.plane.session.deliver({ type: 'hello', runner_id: 'r', jobs: [jobPayload(1)] });
  bench.plane.session.deliver({ type: 'ack', jobs: [jobPayload(1)] });
  await bench.settle();
  expect(bench.launcher.workers).toHaveLength(1);
  expect(bench.launcher.worker.receivedOf('run')).toMatchObject([
    { spec: { jobId: JOB }, mayBeMade: true },
  ]);
  await bench.clock.advance(120_000);
  expect(bench.verdict()).toBe('starting');
});

test('a host killed twice before the container starts the job once it is let', async () => {
  const store = storeAfter([LAUNCHED]);
  const first = benchOf({ store });
  first.plane.hello = { jobs: [jobPayload(1)] };
  await first.start();
  await first.stop('leave');
  expect(store.job(JOB)?.state.kind).toBe('starting');
  const second = benchOf({ store, clock: first.clock });
  second.plane.hello = { jobs: [jobPayload(1)] };
  await second.start();
  second.launcher.worker.say({ kind: 'made', leftover: containerOf(1) });
  second.launcher.worker.say({ kind: 'phase', phase: 'running', progress: null });
  second.launcher.worker.end(SUCCEEDED);
  await second.settle();
  expect(second.verdict()).toEqual(SUCCEEDED);
});

test('a job that hello does not bring is asked for as not started, and started with the answer', async () => {
  const bench = benchOf({ store: storeAfter([LAUNCHED]) });
  await bench.start();
  expect(bench.plane.sent('status')).toMatchObject([{ execution_id: JOB, status: 'PENDING' }]);
  bench.plane.session.deliver({ type: 'ack', jobs: [jobPayload(1)] });
  await bench.settle();
  expect(bench.launcher.worker.receivedOf('run')).toHaveLength(1);
  expect(bench.plane.sent('status').at(-1)).toMatchObject({ status: 'RUNNING' });
});

test('a job that was starting is lost when the service no longer offers it for 60 s online', async () => {
  const bench = benchOf({ store: storeAfter([LAUNCHED]) });
  await bench.start();
  await bench.clock.advance(59_999);
  expect(bench.verdict()).toBe('starting');
  await bench.clock.advance(1);
  expect(bench.verdict()).toEqual(lostVerdict('host_restarted'));
  expect(bench.launcher.workers).toEqual([]);
});

test('a job that is offered while the engine is away waits for it, is started once it is back', async () => {
  let engine: typeof ENGINE | null = null;
  const bench = benchOf({ store: storeAfter([LAUNCHED]), deps: { engine: () => engine } });
  bench.plane.hello = { jobs: [jobPayload(1)] };
  await bench.start();
  await bench.clock.advance(600_000);
  expect(bench.verdict()).toBe('starting');
  engine = ENGINE;
  bench.listener.engineFound();
  await bench.settle();
  expect(bench.launcher.workers).toHaveLength(1);
  expect(bench.launcher.worker.receivedOf('run')).toHaveLength(1);
});

test('an accepted job that is offered while the engine is away is started once it is back', async () => {
  let engine: typeof ENGINE | null = null;
  const bench = benchOf({ store: storeAfter([]), deps: { engine: () => engine } });
  bench.plane.hello = { jobs: [jobPayload(1)] };
  await bench.start();
  await bench.clock.advance(600_000);
  expect(bench.verdict()).toBe('accepted');
  engine = ENGINE;
  bench.listener.engineFound();
  await bench.settle();
  expect(bench.launcher.worker.receivedOf('run')).toHaveLength(1);
});

test('a launch that a later hello no longer lists is not used', async () => {
  let engine: typeof ENGINE | null = null;
  const bench = benchOf({ store: storeAfter([LAUNCHED]), deps: { engine: () => engine } });
  bench.plane.hello = { jobs: [jobPayload(1)] };
  await bench.start();
  bench.plane.hello = {};
  bench.listener.redial();
  await bench.clock.advance(1_000);
  engine = ENGINE;
  bench.listener.engineFound();
  await bench.settle();
  expect(bench.launcher.workers).toEqual([]);
  await bench.clock.advance(60_000);
  expect(bench.verdict()).toEqual(lostVerdict('host_restarted'));
});

test('while nobody could list the containers a job that was starting is not started again', async () => {
  const bench = benchOf({ store: storeAfter([LAUNCHED]) });
  bench.remover.engine = 'away';
  bench.plane.hello = { jobs: [jobPayload(1)] };
  await bench.start();
  await bench.clock.advance(29_000);
  expect(bench.launcher.workers).toEqual([]);
  bench.remover.engine = 'there';
  bench.remover.containers = [{ leftover: containerOf(1), jobId: JOB, running: true }];
  await bench.clock.advance(31_000);
  expect(bench.launcher.workers).toHaveLength(1);
  expect(bench.launcher.worker.receivedOf('adopt')).toMatchObject([{ container: containerOf(1) }]);
});
