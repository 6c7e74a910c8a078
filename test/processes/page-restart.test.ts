/** A host that starts over under an open page and a running command. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, expect, test } from 'vitest';
import { ACCESS_FILES } from '../../main/api/access-files.ts';
import { HostClient } from '../../main/cli/host-client.ts';
import { SESSION_PATH, SOCKET_PATH } from '../../main/contract/frames.ts';
import { CONTRACT_VERSION } from '../../main/contract/version.ts';
import { cli } from '../support/cli-under-test.ts';
import {
  newDataDir,
  removeDataDir,
  startHost,
  type HostUnderTest,
} from '../support/host-under-test.ts';

async function started(dataDir: string): Promise<HostUnderTest> {
  const under = await startHost({
    dataDir,
    environment: { ...process.env, DOCKER_HOST: 'unix:///nowhere/docker.sock' },
  });
  onTestFinished(() => under.host.stop('stop'));
  return under;
}

/** What the host answers to the first frame of a page with this token. */
function firstAnswer(origin: string, token: string): Promise<string> {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}${SOCKET_PATH}`);
  return new Promise((resolve) => {
    socket.addEventListener('open', () =>
      socket.send(JSON.stringify({ kind: 'authenticate', token, contract: CONTRACT_VERSION })),
    );
    socket.addEventListener('message', ({ data }) => {
      socket.close();
      resolve((JSON.parse(String(data)) as { kind: string }).kind);
    });
  });
}

test('a page stays signed in at the same address, and a new command finds the new host', async () => {
  const dataDir = await newDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  const first = await started(dataDir);
  const { origin } = first.host.page;
  const code = new URL(first.host.signInUrl()).hash.replace('#code=', '');
  const answer = await fetch(`${origin}${SESSION_PATH}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  const { token } = (await answer.json()) as { token: string };
  const oldCommandToken = readFileSync(join(dataDir, ACCESS_FILES.token), 'utf8').trim();
  await first.host.stop('stop');
  expect(existsSync(join(dataDir, ACCESS_FILES.address))).toBe(false);
  expect((await cli(dataDir, 'status')).exitCode).toBe(3);

  const second = await started(dataDir);
  expect(second.host.page).toMatchObject({ origin, takenPort: null });
  expect(await firstAnswer(origin, token)).toBe('ready');
  expect(await firstAnswer(origin, oldCommandToken)).toBe('refused');
  expect((await cli(dataDir, 'status')).exitCode).toBe(0);
});

test('a command that waits is told when the host ends', async () => {
  const dataDir = await newDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  const { host } = await started(dataDir);
  const client = await HostClient.connect(dataDir);
  const waiting = client.until('job', { jobId: 'never' }, (view) => view !== null);
  const told = expect(waiting).rejects.toThrow('The host went away.');
  await client.request('host.pause', {});
  await host.stop('stop');
  await told;
});
