/** The way to a service over TLS, a proxy or both: real sockets, and each thing that can go wrong on it. */
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { register } from '../../../main/control-plane/registration.ts';
import type { NetworkSettings } from '../../../main/control-plane/service-route.ts';
import { WebSocketControlPlane } from '../../../main/control-plane/websocket-control-plane.ts';
import { NetworkError, networkWords } from '../../../runner-core/model/network-problem.ts';
import type { ControlSession } from '../../../runner-core/ports.ts';
import { IDENTITY } from '../../support/builders.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { RecordingLog } from '../../support/listener-bench.ts';
import { startProxy, type TestProxy } from '../../support/relay-proxy.ts';
import { serviceRoute } from '../../support/service-route.ts';
import { tempDir } from '../../support/temp-dir.ts';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url));
const CA = fixture('ca.pem');
const RUNNER = '9a1de0f4-52b7-4b1c-8e7e-3c0a4f2f7d11';
const NOW_MS = Date.UTC(2026, 11, 1, 12);
const LOGIN = 'ann:s%40cret-word';

let service: Server;
let sockets: WebSocketServer;
let proxies: TestProxy[];
let clock: FakeClock;
let log: RecordingLog;
let hidden: string[];
let settings: NetworkSettings;
let environment: Record<string, string>;
let date: string;

beforeEach(async () => {
  proxies = [];
  clock = new FakeClock(NOW_MS);
  log = new RecordingLog();
  hidden = [];
  settings = { proxy: null, caFile: CA };
  environment = {};
  date = new Date(NOW_MS).toUTCString();
  await serve('service');
});
afterEach(async () => {
  for (const proxy of proxies) await proxy.stop();
  await stopService();
});

async function serve(certificate: string): Promise<void> {
  service = createServer(
    {
      cert: readFileSync(fixture(`${certificate}.pem`)),
      key: readFileSync(fixture(`${certificate}.key`)),
    },
    (_, response) => {
      response.setHeader('Date', date);
      response.end(JSON.stringify({ id: RUNNER, name: 'box', token: 'fresh' }));
    },
  );
  sockets = new WebSocketServer({ server: service });
  sockets.on('headers', (headers) => void headers.push(`Date: ${date}`));
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
}

async function stopService(): Promise<void> {
  for (const client of sockets.clients) client.terminate();
  service.closeAllConnections();
  await new Promise((resolve) => service.close(resolve));
}

async function behindProxy(answer?: () => number | null): Promise<TestProxy> {
  const proxy = await startProxy((service.address() as AddressInfo).port, answer);
  proxies.push(proxy);
  return proxy;
}

const route = () =>
  serviceRoute(clock, {
    log: Object.assign(log, { hide: (secret: string) => void hidden.push(secret) }),
    environment,
    settings: () => settings,
  });

function dialled(way = route(), host = 'https://service.test'): Promise<ControlSession> {
  const plane = new WebSocketControlPlane({ serverUrl: host, clock, log, route: way });
  const ignore = (): void => undefined;
  return plane.open(
    IDENTITY,
    { frame: ignore, alive: ignore, closed: ignore },
    new AbortController().signal,
  );
}

/** What the owner is told of a dial that fails. */
async function told(dialling: Promise<unknown>): Promise<{ what: string; remedy: string | null }> {
  const error: unknown = await dialling.then(
    () => null,
    (failure: unknown) => failure,
  );
  if (!(error instanceof NetworkError)) throw new Error('the dial did not fail as expected');
  return networkWords(error.problem);
}

const FIELDS = {
  name: 'box',
  hostname: 'box',
  os: 'linux',
  arch: 'amd64',
  labels: [],
  concurrency: 2,
  host_exec_profiles: [],
};

test('socket and REST go through the proxy with its login, and trust the extra certificate file', async () => {
  const proxy = await behindProxy();
  environment = { https_proxy: `http://${LOGIN}@127.0.0.1:${proxy.port}` };
  const session = await dialled();
  const registered = await register(route(), 'https://service.test', 'owner', FIELDS);
  expect(registered).toMatchObject({ ok: true, runnerId: RUNNER });
  expect(proxy.asked.map(({ target }) => target)).toEqual(['service.test:443', 'service.test:443']);
  const expected = `Basic ${Buffer.from('ann:s@cret-word').toString('base64')}`;
  for (const { headers } of proxy.asked) {
    expect(headers['proxy-authorization']).toBe(expected);
    expect(headers['x-runner-token']).toBeUndefined();
  }
  session.terminate('over');
});

test('settings.yaml names the proxy where the environment does not', async () => {
  const proxy = await behindProxy();
  settings = { proxy: `http://127.0.0.1:${proxy.port}`, caFile: CA };
  (await dialled()).terminate('over');
  expect(proxy.asked).toHaveLength(1);
});

test('NODE_EXTRA_CA_CERTS is trusted too, and one that is missing only leaves a line in the log', async () => {
  const proxy = await behindProxy();
  settings = { proxy: `http://127.0.0.1:${proxy.port}`, caFile: null };
  environment = { NODE_EXTRA_CA_CERTS: CA };
  (await dialled()).terminate('over');
  environment = { NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem' };
  expect((await told(dialled())).what).toMatch(/does not trust|not trusted/);
  expect(JSON.stringify(log)).not.toContain('BEGIN CERTIFICATE');
});

test('an untrusted certificate is refused and its issuer named, by socket and REST', async () => {
  const proxy = await behindProxy();
  settings = { proxy: `http://127.0.0.1:${proxy.port}`, caFile: null };
  const expected = {
    what: 'the certificate was issued by Corp Inspection CA, which this system does not trust',
    remedy: "Name a file with the issuer's certificate under network: ca_file in settings.yaml.",
  };
  expect(await told(dialled())).toEqual(expected);
  const registered = await register(route(), 'https://service.test', 'owner', FIELDS);
  expect(registered).toMatchObject({ ok: false, kind: 'unreachable', detail: expected.what });
});

test('a certificate for another name and one that has expired are refused although their issuer is trusted', async () => {
  const proxy = await behindProxy();
  settings = { proxy: `http://127.0.0.1:${proxy.port}`, caFile: CA };
  const other = await told(dialled(route(), 'https://other.test'));
  expect(other.what).toBe('the certificate of the service is not for other.test');
  await stopService();
  await serve('expired');
  settings = { proxy: `http://127.0.0.1:${(await behindProxy()).port}`, caFile: CA };
  expect((await told(dialled())).what).toBe('the certificate of the service has expired');
});

test('a certificate file that cannot be used is named, and mended without a restart', async () => {
  const dir = tempDir();
  const proxy = await behindProxy();
  const caFile = join(dir, 'ca.pem');
  writeFileSync(caFile, 'no certificate');
  settings = { proxy: `http://127.0.0.1:${proxy.port}`, caFile };
  const way = route();
  expect((await told(dialled(way))).what).toBe(
    `the certificate file ${caFile} in network: ca_file cannot be used`,
  );
  copyFileSync(CA, caFile);
  (await dialled(way)).terminate('over');
});

test('a proxy that asks for a login, does not accept it, or says no is told with its remedy', async () => {
  const proxy = await behindProxy(() => 407);
  const address = `127.0.0.1:${proxy.port}`;
  settings = { proxy: `http://${address}`, caFile: CA };
  const asked = await told(dialled());
  expect(asked.what).toBe(`the proxy ${address} asks for a login (407)`);
  expect(asked.remedy).toContain(`http://USER:PASSWORD@${address}`);
  settings = { proxy: `http://${LOGIN}@${address}`, caFile: CA };
  expect((await told(dialled())).what).toBe(`the proxy ${address} does not accept the login (407)`);
  const denying = await behindProxy(() => 403);
  settings = { proxy: `http://127.0.0.1:${denying.port}`, caFile: CA };
  expect((await told(dialled())).what).toBe(
    `the proxy 127.0.0.1:${denying.port} does not let this machine through to the service (403)`,
  );
});

test('the password of a proxy is hidden from the log and in nothing that is told', async () => {
  const proxy = await behindProxy(() => 407);
  settings = { proxy: `http://${LOGIN}@127.0.0.1:${proxy.port}`, caFile: CA };
  const words = await told(dialled());
  expect(hidden).toContain('s@cret-word');
  expect(hidden).toContain('s%40cret-word');
  expect(JSON.stringify([words, log])).not.toMatch(/cret-word/);
});

test('a proxy that refuses, is not found, or never answers is told as the proxy', async () => {
  const nobody = createTcpServer().listen(0, '127.0.0.1');
  await once(nobody, 'listening');
  const { port } = nobody.address() as AddressInfo;
  await new Promise((resolve) => nobody.close(resolve));
  settings = { proxy: `http://127.0.0.1:${port}`, caFile: CA };
  expect((await told(dialled())).what).toBe(`the proxy 127.0.0.1:${port} refused the connection`);
  settings = { proxy: 'http://proxy.invalid:3128', caFile: CA };
  expect((await told(dialled())).what).toBe(
    'the name of the proxy proxy.invalid:3128 could not be found',
  );
  let hasAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (hasAsked = resolve));
  const silent = await behindProxy(() => (hasAsked(), null));
  settings = { proxy: `http://127.0.0.1:${silent.port}`, caFile: CA };
  const dialling = told(dialled());
  await asked;
  await clock.advance(15_000);
  expect((await dialling).what).toBe(`the proxy 127.0.0.1:${silent.port} did not answer in time`);
  expect(clock.pending).toBe(0);
});

test('a proxy of a kind that is not spoken here is told by the name of its variable, not its value', async () => {
  environment = { ALL_PROXY: `socks5://${LOGIN}@127.0.0.1:1080` };
  const { what, remedy } = await told(dialled());
  expect(what).toBe('the proxy in ALL_PROXY is not an http or https address');
  expect(remedy).toBe('Write it as http://HOST:PORT.');
});

test("the clocks are compared by the service's answers to both, and never by a proxy's", async () => {
  const refusing = await behindProxy(() => 407);
  settings = { proxy: `http://127.0.0.1:${refusing.port}`, caFile: CA };
  const way = route();
  await told(dialled(way));
  expect(way.skew.current).toBeNull();
  settings = { proxy: `http://127.0.0.1:${(await behindProxy()).port}`, caFile: CA };
  date = new Date(NOW_MS + 41_000).toUTCString();
  (await dialled(way)).terminate('over');
  expect(way.skew.current).toMatchObject({ offsetMs: 41_500, uncertaintyMs: 500 });
  date = new Date(NOW_MS - 90_000).toUTCString();
  await register(way, 'https://service.test', 'owner', FIELDS);
  expect(way.skew.current).toMatchObject({ offsetMs: -89_500 });
});
