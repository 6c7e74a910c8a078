import { expect, test } from 'vitest';
import type { RunnerOptions, TrustedOption } from '../../../runner-core/model/job-spec.ts';
import { parseBind } from '../../../runner-core/worker/bind-mount.ts';
import { refusedOption } from '../../../runner-core/worker/option-check.ts';

const NOTHING: RunnerOptions = {
  mountDockerSocket: false,
  persistWorkspace: false,
  network: null,
  extraMounts: [],
  preserveEntrypoint: false,
};

interface Case {
  readonly options: Partial<RunnerOptions>;
  readonly allowed?: readonly TrustedOption[];
  readonly foreign?: boolean;
}
const check = ({ options, allowed = [], foreign = false }: Case): unknown =>
  refusedOption({ ...NOTHING, ...options }, allowed, foreign)?.facts ?? null;

const refused: readonly (readonly [string, Case, string])[] = [
  ['the Docker socket', { options: { mountDockerSocket: true } }, 'docker_socket'],
  ['a mount of this machine', { options: { extraMounts: ['/a:/b'] } }, 'host_mount'],
  [
    'the Docker socket as a mount',
    { options: { extraMounts: ['/var/run/../run/docker.sock:/x'] }, allowed: ['host_mount'] },
    'docker_socket',
  ],
  [
    'a folder around the Docker socket',
    { options: { extraMounts: ['/run/:/x:ro'] }, allowed: ['host_mount'] },
    'docker_socket',
  ],
  [
    'the whole machine, which has the socket in it',
    { options: { extraMounts: ['/:/host:ro'] }, allowed: ['host_mount'] },
    'docker_socket',
  ],
  ['the network of the host', { options: { network: 'host' } }, 'network'],
  ['the network of another container', { options: { network: 'container:abc' } }, 'network'],
  ['a network somebody else made', { options: { network: 'lan' }, foreign: true }, 'network'],
];
test.for(refused)('%s is refused until the owner allows it', ([, options, option]) => {
  expect(check(options)).toMatchObject({ option });
  const all: readonly TrustedOption[] = ['docker_socket', 'host_mount', 'network'];
  expect(check({ ...options, allowed: all })).toBeNull();
});

const harmless: readonly (readonly [string, Case])[] = [
  ['nothing', { options: {} }],
  ['no network', { options: { network: 'none' } }],
  ['the default bridge', { options: { network: 'bridge' } }],
  ['a network of ours, or none yet', { options: { network: 'flow-net' } }],
  ['a kept workspace', { options: { persistWorkspace: true } }],
  [
    'a folder whose name only starts like that of the socket',
    { options: { extraMounts: ['/var/run/dock:/x'] }, allowed: ['host_mount'] },
  ],
];
test.for(harmless)('%s needs no permission', ([, options]) => {
  expect(check(options)).toBeNull();
});

test('a mount that is none is refused as an invalid option, permission or not', () => {
  const options = { ...NOTHING, extraMounts: ['data:/b'] };
  expect(refusedOption(options, ['host_mount'], false)).toEqual({
    code: 'options_invalid',
    facts: { option: 'extra_mounts', value: 'data:/b' },
  });
});

const binds: readonly (readonly [string, object | undefined])[] = [
  ['/a:/b', { source: '/a', target: '/b', mode: 'rw' }],
  ['/a:/b:RO', { source: '/a', target: '/b', mode: 'ro' }],
  [String.raw`C:\data:/b:rw`, { source: String.raw`C:\data`, target: '/b', mode: 'rw' }],
  ['c:/data:/b', { source: 'c:/data', target: '/b', mode: 'rw' }],
  ['/a', undefined],
  ['/a:/b:z', undefined],
  ['/a:/b:ro:rw', undefined],
  ['a:/b', undefined],
  ['/a:b', undefined],
];
test.for(binds)('%s is taken apart, or is no mount', ([text, bind]) => {
  expect(parseBind(text)).toEqual(bind);
});
