/** Where the hosted behaviour and the improved one differ, row by row, the same story told to both. */
import { afterEach, expect, test } from 'vitest';
import type { Behaviour } from '../../control-plane/plane-parts.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { planeUnderTest, SMALL_JOB, type PlaneUnderTest } from '../support/plane-under-test.ts';
import type { RawRunner } from '../support/raw-runner.ts';

let bench: PlaneUnderTest;
let clock: FakeClock;
afterEach(() => bench.close());

async function start(behaviour: Behaviour): Promise<void> {
  clock = new FakeClock(Date.parse('2026-10-20T08:15:30Z'));
  bench = await planeUnderTest({ clock, behaviour });
}
const stop = (id: unknown): Promise<unknown> =>
  bench.rest('POST', `/api/v1/flows/executions/${String(id)}/command`, { command: 'stop' });
const statusOf = async (id: unknown): Promise<unknown> => (await bench.execution(id))['status'];
async function reconnect(runner: RawRunner): Promise<RawRunner> {
  await runner.cut();
  await bench.plane.connectionEnded(runner.runnerId);
  const again = await bench.connect({ id: runner.runnerId, token: runner.token });
  again.hello = await again.nextOf('hello');
  return again;
}
const both: readonly Behaviour[] = ['hosted', 'improved'];

test.each(both)('prompt stop: %s', async (behaviour) => {
  await start(behaviour);
  const runner = await bench.runner();
  const { id } = await bench.submit();
  await runner.status(id);
  await stop(id);
  await runner.heartbeat();

  const pushed = runner.received.filter((frame) => frame['type'] === 'halt');
  const halt = { type: 'halt', halt: true, halt_execution_id: id, halt_execution_ids: [id] };
  expect(pushed).toEqual(behaviour === 'improved' ? [halt] : []);
});

test.each(both)('jobs beside a halt: %s', async (behaviour) => {
  await start(behaviour);
  const runner = await bench.runner();
  const halted = (await bench.submit())['id'];
  const fresh = (await bench.submit())['id'];
  await stop(halted);

  const beat = await runner.heartbeat();
  const hello = (await reconnect(runner)).hello;

  expect([beat, hello]).toMatchObject([
    { halt_execution_ids: [halted] },
    { halt_execution_ids: [halted] },
  ]);
  const idsIn = (frame: object): unknown =>
    'jobs' in frame
      ? (frame.jobs as { execution_id: string }[]).map((job) => job.execution_id)
      : [];
  if (behaviour === 'hosted') {
    expect([idsIn(beat), idsIn(hello)]).toEqual([
      [halted, fresh],
      [halted, fresh],
    ]);
  } else {
    expect([idsIn(beat), idsIn(hello)]).toEqual([[], []]);
    // The one that may start came in a frame of its own, right after the reply.
    expect(await runner.nextOf('job')).toMatchObject({ job: { execution_id: fresh } });
  }
});

test.each(both)('a started job after a reconnect and in heartbeats: %s', async (behaviour) => {
  await start(behaviour);
  const runner = await bench.runner();
  const { id } = await bench.submit();
  await runner.status(id);

  const beat = await runner.heartbeat();
  const { hello } = await reconnect(runner);

  if (behaviour === 'hosted') {
    expect(hello).toMatchObject({ job: { execution_id: id, launch: { version: 1 } } });
    expect(beat).toMatchObject({ job: { execution_id: id } });
  } else {
    expect(hello).not.toHaveProperty('job');
    expect(beat).toEqual({ type: 'ack', concurrency: 2 });
  }
});

test.each(both)('a late RUNNING for a stopped execution: %s', async (behaviour) => {
  await start(behaviour);
  const runner = await bench.runner();
  const { id } = await bench.submit();
  await stop(id);
  await runner.status(id, 'RUNNING');
  expect(await statusOf(id)).toBe(behaviour === 'hosted' ? 'RUNNING' : 'STOPPED');
});

test.each(both)('unregister with a started and an unstarted job: %s', async (behaviour) => {
  await start(behaviour);
  const runner = await bench.runner();
  const started = (await bench.submit())['id'];
  const unstarted = (await bench.submit())['id'];
  await runner.status(started);

  expect(await runner.ask({ type: 'unregister' })).toEqual({ type: 'ack' });
  await runner.closed;

  expect(bench.plane.store.assignments.count(runner.runnerId)).toBe(0);
  if (behaviour === 'hosted') {
    expect(await statusOf(started)).toBe('RUNNING');
    await bench.register();
    await clock.advance(10_000);
    expect(bench.plane.store.assignments.ofExecution(String(unstarted))).toBeUndefined();
    await clock.advance(3_600_000);
    expect(await statusOf(started)).toBe('FAILED');
  } else {
    expect(await bench.execution(started)).toMatchObject({
      status: 'FAILED',
      error_message: 'Runner unregistered while the execution was running',
      failure_category: 'runner_error',
    });
    const other = await bench.register();
    expect(await bench.execution(unstarted)).toMatchObject({ runner_id: other.id });
  }
});

test.each(both)(
  'a lease nobody was handed, of a runner that stays silent: %s',
  async (behaviour) => {
    await start(behaviour);
    const silent = await bench.register({ name: 'silent' });
    const { id } = await bench.submit();
    await clock.advance(110_000);
    expect(await bench.execution(id)).toMatchObject({ runner_id: silent.id });
    const other = await bench.register({ name: 'other' });

    await clock.advance(15_000);

    const taken = behaviour === 'hosted' ? silent.id : other.id;
    expect(await bench.execution(id)).toMatchObject({ runner_id: taken });
  },
);

test('improved: a lease that was handed out is not given to another runner, as it may be running', async () => {
  await start('improved');
  const runner = await bench.runner();
  const { id } = await bench.submit();
  await runner.nextOf('job');
  await runner.cut();
  await clock.advance(300_000);
  await bench.register({ name: 'other' });
  await clock.advance(10_000);
  expect(await bench.execution(id)).toMatchObject({ runner_id: runner.runnerId });
});

test('improved: a runner that lists what it holds loses what it lost, and is told to halt what went elsewhere', async () => {
  await start('improved');
  const runner = await bench.runner({ name: 'lister' });
  const kept = (await bench.submit())['id'];
  const lost = (await bench.submit())['id'];
  await runner.status(kept);
  await runner.status(lost);

  await runner.heartbeat({ held_execution_ids: [kept] });
  expect(await bench.execution(lost)).toMatchObject({
    status: 'FAILED',
    error_message: 'The runner no longer holds this execution',
  });
  expect(await statusOf(kept)).toBe('RUNNING');

  const moved = (await bench.submit({ ...SMALL_JOB, pool: 'auto' }))['id'];
  await runner.cut();
  await clock.advance(110_000);
  const other = await bench.register({ name: 'other' });
  await clock.advance(15_000);
  expect(await bench.execution(moved)).toMatchObject({ runner_id: other.id });
  const back = await bench.connect({ id: runner.runnerId, token: runner.token });
  await back.nextOf('hello');
  expect(await back.heartbeat({ held_execution_ids: [kept, moved] })).toMatchObject({
    halt_execution_ids: [moved],
  });
  // A list that is none is no statement.
  await back.heartbeat({ held_execution_ids: 'none' });
  expect(await statusOf(kept)).toBe('RUNNING');
});

test('improved: a halted job that its runner never started and does not answer for frees its slot', async () => {
  await start('improved');
  const runner = await bench.runner({ concurrency: 1 });
  const { id } = await bench.submit();
  await stop(id);
  await clock.advance(44_000);
  expect(await runner.heartbeat()).toMatchObject({ halt_execution_ids: [id] });
  await clock.advance(1_000);
  expect(await runner.heartbeat()).toEqual({ type: 'ack', concurrency: 2 });
  expect(await bench.execution(id)).toMatchObject({ status: 'STOPPED' });
  expect((await bench.execution(id))['stop_confirmed_at']).not.toBeNull();
});

test.each(both)('a slot that comes free, and who gets it when: %s', async (behaviour) => {
  await start(behaviour);
  const runner = await bench.runner({ concurrency: 1 });
  const running = (await bench.submit())['id'];
  const next = (await bench.submit())['id'];
  await clock.advance(1_000);
  await bench.submit();

  await runner.complete(running);
  const before = (await bench.execution(next))['runner_id'];
  await clock.advance(5_000);

  expect(before).toBe(behaviour === 'improved' ? runner.runnerId : null);
  expect(await bench.execution(next)).toMatchObject({ runner_id: runner.runnerId });
});

test.each(both)(
  'a started job whose runner came back without having started it: %s',
  async (behaviour) => {
    await start(behaviour);
    const runner = await bench.runner();
    const { id } = await bench.submit();
    await runner.status(id, 'RUNNING');
    const again = await reconnect(runner);
    const launchable = { execution_id: id, launch: { version: 1 } };
    // It says so, and is handed the launch as one that never began.
    if (behaviour === 'hosted') expect(again.hello).toMatchObject({ jobs: [launchable] });
    else expect(again.hello).not.toHaveProperty('jobs');
    await again.status(id, 'PENDING');
    expect(await again.heartbeat()).toMatchObject({ jobs: [launchable] });
    await again.status(id, 'RUNNING');
    expect(JSON.stringify(await again.heartbeat())).not.toContain('launch"');
    expect(await statusOf(id)).toBe('RUNNING');
  },
);
