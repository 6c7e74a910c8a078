import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LABEL } from '../../../runner-core/docker/labels.ts';
import type { StopCause } from '../../../runner-core/model/outcome.ts';
import { jobIdOf } from '../../support/builders.ts';
import { ExecutionBench, type ExecutionBenchOptions } from '../../support/execution-bench.ts';
import { settle } from '../../support/fake-clock.ts';
import { tempDir } from '../../support/temp-dir.ts';

const NAME = `preloop-${jobIdOf(1)}-abc123`;
const kinds = (bench: ExecutionBench): string[] =>
  bench.engine.calls.map((call) => call.split(' ')[0] ?? '');

test('a job is prepared, created, noted, started, followed, judged and removed, in this order', async () => {
  const bench = new ExecutionBench();
  const id = await bench.started();
  bench.engine.print(id, 'hello');
  bench.report({ status: 'success', made: 'this' });
  expect(await bench.ended()).toEqual({
    kind: 'ended',
    verdict: {
      outcome: 'succeeded',
      status: 'SUCCEEDED',
      exitCode: 0,
      error: '',
      result: { status: 'success', made: 'this' },
      evidenceUpload: null,
      reason: null,
    },
    facts: { containerId: id, imageId: 'sha256:image', oomKilled: false, exitCode: 0 },
  });
  expect(bench.phases()).toEqual([
    'preparing',
    'creating',
    'starting',
    'running',
    'collecting',
    'cleaning',
  ]);
  expect(bench.sent.filter(({ kind }) => kind === 'made')).toEqual([
    { kind: 'made', leftover: { kind: 'container', id, name: NAME } },
  ]);
  expect(kinds(bench).slice(0, 3)).toEqual(['image', 'createContainer', 'startContainer']);
  expect(bench.engine.calls.slice(-3)).toEqual([
    `removeContainer ${id}`,
    `container ${id}`,
    'close',
  ]);
  expect(bench.clock.pending).toBe(0);
});

test('nothing is started before the listener has noted the container', async () => {
  const bench = new ExecutionBench({ notes: false });
  const created = bench.engine.happened('createContainer');
  bench.run();
  await created;
  await settle();
  expect(kinds(bench)).not.toContain('startContainer');
  const started = bench.engine.happened('wait');
  // As the listener's schema rebuilds it: the same fields in another order.
  const leftover = { name: NAME, id: bench.containerId(), kind: 'container' } as const;
  bench.send({ kind: 'noted', leftover });
  await started;
  expect(kinds(bench)).toContain('startContainer');
  bench.report({ status: 'success' });
  await bench.ended();
});

test('a container that is not noted within 10 s is never started, and the job is lost', async () => {
  const bench = new ExecutionBench({ notes: false });
  const created = bench.engine.happened('createContainer');
  bench.run();
  await created;
  await settle();
  await bench.clock.advance(10_000);
  expect((await bench.ended()).verdict).toMatchObject({
    outcome: 'lost',
    reason: { code: 'worker_crashed' },
  });
  expect(kinds(bench)).not.toContain('startContainer');
});

test('a container is not removed before all of its log is stored', async () => {
  const bench = new ExecutionBench({ stores: false });
  const id = await bench.started();
  bench.engine.print(id, 'precious');
  bench.report({ status: 'success' });
  await settle();
  await settle();
  expect(kinds(bench)).not.toContain('removeContainer');
  bench.send({ kind: 'log_stored', throughSeq: 1 });
  await bench.ended();
  expect(bench.engine.made.size).toBe(0);
});

test('secrets are masked in the result', async () => {
  const bench = new ExecutionBench();
  await bench.started();
  bench.report({ status: 'success', said: 'my key is gw_example_not_real' });
  expect((await bench.ended()).verdict.result).toEqual({
    status: 'success',
    said: 'my key is ***',
  });
});

test('secrets that come later are masked too', async () => {
  const bench = new ExecutionBench();
  await bench.started();
  bench.send({ kind: 'secrets', environment: { NEW_TOKEN: 'fresh_not_real' } });
  bench.report({ status: 'success', said: 'fresh_not_real' });
  expect((await bench.ended()).verdict.result).toEqual({ status: 'success', said: '***' });
});

const refusals: readonly (readonly [string, ExecutionBenchOptions, string])[] = [
  ['an unpermitted socket', { options: { mountDockerSocket: true } }, 'permission_needed'],
  ['an unpermitted mount', { options: { extraMounts: ['/a:/b'] } }, 'permission_needed'],
  ['the network of the host', { options: { network: 'host' } }, 'permission_needed'],
];
test.for(refusals)('%s ends the job before anything is made', async ([, options, code]) => {
  const bench = new ExecutionBench(options);
  bench.run();
  expect((await bench.ended()).verdict).toMatchObject({
    status: 'FAILED',
    exitCode: 0,
    reason: { code },
  });
  expect(kinds(bench)).toEqual(['close']);
});

test('a network of somebody else is refused, and neither joined nor removed', async () => {
  const bench = new ExecutionBench({ options: { network: 'lan' } });
  bench.engine.networksByName.set('lan', { id: 'n', name: 'lan', labels: {}, containers: [] });
  bench.run();
  expect((await bench.ended()).verdict.reason).toMatchObject({ code: 'permission_needed' });
  expect(kinds(bench)).toEqual(['image', 'network', 'close']);
});

test('a network that is not there is made, noted before the container, and removed after it', async () => {
  const bench = new ExecutionBench({ options: { network: 'flow-net' } });
  const id = await bench.started();
  bench.report({ status: 'success' });
  await bench.ended();
  const made = bench.sent.flatMap((message) => (message.kind === 'made' ? [message.leftover] : []));
  expect(made).toEqual([
    { kind: 'network', id: 'id-of-flow-net', name: 'flow-net' },
    { kind: 'container', id, name: NAME },
  ]);
  expect(bench.engine.networksByName.size).toBe(0);
  expect(kinds(bench).indexOf('removeContainer')).toBeLessThan(
    kinds(bench).indexOf('removeNetwork'),
  );
});

test('a network of ours that vanished before the start is made again', async () => {
  const bench = new ExecutionBench({ options: { network: 'flow-net' } });
  bench.engine.failNext('startContainer', 'not_found', 'network flow-net not found', 404);
  await bench.started();
  bench.report({ status: 'success' });
  expect((await bench.ended()).verdict.status).toBe('SUCCEEDED');
  expect(kinds(bench).filter((call) => call === 'createNetwork')).toHaveLength(2);
});

test('a network that cannot be made fails the job with its name', async () => {
  const bench = new ExecutionBench({ options: { network: 'flow-net' } });
  bench.engine.failNext('createNetwork', 'refused', 'no address pools left', 500);
  bench.run();
  expect((await bench.ended()).verdict.reason).toEqual({
    code: 'network_failed',
    facts: { network: 'flow-net', detail: 'no address pools left' },
  });
});

test('a job with the Docker socket has its compose project noted and removed', async () => {
  const bench = new ExecutionBench({
    options: { mountDockerSocket: true },
    allowed: ['docker_socket'],
  });
  await bench.started();
  bench.report({ status: 'success' });
  await bench.ended();
  const name = `preloop-${jobIdOf(1).replaceAll('-', '')}`;
  const project = { kind: 'made', leftover: { kind: 'compose_project', name } };
  expect(bench.sent).toContainEqual(project);
  expect(kinds(bench).slice(-4, -1)).toEqual(['containers', 'networks', 'volumes']);
});

test('a missing image is pulled, with progress twice a second at most', async () => {
  const bench = new ExecutionBench({ spec: { image: 'ghcr.io/a/b:1' } });
  bench.engine.onPull = async (reference, { progress }) => {
    progress({ doneBytes: 0, totalBytes: 0 });
    progress({ doneBytes: 1e6, totalBytes: 120e6 });
    progress({ doneBytes: 2e6, totalBytes: 120e6 });
    await bench.clock.wait(500);
    progress({ doneBytes: 41e6, totalBytes: 120e6 });
    bench.engine.images.set(reference, { id: 'sha256:pulled', environment: [] });
  };
  const started = bench.engine.happened('wait');
  bench.run();
  await bench.clock.advance(500);
  await started;
  const told = bench.sent.flatMap((message) =>
    message.kind === 'phase' && message.phase === 'pulling' ? [message.progress] : [],
  );
  expect(told).toEqual([null, '1 of 120 MB', '41 of 120 MB']);
  bench.report({ status: 'success' });
  await bench.ended();
});

test('a pull that stalls for five minutes is given up', async () => {
  const bench = new ExecutionBench({ spec: { image: 'ghcr.io/a/b:1' } });
  bench.engine.onPull = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  bench.run();
  await bench.clock.advance(300_000);
  expect((await bench.ended()).verdict.reason).toEqual({
    code: 'image_pull_failed',
    facts: { image: 'ghcr.io/a/b:1', detail: 'nothing came for 5 minutes' },
  });
  expect(bench.clock.pending).toBe(0);
});

const pulls: readonly (readonly [
  string,
  'not_found' | 'refused' | 'away',
  number | null,
  string,
])[] = [
  ['manifest unknown', 'not_found', 404, 'image_missing'],
  ['toomanyrequests', 'refused', 500, 'image_pull_failed'],
  ['ECONNREFUSED', 'away', null, 'docker_unavailable'],
];
test.for(pulls)('a pull that fails with %s (%s)', async ([message, kind, status, code]) => {
  const bench = new ExecutionBench({ spec: { image: 'ghcr.io/a/b:1' } });
  bench.credentials = { credentials: null, problem: 'docker-credential-x is not installed' };
  bench.engine.failNext('pull', kind, message, status);
  bench.run();
  const { reason } = (await bench.ended()).verdict;
  expect(reason?.code).toBe(code);
  if (code !== 'docker_unavailable')
    expect(reason?.facts).toEqual({
      image: 'ghcr.io/a/b:1',
      detail: `${message} (docker-credential-x is not installed)`,
    });
});

test('an engine that is away fails the job as Docker unavailable', async () => {
  const bench = new ExecutionBench();
  bench.engine.failNext('image', 'away', 'ECONNREFUSED', null);
  bench.run();
  expect((await bench.ended()).verdict.reason).toEqual({
    code: 'docker_unavailable',
    facts: { detail: 'ECONNREFUSED' },
  });
});

test('a refused start names the cause, and the container goes all the same', async () => {
  const bench = new ExecutionBench();
  const message = 'OCI runtime create failed: exec: "/bin/bash": no such file or directory';
  bench.engine.failNext('startContainer', 'bad_request', message, 400);
  bench.run();
  expect((await bench.ended()).verdict).toMatchObject({
    status: 'FAILED',
    exitCode: 127,
    reason: { code: 'command_not_found' },
  });
  expect(bench.engine.made.size).toBe(0);
});

test('a stop during a pull ends the job at once', async () => {
  const bench = new ExecutionBench({ spec: { image: 'ghcr.io/a/b:1' } });
  const aborted = Promise.withResolvers<undefined>();
  const pulling = bench.engine.happened('pull');
  bench.engine.onPull = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        aborted.resolve(undefined);
        reject(signal.reason as Error);
      });
    });
  bench.run();
  await pulling;
  bench.stop('service');
  expect((await bench.ended()).verdict).toMatchObject({
    status: 'STOPPED',
    exitCode: 0,
    error: '',
  });
  await aborted.promise;
  expect(kinds(bench)).not.toContain('createContainer');
});

test('a stop that comes before the order makes nothing', async () => {
  const bench = new ExecutionBench();
  bench.stop('owner');
  bench.run();
  expect((await bench.ended()).verdict).toMatchObject({ outcome: 'stopped' });
  expect(kinds(bench)).not.toContain('createContainer');
});

test('a stop while the container is created removes it unstarted', async () => {
  const bench = new ExecutionBench({ notes: false });
  const created = bench.engine.happened('createContainer');
  bench.run();
  await created;
  await settle();
  bench.stop('owner');
  expect((await bench.ended()).verdict).toMatchObject({ status: 'STOPPED' });
  expect(kinds(bench)).not.toContain('startContainer');
  expect(bench.engine.made.size).toBe(0);
});

test('a stop asks with TERM at once, and kills after the grace', async () => {
  const bench = new ExecutionBench();
  const id = await bench.started();
  bench.engine.onSignal = (container, signal) => {
    if (signal === 'SIGKILL') bench.engine.exit(container, 137);
  };
  bench.stop('owner', 10_000);
  expect(bench.engine.calls).toContain(`signalContainer SIGTERM ${id}`);
  await bench.clock.advance(9_999);
  expect(bench.engine.calls).not.toContain(`signalContainer SIGKILL ${id}`);
  await bench.clock.advance(1);
  const { verdict } = await bench.ended();
  expect(verdict).toMatchObject({
    outcome: 'stopped',
    status: 'STOPPED',
    exitCode: 137,
    error: '',
  });
  expect(bench.engine.made.size).toBe(0);
  expect(bench.clock.pending).toBe(0);
});

test('a kill that the engine misses is repeated', async () => {
  const bench = new ExecutionBench();
  await bench.started();
  bench.engine.onSignal = (container, signal) => {
    if (signal === 'SIGKILL') bench.engine.exit(container, 137);
  };
  bench.stop('owner', 1_000);
  bench.engine.failNext('signalContainer', 'away', 'ECONNREFUSED', null);
  await bench.clock.advance(1_000);
  expect(bench.sent.at(-1)?.kind).not.toBe('ended');
  await bench.clock.advance(1_000);
  expect((await bench.ended()).verdict.status).toBe('STOPPED');
});

/** Exit code and report of a container that a stop reaches, and what the protocol makes of them. */
const precedence: readonly (readonly [StopCause, number, object | null, string, string])[] = [
  ['service', 0, { status: 'success' }, 'SUCCEEDED', 'succeeded'],
  ['owner', 0, { status: 'failed' }, 'FAILED', 'failed'],
  ['shutdown', 0, null, 'FAILED', 'failed'],
  ['service', 143, null, 'STOPPED', 'stopped'],
  ['owner', 1, { status: 'success' }, 'STOPPED', 'stopped'],
  ['shutdown', 137, null, 'STOPPED', 'stopped'],
  ['time_limit', 0, { status: 'success' }, 'SUCCEEDED', 'succeeded'],
  ['time_limit', 143, null, 'FAILED', 'timed_out'],
];
test.for(precedence)(
  'a stop (%s) that meets exit code %i and the report %j is %s',
  async ([cause, exitCode, result, status, outcome]) => {
    const bench = new ExecutionBench();
    const id = await bench.started();
    bench.engine.onSignal = () => {
      if (result === null) bench.engine.exit(id, exitCode);
      else bench.report(result, exitCode);
    };
    bench.stop(cause);
    const { verdict } = await bench.ended();
    expect(verdict).toMatchObject({ status, outcome, exitCode });
  },
);

test('a job past its time limit is stopped, and has timed out', async () => {
  const bench = new ExecutionBench({ timeLimitMs: 3_600_000 });
  const id = await bench.started();
  await bench.clock.advance(3_599_999);
  expect(bench.engine.calls).not.toContain(`signalContainer SIGTERM ${id}`);
  await bench.clock.advance(1);
  expect((await bench.ended()).verdict).toMatchObject({
    outcome: 'timed_out',
    status: 'FAILED',
    reason: { code: 'time_limit' },
  });
  expect(bench.clock.pending).toBe(0);
});

test('a wait that the engine breaks off is taken up again', async () => {
  const bench = new ExecutionBench();
  bench.engine.failNext('wait', 'away', 'ECONNRESET', null);
  await bench.started();
  const again = bench.engine.happened('wait');
  await bench.clock.advance(1_000);
  await again;
  bench.report({ status: 'success' });
  expect((await bench.ended()).verdict.status).toBe('SUCCEEDED');
});

test('an adopted container that runs is followed to its end', async () => {
  const bench = new ExecutionBench();
  const id = await bench.engine.createContainer('preloop-1', {
    Image: 'debian:bookworm',
    Cmd: [],
    Env: ['API_TOKEN=from_the_container', 'PATH=/usr/bin'],
    Labels: {},
    HostConfig: {},
  });
  await bench.engine.startContainer(id);
  const waiting = bench.engine.happened('wait');
  bench.adopt(id);
  await waiting;
  bench.report({ status: 'success', said: 'from_the_container' });
  const { verdict } = await bench.ended();
  expect(verdict).toMatchObject({ status: 'SUCCEEDED', result: { said: '***' } });
  expect(bench.phases()).toEqual(['running', 'collecting', 'cleaning']);
  expect(bench.engine.made.size).toBe(0);
});

const orphan = (bench: ExecutionBench): Promise<string> =>
  bench.engine.createContainer('preloop-1', {
    Image: 'debian:bookworm',
    Cmd: [],
    Env: [],
    Labels: { [LABEL.execution]: jobIdOf(1) },
    HostConfig: {},
  });

test('an adopted container that has exited gives its verdict', async () => {
  const bench = new ExecutionBench();
  const id = await orphan(bench);
  await bench.engine.startContainer(id);
  bench.engine.exit(id, 3);
  bench.adopt(id);
  expect((await bench.ended()).verdict).toMatchObject({ status: 'FAILED', exitCode: 3 });
  expect(bench.phases()).not.toContain('running');
});

test('an adopted container that was never started is started', async () => {
  const bench = new ExecutionBench();
  const id = await orphan(bench);
  const waiting = bench.engine.happened('wait');
  bench.adopt(id);
  await waiting;
  bench.report({ status: 'success' });
  expect((await bench.ended()).verdict.status).toBe('SUCCEEDED');
});

test('an adopted container that was never started and is to stop is removed', async () => {
  const bench = new ExecutionBench();
  bench.adopt(await orphan(bench), 'owner');
  expect((await bench.ended()).verdict.status).toBe('STOPPED');
  expect(kinds(bench)).not.toContain('startContainer');
  expect(bench.engine.made.size).toBe(0);
});

test('the time limit of an adopted container counts from its start', async () => {
  const bench = new ExecutionBench({ timeLimitMs: 10_000 });
  const id = await orphan(bench);
  await bench.engine.startContainer(id);
  bench.clock.jumpWall(9_000);
  const waiting = bench.engine.happened('wait');
  bench.engine.startedAtMs = 0;
  await bench.engine.startContainer(id);
  bench.adopt(id);
  await waiting;
  await bench.clock.advance(1_000);
  expect((await bench.ended()).verdict.outcome).toBe('timed_out');
});

test('an adopted container that is gone is a lost job, or a stopped one', async () => {
  const lost = new ExecutionBench();
  lost.adopt('gone');
  expect((await lost.ended()).verdict).toMatchObject({
    outcome: 'lost',
    reason: { code: 'host_restarted' },
  });
  const stopped = new ExecutionBench();
  stopped.adopt('gone', 'owner');
  expect((await stopped.ended()).verdict).toMatchObject({ outcome: 'stopped' });
});

test('an adoption waits for an engine that is still coming up', async () => {
  const bench = new ExecutionBench();
  const id = await orphan(bench);
  await bench.engine.startContainer(id);
  bench.engine.exit(id, 0);
  bench.engine.failNext('container', 'away', 'ECONNREFUSED', null);
  bench.adopt(id);
  await bench.clock.advance(1_000);
  expect((await bench.ended()).verdict.reason).toMatchObject({ code: 'no_report' });
});

test('a kept workspace is mounted, leased while the job runs, and free afterwards', async () => {
  const workspacesDir = tempDir();
  const bench = new ExecutionBench({ options: { persistWorkspace: true }, workspacesDir });
  const id = await bench.started();
  const dir = join(workspacesDir, jobIdOf(1));
  expect(bench.engine.made.get(id)?.body.HostConfig).toMatchObject({
    Binds: [`${dir}:/workspace`],
  });
  await writeFile(join(dir, 'work.txt'), 'done');
  bench.report({ status: 'success' });
  await bench.ended();
  expect(await readdir(dir)).toEqual(['work.txt']);
});

test('a workspace that is not here fails the job with the code the service knows', async () => {
  const workspacesDir = tempDir();
  const resumeFrom = jobIdOf(2);
  const bench = new ExecutionBench({
    options: { persistWorkspace: true },
    spec: { resumeFrom },
    workspacesDir,
  });
  bench.run();
  const { verdict } = await bench.ended();
  expect(verdict.reason).toMatchObject({
    code: 'workspace_recovery_unavailable',
    facts: { workspace: resumeFrom },
  });
  expect(verdict.error).toContain('workspace_recovery_unavailable');
});

test('a workspace that the disk refuses fails the job', async () => {
  const workspacesDir = tempDir();
  await writeFile(join(workspacesDir, jobIdOf(1)), 'a file in its place');
  const bench = new ExecutionBench({ options: { persistWorkspace: true }, workspacesDir });
  bench.run();
  expect((await bench.ended()).verdict.reason).toEqual({
    code: 'workspace_failed',
    facts: { detail: 'EEXIST' },
  });
});

test('a refused job takes no workspace away from the job it continues', async () => {
  const workspacesDir = tempDir();
  await mkdir(join(workspacesDir, jobIdOf(2)));
  const bench = new ExecutionBench({
    options: { persistWorkspace: true, network: 'host' },
    spec: { resumeFrom: jobIdOf(2) },
    workspacesDir,
  });
  bench.run();
  await bench.ended();
  expect(await readdir(workspacesDir)).toEqual([jobIdOf(2)]);
});

test('an error of our own ends the job as lost, and tells where without its message', async () => {
  const bench = new ExecutionBench();
  bench.engine.image = () => Promise.reject(new TypeError('gw_example_not_real'));
  bench.run();
  expect((await bench.ended()).verdict.reason).toEqual({ code: 'worker_crashed', facts: {} });
  expect(bench.complaints).toHaveLength(1);
  expect(bench.complaints[0]).toMatch(/^TypeError\n +at .*docker-launch-executor/s);
  expect(bench.complaints[0]).not.toContain('gw_example');
});
