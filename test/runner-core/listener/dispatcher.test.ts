import { afterEach, expect, test } from 'vitest';
import { ENGINE_WAIT_MS } from '../../../runner-core/listener/engine-wait.ts';
import type { ServerFrame } from '../../../runner-core/wire/frames.ts';
import {
  dockerSpec,
  jobIdOf,
  jobPayload,
  startedPayload,
  SUCCEEDED,
  unrunnablePayload,
} from '../../support/builders.ts';
import { ENGINE, listenerBench, type ListenerBench } from '../../support/listener-bench.ts';

let opened: ListenerBench[] = [];
async function online(options: Parameters<typeof listenerBench>[0] = {}): Promise<ListenerBench> {
  const bench = listenerBench(options);
  opened.push(bench);
  await bench.start();
  return bench;
}
async function deliver(bench: ListenerBench, frame: ServerFrame): Promise<void> {
  bench.plane.session.deliver(frame);
  await bench.settle();
}
const push = (bench: ListenerBench, number: number): Promise<void> =>
  deliver(bench, { type: 'job', job: jobPayload(number) });

afterEach(async () => {
  for (const bench of opened) await bench.stop();
  expect(opened.map((bench) => bench.clock.pending)).toEqual(opened.map(() => 0));
  opened = [];
});

const hello = (carried: object): ServerFrame => ({ type: 'hello', runner_id: 'r', ...carried });

test.each([
  ['hello', hello({ job: jobPayload(1), jobs: [jobPayload(1)] })],
  ['ack', { type: 'ack', concurrency: 2, job: jobPayload(1), jobs: [jobPayload(1)] }],
  ['job', { type: 'job', job: jobPayload(1) }],
  ['halt', { type: 'halt', halt: true, halt_execution_ids: [jobIdOf(9)], jobs: [jobPayload(1)] }],
] as const)(
  'a job in a frame of type %s is stored, told as running and started once',
  async (_type, frame) => {
    const bench = await online();
    await deliver(bench, frame as ServerFrame);
    expect(bench.store.journal.slice(0, 2)).toEqual(['accept', 'transition launched']);
    expect(bench.plane.sent('status')).toEqual([
      { type: 'status', execution_id: jobIdOf(1), status: 'RUNNING' },
    ]);
    expect(bench.launcher.workers).toHaveLength(1);
    expect(bench.launcher.worker.receivedOf('run')).toMatchObject([
      {
        spec: { jobId: jobIdOf(1) },
        environment: { OPENAI_API_KEY: 'gw_example_not_real' },
        context: {
          runnerId: '9a1d0000-0000-4000-8000-000000000001',
          hostInstance: 'host-1',
          engine: ENGINE,
          workspacesDir: '/data/workspaces',
        },
      },
    ]);
  },
);

test('the environment and the token of a job are in no stored value and no log line', async () => {
  const bench = await online();
  await push(bench, 1);
  const kept = JSON.stringify([
    bench.store.unsettled(),
    bench.log.entries,
    bench.plane.session.sent,
  ]);
  expect(kept).not.toContain('example_not_real');
});

test('a repeat of a held job starts nothing and hands its fresh secrets to the worker', async () => {
  const bench = await online();
  await push(bench, 1);
  await deliver(bench, hello({ jobs: [jobPayload(1, { account_api_token: 'rt_second' })] }));
  await deliver(bench, { type: 'ack', jobs: [startedPayload(1)] });
  expect(bench.launcher.workers).toHaveLength(1);
  const secrets = bench.launcher.worker.receivedOf('secrets');
  expect(secrets).toHaveLength(1);
  expect(Object.values(secrets[0]?.environment ?? {})).toContain('rt_second');
});

test('a launch for a held job outside hello means that RUNNING was not heard: it is said again', async () => {
  const bench = await online();
  await push(bench, 1);
  await deliver(bench, hello({ jobs: [jobPayload(1)] }));
  await deliver(bench, { type: 'ack', jobs: [startedPayload(1)] });
  expect(bench.plane.sent('status')).toHaveLength(1);
  await deliver(bench, { type: 'ack', jobs: [jobPayload(1)] });
  expect(bench.plane.sent('status')).toHaveLength(2);
  bench.listener.stopJob(jobIdOf(1), 'owner');
  await deliver(bench, { type: 'ack', jobs: [jobPayload(1)] });
  expect(bench.plane.sent('status')).toHaveLength(2);
});

test('a RUNNING that is still unanswered is not said again', async () => {
  const bench = await online();
  bench.plane.reply = () => null;
  await push(bench, 1);
  await deliver(bench, { type: 'job', job: jobPayload(1) });
  expect(bench.plane.sent('status')).toHaveLength(1);
});

test('a settled job that is offered again gets its stored report, and is never started', async () => {
  const bench = await online();
  await push(bench, 1);
  bench.launcher.worker.end(SUCCEEDED);
  await bench.settle();
  expect(bench.state(1)).toBe('settled');
  await deliver(bench, hello({ jobs: [jobPayload(1)] }));
  await deliver(bench, { type: 'ack', jobs: [jobPayload(1)] });
  expect(bench.launcher.workers).toHaveLength(1);
  const [first, second, third] = bench.plane.sent('complete');
  expect(first).toMatchObject({ execution_id: jobIdOf(1), status: 'SUCCEEDED' });
  expect([second, third]).toEqual([first, first]);
});

test('a settled job is not started after a restart either', async () => {
  const before = await online();
  await push(before, 1);
  before.launcher.worker.end(SUCCEEDED);
  await before.settle();
  await before.stop();
  const after = await online({ store: before.store, clock: before.clock });
  await push(after, 1);
  expect(after.launcher.workers).toEqual([]);
  expect(after.plane.sent('complete')).toMatchObject([{ status: 'SUCCEEDED' }]);
});

test('a job without launch that is not known is left alone, and logged once', async () => {
  const bench = await online();
  await deliver(bench, { type: 'ack', jobs: [startedPayload(1)] });
  await deliver(bench, { type: 'ack', jobs: [startedPayload(1)] });
  expect(bench.store.unsettled()).toEqual([]);
  expect(bench.log.of('job left unanswered')).toHaveLength(1);
});

test('a full host leaves a job unanswered and takes it when it comes again with room', async () => {
  const bench = await online();
  await deliver(bench, { type: 'ack', jobs: [jobPayload(1), jobPayload(2), jobPayload(3)] });
  expect(bench.launcher.workers).toHaveLength(2);
  expect(bench.state(3)).toBeUndefined();
  bench.launcher.workers[0]?.end(SUCCEEDED);
  await bench.settle();
  await push(bench, 3);
  expect(bench.state(3)).toBe('starting');
});

test('a machine that takes no job leaves each unanswered, and takes it once it does', async () => {
  let refusal: string | null = 'disk full';
  const bench = await online({ deps: { refusal: () => refusal } });
  await push(bench, 1);
  expect(bench.state(1)).toBeUndefined();
  expect(bench.plane.sent('status')).toEqual([]);
  refusal = null;
  await push(bench, 1);
  expect(bench.state(1)).toBe('starting');
});

test("the service's capacity counts when it is lower than ours, and no longer when it rises", async () => {
  const bench = await online({ deps: { concurrency: () => 3 } });
  await deliver(bench, { type: 'ack', concurrency: 1, jobs: [jobPayload(1), jobPayload(2)] });
  expect(bench.launcher.workers).toHaveLength(1);
  await deliver(bench, { type: 'ack', concurrency: 32, jobs: [2, 3, 4].map((n) => jobPayload(n)) });
  expect(bench.launcher.workers).toHaveLength(3);
});

test('while there is no engine a Docker job is left for two minutes, then answered FAILED with what to do', async () => {
  const problem = 'No Docker engine is running at /s. Start it.';
  const bench = await online({ deps: { engine: () => null, engineProblem: () => problem } });
  await push(bench, 1);
  await bench.clock.advance(ENGINE_WAIT_MS - 1);
  await push(bench, 1);
  expect(bench.store.unsettled()).toEqual([]);
  await bench.clock.advance(1);
  await push(bench, 1);
  expect(bench.launcher.workers).toEqual([]);
  expect(bench.plane.sent('complete')).toMatchObject([
    { execution_id: jobIdOf(1), status: 'FAILED', exit_code: 0 },
  ]);
  expect(bench.store.job(jobIdOf(1))?.state).toMatchObject({
    verdict: { reason: { code: 'docker_unavailable', facts: { detail: problem } } },
  });
});

test('a job that met no engine is taken as soon as there is one', async () => {
  let engine: typeof ENGINE | null = null;
  const bench = await online({ deps: { engine: () => engine } });
  await push(bench, 1);
  expect(bench.store.unsettled()).toEqual([]);
  engine = ENGINE;
  bench.listener.engineFound();
  await bench.settle();
  await push(bench, 1);
  expect(bench.launcher.workers).toHaveLength(1);
});

test('a paused host takes nothing new, answers no refusal, and takes the job once resumed', async () => {
  const bench = await online();
  bench.listener.pause({ unstarted: 'wait' });
  await push(bench, 1);
  await deliver(bench, { type: 'job', job: unrunnablePayload(2) });
  expect(bench.store.unsettled()).toEqual([]);
  // The second says at once that fewer slots can be counted on.
  expect(bench.plane.session.sent).toMatchObject([
    { type: 'heartbeat', concurrency: 2 },
    { type: 'heartbeat', concurrency: 1 },
  ]);
  expect(bench.plane.session.sent).toHaveLength(2);
  bench.listener.resume();
  expect(bench.plane.session.sent.at(-1)).toMatchObject({ type: 'heartbeat', concurrency: 2 });
  await push(bench, 1);
  expect(bench.state(1)).toBe('starting');
});

test('without an engine no Docker job is taken, and none is failed', async () => {
  let engine: typeof ENGINE | null = null;
  const bench = await online({ deps: { engine: () => engine } });
  await push(bench, 1);
  expect(bench.state(1)).toBeUndefined();
  expect(bench.plane.sent('complete')).toEqual([]);
  engine = ENGINE;
  await bench.clock.advance(30_000);
  await push(bench, 1);
  expect(bench.state(1)).toBe('starting');
});

test('a job that can never run here is stored, completed as FAILED with its reason, and repeated from the store', async () => {
  const bench = await online();
  await deliver(bench, { type: 'job', job: unrunnablePayload(1) });
  expect(bench.launcher.workers).toEqual([]);
  const [complete] = bench.plane.sent('complete');
  expect(complete).toMatchObject({
    execution_id: jobIdOf(1),
    status: 'FAILED',
    error: 'The job names no image in agent_config.image.',
    completion_protocol: 'docker_v1',
  });
  expect(bench.plane.sent('status')).toEqual([]);
  expect(bench.state(1)).toBe('settled');
  await deliver(bench, { type: 'ack', jobs: [unrunnablePayload(1)] });
  expect(bench.plane.sent('complete')).toEqual([complete, complete]);
});

test('a refusal needs no slot', async () => {
  const bench = await online({ deps: { concurrency: () => 1 } });
  await push(bench, 1);
  await deliver(bench, { type: 'job', job: unrunnablePayload(2) });
  expect(bench.state(2)).toBe('settled');
});

test('a job without an id is logged with its field; the rest of the frame and the session go on', async () => {
  const bench = await online();
  await deliver(bench, { type: 'ack', job: { launch: {} }, jobs: [jobPayload(1)] });
  expect(bench.log.of('job not readable')).toEqual([
    { field: 'execution_id', problem: 'is not a text' },
  ]);
  expect(bench.state(1)).toBe('starting');
  expect(bench.listener.session.kind).toBe('online');
});

test('a store that refuses a job leaves it unanswered; the next of the frame is handled', async () => {
  const bench = await online();
  bench.store.failing.add('accept');
  await push(bench, 1);
  expect(bench.plane.sent('status')).toEqual([]);
  expect(bench.launcher.workers).toEqual([]);
  bench.store.failing.clear();
  await push(bench, 1);
  expect(bench.state(1)).toBe('starting');
});

test('a halt stops the job it names, once, and no other', async () => {
  const bench = await online();
  await deliver(bench, { type: 'ack', jobs: [jobPayload(1), jobPayload(2)] });
  const halt: ServerFrame = { type: 'ack', halt: true, halt_execution_id: jobIdOf(1) };
  await deliver(bench, halt);
  await deliver(bench, halt);
  const [first, second] = bench.launcher.workers;
  expect(first?.receivedOf('stop')).toEqual([{ kind: 'stop', cause: 'service', graceMs: 10_000 }]);
  expect(second?.receivedOf('stop')).toEqual([]);
  expect([bench.state(1), bench.state(2)]).toEqual(['stopping', 'starting']);
});

test('a halt of several stops each of them, a halt without ids stops all', async () => {
  const several = await online({ deps: { concurrency: () => 3 } });
  await deliver(several, { type: 'ack', jobs: [1, 2, 3].map((n) => jobPayload(n)) });
  await deliver(several, { type: 'halt', halt_execution_ids: [jobIdOf(1), jobIdOf(3)] });
  expect([1, 2, 3].map((n) => several.state(n))).toEqual(['stopping', 'starting', 'stopping']);
  await deliver(several, { type: 'ack', halt: true });
  expect(several.state(2)).toBe('stopping');
});

test('a halt and jobs in one frame: the halted job is answered STOPPED unstarted, the other starts', async () => {
  const bench = await online();
  await deliver(
    bench,
    hello({
      halt: true,
      halt_execution_ids: [jobIdOf(1)],
      jobs: [jobPayload(1), jobPayload(2)],
    }),
  );
  expect(bench.launcher.workers).toHaveLength(1);
  expect(bench.state(2)).toBe('starting');
  expect(bench.plane.sent('complete')).toMatchObject([
    { execution_id: jobIdOf(1), status: 'STOPPED', launch_version: 1 },
  ]);
  expect(bench.plane.sent('status').map((frame) => frame.execution_id)).toEqual([jobIdOf(2)]);
  expect(bench.state(1)).toBe('settled');
});

test('a halt is remembered for a job that is delivered later, even when full or paused', async () => {
  const bench = await online({ deps: { concurrency: () => 1 } });
  await push(bench, 9);
  await deliver(bench, { type: 'ack', halt: true, halt_execution_ids: [jobIdOf(1)] });
  await deliver(bench, { type: 'ack', halt: true, halt_execution_ids: [jobIdOf(2)] });
  await push(bench, 1);
  bench.listener.pause({ unstarted: 'wait' });
  await deliver(bench, { type: 'ack', jobs: [startedPayload(2)] });
  expect(bench.plane.sent('complete')).toMatchObject([
    { execution_id: jobIdOf(1), status: 'STOPPED' },
    { execution_id: jobIdOf(2), status: 'STOPPED' },
  ]);
  expect(bench.launcher.workers).toHaveLength(1);
});

test('a remembered halt expires after ten minutes unless it is repeated', async () => {
  const bench = await online();
  const halts: ServerFrame = {
    type: 'ack',
    halt: true,
    halt_execution_ids: [jobIdOf(1), jobIdOf(2)],
  };
  await deliver(bench, halts);
  await bench.clock.advance(599_000);
  await deliver(bench, { type: 'ack', halt: true, halt_execution_ids: [jobIdOf(2)] });
  await bench.clock.advance(1_000);
  await push(bench, 1);
  await push(bench, 2);
  expect([bench.state(1), bench.state(2)]).toEqual(['starting', 'settled']);
});

test('of more than 256 remembered halts the oldest is forgotten', async () => {
  const bench = await online();
  const ids = Array.from({ length: 257 }, (_, at) => jobIdOf(at + 1));
  await deliver(bench, { type: 'ack', halt: true, halt_execution_ids: ids });
  await push(bench, 1);
  await push(bench, 2);
  expect([bench.state(1), bench.state(2)]).toEqual(['starting', 'settled']);
});

test('a halt of a job that ended here changes nothing about its report', async () => {
  const bench = await online();
  await push(bench, 1);
  bench.launcher.worker.end(SUCCEEDED);
  await bench.settle();
  await deliver(bench, {
    type: 'ack',
    halt: true,
    halt_execution_ids: [jobIdOf(1)],
    jobs: [startedPayload(1)],
  });
  expect(bench.plane.sent('complete').map((frame) => frame.status)).toEqual([
    'SUCCEEDED',
    'SUCCEEDED',
  ]);
});

test('a container of ours that outlived the database is adopted when its job is offered, not run again', async () => {
  const bench = listenerBench();
  opened.push(bench);
  const leftover = { kind: 'container', id: 'c1', name: 'preloop-1' } as const;
  bench.remover.containers = [{ leftover, jobId: jobIdOf(1), running: true }];
  bench.plane.hello = { jobs: [jobPayload(1)] };
  await bench.start();
  const { worker } = bench.launcher;
  expect(worker.receivedOf('run')).toEqual([]);
  expect(worker.receivedOf('adopt')).toMatchObject([
    {
      container: leftover,
      cursor: null,
      nextSeq: 1,
      nextLine: 0,
      spec: { image: dockerSpec(1).image },
    },
  ]);
  expect(worker.receivedOf('secrets')).toHaveLength(1);
  expect(bench.store.leftovers(jobIdOf(1))).toEqual([leftover]);
  expect(bench.remover.removed).toEqual([]);
});
