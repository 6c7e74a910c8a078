import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LABEL } from '../../../runner-core/docker/labels.ts';
import { jobIdOf } from '../../support/builders.ts';
import {
  callNames,
  ExecutionBench,
  type ExecutionBenchOptions,
} from '../../support/execution-bench.ts';
import { settle } from '../../support/fake-clock.ts';
import { tempDir } from '../../support/temp-dir.ts';

const NAME = `preloop-${jobIdOf(1)}-abc123`;

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
  expect(callNames(bench)).toEqual(['close']);
});

test('a refusal names the flow, by which the owner can allow it', async () => {
  const flowId = '1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f';
  const bench = new ExecutionBench({ options: { network: 'host' }, spec: { flowId } });
  bench.run();
  expect((await bench.ended()).verdict.reason).toEqual({
    code: 'permission_needed',
    facts: { option: 'network', value: 'host', flow: flowId },
  });
});

test('a name that no image can have is told as such, not as Docker being away', async () => {
  const bench = new ExecutionBench({ spec: { image: 'UPPER' } });
  bench.engine.failNext('image', 'refused', 'no such image: UPPER: invalid reference', 400);
  bench.run();
  expect((await bench.ended()).verdict.reason).toEqual({
    code: 'image_missing',
    facts: { image: 'UPPER', detail: 'no such image: UPPER: invalid reference' },
  });
  expect(callNames(bench)).toEqual(['image', 'close']);
});

const OURS = { [LABEL.execution]: jobIdOf(9), [LABEL.runner]: 'runner-1' };
const FOREIGN = { id: 'theirs', name: 'lan', labels: {}, containers: [] };

test('a network of somebody else is refused, and neither joined nor removed', async () => {
  const bench = new ExecutionBench({ options: { network: 'lan' } });
  bench.engine.networkList = [FOREIGN];
  bench.run();
  expect((await bench.ended()).verdict.reason).toMatchObject({ code: 'permission_needed' });
  expect(callNames(bench)).toEqual(['image', 'networksNamed', 'close']);
});

test('a network that another host made is somebody else’s', async () => {
  const bench = new ExecutionBench({ options: { network: 'lan' } });
  const labels = { ...OURS, [LABEL.host]: 'host-2', [LABEL.runner]: 'runner-2' };
  bench.engine.networkList = [{ ...FOREIGN, labels }];
  bench.run();
  expect((await bench.ended()).verdict.reason).toMatchObject({ code: 'permission_needed' });
  expect(bench.engine.networkList).toHaveLength(1);
});

test('one that our runner made before its database was lost is ours', async () => {
  const bench = new ExecutionBench({ options: { network: 'lan' } });
  bench.engine.networkList = [{ ...FOREIGN, labels: { ...OURS, [LABEL.host]: 'host-0' } }];
  const id = await bench.started();
  expect(bench.engine.made.get(id)?.info.networkMode).toBe('theirs');
  bench.report({ status: 'success' });
  await bench.ended();
  expect(bench.engine.networkList).toEqual([]);
});

test('where another host’s network is allowed, it is joined and not removed', async () => {
  const bench = new ExecutionBench({ options: { network: 'lan' }, allowed: ['network'] });
  const labels = { ...OURS, [LABEL.host]: 'host-2', [LABEL.runner]: 'runner-2' };
  bench.engine.networkList = [{ ...FOREIGN, labels }];
  await bench.started();
  bench.report({ status: 'success' });
  await bench.ended();
  expect(bench.engine.networkList).toHaveLength(1);
});

test('a network of somebody else that is allowed is joined, and not removed', async () => {
  const bench = new ExecutionBench({ options: { network: 'lan' }, allowed: ['network'] });
  bench.engine.networkList = [FOREIGN];
  const id = await bench.started();
  expect(bench.engine.made.get(id)?.body.HostConfig).toMatchObject({ NetworkMode: 'theirs' });
  bench.report({ status: 'success' });
  await bench.ended();
  expect(bench.engine.networkList).toEqual([FOREIGN]);
});

test('a network that is not there is made, noted before the container, and removed after it', async () => {
  const bench = new ExecutionBench({ options: { network: 'flow-net' } });
  const id = await bench.started();
  bench.report({ status: 'success' });
  await bench.ended();
  const made = bench.sent.flatMap((message) => (message.kind === 'made' ? [message.leftover] : []));
  expect(made).toEqual([
    { kind: 'network', id: 'flow-net-1', name: 'flow-net' },
    { kind: 'container', id, name: NAME },
  ]);
  expect(bench.engine.networkList).toEqual([]);
  const calls = callNames(bench);
  expect(calls.indexOf('removeContainer')).toBeLessThan(calls.indexOf('removeNetwork'));
});

/** Another job makes its network just before ours; the ids decide nothing but who begins again. */
function alsoMadeBy(bench: ExecutionBench, otherId: string): void {
  const { engine } = bench;
  const make = engine.createNetwork.bind(engine);
  engine.createNetwork = (name, labels) => {
    engine.createNetwork = make;
    engine.networkList.push({ id: otherId, name, labels, containers: ['another-job'] });
    return make(name, labels);
  };
}

test.each(['a-lower-id', 'z-higher-id'])(
  'of two networks made at once (the other is %s) ours gives way, and the other is joined',
  async (otherId) => {
    const bench = new ExecutionBench({ options: { network: 'flow-net' } });
    const { engine } = bench;
    alsoMadeBy(bench, otherId);
    const gaveWay = engine.happened('removeNetwork');
    const started = engine.happened('wait');
    bench.run();
    await gaveWay;
    await settle();
    await bench.clock.advance(800);
    await started;
    await settle();
    const id = bench.containerId();
    expect(engine.made.get(id)?.body.HostConfig).toMatchObject({ NetworkMode: otherId });
    expect(engine.networkList.map((network) => network.id)).toEqual([otherId]);
    bench.report({ status: 'success' });
    await bench.ended();
    expect(engine.networkList.map((network) => network.id)).toEqual([otherId]);
  },
);

test('where the other job gave way too, the network is made again', async () => {
  const bench = new ExecutionBench({ options: { network: 'flow-net' } });
  const { engine } = bench;
  alsoMadeBy(bench, 'z-higher-id');
  const removed = engine.happened('removeNetwork');
  const started = engine.happened('wait');
  bench.run();
  await removed;
  await settle();
  engine.networkList = [];
  await bench.clock.advance(200);
  await started;
  await settle();
  expect(engine.networkList.map((network) => network.id)).toEqual(['flow-net-2']);
  bench.report({ status: 'success' });
  await bench.ended();
  expect(engine.networkList).toEqual([]);
});

test('a start that meets two networks of the name waits until one is gone', async () => {
  const bench = new ExecutionBench({ options: { network: 'flow-net' } });
  const ambiguous = 'network flow-net is ambiguous (2 matches found on name)';
  bench.engine.failNext('startContainer', 'refused', ambiguous, 400);
  const refused = bench.engine.happened('startContainer');
  const started = bench.engine.happened('wait');
  bench.run();
  await refused;
  await settle();
  await bench.clock.advance(250);
  await started;
  bench.report({ status: 'success' });
  expect((await bench.ended()).verdict.status).toBe('SUCCEEDED');
});

test('a network of ours that vanished before the start is made again, and the container with it', async () => {
  const bench = new ExecutionBench({ options: { network: 'flow-net' } });
  bench.engine.failNext('startContainer', 'not_found', 'network 0123 not found', 404);
  bench.engine.happened('startContainer').then(
    () => (bench.engine.networkList = []),
    () => undefined,
  );
  const id = await bench.started();
  expect([...bench.engine.made.keys()]).toEqual([id]);
  expect(bench.engine.made.get(id)?.info.networkMode).toBe('flow-net-2');
  bench.report({ status: 'success' });
  expect((await bench.ended()).verdict.status).toBe('SUCCEEDED');
  expect(bench.engine.networkList).toEqual([]);
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
  const names = callNames(bench);
  const removal = names.slice(names.indexOf('removeContainer'));
  expect(removal.filter((name) => ['containers', 'networks', 'volumes'].includes(name))).toEqual([
    'containers',
    'networks',
    'volumes',
  ]);
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
