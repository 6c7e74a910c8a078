/** `npm run dev`: the page as Vite serves it, against a real host whose border stays as it is. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HostClient } from '../../main/cli/host-client.ts';
import { SESSION_PATH, SOCKET_PATH } from '../../main/contract/frames.ts';
import { startHostProcess, type HostProcess } from '../../scripts/host-process.ts';
import { projectDir } from '../../scripts/setup/places.mjs';
import { launchBrowser, newPage } from '../support/browser.ts';

let host: HostProcess;
let client: HostClient;
let browser: Browser;
let vite: ChildProcess;
let served = '';

beforeAll(async () => {
  [browser, host] = await Promise.all([launchBrowser(), startHostProcess()]);
  client = await HostClient.connect(host.dataDir);
  const { origin } = new URL((await client.request('page.address', {})).url);
  const server = spawn(process.execPath, [join(projectDir, 'scripts/dev.mjs'), origin], {
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  vite = server;
  served = await new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      const address = /Local: +(http:\S+?)\/?$/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
    server.once('exit', () => reject(new Error('the dev server ended')));
  });
});
afterAll(async () => {
  const ended = once(vite, 'exit');
  vite.kill();
  await ended;
  await browser.close();
  client.close();
  await host.stop();
});

test('the page signs in through the dev server and shows what changes on the host as it changes', async () => {
  const { hash } = new URL((await client.request('page.address', {})).url);
  const tab = await newPage(browser);
  const { page } = tab;
  await page.goto(`${served}/${hash}`);
  await page.getByText('Online').first().waitFor();
  expect(new URL(page.url()).hash).not.toContain('code');
  await client.request('host.pause', {});
  await page.getByText('Paused.').first().waitFor();
  await client.request('host.resume', {});
  await page.getByText('Paused.').first().waitFor({ state: 'detached' });
  expect(tab.faults).toEqual([]);
  await tab.close();
});

test('what another page sends to the dev server the host refuses as if it had come straight', async () => {
  const statuses = await Promise.all([
    statusOf('POST', SESSION_PATH, { origin: 'http://evil.example' }),
    statusOf('POST', SESSION_PATH, { origin: 'null' }),
    statusOf('GET', SOCKET_PATH, {
      origin: 'http://evil.example',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }),
  ]);
  expect(statuses).toEqual([403, 403, 403]);
});

function statusOf(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${served}${path}`, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once('upgrade', (_response, socket) => {
      socket.destroy();
      resolve(101);
    });
    sent.once('error', reject);
    sent.end(method === 'POST' ? '{}' : undefined);
  });
}
