/** `doctor` and `events` against a host that runs, against the same folder without one, and before a first start. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventViewSchema, healthViewSchema, type HealthView } from '../../main/contract/views.ts';
import { cli } from '../support/cli-under-test.ts';
import { newDataDir, removeDataDir, startHost } from '../support/host-under-test.ts';
import { tempDir } from '../support/temp-dir.ts';

const NO_ENGINE = { DOCKER_HOST: 'unix:///nowhere/docker.sock' };

const found = ({ checks }: HealthView) =>
  Object.fromEntries(checks.map(({ id, state, said, remedy }) => [id, { state, said, remedy }]));

test('a running host, the command and the page agree, and without the host the rest of the answers stay', async () => {
  const dataDir = await newDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  const under = await startHost({
    dataDir,
    environment: { ...process.env, ...NO_ENGINE },
  });
  const { host } = under;
  onTestFinished(() => host.stop('stop'));
  await under.until(({ session }) => session.kind === 'online');
  const asked = await cli(dataDir, 'doctor', '--json');
  expect(asked.exitCode).toBe(1);
  const running = healthViewSchema.parse(JSON.parse(asked.stdout));
  expect(found(running)).toEqual(found(await host.requests['health.run']({ check: null })));
  expect(running.checks.map(({ id, state }) => `${id} ${state}`)).toEqual([
    'name not_applicable',
    'proxy not_applicable',
    'certificate not_applicable',
    'web ok',
    'live_connection ok',
    'clock not_applicable',
    'docker failed',
    'images skipped',
    'disk ok',
    'store ok',
    'cursor not_applicable',
  ]);

  const muted = await cli(dataDir, 'doctor', '--mute', 'docker');
  expect(muted.exitCode).toBe(0);
  const events = (await cli(dataDir, 'events', '--json')).stdout
    .split('\n')
    .map((line) => eventViewSchema.parse(JSON.parse(line)));
  expect(events.map(({ kind }) => kind)).toEqual(['online', 'docker_lost', 'started']);
  // As nobody: the service opens the socket, and no runner is taken over by the look.
  const stranger = await cli(tempDir(), 'doctor', '--server', host.serverUrl, '--json');
  expect(found(healthViewSchema.parse(JSON.parse(stranger.stdout)))).toMatchObject({
    web: { state: 'ok' },
    live_connection: { state: 'ok' },
    clock: { state: 'ok' },
  });
  expect(host.view().session.kind).toBe('online');
  await host.stop('stop');

  const alone = await cli(dataDir, 'doctor', '--json');
  const without = healthViewSchema.parse(JSON.parse(alone.stdout));
  expect(alone.exitCode).toBe(without.failed === 0 ? 0 : 1);
  expect(without.muted).toBe(1);
  for (const id of ['name', 'proxy', 'certificate', 'clock', 'store'] as const)
    expect(found(without)[id]).toEqual(found(running)[id]);
  expect(found(without)['web']).toMatchObject({ state: 'not_applicable' });
});

test('before a first start it says what keeps the way from being open, and leaves nothing behind', async () => {
  const dataDir = tempDir();
  const { stdout, exitCode } = await cli(
    dataDir,
    'doctor',
    '--server',
    'https://preloop.invalid',
    '--json',
  );
  expect(exitCode).toBe(1);
  const { name, web, store } = found(healthViewSchema.parse(JSON.parse(stdout)));
  expect(name).toMatchObject({
    state: 'failed',
    said: 'The name preloop.invalid could not be found.',
    remedy: 'Check the network and the address of the service.',
  });
  expect([web?.state, store?.state]).toEqual(['skipped', 'not_applicable']);
  expect(readdirSync(dataDir)).toEqual([]);
});

test('settings with which no host would start are what it names', async () => {
  const dataDir = tempDir();
  writeFileSync(join(dataDir, 'settings.yaml'), 'network: [\n');
  const { stderr, exitCode } = await cli(dataDir, 'doctor');
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/settings\.yaml, line \d+: this is not YAML/);
});
