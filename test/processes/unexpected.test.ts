/** Failures nobody expected: a rejection leaves the host running, an exception ends it and is told at the next start. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { dataPaths } from '../../main/data-dir.ts';
import { newDataDir, removeDataDir, startHost } from '../support/host-under-test.ts';

const CHILD = fileURLToPath(new URL('unexpected-child.ts', import.meta.url));
const environment = { ...process.env, DOCKER_HOST: 'unix:///nowhere/docker.sock' };

async function failingHost(kind: 'rejection' | 'exception') {
  const dataDir = await newDataDir();
  const child = fork(CHILD, [dataDir, kind], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    await removeDataDir(dataDir);
  });
  const secret = await told(child);
  return { dataDir, child, exited, secret: String(secret) };
}

async function told(child: ChildProcess): Promise<unknown> {
  const [message] = (await once(child, 'message')) as [unknown];
  return message;
}

async function logged(dataDir: string, event: string): Promise<readonly string[]> {
  const text = await readFile(dataPaths(dataDir).hostLog, 'utf8');
  return text.split('\n').filter((line) => line.includes(`"event":"${event}"`));
}

async function faultsOfNextStart(dataDir: string) {
  const { host } = await startHost({ dataDir, environment });
  const { faults } = host.overview();
  await host.stop('stop');
  return faults;
}

test('a rejection nobody handles is logged once, without secrets, and the host goes on', async () => {
  const { dataDir, child, exited, secret } = await failingHost('rejection');
  child.send('fail');
  expect(await told(child)).toMatchObject({ onBattery: true });
  child.send('stop');
  expect(await exited).toEqual([0, null]);
  const lines = await logged(dataDir, 'rejection not handled');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('the power port broke near [hidden]');
  expect(lines[0]).not.toContain(secret);
  expect(await faultsOfNextStart(dataDir)).toEqual([]);
});

test('an exception nobody catches is logged and ends the host; the next start tells of it, once', async () => {
  const { dataDir, child, exited } = await failingHost('exception');
  child.send('fail');
  expect(await exited).toEqual([1, null]);
  expect(await logged(dataDir, 'exception not caught')).toHaveLength(1);
  const why = expect.stringMatching(
    /^The power port broke near \[hidden\]\. It runs again/,
  ) as string;
  expect(await faultsOfNextStart(dataDir)).toMatchObject([{ id: 'ended_unexpectedly', why }]);
  expect(await faultsOfNextStart(dataDir)).toEqual([]);
});
