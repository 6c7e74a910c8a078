import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Enrolment, type EnrolmentRequest } from '../../../main/services/enrolment.ts';
import type { RunnerId } from '../../../runner-core/model/ids.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { serviceRoute } from '../../support/service-route.ts';
import type { KnownIdentity } from '../../../main/store/settings-store.ts';

const RUNNER = '9a1de0f4-52b7-4b1c-8e7e-3c0a4f2f7d11';
let server: Server;
let asked: Record<string, unknown>[];
let answer: { status: number; body: unknown };
let records: Map<string, KnownIdentity>;
let tokens: Map<string, { runnerId: RunnerId; token: string }>;
let enrolment: Enrolment;

beforeEach(async () => {
  asked = [];
  answer = { status: 200, body: { id: RUNNER, name: 'box', token: 'fresh' } };
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      asked.push({ ...(JSON.parse(text) as object), auth: request.headers.authorization });
      response.writeHead(answer.status).end(JSON.stringify(answer.body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  records = new Map();
  tokens = new Map();
  const ignore = (): void => undefined;
  enrolment = new Enrolment({
    store: {
      identity: (key) => records.get(key),
      keepIdentity: (key, record) => void records.set(key, record),
    },
    vault: {
      token: (key) => tokens.get(key)?.token,
      runnerId: (key) => tokens.get(key)?.runnerId,
      keepRunner: (key, runnerId, token) => void tokens.set(key, { runnerId, token }),
    },
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    route: serviceRoute(new FakeClock()),
  });
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const request = (over: Partial<EnrolmentRequest> = {}): EnrolmentRequest => ({
  serverKey: 'k',
  serverUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  ownerToken: 'owner',
  name: null,
  labels: null,
  concurrency: 2,
  mode: null,
  machine: { hostname: 'box', os: 'linux', arch: 'amd64' },
  ...over,
});

test('the first start registers with every field and keeps the identity', async () => {
  const enrolled = await enrolment.identity(request({ labels: ['gpu'] }));
  expect(enrolled).toEqual({
    ok: true,
    identity: { runnerId: RUNNER, token: 'fresh', name: 'box' },
  });
  expect(asked).toEqual([
    {
      name: 'box',
      hostname: 'box',
      os: 'linux',
      arch: 'amd64',
      labels: ['gpu'],
      concurrency: 2,
      host_exec_profiles: [],
      auth: 'Bearer owner',
    },
  ]);
  expect(tokens.get('k')).toEqual({ runnerId: RUNNER, token: 'fresh' });
});

test('a later start dials with the stored token and calls nobody', async () => {
  await enrolment.identity(request());
  answer = { status: 500, body: {} };
  expect(await enrolment.identity(request({ ownerToken: null }))).toMatchObject({ ok: true });
  expect(asked).toHaveLength(1);
});

test('a lost database costs no identity: it is taken from beside the token, and kept anew', async () => {
  await enrolment.identity(request());
  records.clear();
  const identity = { runnerId: RUNNER, token: 'fresh', name: 'box' };
  expect(await enrolment.identity(request())).toEqual({ ok: true, identity });
  expect(asked).toHaveLength(1);
  expect(records.get('k')).toMatchObject({ runnerId: RUNNER });
});

test.each([
  ['the first start', {}, false, false],
  ['a later start', {}, true, true],
  ['new labels', { labels: ['gpu'] }, true, false],
  ['enrolling again', { mode: 'again' }, true, false],
  ['enrolling anew', { mode: 'new' }, true, false],
] as const)('%s: known without asking anybody? (%j)', async (_when, over, isLater, isKnown) => {
  if (isLater) await enrolment.identity(request());
  expect(enrolment.stored(request(over)) !== undefined).toBe(isKnown);
});

test.each([
  ['new labels', { labels: ['gpu'] }, true],
  ['a name', { name: 'build box' }, true],
  ['enrolling again', { mode: 'again' }, true],
  ['enrolling anew', { mode: 'new' }, false],
] as const)(
  'after the loss of the database and with %s, is the runner known? %j: %s',
  async (_what, over, isKnown) => {
    await enrolment.identity(request({ labels: ['gpu'], name: 'build box' }));
    records.clear();
    expect(enrolment.stored(request(over))).toBeUndefined();
    expect(enrolment.knownRunner(request(over))).toBe(isKnown ? RUNNER : undefined);
  },
);

test('identities are kept apart by server', async () => {
  await enrolment.identity(request());
  expect(await enrolment.identity(request({ serverKey: 'other', ownerToken: null }))).toMatchObject(
    { ok: false },
  );
});

test('changed labels are told by resuming, once', async () => {
  await enrolment.identity(request());
  await enrolment.identity(request({ labels: ['gpu'] }));
  await enrolment.identity(request({ labels: ['gpu'] }));
  expect(asked.map((body) => body['runner_id'])).toEqual([undefined, RUNNER]);
});

test('changed labels do not keep a known runner offline when the service is away', async () => {
  await enrolment.identity(request());
  answer = { status: 503, body: {} };
  expect(await enrolment.identity(request({ labels: ['gpu'] }))).toMatchObject({
    ok: true,
    identity: { token: 'fresh' },
  });
});

test('a runner the service no longer knows is never registered anew by itself', async () => {
  await enrolment.identity(request());
  answer = { status: 404, body: { detail: 'Runner not found' } };
  const enrolled = await enrolment.identity(request({ mode: 'again' }));
  expect(enrolled).toMatchObject({ ok: false, problem: 'The service no longer knows this runner' });
  expect(asked.map((body) => body['runner_id'])).toEqual([undefined, RUNNER]);
});

test('the owner may ask for a new runner in its place', async () => {
  await enrolment.identity(request());
  await enrolment.identity(request({ mode: 'new' }));
  expect(asked.map((body) => body['runner_id'])).toEqual([undefined, undefined]);
});

test.each([
  [401, { detail: 'nope' }, 'does not accept the API token'],
  [403, { detail: 'Permission denied: execute_flows' }, 'does not accept the API token'],
  [422, { detail: [{ loc: ['body', 'name'] }] }, 'refused to enrol'],
  [500, 'not even json', 'refused to enrol'],
  [200, { id: '../x', name: 'n', token: 't' }, 'no usable "id"'],
  [200, { id: RUNNER, name: 'n' }, 'no usable "token"'],
])('an answer %i %j is a plain problem with a remedy', async (status, body, words) => {
  answer = { status, body };
  const enrolled = await enrolment.identity(request());
  expect(enrolled).toMatchObject({ ok: false, problem: expect.stringContaining(words) as string });
  expect(records.size + tokens.size).toBe(0);
});

test('a service that cannot be reached is worth another try, an unenrolled machine without a token is not', async () => {
  const away = await enrolment.identity(request({ serverUrl: 'http://127.0.0.1:9' }));
  expect(away).toMatchObject({ ok: false, retryable: true });
  const noToken = await enrolment.identity(request({ ownerToken: null }));
  expect(noToken).toMatchObject({ ok: false, retryable: false });
});
