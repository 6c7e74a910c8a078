/** What the service may count on while nothing is taken, and when an ephemeral runner takes its leave. */
import { expect, test } from 'vitest';
import { jobPayload, SUCCEEDED } from '../../support/builders.ts';
import { listenerBench, type ListenerBench } from '../../support/listener-bench.ts';
import { MemoryJobStore } from '../../support/memory-job-store.ts';

async function ephemeral(): Promise<ListenerBench> {
  const bench = listenerBench({ deps: { ephemeral: true } });
  await bench.start();
  return bench;
}
async function run(bench: ListenerBench, ...jobs: number[]): Promise<void> {
  for (const job of jobs) bench.plane.session.deliver({ type: 'job', job: jobPayload(job) });
  await bench.settle();
}
const offered = (bench: ListenerBench): readonly number[] =>
  bench.plane.sent('heartbeat').map(({ concurrency }) => concurrency);

test('while paused only what is held is offered, and one where nothing is; told at once', async () => {
  const bench = listenerBench({ deps: { concurrency: () => 4 } });
  await bench.start();
  await run(bench, 1, 2);
  bench.listener.pause({ unstarted: 'wait' });
  bench.launcher.workers[0]?.end(SUCCEEDED);
  bench.launcher.workers[1]?.end(SUCCEEDED);
  await bench.settle();
  bench.listener.pause({ unstarted: 'wait' });
  await bench.clock.advance(15_000);
  bench.listener.resume();
  expect(offered(bench)).toEqual([4, 2, 1, 4]);
  await bench.stop();
});

test('a start without dialling leaves the session closed until it is asked to go online', async () => {
  const bench = listenerBench();
  await bench.listener.start({ dial: false });
  await bench.settle();
  expect([bench.listener.session.kind, bench.plane.dialled]).toEqual(['closed', []]);
  bench.listener.goOnline();
  await bench.settle();
  expect(bench.listener.session.kind).toBe('online');
  await bench.stop();
});

test('an ephemeral runner says so in each heartbeat and unregisters at its end', async () => {
  const bench = await ephemeral();
  expect(bench.plane.sent('heartbeat').map((frame) => frame.ephemeral)).toEqual([true]);
  await bench.stop('stop');
  expect(bench.plane.sent('unregister')).toHaveLength(1);
  expect(bench.listener.hasLeft).toBe(true);
});

test('it unregisters after its verdict, also when the connection has to be opened for it', async () => {
  const bench = await ephemeral();
  await run(bench, 1);
  bench.launcher.worker.end(SUCCEEDED);
  await bench.settle();
  bench.listener.goOffline();
  await bench.stop('stop');
  expect(bench.plane.sent('complete')).toHaveLength(1);
  expect(bench.plane.sessions.map(({ sent }) => sent.some((f) => f.type === 'unregister'))).toEqual(
    [false, true],
  );
});

test('with a verdict that was not heard it does not unregister', async () => {
  const bench = await ephemeral();
  await run(bench, 1);
  bench.plane.dialling = 'hang';
  bench.plane.session.drop();
  bench.launcher.worker.end(SUCCEEDED);
  await bench.settle();
  await bench.stop('stop');
  expect([bench.plane.sent('unregister'), bench.listener.hasLeft]).toEqual([[], false]);
  expect(bench.store.unsettled()).toHaveLength(1);
});

test('where the service is away it gives up in time', async () => {
  const bench = await ephemeral();
  bench.plane.dialling = 'hang';
  bench.plane.session.drop();
  await bench.stop('stop');
  expect([bench.listener.hasLeft, bench.clock.pending]).toEqual([false, 0]);
});

test('a runner that stays enrolled never unregisters', async () => {
  const bench = listenerBench({ store: new MemoryJobStore() });
  await bench.start();
  await bench.stop('stop');
  expect(bench.plane.sent('unregister')).toEqual([]);
});
