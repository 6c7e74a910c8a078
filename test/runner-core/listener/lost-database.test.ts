/** The database is lost; what the service lists in `hello`, and what carries our labels, is all there is. */
import { expect, test } from 'vitest';
import { CLAIM_LIMIT_MS } from '../../../runner-core/listener/claims.ts';
import { failedVerdict, lostVerdict } from '../../../runner-core/wire/result-report.ts';
import { reason } from '../../../runner-core/model/reason.ts';
import type { JsonObject } from '../../../runner-core/model/json.ts';
import type { EngineAddress } from '../../../runner-core/worker/protocol.ts';
import {
  chunkOf,
  containerOf,
  cursorAfter,
  IDENTITY,
  jobPayload,
  lineChunks,
  startedPayload,
} from '../../support/builders.ts';
import { politeReply } from '../../support/fake-control-plane.ts';
import {
  benchOf,
  JOB,
  LAUNCHED,
  startContainer,
  storeAfter,
  type JobBench,
} from '../../support/job-bench.ts';
import { ENGINE } from '../../support/listener-bench.ts';
import { linesOf } from '../../support/outgoing-lines.ts';
import { MemoryJobStore } from '../../support/memory-job-store.ts';

const FOUND = { leftover: containerOf(1), jobId: JOB, running: true };

/** The service's answer to each heartbeat lists this, as long as nothing was completed. */
function heartbeatsList(bench: JobBench, payload: JsonObject): void {
  const before = bench.plane.reply;
  bench.plane.reply = (frame, session) =>
    frame.type === 'heartbeat'
      ? { type: 'ack', concurrency: 2, jobs: [payload] }
      : before(frame, session);
}

function withoutLaunch(payload: JsonObject, more: JsonObject = {}): JsonObject {
  const { launch, account_api_token, ...rest } = payload;
  if (launch === undefined || account_api_token === undefined) throw new Error('no longer needed');
  return { ...rest, ...more };
}
const refusedPayload = withoutLaunch(jobPayload(1), { launch_error: 'The flow was changed.' });
const REFUSED = failedVerdict(
  reason('launch_error', { detail: 'The flow was changed.' }),
  'The flow was changed.',
);

function expectAdopted(bench: JobBench): void {
  expect(bench.launcher.workers).toHaveLength(1);
  expect(bench.launcher.worker.receivedOf('adopt')).toMatchObject([{ container: containerOf(1) }]);
  expect(bench.store.leftovers(JOB)).toContainEqual(containerOf(1));
  expect(bench.remover.removed).toEqual([]);
}

/** An engine that is away until told. */
function engineLessBench(
  payload: JsonObject,
  options: { readonly found?: boolean; readonly store?: MemoryJobStore } = {},
): JobBench & { readonly engineComes: () => Promise<void> } {
  let engine: EngineAddress | null = null;
  const { found = true, store } = options;
  const bench = benchOf({
    ...(store && { store }),
    deps: { engine: () => engine, engineProblem: () => 'Start Docker.' },
  });
  bench.remover.engine = 'away';
  if (found) bench.remover.containers = [FOUND];
  bench.plane.hello = { jobs: [payload] };
  const engineComes = async (): Promise<void> => {
    engine = ENGINE;
    bench.remover.engine = 'there';
    bench.listener.engineFound();
    await bench.settle();
  };
  return { ...bench, engineComes };
}

test.each([
  ['with a launch', jobPayload(1)],
  ['without one', startedPayload(1)],
  ['that the service can no longer prepare', refusedPayload],
])(
  'a job %s is adopted once its engine has come, and until then neither started nor settled',
  async (_, payload) => {
    const bench = engineLessBench(payload);
    await bench.start();
    heartbeatsList(bench, startedPayload(1));
    await bench.clock.advance(500_000);
    expect([bench.state(1), bench.launcher.workers.length]).toEqual([undefined, 0]);
    await bench.engineComes();
    expectAdopted(bench);
  },
);

test('containers that cannot be listed at once are adopted when they can', async () => {
  const bench = benchOf();
  bench.remover.engine = 'away';
  bench.remover.containers = [FOUND];
  bench.plane.hello = { jobs: [jobPayload(1)] };
  await bench.start();
  bench.remover.engine = 'there';
  await bench.clock.advance(30_000);
  expectAdopted(bench);
});

test('an engine that went away after the containers were listed is waited for as well', async () => {
  let engine: EngineAddress | null = ENGINE;
  const bench = benchOf({ deps: { engine: () => engine } });
  bench.remover.containers = [FOUND];
  bench.plane.hello = null;
  await bench.start();
  engine = null;
  bench.plane.session.deliver({ type: 'hello', runner_id: 'r', jobs: [jobPayload(1)] });
  await bench.settle();
  expect(bench.launcher.workers).toEqual([]);
  engine = ENGINE;
  bench.listener.engineFound();
  await bench.settle();
  expectAdopted(bench);
});

test.each<[string, (bench: JobBench) => void]>([
  ['is paused', (bench) => bench.listener.pause({ unstarted: 'wait' })],
  ['drains', (bench) => void bench.listener.drain()],
])('a host that %s adopts: what runs already is nothing new', async (_, turn) => {
  const bench = benchOf();
  bench.remover.containers = [FOUND];
  bench.plane.hello = { jobs: [jobPayload(1)] };
  turn(bench);
  await bench.start();
  expectAdopted(bench);
});

test('of a job that hello only names the launch is asked for; its container is then adopted', async () => {
  const bench = benchOf();
  bench.remover.containers = [FOUND];
  bench.plane.hello = { held_execution_ids: [JOB] };
  await bench.start();
  expect(bench.plane.sent('status')).toMatchObject([{ execution_id: JOB, status: 'PENDING' }]);
  expect(bench.remover.removed).toEqual([]);
  bench.plane.session.deliver({ type: 'ack', jobs: [jobPayload(1)] });
  await bench.settle();
  expectAdopted(bench);
});

test.each([
  ['that is never sent', [FOUND], CLAIM_LIMIT_MS],
  ['that has no container here', [], 0],
])('a job that hello only names, %s, is lost', async (_, containers, afterMs) => {
  const bench = benchOf();
  bench.remover.containers = containers;
  bench.plane.hello = { held_execution_ids: [JOB] };
  await bench.start();
  await bench.clock.advance(afterMs);
  expect(bench.launcher.workers).toEqual([]);
  expect(bench.verdict()).toEqual(lostVerdict('host_restarted'));
  expect(bench.remover.removed).toEqual(containers.map(({ leftover }) => leftover));
});

test('a machine below its disk floor adopts', async () => {
  const bench = benchOf({ deps: { refusal: () => 'below the free-space floor' } });
  bench.remover.containers = [FOUND];
  bench.plane.hello = { jobs: [jobPayload(1)] };
  await bench.start();
  expectAdopted(bench);
});

test('the heartbeat before hello lists what has a container here, and nothing while nobody can tell', async () => {
  const bench = benchOf();
  bench.remover.containers = [FOUND];
  await bench.start();
  expect(bench.plane.sent('heartbeat')[0]?.held_execution_ids).toEqual([JOB]);
  const without = engineLessBench(jobPayload(1));
  await without.start();
  expect(without.plane.sent('heartbeat')[0]).not.toHaveProperty('held_execution_ids');
});

test('the heartbeats of a host that may have a job list it as held', async () => {
  const bench = engineLessBench(jobPayload(1));
  await bench.start();
  await bench.clock.advance(15_000);
  expect(bench.plane.sent('heartbeat').at(-1)?.held_execution_ids).toEqual([JOB]);
  await bench.engineComes();
  await bench.clock.advance(15_000);
  expect(bench.plane.sent('heartbeat').at(-1)?.held_execution_ids).toEqual([JOB]);
});

test('an engine that does not come in ten minutes is told to the service; its container goes when it comes', async () => {
  const bench = engineLessBench(jobPayload(1));
  await bench.start();
  await bench.clock.advance(CLAIM_LIMIT_MS - 1);
  expect(bench.verdict()).toBeUndefined();
  await bench.clock.advance(1);
  expect(bench.verdict()).toEqual(
    failedVerdict(reason('docker_unavailable', { detail: 'Start Docker.' })),
  );
  await bench.engineComes();
  expect(bench.launcher.workers).toEqual([]);
  expect(bench.remover.removed).toEqual([containerOf(1)]);
});

test('a job that a later hello no longer lists is no longer waited for', async () => {
  const bench = engineLessBench(jobPayload(1));
  await bench.start();
  bench.plane.session.deliver({ type: 'hello', runner_id: 'r' });
  await bench.settle();
  await bench.engineComes();
  expect([bench.state(1), bench.launcher.workers.length]).toEqual([undefined, 0]);
  expect(bench.remover.removed).toEqual([containerOf(1)]);
});

test('an identity that is known only later: the containers are listed before the jobs are judged', async () => {
  let identity: typeof IDENTITY | null = null;
  const bench = benchOf({ deps: { identity: () => identity } });
  bench.remover.containers = [FOUND];
  bench.plane.hello = { jobs: [jobPayload(1)] };
  await bench.start();
  identity = IDENTITY;
  bench.listener.retry();
  await bench.settle();
  expectAdopted(bench);
});

test('a runner that is known and has yet to enrol again finds its containers before it dials', async () => {
  const bench = benchOf({
    deps: { identity: () => null, knownRunner: () => IDENTITY.runnerId },
    store: storeAfter([LAUNCHED, { kind: 'started', atMs: 0 }]),
  });
  bench.remover.containers = [FOUND];
  await bench.start();
  expect(bench.plane.dialled).toEqual([]);
  expectAdopted(bench);
});

test('a container whose job the service can no longer prepare is adopted', async () => {
  const bench = benchOf();
  bench.remover.containers = [FOUND];
  bench.plane.hello = { jobs: [refusedPayload] };
  await bench.start();
  expectAdopted(bench);
});

test('a job that was running and waits for its engine is not ended by what the service can no longer prepare', async () => {
  const store = storeAfter([LAUNCHED, { kind: 'started', atMs: 0 }], true);
  const bench = engineLessBench(refusedPayload, { store });
  await bench.start();
  await bench.clock.advance(20_000);
  expect(bench.verdict()).toBe('running');
  await bench.engineComes();
  expectAdopted(bench);
});

test.each([
  ['accepted', []],
  ['starting', [LAUNCHED]],
] as const)('a job that was %s and never ran is ended by it', async (_, events) => {
  const bench = benchOf({ store: storeAfter(events) });
  bench.plane.hello = { jobs: [refusedPayload] };
  await bench.start();
  expect(bench.verdict()).toEqual(REFUSED);
});

test.each([
  ['that cannot be prepared', refusedPayload, REFUSED],
  ['that can never run here', jobPayload(1, { agent_config: {} }), 'FAILED'],
] as const)('a job %s and has no container is answered as before', async (_, payload, told) => {
  const bench = benchOf();
  bench.plane.hello = { jobs: [payload] };
  await bench.start();
  const verdict = bench.verdict();
  if (told === 'FAILED') expect(verdict).toMatchObject({ status: told });
  else expect(verdict).toEqual(told);
});

test('one that the engine turns out not to have is then answered as the service said', async () => {
  const bench = engineLessBench(refusedPayload, { found: false });
  await bench.start();
  expect(bench.verdict()).toBeUndefined();
  await bench.engineComes();
  expect(bench.verdict()).toEqual(REFUSED);
});

test.each([
  ['hello lists it without a launch', startedPayload(1), false],
  ['output of it lies here', jobPayload(1), true],
])(
  'a job without a container that was started before is lost, not run again: %s',
  async (_, payload, wasHere) => {
    const store = Object.assign(new MemoryJobStore(), { wasHere: () => wasHere });
    const bench = benchOf({ store });
    bench.plane.hello = { jobs: [payload] };
    await bench.start();
    expect(bench.launcher.workers).toEqual([]);
    expect(bench.verdict()).toEqual(lostVerdict('host_restarted'));
  },
);

test('nor is one of which a heartbeat says so after hello, once the engine has come', async () => {
  const bench = engineLessBench(jobPayload(1), { found: false });
  await bench.start();
  heartbeatsList(bench, startedPayload(1));
  await bench.clock.advance(15_000);
  await bench.engineComes();
  expect(bench.launcher.workers).toEqual([]);
  expect(bench.verdict()).toEqual(lostVerdict('host_restarted'));
});

test('nor one that a paused host left in hello', async () => {
  const bench = benchOf();
  bench.listener.pause({ unstarted: 'wait' });
  bench.plane.hello = { jobs: [jobPayload(1)] };
  await bench.start();
  expect(bench.verdict()).toBeUndefined();
  bench.plane.session.deliver({ type: 'ack', jobs: [startedPayload(1)] });
  await bench.settle();
  expect(bench.verdict()).toEqual(lostVerdict('host_restarted'));
});

test('a job that is offered as new and of which nothing is known is new, also once the engine has come', async () => {
  const bench = engineLessBench(jobPayload(1), { found: false });
  await bench.start();
  await bench.engineComes();
  expect(bench.launcher.worker.receivedOf('run')).toHaveLength(1);
});

test('a halt of a job that waits for its engine ends it', async () => {
  const bench = engineLessBench(jobPayload(1));
  await bench.start();
  bench.plane.session.deliver({
    type: 'ack',
    halt: true,
    halt_execution_id: JOB,
    jobs: [startedPayload(1)],
  });
  await bench.settle();
  expect(bench.verdict()).toMatchObject({ status: 'STOPPED' });
  await bench.engineComes();
  expect(bench.launcher.workers).toEqual([]);
  expect(bench.remover.removed).toEqual([containerOf(1)]);
});

test('no line vanishes at the service: a log that is cut anew goes out under ids of its own', async () => {
  const service = new Map<string, readonly string[]>();
  const keep = (bench: JobBench): void => {
    bench.plane.reply = (frame) => {
      if (frame.type === 'logs' && !service.has(frame.batch_id ?? ''))
        service.set(frame.batch_id ?? '', linesOf(frame.lines));
      return politeReply(frame);
    };
  };
  const first = benchOf();
  await first.start();
  keep(first);
  first.plane.session.deliver({ type: 'job', job: jobPayload(1) });
  await first.settle();
  await startContainer(first, first.launcher.worker);
  first.launcher.worker.log(lineChunks(1), cursorAfter(1));
  await first.clock.advance(1_000);
  await first.stop('leave');
  const second = benchOf();
  second.remover.containers = [FOUND];
  second.plane.hello = { log_acknowledgements: true, jobs: [jobPayload(1)] };
  await second.start();
  keep(second);
  second.launcher.worker.log([chunkOf(1, ['line 1', 'line 2', 'line 3'])], cursorAfter(3));
  await second.clock.advance(1_000);
  expect([...service.values()].flat().sort()).toEqual(['line 1', 'line 1', 'line 2', 'line 3']);
});
