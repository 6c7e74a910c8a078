import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { WebSocketControlPlane } from '../../../main/control-plane/websocket-control-plane.ts';
import type { ControlSession, LogFields, RunnerIdentity } from '../../../runner-core/ports.ts';
import { toRunnerId } from '../../../runner-core/model/ids.ts';
import type { ServerFrame } from '../../../runner-core/wire/frames.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { serviceRoute } from '../../support/service-route.ts';

const runnerId = toRunnerId('9a1de0f4-52b7-4b1c-8e7e-3c0a4f2f7d11');
if (runnerId === undefined) throw new Error('unusable id');
const identity: RunnerIdentity = { runnerId, token: 'secret-token', name: 'n' };

let server: WebSocketServer;
let plane: WebSocketControlPlane;
let clock: FakeClock;
let warnings: LogFields[];
let frames: ServerFrame[];
let ended: Promise<string>;
let aliveCount: number;

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  clock = new FakeClock();
  warnings = [];
  const ignore = (): void => undefined;
  const log = {
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: (_: string, fields?: LogFields) => void warnings.push(fields ?? {}),
  };
  plane = new WebSocketControlPlane({
    serverUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`,
    clock,
    log,
    route: serviceRoute(clock),
  });
});

afterEach(async () => {
  for (const client of server.clients) client.terminate();
  await new Promise((resolve) => server.close(resolve));
});

async function connect(): Promise<{
  session: ControlSession;
  peer: WebSocket;
  headers: Record<string, unknown>;
  path: string;
}> {
  const arrived = once(server, 'connection') as Promise<
    [WebSocket, { headers: Record<string, unknown>; url: string }]
  >;
  frames = [];
  aliveCount = 0;
  let end: (cause: string) => void;
  ended = new Promise((resolve) => (end = resolve));
  const session = await plane.open(
    identity,
    {
      frame: (frame) => void frames.push(frame),
      alive: () => void aliveCount++,
      closed: (cause) => end(cause),
    },
    new AbortController().signal,
  );
  const [peer, request] = await arrived;
  return { session, peer, headers: request.headers, path: request.url };
}

/** Resolves when everything the peer sent before has been handled: a ping comes back in order. */
async function received(peer: WebSocket): Promise<void> {
  peer.ping();
  await once(peer, 'pong');
}

test('the token travels in the header and the path prefix is kept', async () => {
  const { headers, path } = await connect();
  expect(headers['x-runner-token']).toBe('secret-token');
  expect(path).toBe(`/base/api/v1/runners/${identity.runnerId}/ws`);
});

test('good frames arrive parsed; malformed, unknown and binary ones are logged with their field and skipped', async () => {
  const { peer } = await connect();
  peer.send('{"type":"hello","runner_id":"r","concurrency":2}');
  peer.send('{"type":"hello"}');
  peer.send('{"type":"session_start"}');
  peer.send('nonsense');
  peer.send(Buffer.from([1]));
  peer.send('{"type":"ack"}');
  await received(peer);
  expect(frames.map((frame) => frame.type)).toEqual(['hello', 'ack']);
  expect(warnings.map(({ field }) => field)).toEqual(['runner_id', 'type', '', '']);
  expect(aliveCount).toBeGreaterThanOrEqual(6);
});

test('the end of a session is told once, with the close code of the service', async () => {
  const { session, peer } = await connect();
  peer.close(1008, 'policy');
  expect(await ended).toBe('closed by the service (1008: policy)');
  session.terminate('late');
  session.send({ type: 'unregister' });
  expect(clock.pending).toBe(0);
});

test('terminate tells the end at once, and nothing follows', async () => {
  const { session, peer } = await connect();
  session.terminate('no sign of life');
  expect(await ended).toBe('no sign of life');
  expect(peer.readyState).not.toBe(3);
});

test('a peer that never answers a close is cut after two seconds', async () => {
  const { session, peer } = await connect();
  peer.pause();
  const closed = session.close();
  await clock.advance(2_000);
  await closed;
  expect(await ended).toBe('closed by this host');
});

test('a frame that cannot be written for five seconds ends the session', async () => {
  const { session, peer } = await connect();
  peer.pause();
  const line = 'x'.repeat(60_000);
  for (let index = 0; index < 400; index++) {
    session.send({ type: 'logs', execution_id: 'e', lines: Array.from({ length: 4 }, () => line) });
  }
  expect(session.bufferedBytes()).toBeGreaterThan(0);
  await clock.advance(5_001);
  expect(await ended).toBe('a frame could not be written within 5 s');
});

test.each([
  ['an HTTP answer', 503, 'the service answered 503 instead of opening the socket'],
] as const)('%s instead of the upgrade is said in plain words', async (_, status, words) => {
  const http = createServer((__, response) => response.writeHead(status).end());
  http.on('upgrade', (__, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const ignore = (): void => undefined;
  const refusing = new WebSocketControlPlane({
    serverUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    clock,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    route: serviceRoute(clock),
  });
  const events = { frame: ignore, alive: ignore, closed: ignore };
  await expect(refusing.open(identity, events, new AbortController().signal)).rejects.toThrow(
    words,
  );
  http.close();
});

test('a refused connection is said in plain words, without the token', async () => {
  await new Promise((resolve) => server.close(resolve));
  const events = { frame: () => undefined, alive: () => undefined, closed: () => undefined };
  const dialling = plane.open(identity, events, new AbortController().signal);
  await expect(dialling).rejects.toThrow('the service refused the connection');
});

test('dialling can be called off', async () => {
  const abort = new AbortController();
  const events = { frame: () => undefined, alive: () => undefined, closed: () => undefined };
  const dialling = plane.open(identity, events, abort.signal);
  abort.abort();
  await expect(dialling).rejects.toThrow('called off');
});
