import { expect, test } from 'vitest';
import type { RunnerOptions } from '../../../runner-core/model/job-spec.ts';
import { BOOTSTRAP } from '../../../runner-core/wire/launch.ts';
import { containerBody, type ContainerPlan } from '../../../runner-core/worker/container-body.ts';
import type { JobContext } from '../../../runner-core/worker/protocol.ts';
import { dockerSpec, jobIdOf } from '../../support/builders.ts';

const CONTEXT: JobContext = {
  runnerId: 'runner-1',
  hostInstance: 'host-1',
  limits: {
    memoryBytes: 4_294_967_296,
    cpus: 1.5,
    pids: 512,
    timeLimitMs: 86_400_000,
    logBytes: 1_073_741_824,
  },
  allowed: [],
  engine: { kind: 'socket', path: '/var/run/docker.sock' },
  identity: null,
  workspacesDir: '/data/workspaces',
};

function plan(
  options: Partial<RunnerOptions> = {},
  more: Partial<ContainerPlan> = {},
): ContainerPlan {
  const spec = dockerSpec(1);
  return {
    spec: { ...spec, options: { ...spec.options, ...options } },
    context: CONTEXT,
    environment: { B: 'two=2', A: 'one' },
    workspaceDir: null,
    networkId: null,
    ...more,
  };
}

test('an ordinary job gets a bounded container of its own and nothing of this machine', () => {
  expect(containerBody(plan())).toEqual({
    Image: 'debian:bookworm',
    Entrypoint: ['/bin/bash'],
    Cmd: ['-c', BOOTSTRAP],
    Env: ['A=one', 'B=two=2'],
    Labels: {
      'ai.preloop.runner-host.execution': jobIdOf(1),
      'ai.preloop.runner-host.runner': 'runner-1',
      'ai.preloop.runner-host.host': 'host-1',
      'ai.preloop.runner-host.kind': 'docker_launch',
      'ai.preloop.runner-host.agent': 'codex',
    },
    HostConfig: {
      Tmpfs: { '/workspace': 'rw,exec,mode=1777' },
      LogConfig: {
        Type: 'json-file',
        Config: { 'max-size': '3221225472', 'max-file': '2' },
      },
      AutoRemove: false,
      RestartPolicy: { Name: 'no' },
      Init: true,
      Privileged: false,
      CapDrop: ['AUDIT_WRITE', 'MKNOD', 'NET_RAW', 'SETPCAP'],
      SecurityOpt: ['no-new-privileges'],
      Memory: 4_294_967_296,
      MemorySwap: 4_294_967_296,
      NanoCpus: 1_500_000_000,
      PidsLimit: 512,
    },
  });
});

test('a preserved entrypoint is left to the image', () => {
  expect(containerBody(plan({ preserveEntrypoint: true }))).not.toHaveProperty('Entrypoint');
});

test('without limits of ours none is set', () => {
  const limits = { ...CONTEXT.limits, memoryBytes: null, cpus: 0, pids: null };
  const { HostConfig } = containerBody(plan({}, { context: { ...CONTEXT, limits } }));
  for (const limit of ['Memory', 'MemorySwap', 'NanoCpus', 'PidsLimit'])
    expect(HostConfig).not.toHaveProperty(limit);
});

test('socket, kept workspace and mounts are bound in this order, the network joined by its id', () => {
  const { HostConfig } = containerBody(
    plan(
      { mountDockerSocket: true, extraMounts: ['/srv/cache:/cache:RO'], network: 'flow-net' },
      { workspaceDir: '/data/workspaces/1', networkId: 'id-of-flow-net' },
    ),
  );
  expect(HostConfig).toMatchObject({
    Binds: [
      '/var/run/docker.sock:/var/run/docker.sock',
      '/data/workspaces/1:/workspace',
      '/srv/cache:/cache:ro',
    ],
    NetworkMode: 'id-of-flow-net',
  });
  expect(HostConfig).not.toHaveProperty('Tmpfs');
});

test('a mount that provides /workspace leaves no place for the tmpfs', () => {
  const { HostConfig } = containerBody(plan({ extraMounts: ['/srv/w:/workspace/'] }));
  expect(HostConfig).not.toHaveProperty('Tmpfs');
});

const sockets: readonly (readonly [string, JobContext['engine'], string])[] = [
  [
    'a rootless engine has its own socket mounted',
    { kind: 'socket', path: '/run/user/1000/docker.sock' },
    '/run/user/1000/docker.sock',
  ],
  [
    'an engine in a virtual machine has the usual one',
    { kind: 'socket', path: '/Users/me/.docker/run/docker.sock' },
    '/var/run/docker.sock',
  ],
  [
    'an engine over TCP has the usual one',
    { kind: 'tcp', host: 'x', port: 2376, tlsDir: '/certs' },
    '/var/run/docker.sock',
  ],
];
test.for(sockets)('%s', ([, engine, path]) => {
  const context = { ...CONTEXT, engine };
  const { HostConfig } = containerBody(plan({ mountDockerSocket: true }, { context }));
  expect(HostConfig).toMatchObject({ Binds: [`${path}:/var/run/docker.sock`] });
});

test('a network without an id of its own is joined by its name', () => {
  expect(containerBody(plan({ network: 'none' })).HostConfig).toMatchObject({
    NetworkMode: 'none',
  });
});
