/** A worker that dies while its host lives: another takes the job up, a bounded number of times. */
import { expect, test } from 'vitest';
import { MOST_WORKERS_LOST } from '../../../runner-core/listener/job-run.ts';
import { LATE_LOOK_MS, SURVIVORS_RETRY_MS } from '../../../runner-core/listener/survivors.ts';
import { lostVerdict, stoppedVerdict } from '../../../runner-core/wire/result-report.ts';
import {
  containerOf,
  cursorAfter,
  jobIdOf,
  lineChunks,
  SUCCEEDED,
} from '../../support/builders.ts';
import { JOB, deliveredBench, startContainer } from '../../support/job-bench.ts';
import { ENGINE, type ListenerBench } from '../../support/listener-bench.ts';

/** Every worker of the job dies, the present one first; the container stays. */
async function killWorkers(bench: ListenerBench, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    bench.launcher.worker.exit({ code: null, signal: 'SIGKILL' });
    await bench.settle();
  }
}

test('a worker that dies is followed by one that takes its container up where the log was stored to', async () => {
  const bench = await deliveredBench();
  await startContainer(bench, bench.worker);
  bench.worker.log(lineChunks(2), cursorAfter(2));
  bench.worker.exit({ code: 134, stderrTail: 'out of memory' });
  await bench.settle();
  expect(bench.log.of('worker lost')).toMatchObject([{ code: 134, stderrTail: 'out of memory' }]);
  expect(bench.verdict()).toBe('running');
  const [, second] = bench.launcher.workers;
  expect(second?.received).toMatchObject([
    { kind: 'adopt', container: containerOf(1), cursor: cursorAfter(2), nextSeq: 3, nextLine: 2 },
  ]);
  second?.say({ kind: 'phase', phase: 'running', progress: null });
  second?.log(lineChunks(1, 3), cursorAfter(3));
  second?.end(SUCCEEDED);
  await bench.settle();
  expect(bench.verdict()).toEqual(SUCCEEDED);
  expect(bench.store.job(JOB)?.lines).toBe(3);
  expect(bench.remover.removed).toEqual([containerOf(1)]);
});

test('a worker that dies before it made a container is followed by one that starts, and looks for it first', async () => {
  const bench = await deliveredBench();
  const [first] = bench.worker.receivedOf('run');
  expect(first?.mayBeMade).toBe(false);
  await killWorkers(bench, 1);
  expect(bench.launcher.worker.received).toEqual([{ ...first, mayBeMade: true }]);
  expect(bench.verdict()).toBe('starting');
});

test('a job outlives three workers; the fourth death is its end, told as that, and its container goes', async () => {
  const bench = await deliveredBench();
  await startContainer(bench, bench.worker);
  await killWorkers(bench, MOST_WORKERS_LOST);
  expect(bench.verdict()).toBe('running');
  expect(bench.remover.removed).toEqual([]);
  await killWorkers(bench, 1);
  expect(bench.launcher.workers).toHaveLength(1 + MOST_WORKERS_LOST);
  expect(bench.verdict()).toEqual(lostVerdict('worker_crashed'));
  expect(bench.remover.removed).toEqual([containerOf(1)]);
});

test('what a dead worker had under way when it died is not taken for what its follower says', async () => {
  const bench = await deliveredBench();
  await startContainer(bench, bench.worker);
  await killWorkers(bench, 1);
  bench.worker.log(lineChunks(1), cursorAfter(1));
  bench.worker.say({ kind: 'made', leftover: containerOf(2) });
  await bench.settle();
  expect(bench.store.job(JOB)?.lines).toBe(0);
  expect(bench.store.leftovers(JOB)).toEqual([containerOf(1)]);
});

test('output that a locked database did not take from a dead worker is read again, not stored twice', async () => {
  const bench = await deliveredBench();
  await startContainer(bench, bench.worker);
  bench.store.systemCode = 'SQLITE_BUSY';
  bench.store.failing.add('appendLog');
  bench.worker.log(lineChunks(2), cursorAfter(2));
  await killWorkers(bench, 1);
  bench.store.failing.clear();
  expect(bench.launcher.worker.receivedOf('adopt')).toMatchObject([{ cursor: null, nextSeq: 1 }]);
  await bench.clock.advance(2_000);
  expect(bench.store.job(JOB)?.lines).toBe(0);
});

test('a worker that says it broke is followed by another as well', async () => {
  const bench = await deliveredBench();
  await startContainer(bench, bench.worker);
  bench.worker.end(lostVerdict('worker_crashed'));
  await bench.settle();
  expect(bench.store.job(JOB)?.told).toBeNull();
  expect(bench.launcher.worker.receivedOf('adopt')).toHaveLength(1);
});

test('a worker that dies while its job is being stopped is followed by none', async () => {
  const bench = await deliveredBench();
  await startContainer(bench, bench.worker);
  bench.listener.stopJob(JOB, 'owner');
  await killWorkers(bench, 1);
  expect(bench.launcher.workers).toHaveLength(1);
  expect(bench.verdict()).toEqual(stoppedVerdict('owner'));
  expect(bench.remover.removed).toEqual([containerOf(1)]);
});

test('a stop reaches the worker that followed a dead one', async () => {
  const bench = await deliveredBench();
  await startContainer(bench, bench.worker);
  await killWorkers(bench, 1);
  bench.listener.stopJob(JOB, 'owner');
  expect(bench.launcher.worker.receivedOf('stop')).toHaveLength(1);
  await killWorkers(bench, 1);
  expect(bench.verdict()).toEqual(stoppedVerdict('owner'));
});

test('a verdict of ours is on disk before what the job made goes', async () => {
  const bench = await deliveredBench();
  await startContainer(bench, bench.worker);
  bench.remover.engine = 'stuck';
  await killWorkers(bench, 1 + MOST_WORKERS_LOST);
  expect(bench.verdict()).toBe('running');
  expect(bench.store.job(JOB)?.told).toEqual(lostVerdict('worker_crashed'));
});

test('a malformed message ends the worker, and another follows', async () => {
  const bench = await deliveredBench();
  bench.worker.sayRaw({ kind: 'log', chunks: [{ seq: 'one' }], cursor: null, markers: [] });
  await bench.settle();
  expect(bench.worker.isKilled).toBe(true);
  expect(bench.launcher.worker.receivedOf('run')).toHaveLength(1);
  expect(bench.launcher.workers).toHaveLength(2);
  expect(bench.verdict()).toBe('starting');
});

test('a container that a dead worker had asked for, and that comes after the end of its job, is removed', async () => {
  const bench = await deliveredBench();
  await killWorkers(bench, 1);
  bench.listener.stopJob(JOB, 'owner');
  await killWorkers(bench, 1);
  expect(bench.verdict()).toEqual(stoppedVerdict('owner'));
  const others = { leftover: containerOf(2), jobId: jobIdOf(2), running: true };
  bench.remover.containers = [{ leftover: containerOf(1), jobId: JOB, running: false }, others];
  bench.remover.engine = 'away';
  await bench.clock.advance(LATE_LOOK_MS);
  expect(bench.remover.removed).toEqual([]);
  bench.remover.engine = 'there';
  await bench.clock.advance(SURVIVORS_RETRY_MS);
  expect(bench.remover.removed).toEqual([containerOf(1)]);
});

test('without an engine nobody asks for such a container again and again; it is removed when there is one', async () => {
  let engine: typeof ENGINE | null = ENGINE;
  const bench = await deliveredBench({ deps: { engine: () => engine } });
  await killWorkers(bench, 1);
  bench.listener.stopJob(JOB, 'owner');
  await killWorkers(bench, 1);
  engine = null;
  bench.remover.engine = 'away';
  bench.remover.containers = [{ leftover: containerOf(1), jobId: JOB, running: false }];
  await bench.clock.advance(LATE_LOOK_MS + 2 * SURVIVORS_RETRY_MS);
  expect(bench.log.of('late containers not looked for')).toEqual([]);
  engine = ENGINE;
  bench.remover.engine = 'there';
  bench.listener.engineFound();
  await bench.settle();
  expect(bench.remover.removed).toEqual([containerOf(1)]);
});

test('a worker that cannot be started is no end of a container that runs: the next one takes it up', async () => {
  const bench = await deliveredBench();
  await startContainer(bench, bench.worker);
  const launch = bench.launcher.launch.bind(bench.launcher);
  let refusals = 2;
  bench.launcher.launch = () => {
    refusals -= 1;
    if (refusals >= 0) throw new Error('spawn EAGAIN');
    return launch();
  };
  bench.worker.exit({ code: null, signal: 'SIGKILL' });
  await bench.settle();
  expect(bench.verdict()).toBe('running');
  expect(bench.remover.removed).toEqual([]);
  expect(bench.launcher.workers.at(-1)?.received).toMatchObject([{ kind: 'adopt' }]);
});
