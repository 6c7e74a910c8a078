import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  resolveEngine,
  type EndpointProbe,
  type Env,
  type Probed,
} from '../../../runner-core/docker/docker-endpoint.ts';
import type { EngineAddress } from '../../../runner-core/worker/protocol.ts';

const ENGINE = { version: '24.0.7', apiVersion: '1.43', os: 'linux', arch: 'amd64' };
const FOUND: Probed = { kind: 'engine', engine: ENGINE, id: 'ENGINE-1' };
const HOME = '/home/me';

interface World {
  readonly env?: Env;
  readonly platform?: NodeJS.Platform;
  /** What is at a socket path or host:port; everything else is absent. */
  readonly at?: Readonly<Record<string, Probed>>;
  readonly files?: Readonly<Record<string, string>>;
}

function resolve(world: World): ReturnType<typeof resolveEngine> {
  const { env = {}, platform = 'linux', at = {}, files = {} } = world;
  const probe: EndpointProbe = {
    readText: (path) => Promise.resolve(files[path]),
    exists: (path) => Promise.resolve(path in files),
    stamp: (path) => Promise.resolve(path in files || path in at ? 'there' : ''),
    probe: (address) => Promise.resolve(at[placeOf(address)] ?? { kind: 'absent' }),
    answers: (address) => Promise.resolve(at[placeOf(address)]?.kind === 'engine'),
    uid: 1000,
  };
  return resolveEngine(env, HOME, platform, probe);
}

function placeOf(address: EngineAddress): string {
  return address.kind === 'socket' ? address.path : `${address.host}:${address.port}`;
}

const metaOf = (name: string): string =>
  `${HOME}/.docker/contexts/meta/${createHash('sha256').update(name).digest('hex')}/meta.json`;
const context = (name: string, host: string): Record<string, string> => ({
  [metaOf(name)]: JSON.stringify({ Name: name, Endpoints: { docker: { Host: host } } }),
});
const config = (value: object): Record<string, string> => ({
  [`${HOME}/.docker/config.json`]: JSON.stringify(value),
});

const chosen: readonly (readonly [string, World, EngineAddress, string])[] = [
  [
    'DOCKER_HOST wins over context and sockets',
    {
      env: { DOCKER_HOST: 'unix:///tmp/mine.sock', DOCKER_CONTEXT: 'other' },
      at: { '/tmp/mine.sock': FOUND, '/var/run/docker.sock': FOUND },
      files: context('other', 'unix:///tmp/other.sock'),
    },
    { kind: 'socket', path: '/tmp/mine.sock' },
    'DOCKER_HOST',
  ],
  [
    'DOCKER_HOST over plain TCP has the default port',
    { env: { DOCKER_HOST: 'tcp://build.example.test' }, at: { 'build.example.test:2375': FOUND } },
    { kind: 'tcp', host: 'build.example.test', port: 2375, tlsDir: null },
    'DOCKER_HOST',
  ],
  [
    'DOCKER_TLS_VERIFY takes the certificates of DOCKER_CERT_PATH',
    {
      env: {
        DOCKER_HOST: 'tcp://10.0.0.7:2376',
        DOCKER_TLS_VERIFY: '1',
        DOCKER_CERT_PATH: '/certs',
      },
      at: { '10.0.0.7:2376': FOUND },
    },
    { kind: 'tcp', host: '10.0.0.7', port: 2376, tlsDir: '/certs' },
    'DOCKER_HOST',
  ],
  [
    'DOCKER_CONTEXT wins over the current context',
    {
      env: { DOCKER_CONTEXT: 'lab' },
      at: { '/run/lab.sock': FOUND },
      files: { ...context('lab', 'unix:///run/lab.sock'), ...config({ currentContext: 'x' }) },
    },
    { kind: 'socket', path: '/run/lab.sock' },
    'DOCKER_CONTEXT "lab"',
  ],
  [
    'the current context of the configuration is used',
    {
      at: { [`${HOME}/.colima/default/docker.sock`]: FOUND, '/var/run/docker.sock': FOUND },
      files: {
        ...context('colima', `unix://${HOME}/.colima/default/docker.sock`),
        ...config({ currentContext: 'colima' }),
      },
    },
    { kind: 'socket', path: `${HOME}/.colima/default/docker.sock` },
    'the current Docker context "colima"',
  ],
  [
    'the context "default" means the usual sockets',
    {
      env: { DOCKER_CONTEXT: 'default' },
      at: { '/var/run/docker.sock': FOUND },
      files: config({ currentContext: 'x' }),
    },
    { kind: 'socket', path: '/var/run/docker.sock' },
    'the socket of Docker',
  ],
  [
    'a rootless engine is found in the runtime folder',
    {
      env: { XDG_RUNTIME_DIR: '/run/user/7' },
      at: { '/run/user/7/docker.sock': FOUND },
    },
    { kind: 'socket', path: '/run/user/7/docker.sock' },
    'the socket of rootless Docker',
  ],
  [
    'the runtime folder is guessed from the user id',
    { at: { '/run/user/1000/podman/podman.sock': FOUND } },
    { kind: 'socket', path: '/run/user/1000/podman/podman.sock' },
    'the socket of rootless Podman',
  ],
  [
    'a forbidden system socket does not hide a working personal one',
    { at: { '/var/run/docker.sock': { kind: 'denied' }, '/run/user/1000/docker.sock': FOUND } },
    { kind: 'socket', path: '/run/user/1000/docker.sock' },
    'the socket of rootless Docker',
  ],
  [
    'Docker Desktop on a Mac is found',
    { platform: 'darwin', at: { [`${HOME}/.docker/run/docker.sock`]: FOUND } },
    { kind: 'socket', path: `${HOME}/.docker/run/docker.sock` },
    'the socket of Docker Desktop',
  ],
  [
    'OrbStack is found',
    { platform: 'darwin', at: { [`${HOME}/.orbstack/run/docker.sock`]: FOUND } },
    { kind: 'socket', path: `${HOME}/.orbstack/run/docker.sock` },
    'the socket of OrbStack',
  ],
  [
    'Rancher Desktop is found',
    { platform: 'darwin', at: { [`${HOME}/.rd/docker.sock`]: FOUND } },
    { kind: 'socket', path: `${HOME}/.rd/docker.sock` },
    'the socket of Rancher Desktop',
  ],
  [
    'Colima in a folder of its own is found',
    { platform: 'darwin', env: { COLIMA_HOME: '/vm' }, at: { '/vm/default/docker.sock': FOUND } },
    { kind: 'socket', path: '/vm/default/docker.sock' },
    'the socket of Colima',
  ],
  [
    'the Podman machine of a Mac is found',
    {
      platform: 'darwin',
      at: { [`${HOME}/.local/share/containers/podman/machine/podman.sock`]: FOUND },
    },
    { kind: 'socket', path: `${HOME}/.local/share/containers/podman/machine/podman.sock` },
    'the socket of Podman',
  ],
  [
    'Docker Desktop on Linux is found',
    { at: { [`${HOME}/.docker/desktop/docker.sock`]: FOUND } },
    { kind: 'socket', path: `${HOME}/.docker/desktop/docker.sock` },
    'the socket of Docker Desktop',
  ],
  [
    'the pipe of Docker Desktop on Windows is found',
    { platform: 'win32', at: { '//./pipe/dockerDesktopLinuxEngine': FOUND } },
    { kind: 'socket', path: '//./pipe/dockerDesktopLinuxEngine' },
    'the socket of Docker Desktop',
  ],
  [
    'the pipe of Podman on Windows is found',
    { platform: 'win32', at: { '//./pipe/podman-machine-default': FOUND } },
    { kind: 'socket', path: '//./pipe/podman-machine-default' },
    'the socket of Podman',
  ],
  [
    'a pipe that DOCKER_HOST names is used',
    {
      platform: 'win32',
      env: { DOCKER_HOST: 'npipe:////./pipe/mine' },
      at: { '//./pipe/mine': FOUND },
    },
    { kind: 'socket', path: '//./pipe/mine' },
    'DOCKER_HOST',
  ],
  [
    'the named pipe of Windows is found',
    { platform: 'win32', at: { '//./pipe/docker_engine': FOUND } },
    { kind: 'socket', path: '//./pipe/docker_engine' },
    'the socket of Docker',
  ],
];

test.for(chosen)('%s', async ([, world, address, why]) => {
  const identity = { id: 'ENGINE-1', at: placeOf(address) };
  expect(await resolve(world)).toEqual({ ok: true, address, engine: ENGINE, identity, why });
});

const OLD = {
  kind: 'engine',
  engine: { ...ENGINE, version: '19.03', apiVersion: '1.40' },
  id: 'ENGINE-1',
} as const;
const failures: readonly (readonly [string, World, string, string | null])[] = [
  ['nothing at all is not installed', {}, 'not_installed', null],
  [
    'a Docker program without a socket is not running',
    { env: { PATH: '/usr/bin:/bin' }, files: { '/usr/bin/docker': '' } },
    'not_running',
    null,
  ],
  [
    'a Docker application on a Mac without a socket is not running',
    { platform: 'darwin', files: { '/Applications/Docker.app': '' } },
    'not_running',
    null,
  ],
  [
    'a socket that refuses is not running',
    { at: { '/var/run/docker.sock': { kind: 'refused' } } },
    'not_running',
    '/var/run/docker.sock',
  ],
  [
    'a forbidden socket is no permission, also where another refuses',
    {
      at: {
        '/var/run/docker.sock': { kind: 'denied' },
        '/run/podman/podman.sock': { kind: 'refused' },
      },
    },
    'no_permission',
    '/var/run/docker.sock',
  ],
  [
    'a socket behind which the engine is not up yet is waking up, also where another is forbidden',
    {
      at: {
        '/var/run/docker.sock': { kind: 'denied' },
        '/run/user/1000/docker.sock': { kind: 'waking' },
      },
    },
    'waking_up',
    '/run/user/1000/docker.sock',
  ],
  [
    'a context that skips the check of certificates is not used',
    {
      env: { DOCKER_CONTEXT: 'lax' },
      files: {
        [metaOf('lax')]: JSON.stringify({
          Endpoints: { docker: { Host: 'tcp://box:2376', SkipTLSVerify: true } },
        }),
      },
      at: { 'box:2376': FOUND },
    },
    'unreachable',
    'lax',
  ],
  [
    'API 1.40 is too old',
    { at: { '/var/run/docker.sock': OLD } },
    'too_old',
    '/var/run/docker.sock',
  ],
  [
    'a named engine that is away is not replaced by another',
    {
      env: { DOCKER_HOST: 'tcp://10.0.0.7:2375' },
      at: { '10.0.0.7:2375': { kind: 'refused' }, '/var/run/docker.sock': FOUND },
    },
    'unreachable',
    '10.0.0.7:2375',
  ],
  [
    'a named socket that is missing is not running',
    { env: { DOCKER_HOST: 'unix:///gone.sock' }, at: { '/var/run/docker.sock': FOUND } },
    'not_running',
    '/gone.sock',
  ],
  [
    'an engine over SSH is unreachable',
    { env: { DOCKER_HOST: 'ssh://me@box' } },
    'unreachable',
    'ssh',
  ],
  [
    'an unreadable address is unreachable',
    { env: { DOCKER_HOST: 'ftp://x' } },
    'unreachable',
    null,
  ],
  [
    'a context that is not defined is unreachable',
    { env: { DOCKER_CONTEXT: 'gone' }, at: { '/var/run/docker.sock': FOUND } },
    'unreachable',
    'gone',
  ],
  [
    'something else on the socket is unreachable',
    { at: { '/var/run/docker.sock': { kind: 'failed', detail: 'it answered 500' } } },
    'unreachable',
    '/var/run/docker.sock',
  ],
];

test.for(failures)('%s', async ([, world, kind, where]) => {
  const choice = await resolve(world);
  expect(choice).toMatchObject({ ok: false, failure: { kind, where } });
  if (choice.ok) return;
  expect(choice.failure.reason).toMatch(/^[A-Z].*\.$/);
  expect(choice.failure.remedy).toMatch(/^[A-Z].*\.$/);
});

test.for([
  ['all three', ['ca.pem', 'cert.pem', 'key.pem']],
  ['the authority alone', ['ca.pem']],
] as const)('the certificates of a context are used where there is %s', async ([, names]) => {
  const folder = createHash('sha256').update('far').digest('hex');
  const tlsDir = `${HOME}/.docker/contexts/tls/${folder}/docker`;
  const choice = await resolve({
    env: { DOCKER_CONTEXT: 'far' },
    at: { 'far.example.test:2376': FOUND },
    files: {
      ...context('far', 'tcp://far.example.test:2376'),
      ...Object.fromEntries(names.map((name) => [`${tlsDir}/${name}`, ''])),
    },
  });
  expect(choice).toMatchObject({ ok: true, address: { tlsDir } });
});
