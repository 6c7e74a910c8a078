import { expect, test } from 'vitest';
import type { JobEvent } from '../../../runner-core/model/job-machine.ts';
import { lostVerdict, stoppedVerdict } from '../../../runner-core/wire/result-report.ts';
import {
  containerOf,
  cursorAfter,
  dockerSpec,
  jobIdOf,
  jobPayload,
  lineChunks,
  SUCCEEDED,
} from '../../support/builders.ts';
import { JOB, LAUNCHED, benchOf, storeAfter } from '../../support/job-bench.ts';
import { ENGINE } from '../../support/listener-bench.ts';
import { NO_FACTS } from '../../../runner-core/worker/protocol.ts';
import { MemoryJobStore } from '../../support/memory-job-store.ts';

const STARTED: JobEvent = { kind: 'started', atMs: 0 };
const STOPPED: JobEvent = { kind: 'stop_requested', atMs: 0, cause: 'owner' };

test.each([
  ['starting', [LAUNCHED], null],
  ['running', [LAUNCHED, STARTED], null],
  ['stopping', [LAUNCHED, STARTED, STOPPED], 'owner'],
] as const)(
  'a %s job with a container is adopted from its cursor, once',
  async (_kind, events, stopCause) => {
    const store = storeAfter(events, true);
    store.appendLog(JOB, lineChunks(3), cursorAfter(3));
    const bench = benchOf({ store });
    bench.plane.hello = { jobs: [jobPayload(1)] };
    await bench.start();
    expect(bench.launcher.workers).toHaveLength(1);
    expect(bench.launcher.worker.receivedOf('run')).toEqual([]);
    expect(bench.launcher.worker.receivedOf('adopt')).toMatchObject([
      {
        spec: dockerSpec(1),
        container: containerOf(1),
        cursor: cursorAfter(3),
        nextSeq: 4,
        nextLine: 3,
        stopCause,
        context: { engine: ENGINE, hostInstance: 'host-1' },
      },
    ]);
    expect(bench.launcher.worker.receivedOf('secrets')).toHaveLength(1);
    expect(bench.plane.sent('status')).toEqual([]);
    expect(bench.remover.removed).toEqual([]);
  },
);

test('an adopted job goes on to its end: started, logged without a gap, removed, told', async () => {
  const store = storeAfter([LAUNCHED], true);
  store.appendLog(JOB, lineChunks(1), cursorAfter(1));
  const bench = benchOf({ store });
  await bench.start();
  const { worker } = bench.launcher;
  worker.say({ kind: 'phase', phase: 'running', progress: null });
  expect(bench.verdict()).toBe('running');
  worker.log(lineChunks(1, 2), cursorAfter(2));
  worker.end(SUCCEEDED);
  await bench.settle();
  expect(bench.verdict()).toEqual(SUCCEEDED);
  expect(bench.remover.removed).toEqual([containerOf(1)]);
  const logs = bench.plane.sent('logs');
  expect(logs.map((frame) => frame.lines)).toEqual([['line 1'], ['line 2']]);
});

test.each([
  ['running', [LAUNCHED, STARTED]],
  ['stopping', [LAUNCHED, STARTED, STOPPED]],
] as const)(
  'a %s job whose worker had told its verdict is told so, and what it made is removed',
  async (_kind, events) => {
    const store = storeAfter(events, true);
    store.noteEnding(JOB, SUCCEEDED, NO_FACTS);
    const bench = benchOf({ store });
    bench.plane.hello = { jobs: [jobPayload(1)] };
    await bench.start();
    expect(bench.verdict()).toEqual(SUCCEEDED);
    expect(bench.launcher.workers).toEqual([]);
    expect(bench.remover.removed).toEqual([containerOf(1)]);
  },
);

test('a verdict that was told before a crash does not wait for the engine', async () => {
  const store = storeAfter([LAUNCHED, STARTED], true);
  store.noteEnding(JOB, SUCCEEDED, NO_FACTS);
  const bench = benchOf({ store, deps: { engine: () => null } });
  bench.remover.engine = 'away';
  await bench.start();
  expect(bench.verdict()).toEqual(SUCCEEDED);
  expect(store.leftovers(JOB)).toEqual([containerOf(1)]);
});

test('a running job that is adopted is not started a second time in the store', async () => {
  const bench = benchOf({ store: storeAfter([LAUNCHED, STARTED], true) });
  await bench.start();
  bench.launcher.worker.say({ kind: 'phase', phase: 'running', progress: null });
  expect(bench.verdict()).toBe('running');
  expect(bench.launcher.worker.isKilled).toBe(false);
});

test('a stopping job that is adopted is stopped, and cut off when its worker does not manage', async () => {
  const bench = benchOf({ store: storeAfter([LAUNCHED, STARTED, STOPPED], true) });
  await bench.start();
  expect(bench.launcher.worker.receivedOf('stop')).toEqual([
    { kind: 'stop', cause: 'owner', graceMs: 10_000 },
  ]);
  await bench.clock.advance(11_000);
  expect(bench.verdict()).toEqual(stoppedVerdict('owner'));
  expect(bench.remover.removed).toEqual([containerOf(1)]);
});

test.each([
  ['running', [LAUNCHED, STARTED], lostVerdict('host_restarted')],
  ['stopping', [LAUNCHED, STOPPED], stoppedVerdict('owner')],
] as const)(
  'a %s job without a container is settled from the store, its leftovers removed',
  async (_kind, events, told) => {
    const store = storeAfter(events);
    const network = { kind: 'network', id: 'n', name: 'net' } as const;
    store.noteLeftover(JOB, network);
    const bench = benchOf({ store });
    bench.plane.hello = { jobs: [jobPayload(1)] };
    await bench.start();
    expect(bench.launcher.workers).toEqual([]);
    expect(bench.remover.removed).toEqual([network]);
    expect(bench.verdict()).toEqual(told);
    expect(bench.plane.sent('complete')).toHaveLength(1);
  },
);

test('an accepted job is started when hello redelivers it, and only then', async () => {
  const bench = benchOf({ store: storeAfter([]) });
  bench.plane.hello = null;
  await bench.start();
  expect(bench.launcher.workers).toEqual([]);
  bench.plane.session.deliver({ type: 'hello', runner_id: 'r', jobs: [jobPayload(1)] });
  await bench.settle();
  expect(bench.launcher.worker.receivedOf('run')).toHaveLength(1);
  expect(bench.plane.sent('status')).toHaveLength(1);
  await bench.clock.advance(120_000);
  expect(bench.verdict()).toBe('starting');
});

test('an accepted job that is not redelivered within 60 s online is lost; offline time does not count', async () => {
  const bench = benchOf({ store: storeAfter([]) });
  bench.plane.dialling = { fails: 'no network' };
  await bench.start();
  await bench.clock.advance(600_000);
  bench.plane.dialling = 'accept';
  await bench.clock.advance(15_000);
  expect(bench.listener.session.kind).toBe('online');
  const { session } = bench.listener;
  await bench.clock.advance(session.sinceMs + 59_999 - bench.clock.nowMs());
  expect(bench.verdict()).toBe('accepted');
  await bench.clock.advance(1);
  expect(bench.verdict()).toEqual(lostVerdict('host_restarted'));
});

test('an accepted job that is halted is answered STOPPED', async () => {
  const bench = benchOf({ store: storeAfter([]) });
  bench.plane.hello = { jobs: [jobPayload(1)], halt: true, halt_execution_ids: [JOB] };
  await bench.start();
  expect(bench.launcher.workers).toEqual([]);
  expect(bench.verdict()).toEqual(stoppedVerdict('service'));
});

test('an accepted job that comes back as one that cannot run is told so', async () => {
  const bench = benchOf({ store: storeAfter([]) });
  bench.plane.hello = {
    jobs: [jobPayload(1, { launch_error: 'The flow changed.', launch: null })],
  };
  await bench.start();
  expect(bench.launcher.workers).toEqual([]);
  expect(bench.plane.sent('complete')).toMatchObject([{ status: 'FAILED' }]);
});

test('an answer that a crash kept from being stored is given when the job comes again', async () => {
  const store = new MemoryJobStore();
  const { jobId, flowId, flowName, repository, modelIdentifier, report } = dockerSpec(1);
  const asked = { jobId, flowId, flowName, repository, modelIdentifier, report };
  store.accept({ kind: 'unrunnable', agentType: 'x', ...asked }, 0);
  const bench = benchOf({ store });
  bench.plane.hello = { jobs: [jobPayload(1)] };
  await bench.start();
  expect(bench.launcher.workers).toEqual([]);
  expect(bench.verdict()).toEqual(lostVerdict('host_restarted'));
});

test('a reporting job is told again, logs first, and what it left is removed', async () => {
  const store = storeAfter([LAUNCHED, STARTED], true);
  store.appendLog(JOB, lineChunks(2), null);
  store.acknowledgeBatches(JOB, 1);
  store.transition(JOB, { kind: 'ended', atMs: 0, verdict: SUCCEEDED });
  const bench = benchOf({ store });
  await bench.start();
  expect(bench.launcher.workers).toEqual([]);
  expect(bench.plane.sent('logs').map((frame) => frame.lines)).toEqual([['line 2']]);
  expect(bench.plane.sent('complete')).toMatchObject([{ status: 'SUCCEEDED' }]);
  expect(bench.remover.removed).toEqual([containerOf(1)]);
});

test('an engine that is away settles nothing: jobs wait, and are adopted when it is back', async () => {
  let engine: typeof ENGINE | null = null;
  const store = storeAfter([LAUNCHED, STARTED], true);
  store.accept(dockerSpec(2), 0);
  store.transition(jobIdOf(2), LAUNCHED);
  const bench = benchOf({ store, deps: { engine: () => engine } });
  bench.plane.hello = { jobs: [jobPayload(1), jobPayload(2)] };
  await bench.start();
  expect(bench.listener.session.kind).toBe('online');
  await bench.clock.advance(600_000);
  expect([bench.state(1), bench.state(2)]).toEqual(['running', 'starting']);
  expect(bench.listener.held().map((held) => held.stage)).toEqual([
    'awaiting_engine',
    'awaiting_engine',
  ]);
  engine = ENGINE;
  await bench.clock.advance(30_000);
  const [first, second] = bench.launcher.workers;
  expect(first?.receivedOf('adopt')).toHaveLength(1);
  expect(first?.receivedOf('secrets').length).toBeGreaterThan(0);
  expect(second?.receivedOf('run')).toMatchObject([
    { spec: { jobId: jobIdOf(2) }, mayBeMade: true },
  ]);
  expect(bench.launcher.workers).toHaveLength(2);
});

test('containers that nobody knows are removed only after hello came without them', async () => {
  const bench = benchOf();
  bench.remover.containers = [
    { leftover: containerOf(1), jobId: jobIdOf(1), running: true },
    { leftover: containerOf(2), jobId: jobIdOf(2), running: true },
  ];
  bench.plane.hello = null;
  await bench.start();
  expect(bench.remover.removed).toEqual([]);
  bench.plane.session.deliver({ type: 'hello', runner_id: 'r', jobs: [jobPayload(2)] });
  await bench.settle();
  expect(bench.remover.removed).toEqual([containerOf(1)]);
  expect(bench.launcher.worker.receivedOf('adopt')).toMatchObject([{ container: containerOf(2) }]);
});

test('the container of a settled job is removed even when hello lists the job', async () => {
  const store = storeAfter([
    LAUNCHED,
    { kind: 'ended', atMs: 0, verdict: SUCCEEDED },
    { kind: 'acknowledged', atMs: 0 },
  ]);
  const bench = benchOf({ store });
  bench.remover.containers = [{ leftover: containerOf(1), jobId: JOB, running: true }];
  bench.plane.hello = { jobs: [jobPayload(1)] };
  await bench.start();
  expect(bench.remover.removed).toEqual([containerOf(1)]);
});

test('an unknown container that cannot be removed is tried again', async () => {
  const bench = benchOf();
  bench.remover.containers = [{ leftover: containerOf(1), jobId: JOB, running: true }];
  bench.plane.hello = null;
  await bench.start();
  bench.remover.engine = 'away';
  bench.plane.session.deliver({ type: 'hello', runner_id: 'r' });
  await bench.settle();
  expect(bench.remover.removed).toEqual([]);
  bench.remover.engine = 'there';
  await bench.clock.advance(30_000);
  expect(bench.remover.removed).toEqual([containerOf(1)]);
});

test('a container of a listed job is adopted though there is no room: it runs already', async () => {
  const bench = benchOf({ deps: { concurrency: () => 1 } });
  bench.remover.containers = [{ leftover: containerOf(2), jobId: jobIdOf(2), running: true }];
  bench.plane.hello = { jobs: [jobPayload(1), jobPayload(2)] };
  await bench.start();
  const [started, adopted] = bench.launcher.workers;
  expect(started?.receivedOf('run')).toMatchObject([{ spec: { jobId: jobIdOf(1) } }]);
  expect(adopted?.receivedOf('adopt')).toMatchObject([{ container: containerOf(2) }]);
  expect(bench.remover.removed).toEqual([]);
});

test('a host killed at any moment and started again over its store runs each job once', async () => {
  const first = benchOf();
  await first.start();
  first.plane.session.deliver({ type: 'job', job: jobPayload(1) });
  await first.settle();
  first.launcher.worker.say({ kind: 'made', leftover: containerOf(1) });
  first.launcher.worker.log(lineChunks(2), cursorAfter(2));
  await first.stop('leave');
  expect(first.remover.removed).toEqual([]);
  const second = benchOf({ store: first.store, clock: first.clock });
  second.plane.hello = { log_acknowledgements: true, jobs: [jobPayload(1)] };
  await second.start();
  expect(second.launcher.worker.receivedOf('run')).toEqual([]);
  expect(second.launcher.worker.receivedOf('adopt')).toMatchObject([{ nextSeq: 3, nextLine: 2 }]);
  second.launcher.worker.end(SUCCEEDED);
  await second.settle();
  expect(second.verdict()).toEqual(SUCCEEDED);
});
