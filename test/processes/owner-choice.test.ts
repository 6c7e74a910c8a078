/** What the owner chose outlives the host: pause, note and being offline, chosen and taken back in a terminal. */
import { onTestFinished, expect, test } from 'vitest';
import { cli } from '../support/cli-under-test.ts';
import { startHostProcess } from '../../scripts/host-process.ts';
import {
  newDataDir,
  removeDataDir,
  startHost,
  type HostUnderTest,
} from '../support/host-under-test.ts';

const NO_ENGINE = { DOCKER_HOST: 'unix:///nowhere/docker.sock' };

async function started(dataDir: string): Promise<HostUnderTest> {
  const under = await startHost({ dataDir, environment: { ...process.env, ...NO_ENGINE } });
  onTestFinished(() => under.host.stop('stop'));
  return under;
}

test('a host that was paused and offline is both after a restart, until it is told otherwise', async () => {
  const dataDir = await newDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  const first = await started(dataDir);
  await first.until(({ session }) => session.kind === 'online');
  const paused = await cli(dataDir, 'pause', '--for', '2d', '--after-jobs', '--note', 'demo day');
  expect(paused.stdout).toMatch(
    /^Paused until \d+ \w+, \d\d:\d\d\. No new job starts\. Your note: Demo day\.$/,
  );
  await cli(dataDir, 'offline');
  const before = first.host.overview();
  await first.host.stop('stop');

  const second = await started(dataDir);
  const { host } = second;
  const after = host.overview();
  expect([after.intake, after.session.kind, after.session.sinceMs]).toEqual([
    'offline',
    'closed',
    before.session.sinceMs,
  ]);
  expect(after.pause).toEqual(before.pause);
  expect((await cli(dataDir, 'online')).exitCode).toBe(0);
  await second.until(({ session }) => session.kind === 'online');
  expect(host.overview().intake).toBe('paused');
  await cli(dataDir, 'resume');
  expect([host.overview().intake, host.overview().pause]).toEqual(['open', null]);
});

test.each([
  [['pause', '--for', 'ever'], '--for takes a time'],
  [['pause', '--until', '25:00'], '--until takes a time of day'],
  [['pause', '--for', '1h', '--until', '18:00'], 'not both'],
  [['quit', '--stop', '--leave'], 'Give one of'],
])('%j is refused and changes nothing', async (words, said) => {
  const dataDir = await newDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  const { host } = await started(dataDir);
  const { exitCode, stderr } = await cli(dataDir, ...words);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)]);
  expect(host.overview().pause).toBeNull();
});

test('quit ends the host, with 0 for both', async () => {
  const host = await startHostProcess({ environment: NO_ENGINE });
  onTestFinished(() => host.stop());
  const exited = new Promise((resolve) => host.child.once('exit', resolve));
  expect(await cli(host.dataDir, 'quit')).toMatchObject({
    exitCode: 0,
    stdout: 'The host has ended.',
  });
  expect(await exited).toBe(0);
});
