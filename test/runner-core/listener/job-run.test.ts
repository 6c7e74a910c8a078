import { expect, test } from 'vitest';
import { BUSY_RETRY_MS } from '../../../runner-core/listener/commit-turns.ts';
import {
  dockerVerdict,
  lostVerdict,
  stoppedVerdict,
} from '../../../runner-core/wire/result-report.ts';
import {
  chunkOf,
  containerOf,
  cursorAfter,
  jobPayload,
  lineChunks,
  SUCCEEDED,
} from '../../support/builders.ts';
import { NO_FACTS } from '../../../runner-core/worker/protocol.ts';
import { benchOf, JOB, deliveredBench, startContainer } from '../../support/job-bench.ts';

test('a job runs from launch to success: noted, started, logged, cleaned up, then stored as ended', async () => {
  const bench = await deliveredBench();
  const { worker, store, remover, verdict } = bench;
  expect(verdict()).toBe('starting');
  await startContainer(bench, worker);
  expect(verdict()).toBe('running');
  expect(worker.receivedOf('noted')).toEqual([{ kind: 'noted', leftover: containerOf(1) }]);
  worker.log([chunkOf(1, ['hello'])], cursorAfter(1), [{ kind: 'setup_failed' }]);
  await bench.settle();
  expect(worker.receivedOf('log_stored')).toEqual([{ kind: 'log_stored', throughSeq: 1 }]);
  const facts = { ...NO_FACTS, containerId: 'c', imageId: 'i', exitCode: 0 };
  worker.end(SUCCEEDED, facts);
  await bench.settle();
  expect(verdict()).toEqual(SUCCEEDED);
  expect(store.job(JOB)).toMatchObject({
    lines: 1,
    cursor: cursorAfter(1),
    markers: [{ kind: 'setup_failed' }],
  });
  expect(store.facts(JOB)).toEqual(facts);
  expect(remover.removed).toEqual([containerOf(1)]);
  expect(store.journal.filter((call) => call !== 'acknowledgeBatches')).toEqual([
    'accept',
    'transition launched',
    'noteLeftover',
    'transition started',
    'appendLog',
    'noteMarkers',
    'together',
    'noteEnding',
    'forgetLeftover',
    'transition ended',
  ]);
});

test('a container is noted on disk before its worker hears so', async () => {
  const { worker, store } = await deliveredBench();
  const atNoted: unknown[] = [];
  worker.onReceived = () => atNoted.push(store.leftovers(JOB));
  worker.say({ kind: 'made', leftover: containerOf(1) });
  expect(atNoted).toEqual([[containerOf(1)]]);
});

test('a verdict is on disk before its worker hears so, and so before the container goes', async () => {
  const bench = await deliveredBench();
  const { worker, store } = bench;
  await startContainer(bench, worker);
  const told: unknown[] = [];
  worker.onReceived = ({ kind }) => told.push(kind, store.job(JOB)?.told);
  worker.say({ kind: 'ended', verdict: SUCCEEDED, facts: NO_FACTS });
  expect(told).toEqual(['verdict_noted', SUCCEEDED]);
  expect(store.job(JOB)?.state.kind).toBe('running');
  worker.exit();
  await bench.settle();
});

test('output that arrives in one turn is one commit, and each chunk is on disk before the worker hears so', async () => {
  const bench = await deliveredBench();
  const { worker, store } = bench;
  const stored: unknown[] = [];
  worker.onReceived = (message) => stored.push([message.kind, store.job(JOB)?.chunks]);
  for (const chunk of lineChunks(3)) worker.log([chunk], cursorAfter(chunk.seq));
  expect(stored).toEqual([]);
  await bench.settle();
  expect(stored).toEqual([['log_stored', 3]]);
  expect(store.journal.filter((call) => call === 'appendLog')).toHaveLength(1);
  expect(store.job(JOB)?.cursor).toEqual(cursorAfter(3));
});

test('lines of the worker itself do not move the cursor', async () => {
  const bench = await deliveredBench();
  bench.worker.log([chunkOf(1, ['a'])], cursorAfter(1));
  bench.worker.log([chunkOf(2, ['our own'], { firstLine: 1 })], null);
  await bench.settle();
  expect(bench.store.job(JOB)?.cursor).toEqual(cursorAfter(1));
});

test('a worker that is never ready is killed after 30 s, and its job ends as lost', async () => {
  const bench = await deliveredBench({}, false);
  await bench.clock.advance(29_999);
  expect(bench.worker.isKilled).toBe(false);
  await bench.clock.advance(1);
  expect(bench.worker.isKilled).toBe(true);
  expect(bench.verdict()).toEqual(lostVerdict('worker_start_failed'));
});

test('a worker that is ready in time is given its job, however late', async () => {
  const bench = await deliveredBench({}, false);
  expect(bench.worker.received).toEqual([]);
  await bench.clock.advance(29_999);
  bench.worker.say({ kind: 'ready' });
  await bench.clock.advance(60_000);
  expect(bench.worker.receivedOf('run')).toHaveLength(1);
  expect(bench.worker.isKilled).toBe(false);
});

test.each(['launched', 'left', 'stopped'] as const)(
  'a job whose launch is refused by a lock starts when that has passed, and only if it still may (%s)',
  async (then) => {
    const bench = benchOf();
    await bench.start();
    bench.store.failing.add('transition');
    bench.store.systemCode = 'SQLITE_BUSY';
    bench.plane.session.deliver({ type: 'job', job: jobPayload(1) });
    await bench.settle();
    expect(bench.launcher.workers).toEqual([]);
    bench.store.failing.clear();
    if (then === 'left') void bench.listener.stop('leave');
    if (then === 'stopped') bench.listener.stopJob(JOB, 'owner');
    await bench.clock.advance(BUSY_RETRY_MS);
    const [states, workers] = {
      launched: ['starting', 1],
      left: ['accepted', 0],
      stopped: [stoppedVerdict('owner'), 0],
    }[then] as [unknown, number];
    expect(bench.verdict()).toEqual(states);
    expect(bench.launcher.workers).toHaveLength(workers);
  },
);

test('a launcher that throws costs this job alone', async () => {
  const bench = benchOf();
  await bench.start();
  bench.launcher.launchError = new Error('spawn EAGAIN');
  bench.plane.session.deliver({ type: 'job', job: jobPayload(1) });
  await bench.settle();
  expect(bench.store.job(JOB)?.state).toMatchObject({
    kind: 'reporting',
    verdict: lostVerdict('worker_start_failed'),
  });
  bench.launcher.launchError = null;
  bench.plane.session.deliver({ type: 'job', job: jobPayload(2) });
  await bench.settle();
  expect(bench.state(2)).toBe('starting');
});

test('the end is stored only when the worker is gone; one that lingers is killed after 10 s', async () => {
  const bench = await deliveredBench();
  bench.worker.say({
    kind: 'ended',
    verdict: SUCCEEDED,
    facts: { ...NO_FACTS, exitCode: 0 },
  });
  await bench.clock.advance(9_999);
  expect(bench.verdict()).toBe('starting');
  expect(bench.worker.isKilled).toBe(false);
  await bench.clock.advance(1);
  expect(bench.worker.isKilled).toBe(true);
  expect(bench.verdict()).toEqual(SUCCEEDED);
});

test('a process that outlives its kill does not hold the job for more than 5 s', async () => {
  const bench = await deliveredBench();
  bench.worker.diesWhenKilled = false;
  bench.listener.stopJob(JOB, 'owner');
  await bench.clock.advance(15_999);
  expect(bench.verdict()).toBe('stopping');
  await bench.clock.advance(1);
  expect(bench.verdict()).toEqual(stoppedVerdict('owner'));
});

test('what a worker says after its verdict changes nothing', async () => {
  const bench = await deliveredBench();
  bench.worker.say({
    kind: 'ended',
    verdict: SUCCEEDED,
    facts: { ...NO_FACTS, exitCode: 0 },
  });
  bench.worker.log(lineChunks(1));
  bench.worker.end(lostVerdict('worker_crashed'));
  await bench.settle();
  expect(bench.verdict()).toEqual(SUCCEEDED);
  expect(bench.store.job(JOB)?.lines).toBe(0);
});

test.each(['noteLeftover', 'appendLog', 'transition'] as const)(
  'a store that refuses %s ends this job as lost and no other, and the worker is not told',
  async (call) => {
    const bench = await deliveredBench();
    bench.plane.session.deliver({ type: 'job', job: jobPayload(2) });
    await bench.settle();
    const [first, second] = bench.launcher.workers;
    bench.store.failing.add(call);
    if (call === 'noteLeftover') first?.say({ kind: 'made', leftover: containerOf(1) });
    else if (call === 'appendLog') first?.log(lineChunks(1));
    else first?.say({ kind: 'phase', phase: 'running', progress: null });
    await bench.settle();
    bench.store.failing.clear();
    await bench.clock.advance(30_000);
    expect(first?.isKilled).toBe(true);
    expect(first?.received.map((message) => message.kind)).toEqual(['run']);
    expect(bench.verdict()).toEqual(lostVerdict('worker_crashed'));
    expect(second?.isKilled).toBe(false);
    expect(bench.state(2)).toBe('starting');
  },
);

test('a success whose last lines could not be stored is not told as a success', async () => {
  const bench = await deliveredBench();
  bench.store.failing.add('appendLog');
  bench.worker.log(lineChunks(1));
  bench.worker.end(SUCCEEDED);
  await bench.settle();
  expect(bench.verdict()).toEqual(lostVerdict('worker_crashed'));
});

test('an end the disk refuses is stored later, and holds the slot until then', async () => {
  const bench = await deliveredBench();
  bench.store.failing.add('transition');
  bench.worker.end(SUCCEEDED);
  await bench.clock.advance(29_999);
  expect(bench.listener.held()).toHaveLength(1);
  bench.store.failing.clear();
  await bench.clock.advance(1);
  expect(bench.verdict()).toEqual(SUCCEEDED);
  expect(bench.listener.held()).toEqual([]);
});

test('a stop is stored, then asked for; a worker that obeys tells its own verdict', async () => {
  const bench = await deliveredBench();
  await startContainer(bench, bench.worker);
  bench.worker.onReceived = (message) => {
    if (message.kind === 'stop') expect(bench.verdict()).toBe('stopping');
  };
  bench.listener.stopJob(JOB, 'owner');
  expect(bench.worker.receivedOf('stop')).toEqual([
    { kind: 'stop', cause: 'owner', graceMs: 10_000 },
  ]);
  const told = dockerVerdict({
    exitCode: 143,
    oomKilled: false,
    stopCause: 'owner',
    envelopePayloads: [],
    envelopeCount: 0,
    setupFailed: false,
    memoryLimitBytes: null,
  });
  bench.worker.end(told);
  await bench.settle();
  expect(bench.verdict()).toEqual(told);
});

test('a clean end that beats the stop is told as it was', async () => {
  const bench = await deliveredBench();
  bench.listener.stopJob(JOB, 'service');
  bench.worker.end(SUCCEEDED);
  await bench.settle();
  expect(bench.verdict()).toEqual(SUCCEEDED);
});

test('the first cause of a stop stays, and a stop is asked for once', async () => {
  const bench = await deliveredBench();
  bench.listener.stopJob(JOB, 'owner');
  bench.listener.stopJob(JOB, 'service');
  expect(bench.store.job(JOB)?.state).toMatchObject({ kind: 'stopping', cause: 'owner' });
  expect(bench.worker.receivedOf('stop')).toHaveLength(1);
});

test('a worker that ignores a stop is cut off at 11 s, its container removed, the job stopped', async () => {
  const bench = await deliveredBench();
  await startContainer(bench, bench.worker);
  bench.listener.stopJob(JOB, 'service');
  await bench.clock.advance(10_999);
  expect(bench.worker.isKilled).toBe(false);
  expect(bench.remover.removed).toEqual([]);
  await bench.clock.advance(1);
  expect(bench.worker.isKilled).toBe(true);
  expect(bench.remover.removed).toEqual([containerOf(1)]);
  expect(bench.verdict()).toEqual(stoppedVerdict('service'));
  expect(bench.log.of('worker lost')).toEqual([]);
});

test('a stop before the worker was ready starts nothing', async () => {
  const bench = await deliveredBench({}, false);
  bench.listener.stopJob(JOB, 'owner');
  await bench.settle();
  expect(bench.worker.isKilled).toBe(true);
  expect(bench.worker.received).toEqual([]);
  expect(bench.verdict()).toEqual(stoppedVerdict('owner'));
});

test('a stop after the verdict was told is too late', async () => {
  const bench = await deliveredBench();
  bench.worker.say({
    kind: 'ended',
    verdict: SUCCEEDED,
    facts: { ...NO_FACTS, exitCode: 0 },
  });
  bench.listener.stopJob(JOB, 'owner');
  bench.worker.exit();
  await bench.settle();
  expect(bench.verdict()).toEqual(SUCCEEDED);
  expect(bench.listener.stopJob(JOB, 'owner')).toBe(false);
});

test('leftovers that are stuck delay a stop to 12 s in all, stay noted and are removed later', async () => {
  const bench = await deliveredBench();
  await startContainer(bench, bench.worker);
  bench.remover.engine = 'stuck';
  bench.listener.stopJob(JOB, 'service');
  await bench.clock.advance(11_999);
  expect(bench.verdict()).toBe('stopping');
  await bench.clock.advance(1);
  expect(bench.verdict()).toEqual(stoppedVerdict('service'));
  expect(bench.store.leftovers(JOB)).toEqual([containerOf(1)]);
  bench.remover.engine = 'there';
  await bench.clock.advance(30_000);
  expect(bench.remover.removed).toEqual([containerOf(1)]);
  expect(bench.store.leftovers(JOB)).toEqual([]);
});

test('asking again to stop does not give it more time', async () => {
  const bench = await deliveredBench();
  await startContainer(bench, bench.worker);
  bench.remover.engine = 'stuck';
  bench.listener.stopJob(JOB, 'service');
  await bench.clock.advance(10_500);
  bench.listener.stopJob(JOB, 'service');
  await bench.clock.advance(1_500);
  expect(bench.verdict()).toEqual(stoppedVerdict('service'));
});

test('an engine that is away keeps the verdict waiting for nothing; what is left goes when it is back', async () => {
  const bench = await deliveredBench();
  await startContainer(bench, bench.worker);
  bench.remover.engine = 'away';
  bench.worker.end(SUCCEEDED);
  await bench.settle();
  expect(bench.verdict()).toEqual(SUCCEEDED);
  await bench.clock.advance(60_000);
  expect(bench.store.leftovers(JOB)).toEqual([containerOf(1)]);
  bench.remover.engine = 'there';
  await bench.clock.advance(30_000);
  expect(bench.store.leftovers(JOB)).toEqual([]);
});

test('what a job made is removed in an order that can work: project and container, then network', async () => {
  const bench = await deliveredBench();
  const network = { kind: 'network', id: 'n', name: 'net' } as const;
  const project = { kind: 'compose_project', name: 'p' } as const;
  for (const leftover of [network, containerOf(1), project])
    bench.worker.say({ kind: 'made', leftover });
  bench.worker.end(SUCCEEDED);
  await bench.settle();
  expect(bench.remover.removed).toEqual([containerOf(1), project, network]);
});

test('while the database is locked an end waits, its container with it, and a start is noted later', async () => {
  const bench = await deliveredBench();
  const { store, worker, clock } = bench;
  worker.say({ kind: 'made', leftover: containerOf(1) });
  store.systemCode = 'SQLITE_BUSY';
  store.failing.add('transition').add('appendLog').add('noteEnding');
  worker.say({ kind: 'phase', phase: 'running', progress: null });
  worker.log(lineChunks(2), cursorAfter(2));
  worker.say({ kind: 'ended', verdict: SUCCEEDED, facts: NO_FACTS });
  await clock.advance(3_500);
  expect([worker.isKilled, worker.receivedOf('verdict_noted')]).toEqual([false, []]);
  expect(bench.verdict()).toBe('starting');
  store.failing.clear();
  await clock.advance(2_000);
  expect(worker.receivedOf('verdict_noted')).toHaveLength(1);
  worker.exit();
  await bench.settle();
  expect(bench.verdict()).toEqual(SUCCEEDED);
  expect(store.job(JOB)?.lines).toBe(2);
});
