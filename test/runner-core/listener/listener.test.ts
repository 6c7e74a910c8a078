import { afterEach, expect, test } from 'vitest';
import { stoppedVerdict } from '../../../runner-core/wire/result-report.ts';
import {
  containerOf,
  dockerSpec,
  jobIdOf,
  jobPayload,
  lineChunks,
  SUCCEEDED,
} from '../../support/builders.ts';
import { listenerBench, type ListenerBench } from '../../support/listener-bench.ts';
import { MemoryJobStore } from '../../support/memory-job-store.ts';

let opened: ListenerBench[] = [];
async function online(...jobs: number[]): Promise<ListenerBench> {
  return onlineOver(new MemoryJobStore(), ...jobs);
}
async function onlineOver(store: MemoryJobStore, ...jobs: number[]): Promise<ListenerBench> {
  const bench = listenerBench({ store });
  opened.push(bench);
  await bench.start();
  for (const job of jobs) bench.plane.session.deliver({ type: 'job', job: jobPayload(job) });
  await bench.settle();
  return bench;
}
/** What became of a promise so far. */
function watched(promise: Promise<unknown>): { isSettled: boolean } {
  const state = { isSettled: false };
  void promise.then(() => (state.isSettled = true));
  return state;
}
const obedient = (bench: ListenerBench): void => {
  for (const worker of bench.launcher.workers)
    worker.onReceived = (message) => {
      if (message.kind === 'stop') worker.end(stoppedVerdict(message.cause));
    };
};

afterEach(async () => {
  for (const bench of opened) await bench.stop();
  expect(opened.map((bench) => bench.clock.pending)).toEqual(opened.map(() => 0));
  opened = [];
});

test('a heartbeat says everything, each time, even when nothing changed', async () => {
  const bench = await online();
  await bench.clock.advance(45_000);
  expect(bench.plane.sent('heartbeat')).toEqual(
    [0, 15, 30, 45].map(() => ({
      type: 'heartbeat',
      concurrency: 2,
      ephemeral: false,
      host_exec_profiles: [],
      publication_capabilities: { version: 1, helper_ready: false },
      held_execution_ids: [],
    })),
  );
});

test('a heartbeat lists every job until its end is acknowledged, and nothing where the disk refuses', async () => {
  const store = new MemoryJobStore();
  for (const job of [2, 3]) {
    store.accept(dockerSpec(job), 0);
    store.transition(jobIdOf(job), { kind: 'ended', atMs: 0, verdict: SUCCEEDED });
  }
  store.transition(jobIdOf(3), { kind: 'acknowledged', atMs: 0 });
  const bench = await onlineOver(store, 1);
  const listed = (): unknown => bench.plane.sent('heartbeat').at(-1)?.held_execution_ids;
  expect(listed()).toEqual([jobIdOf(2)]);
  await bench.clock.advance(15_000);
  expect(listed()).toEqual([jobIdOf(1)]);
  store.failing.add('unsettled');
  await bench.clock.advance(15_000);
  expect(bench.plane.sent('heartbeat').at(-1)).not.toHaveProperty('held_execution_ids');
  store.failing.clear();
  bench.launcher.worker.end(SUCCEEDED);
  await bench.clock.advance(15_000);
  expect(listed()).toEqual([]);
});

test('a lost connection leaves jobs alone; they end offline and are told on the next session, once', async () => {
  const bench = await online(1);
  bench.plane.dialling = { fails: 'no network' };
  bench.plane.session.drop();
  const { worker } = bench.launcher;
  worker.log(lineChunks(2));
  worker.end(SUCCEEDED);
  await bench.clock.advance(120_000);
  expect(worker.receivedOf('stop')).toEqual([]);
  expect(bench.state(1)).toBe('reporting');
  bench.plane.dialling = 'accept';
  bench.listener.retry();
  await bench.settle();
  await bench.settle();
  expect(bench.plane.session.sent.map((frame) => frame.type)).toEqual([
    'heartbeat',
    'logs',
    'logs',
    'complete',
  ]);
  expect(bench.state(1)).toBe('settled');
});

test('the reply to a complete is told apart from the replies around it', async () => {
  const bench = await online(1);
  bench.plane.reply = () => null;
  bench.launcher.worker.log(lineChunks(1));
  await bench.settle();
  bench.launcher.worker.end(SUCCEEDED);
  await bench.clock.advance(15_000);
  const { session } = bench.plane;
  const [, , logs, heartbeat] = session.sent;
  expect([logs?.type, heartbeat?.type]).toEqual(['logs', 'heartbeat']);
  if (logs?.type !== 'logs' || logs.batch_id === undefined) throw new Error('no batch');
  session.deliver({ type: 'job', job: { execution_id: '' } });
  session.deliver({ type: 'logs_ack', execution_id: jobIdOf(1), batch_id: logs.batch_id });
  await bench.settle();
  expect(session.sent.at(-1)?.type).toBe('complete');
  session.deliver({ type: 'ack', concurrency: 2 });
  expect(bench.state(1)).toBe('reporting');
  session.deliver({ type: 'ack' });
  expect(bench.state(1)).toBe('settled');
});

test('a G1 server: no batch ids, one slot counted by us alone, bare acks settle all', async () => {
  const bench = listenerBench();
  opened.push(bench);
  bench.plane.hello = { job: jobPayload(1) };
  await bench.start();
  bench.launcher.worker.log(lineChunks(2));
  bench.launcher.worker.end(SUCCEEDED);
  await bench.settle();
  await bench.settle();
  expect(bench.plane.sent('logs').map((frame) => 'batch_id' in frame)).toEqual([false, false]);
  expect(bench.state(1)).toBe('settled');
});

test('drain takes nothing new and ends when the last job is no longer held; reports still go', async () => {
  const bench = await online(1);
  const drained = watched(bench.listener.drain());
  bench.plane.session.deliver({ type: 'job', job: jobPayload(2) });
  await bench.clock.advance(3_600_000);
  expect(bench.state(2)).toBeUndefined();
  expect(drained.isSettled).toBe(false);
  bench.launcher.worker.end(SUCCEEDED);
  await bench.settle();
  expect(drained.isSettled).toBe(true);
  expect(bench.state(1)).toBe('settled');
  bench.listener.resume();
  expect(bench.listener.intake).toBe('draining');
});

test('idle resolves only when nothing is held and the last ack came', async () => {
  const bench = await online(1);
  bench.plane.reply = () => null;
  const idle = watched(bench.listener.idle());
  await bench.settle();
  expect(idle.isSettled).toBe(false);
  bench.launcher.worker.end(SUCCEEDED);
  await bench.settle();
  expect(idle.isSettled).toBe(false);
  bench.plane.session.deliver({ type: 'ack' });
  bench.plane.session.deliver({ type: 'ack' });
  await bench.settle();
  expect(idle.isSettled).toBe(true);
});

test('stop ends what is held as stopped by shutdown, tells it, closes, and unregisters nothing', async () => {
  const bench = await online(1, 2);
  obedient(bench);
  const stopped = watched(bench.listener.stop('stop'));
  await bench.settle();
  await bench.settle();
  expect(stopped.isSettled).toBe(true);
  expect(bench.plane.sent('complete').map((frame) => frame.status)).toEqual(['STOPPED', 'STOPPED']);
  expect([bench.state(1), bench.state(2)]).toEqual(['settled', 'settled']);
  expect(bench.plane.sent('unregister')).toEqual([]);
  expect(bench.plane.session.isOpen).toBe(false);
  expect(bench.listener.session.kind).toBe('closed');
  expect(bench.clock.pending).toBe(0);
});

test('stop with workers that do not obey takes 11 s, and 5 s more when the service is silent', async () => {
  const bench = await online(1);
  bench.plane.reply = () => null;
  const stopped = watched(bench.listener.stop('stop'));
  await bench.clock.advance(10_999);
  expect(bench.state(1)).toBe('stopping');
  await bench.clock.advance(1);
  expect(bench.store.job(jobIdOf(1))?.state).toMatchObject({ verdict: stoppedVerdict('shutdown') });
  await bench.clock.advance(4_999);
  expect(stopped.isSettled).toBe(false);
  await bench.clock.advance(1);
  expect(stopped.isSettled).toBe(true);
  expect(bench.state(1)).toBe('reporting');
});

test('stop while offline does not wait for the reporter', async () => {
  const bench = await online(1);
  obedient(bench);
  bench.listener.goOffline();
  const stopped = watched(bench.listener.stop('stop'));
  await bench.settle();
  expect(stopped.isSettled).toBe(true);
  expect(bench.state(1)).toBe('reporting');
});

test('a stopping host takes no job and answers none', async () => {
  const bench = await online(1);
  void bench.listener.stop('stop');
  bench.plane.session.deliver({ type: 'job', job: jobPayload(2) });
  bench.plane.session.deliver({ type: 'job', job: jobPayload(3, { agent_config: {} }) });
  await bench.settle();
  expect([bench.state(2), bench.state(3)]).toEqual([undefined, undefined]);
});

test('leave ends the worker and keeps the container, the state and all output so far', async () => {
  const bench = await online(1);
  const { worker } = bench.launcher;
  worker.say({ kind: 'made', leftover: containerOf(1) });
  worker.say({ kind: 'phase', phase: 'running', progress: null });
  worker.log(lineChunks(2));
  const stopped = watched(bench.listener.stop('leave'));
  await bench.settle();
  await bench.clock.advance(5_000);
  expect(stopped.isSettled).toBe(true);
  expect(worker.isKilled).toBe(true);
  expect(worker.receivedOf('stop')).toEqual([]);
  expect(bench.remover.removed).toEqual([]);
  expect(bench.state(1)).toBe('running');
  expect(bench.store.job(jobIdOf(1))?.lines).toBe(2);
  expect(bench.plane.sent('complete')).toEqual([]);
});

test('stop overrides a drain under way, and both promises are the same end', async () => {
  const bench = await online(1);
  obedient(bench);
  const drained = watched(bench.listener.stop('drain'));
  await bench.clock.advance(60_000);
  expect(drained.isSettled).toBe(false);
  const stopped = watched(bench.listener.stop('stop'));
  await bench.settle();
  await bench.settle();
  expect([drained.isSettled, stopped.isSettled]).toEqual([true, true]);
  expect(bench.state(1)).toBe('settled');
});

test('a softer stop does not soften a harder one', async () => {
  const bench = await online(1);
  obedient(bench);
  const stopped = watched(bench.listener.stop('stop'));
  void bench.listener.stop('drain');
  await bench.settle();
  await bench.settle();
  expect(stopped.isSettled).toBe(true);
});

test('stop is bounded even when worker, engine, disk and service all fail', async () => {
  const bench = await online(1);
  const { worker } = bench.launcher;
  worker.say({ kind: 'made', leftover: containerOf(1) });
  worker.diesWhenKilled = false;
  bench.remover.engine = 'stuck';
  bench.store.failing.add('transition');
  bench.plane.reply = () => null;
  bench.plane.session.closesPolitely = false;
  const stopped = watched(bench.listener.stop('stop'));
  await bench.clock.advance(35_000);
  expect(stopped.isSettled).toBe(true);
  expect(bench.plane.session.isOpen).toBe(false);
});

test('offline on purpose, running jobs finish; back online they are told', async () => {
  const bench = await online(1);
  bench.listener.goOffline();
  bench.launcher.worker.end(SUCCEEDED);
  await bench.clock.advance(100_000);
  expect(bench.state(1)).toBe('reporting');
  bench.listener.goOnline();
  await bench.settle();
  await bench.settle();
  expect(bench.state(1)).toBe('settled');
});

test('a redial keeps jobs and reports on a new socket', async () => {
  const bench = await online(1);
  const old = bench.plane.session;
  bench.plane.hello = { log_acknowledgements: true, jobs: [jobPayload(1)] };
  bench.listener.redial();
  await bench.settle();
  expect(old.isOpen).toBe(false);
  expect(bench.launcher.workers).toHaveLength(1);
  expect(bench.listener.session.kind).toBe('online');
});

test('session changes are told to who watches, until it no longer does', async () => {
  const bench = await online();
  const kinds: string[] = [];
  const unwatch = bench.listener.onChange((change) => {
    kinds.push(change.kind === 'session' ? change.state.kind : change.kind);
  });
  bench.plane.session.drop();
  unwatch();
  await bench.clock.advance(1_000);
  expect(kinds).toEqual(['waiting']);
});

test('phase and progress are shown while the job is held', async () => {
  const bench = await online(1);
  const changes: unknown[] = [];
  bench.listener.onChange((change) => changes.push(change));
  bench.launcher.worker.say({ kind: 'phase', phase: 'pulling', progress: '41 of 120 MB' });
  expect(bench.listener.held()).toMatchObject([
    {
      stage: 'working',
      phase: 'pulling',
      progress: '41 of 120 MB',
      job: { spec: { jobId: jobIdOf(1) } },
    },
  ]);
  expect(changes).toEqual([{ kind: 'job', jobId: jobIdOf(1) }]);
});

test('a watcher that throws steers nothing', async () => {
  const bench = await online(1);
  bench.listener.onChange(() => {
    throw new Error('page gone');
  });
  bench.launcher.worker.say({ kind: 'phase', phase: 'running', progress: null });
  bench.launcher.worker.end(SUCCEEDED);
  await bench.settle();
  expect(bench.state(1)).toBe('settled');
});
