import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  registryCredentials,
  type RegistryLookup,
} from '../../../runner-core/docker/registry-auth.ts';
import type { HelperEnd, HelperRun } from '../../../runner-core/process/run-helper.ts';
import { tempDir } from '../../support/temp-dir.ts';

const HUB = 'https://index.docker.io/v1/';
const basic = (text: string): string => Buffer.from(text).toString('base64');

/** Looks up `image` with this config.json and a helper that answers so. */
async function lookUp(
  image: string,
  config: object,
  helper: (run: HelperRun) => HelperEnd = () => ({ kind: 'not_found' }),
): Promise<RegistryLookup & { readonly runs: HelperRun[] }> {
  const homeDir = tempDir();
  await mkdir(join(homeDir, '.docker'));
  await writeFile(join(homeDir, '.docker', 'config.json'), JSON.stringify(config));
  const runs: HelperRun[] = [];
  const lookup = await registryCredentials(image, {
    env: { PATH: '/bin' },
    homeDir,
    runHelper: (run) => {
      runs.push(run);
      return Promise.resolve(helper(run));
    },
  });
  return { ...lookup, runs };
}

const fromFile: readonly (readonly [string, string, object, object | null])[] = [
  [
    'an image without a registry belongs to Docker Hub',
    'ubuntu:24.04',
    { auths: { [HUB]: { auth: basic('me:pass:word') } } },
    { username: 'me', password: 'pass:word', serveraddress: HUB },
  ],
  [
    'an image of a Docker Hub user does too',
    'someone/tool@sha256:0123',
    { auths: { 'index.docker.io': { auth: basic('me:p') } } },
    { username: 'me', password: 'p', serveraddress: 'index.docker.io' },
  ],
  [
    'a registry is found by host and port',
    'registry.example.test:5000/a/b:1',
    { auths: { 'registry.example.test:5000': { auth: basic('me:p') } } },
    { username: 'me', password: 'p', serveraddress: 'registry.example.test:5000' },
  ],
  [
    'an entry written as an address is the same registry',
    'ghcr.io/openai/codex-universal:latest',
    { auths: { 'https://ghcr.io/v2/': { auth: basic('me:p') } } },
    { username: 'me', password: 'p', serveraddress: 'https://ghcr.io/v2/' },
  ],
  [
    'localhost is a registry',
    'localhost/tool',
    { auths: { localhost: { identitytoken: 'idt' } } },
    { identitytoken: 'idt', serveraddress: 'localhost' },
  ],
  [
    'another registry gives nothing',
    'ghcr.io/a/b',
    { auths: { [HUB]: { auth: basic('me:p') } } },
    null,
  ],
  ['a broken entry gives nothing', 'ubuntu', { auths: { [HUB]: { auth: '!!' } } }, null],
];

test.for(fromFile)('%s', async ([, image, config, credentials]) => {
  expect(await lookUp(image, config)).toEqual({ credentials, problem: null, runs: [] });
});

test('a helper of the registry is asked before the general store and the file', async () => {
  const found = await lookUp(
    'ghcr.io/a/b',
    {
      auths: { 'ghcr.io': { auth: basic('file:p') } },
      credsStore: 'desktop',
      credHelpers: { 'ghcr.io': 'gh' },
    },
    () => ({ kind: 'exited', exitCode: 0, stdout: '{"Username":"me","Secret":"s3cret"}' }),
  );
  expect(found).toEqual({
    credentials: { username: 'me', password: 's3cret', serveraddress: 'ghcr.io' },
    problem: null,
    runs: [
      {
        command: 'docker-credential-gh',
        args: ['get'],
        input: 'ghcr.io',
        timeoutMs: 10_000,
        env: { PATH: '/bin' },
      },
    ],
  });
});

test('the store is asked for Docker Hub by its address, and may answer with a token', async () => {
  const found = await lookUp('ubuntu', { credsStore: 'desktop' }, () => ({
    kind: 'exited',
    exitCode: 0,
    stdout: '{"Username":"<token>","Secret":"idt"}',
  }));
  expect(found.credentials).toEqual({ identitytoken: 'idt', serveraddress: HUB });
  expect(found.runs[0]?.input).toBe(HUB);
});

test('a store that has nothing leaves the word to the file', async () => {
  const found = await lookUp(
    'ubuntu',
    { auths: { [HUB]: { auth: basic('me:p') } }, credsStore: 'desktop' },
    () => ({
      kind: 'exited',
      exitCode: 1,
      stdout: 'credentials not found in native keychain',
    }),
  );
  expect(found).toMatchObject({ credentials: { username: 'me' }, problem: null });
});

const problems: readonly (readonly [string, string, HelperEnd, string])[] = [
  [
    'a missing helper',
    'desktop',
    { kind: 'not_found' },
    'docker-credential-desktop is not installed',
  ],
  [
    'a hanging helper',
    'x',
    { kind: 'timed_out' },
    'docker-credential-x gave no answer within 10 s',
  ],
  [
    'a failing helper',
    'x',
    { kind: 'exited', exitCode: 3, stdout: 'secret words' },
    'docker-credential-x failed with exit code 3',
  ],
  [
    'a babbling helper',
    'x',
    { kind: 'exited', exitCode: 0, stdout: 'hello' },
    'docker-credential-x gave an unusable answer',
  ],
  [
    'a helper named as a path',
    '../evil',
    { kind: 'not_found' },
    'the credential helper has an unusable name',
  ],
];

test.for(problems)('%s is a problem without its output', async ([, credsStore, end, problem]) => {
  expect(await lookUp('ubuntu', { credsStore }, () => end)).toMatchObject({
    credentials: null,
    problem,
  });
});

test('without a configuration there are no credentials and no problem', async () => {
  const runHelper = (): Promise<HelperEnd> => Promise.reject(new Error('no helper is named'));
  const sources = { env: {}, homeDir: tempDir(), runHelper };
  expect(await registryCredentials('ubuntu', sources)).toEqual({
    credentials: null,
    problem: null,
  });
});
