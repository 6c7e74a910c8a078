/** Jobs for a local command, from the offer to what the service is told; the workers are played. */
import { afterEach, expect, test } from 'vitest';
import { StoreUnavailableError } from '../../../runner-core/model/errors.ts';
import type { HostProfile } from '../../../runner-core/model/host-profile.ts';
import type { JsonObject } from '../../../runner-core/model/json.ts';
import type { HostExecSpec } from '../../../runner-core/model/job-spec.ts';
import type { Leftover } from '../../../runner-core/model/leftover.ts';
import type { HostCommands } from '../../../runner-core/ports.ts';
import { CLAIM_LIMIT_MS } from '../../../runner-core/listener/claims.ts';
import { LATE_LOOK_MS, SURVIVORS_RETRY_MS } from '../../../runner-core/listener/survivors.ts';
import { stoppedVerdict } from '../../../runner-core/wire/result-report.ts';
import { jobIdOf, jobPayload, SUCCEEDED } from '../../support/builders.ts';
import { NO_FACTS } from '../../../runner-core/worker/protocol.ts';
import { listenerBench, type ListenerBench } from '../../support/listener-bench.ts';
import { MemoryJobStore } from '../../support/memory-job-store.ts';

const PROFILE: HostProfile = {
  name: 'Cursor-Read',
  executable: 'cursor-agent',
  argv: [],
  workspaceRoot: null,
  timeoutSeconds: 0,
  forceWrites: false,
  modelMap: { 'house/fast': 'composer-2.5' },
  passEnv: ['MY_TOOL'],
  trustWorkspace: true,
  lingerSeconds: 5,
  lingeredIsSuccess: false,
  stallSeconds: 0,
};
const commands: HostCommands = {
  offers: () => ({ profiles: [PROFILE], leftOut: [] }),
  environment: () => ({ PATH: '/bin', MY_TOOL: 'x', PRELOOP_TOKEN: 'token_canary', OTHER: 'y' }),
  platform: 'linux',
  workspacesDir: '/var/host-workspaces',
};
const LEFT: Leftover = {
  kind: 'process',
  name: jobIdOf(1),
  pid: 4_242,
  mark: 'boot 77',
  directory: '/var/host-workspaces/.preloop-host-exec/1',
};

let opened: ListenerBench[] = [];
async function online(deps: object = {}, store = new MemoryJobStore()): Promise<ListenerBench> {
  const bench = listenerBench({ store, deps: { hostCommands: commands, ...deps } });
  opened.push(bench);
  await bench.start();
  return bench;
}
async function offer(
  bench: ListenerBench,
  number: number,
  changes: JsonObject = {},
): Promise<void> {
  bench.plane.session.deliver({ type: 'job', job: lease(number, changes) });
  await bench.settle();
}
function lease(number: number, changes: JsonObject = {}): JsonObject {
  return {
    execution_id: jobIdOf(number),
    flow_id: '1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f',
    agent_type: 'cursor',
    completion_protocol: 'host_exec',
    host_exec_profile: 'cursor-READ',
    prompt: 'Review the change',
    model_identifier: null,
    agent_config: { host_exec_profile: 'cursor-READ' },
    ...changes,
  };
}
const verdicts = (bench: ListenerBench) => bench.plane.sent('complete');

afterEach(async () => {
  for (const bench of opened) await bench.stop();
  opened = [];
});

test('a heartbeat tells names, abilities and models of the profiles that are on, and nothing else', async () => {
  const bench = await online();
  expect(bench.plane.sent('heartbeat')[0]?.host_exec_profiles).toEqual([
    {
      name: 'Cursor-Read',
      capabilities: ['host_exec', 'stdout', 'cancel', 'cursor_cli'],
      models: ['house/fast'],
    },
  ]);
});

test('a job for a local command runs where Docker is away, told with the spelling of its lease', async () => {
  const bench = await online({ engine: () => null });
  await offer(bench, 1);
  expect(bench.plane.sent('status')).toMatchObject([{ status: 'RUNNING' }]);
  const [order] = bench.launcher.worker.receivedOf('run_host');
  expect(order).toMatchObject({ prompt: 'Review the change', context: { profile: PROFILE } });
  expect(order?.context.environment).toEqual({
    PATH: '/bin',
    MY_TOOL: 'x',
    PRELOOP_FLOW_EXECUTION_ID: jobIdOf(1),
    PRELOOP_FLOW_ID: '1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f',
  });
  bench.launcher.worker.end(SUCCEEDED);
  await bench.settle();
  expect(verdicts(bench)[0]).toMatchObject({
    status: 'SUCCEEDED',
    completion_protocol: 'host_exec',
    host_exec_profile: 'cursor-READ',
  });
  expect(verdicts(bench)[0]).not.toHaveProperty('launch_version');
});

test('while profiles cannot be read, a local command waits for the next delivery and Docker jobs start', async () => {
  let isReadable = false;
  const offers: HostCommands['offers'] = () => {
    if (isReadable) return commands.offers();
    throw new StoreUnavailableError({ act: 'read', systemCode: 'EIO' });
  };
  const bench = await online({ hostCommands: { ...commands, offers } });
  await offer(bench, 1);
  bench.plane.session.deliver({ type: 'job', job: jobPayload(2) });
  await bench.settle();
  expect(bench.listener.held().map(({ job }) => job.spec.jobId)).toEqual([jobIdOf(2)]);
  expect(verdicts(bench)).toEqual([]);
  isReadable = true;
  await offer(bench, 1);
  expect(bench.launcher.workers).toHaveLength(2);
});

test('the prompt is in no store', async () => {
  const bench = await online();
  await offer(bench, 1);
  expect(JSON.stringify(bench.store.job(jobIdOf(1)))).not.toContain('Review the change');
});

test('a halt that comes before its job is answered STOPPED, and nothing is started', async () => {
  const bench = await online();
  bench.plane.session.deliver({ type: 'halt', halt: true, halt_execution_id: jobIdOf(1) });
  await offer(bench, 1);
  expect(verdicts(bench)[0]).toMatchObject({
    status: 'STOPPED',
    error: '',
    completion_protocol: 'host_exec',
  });
  expect(bench.launcher.workers.filter(({ received }) => received.length > 0)).toEqual([]);
});

test('an unknown profile is refused with -1 and the protocol of its lease', async () => {
  const bench = await online();
  await offer(bench, 1, { host_exec_profile: 'other' });
  expect(verdicts(bench)[0]).toMatchObject({
    status: 'FAILED',
    exit_code: -1,
    result: null,
    completion_protocol: 'host_exec',
    host_exec_profile: 'other',
  });
});

test('a stop wins over a success that was told and is not yet stored as the end', async () => {
  const bench = await online();
  await offer(bench, 1);
  const { worker } = bench.launcher;
  worker.say({ kind: 'phase', phase: 'running', progress: null });
  worker.say({ kind: 'ended', verdict: SUCCEEDED, facts: NO_FACTS });
  await bench.settle();
  bench.listener.stopJob(jobIdOf(1), 'service');
  worker.exit();
  await bench.settle();
  expect(verdicts(bench)[0]).toMatchObject({ status: 'STOPPED', error: '' });
});

test('a worker that dies is not followed by another, and what it started is ended before the end is told', async () => {
  const bench = await online();
  await offer(bench, 1);
  const { worker } = bench.launcher;
  worker.say({ kind: 'made', leftover: LEFT });
  worker.exit({ signal: 'SIGKILL' });
  await bench.settle();
  expect(bench.remover.removed).toEqual([LEFT]);
  expect(verdicts(bench)[0]).toMatchObject({ status: 'FAILED', exit_code: -1 });
  expect(verdicts(bench)[0]?.error).toMatch(/^worker_crashed: [A-Z]/);
  expect(bench.launcher.workers.filter(({ received }) => received.length > 0).length).toBe(1);
});

test('a restarted host ends what was left of a command and says that it was restarted', async () => {
  const store = new MemoryJobStore();
  store.accept(hostSpec(1), 0);
  store.transition(jobIdOf(1), { kind: 'launched', atMs: 0 });
  store.noteLeftover(jobIdOf(1), LEFT);
  store.transition(jobIdOf(1), { kind: 'started', atMs: 0 });
  const bench = await online({ engine: () => null }, store);
  await bench.settle();
  expect(bench.remover.removed).toEqual([LEFT]);
  expect(verdicts(bench)[0]).toMatchObject({ status: 'FAILED', host_exec_profile: 'cursor-READ' });
  expect(verdicts(bench)[0]?.error).toMatch(/^host_restarted: [A-Z]/);
  const state = store.job(jobIdOf(1))?.state;
  expect(state).toMatchObject({ verdict: { reason: { code: 'host_restarted' } } });
});

test.each<[string, (bench: ListenerBench, store: MemoryJobStore) => Promise<ListenerBench>]>([
  [
    'whose worker died',
    async (bench) => {
      await offer(bench, 1);
      bench.launcher.worker.exit({ signal: 'SIGKILL' });
      return bench;
    },
  ],
  [
    'that an earlier host was starting',
    async (_, store) => {
      store.accept(hostSpec(1), 0);
      store.transition(jobIdOf(1), { kind: 'launched', atMs: 0 });
      store.noteLeftover(jobIdOf(1), LEFT);
      return online({}, store);
    },
  ],
])('for a job %s no engine is asked for containers of it', async (_, end) => {
  const store = new MemoryJobStore();
  const bench = await end(await online(), store);
  bench.remover.engine = 'away';
  await bench.settle();
  await bench.clock.advance(LATE_LOOK_MS + SURVIVORS_RETRY_MS);
  expect(verdicts(bench)).toHaveLength(1);
  expect(bench.log.of('late containers not looked for')).toEqual([]);
});

test.each([
  ['taken', {}],
  ['refused', { host_exec_profile: 'other' }],
])(
  'a job that hello lists for a paused host without Docker, and that is %s, waits for no list of containers',
  async (_, changes) => {
    const engineProblem = (): string => 'Docker is not installed.';
    const deps = { hostCommands: commands, engine: () => null, engineProblem };
    const bench = listenerBench({ deps });
    opened.push(bench);
    bench.plane.hello = { jobs: [lease(1, changes)] };
    bench.listener.pause({ unstarted: 'wait' });
    await bench.start();
    expect(bench.log.of('job waits for the list of containers')).toEqual([]);
    bench.listener.goOffline();
    await bench.settle();
    await bench.clock.advance(CLAIM_LIMIT_MS + 1);
    const state = bench.store.job(jobIdOf(1))?.state;
    expect(state ?? null).not.toMatchObject({
      verdict: { reason: { code: 'docker_unavailable' } },
    });
  },
);

test('one that hello lists and whose output lies here is lost at once, without Docker too', async () => {
  const store = Object.assign(new MemoryJobStore(), { wasHere: () => true });
  const bench = listenerBench({ store, deps: { hostCommands: commands, engine: () => null } });
  opened.push(bench);
  bench.plane.hello = { jobs: [lease(1)] };
  await bench.start();
  expect(verdicts(bench)[0]?.error).toMatch(/^host_restarted: [A-Z]/);
});

test('one of which nothing was noted is started with the lease that comes again', async () => {
  const store = new MemoryJobStore();
  store.accept(hostSpec(1), 0);
  store.transition(jobIdOf(1), { kind: 'launched', atMs: 0 });
  const bench = await online({ engine: () => null }, store);
  await offer(bench, 1);
  expect(bench.launcher.worker.receivedOf('run_host')).toHaveLength(1);
  bench.launcher.worker.end(SUCCEEDED);
  await bench.settle();
  expect(verdicts(bench)[0]).toMatchObject({ status: 'SUCCEEDED' });
});

test('two commands start one after the other, in the order asked, and a worker that dies gives its turn away', async () => {
  const bench = await online();
  await offer(bench, 1);
  const first = bench.launcher.worker;
  await offer(bench, 2);
  const second = bench.launcher.worker;
  first.say({ kind: 'start_wanted' });
  second.say({ kind: 'start_wanted' });
  await bench.settle();
  expect(first.receivedOf('start_granted')).toHaveLength(1);
  expect(second.receivedOf('start_granted')).toHaveLength(0);
  first.exit({ signal: 'SIGKILL' });
  await bench.settle();
  expect(second.receivedOf('start_granted')).toHaveLength(1);
  second.say({ kind: 'start_over' });
});

test('a host that leaves its containers running stops a local command, which would die without a word', async () => {
  const bench = await online();
  await offer(bench, 1);
  const { worker } = bench.launcher;
  worker.onReceived = (message) => {
    if (message.kind === 'stop') worker.end(stoppedVerdict(message.cause));
  };
  await bench.stop('leave');
  expect(worker.receivedOf('stop')).toMatchObject([{ cause: 'shutdown' }]);
  expect(bench.store.job(jobIdOf(1))?.state).toMatchObject({ verdict: { status: 'STOPPED' } });
});

function hostSpec(number: number): HostExecSpec {
  return {
    kind: 'host_exec',
    jobId: jobIdOf(number),
    flowId: null,
    flowName: null,
    repository: null,
    agentType: 'cursor',
    modelIdentifier: null,
    report: { kind: 'host_exec', profile: 'cursor-READ' },
    profileName: 'cursor-READ',
    timeoutSeconds: null,
  };
}
