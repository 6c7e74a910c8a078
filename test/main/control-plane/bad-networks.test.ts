/** A session over real sockets on networks that fail: silent, torn, half there. Time is the fake clock's. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { WebSocketControlPlane } from '../../../main/control-plane/websocket-control-plane.ts';
import { SessionKeeper } from '../../../runner-core/listener/session-keeper.ts';
import {
  HELLO_DEADLINE_MS,
  READ_DEADLINE_MS,
} from '../../../runner-core/listener/session-socket.ts';
import type { SessionState } from '../../../runner-core/model/session-state.ts';
import { IDENTITY } from '../../support/builders.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FixedRandom, RecordingLog } from '../../support/listener-bench.ts';
import { startStallingRelay, type StallingRelay } from '../../support/relay-proxy.ts';
import { serviceRoute } from '../../support/service-route.ts';

const HELLO = '{"type":"hello","runner_id":"r","log_acknowledgements":true}';

let service: WebSocketServer;
let greets: boolean;
let relay: StallingRelay;
let clock: FakeClock;
let keeper: SessionKeeper;
let silent: Server | null;

beforeEach(async () => {
  greets = true;
  silent = null;
  service = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  service.on('connection', (peer) => {
    peer.on('message', () => peer.send('{"type":"ack"}'));
    peer.on('error', () => undefined);
    if (greets) peer.send(HELLO);
  });
  await once(service, 'listening');
  relay = await startStallingRelay((service.address() as AddressInfo).port);
  clock = new FakeClock(1_000_000);
  keeper = keeperTo(relay.port);
});
afterEach(async () => {
  // A peer that is gone answers no close; what waits for it is the clock.
  const stopped = keeper.stop();
  await clock.advance(5_000);
  await stopped;
  await relay.stop();
  for (const client of service.clients) client.terminate();
  await new Promise((resolve) => service.close(resolve));
  if (silent !== null) await new Promise((resolve) => silent?.close(resolve));
});

function keeperTo(port: number): SessionKeeper {
  const log = new RecordingLog();
  const controlPlane = new WebSocketControlPlane({
    serverUrl: `http://127.0.0.1:${port}`,
    clock,
    log,
    route: serviceRoute(clock),
  });
  const ignore = (): void => undefined;
  return new SessionKeeper(
    {
      clock,
      random: new FixedRandom(),
      log,
      controlPlane,
      identity: () => IDENTITY,
      heartbeat: () => ({
        type: 'heartbeat',
        concurrency: 2,
        ephemeral: false,
        host_exec_profiles: [],
        publication_capabilities: { version: 1, helper_ready: false },
      }),
    },
    { online: ignore, frame: ignore, offline: ignore },
  );
}

/** Resolves with the first state of this kind from now on. */
function next<Kind extends SessionState['kind']>(
  kind: Kind,
): Promise<Extract<SessionState, { kind: Kind }>> {
  return new Promise((resolve) => {
    let isPresent = true;
    const unwatch = keeper.watch((state) => {
      if (isPresent || state.kind !== kind) return;
      unwatch();
      resolve(state as Extract<SessionState, { kind: Kind }>);
    });
    isPresent = false;
  });
}

async function online(): Promise<void> {
  const isOnline = next('online');
  keeper.goOnline();
  await isOnline;
}

test('a line that went dead without a word is found within 45 s and dialled anew', async () => {
  await online();
  relay.stall();
  const lost = next('waiting');
  await clock.advance(READ_DEADLINE_MS);
  expect(await lost).toMatchObject({ cause: 'nothing heard for 45 s', attempt: 1 });
  relay.resume();
  const again = next('online');
  await clock.advance(1_000);
  await again;
  expect(relay.connections()).toBe(2);
});

test('a slow service that answers pings is not taken for a dead one', async () => {
  await online();
  for (let quarter = 0; quarter < 8; quarter++) {
    const [peer] = [...service.clients];
    if (peer === undefined) throw new Error('no session');
    // The ping that comes with a heartbeat was answered, in order, before what follows it.
    const heard = once(peer, 'message');
    await clock.advance(15_600);
    await heard;
    peer.ping();
    await once(peer, 'pong');
  }
  expect(keeper.state.kind).toBe('online');
  expect(relay.connections()).toBe(1);
});

test('after waking the dead socket is dropped at once and a new one is online without any time passing', async () => {
  await online();
  relay.stall();
  const beforeMs = clock.monotonicMs();
  relay.resume();
  const again = next('online');
  keeper.redial();
  expect(keeper.state).toMatchObject({ kind: 'dialling', attempt: 0 });
  await again;
  expect(clock.monotonicMs()).toBe(beforeMs);
});

test('waking while waiting for the next try starts the waiting over', async () => {
  await online();
  relay.stall();
  for (let failure = 0; failure < 3; failure++) {
    const lost = next('waiting');
    await clock.advance(READ_DEADLINE_MS + 30_000);
    await lost;
  }
  relay.resume();
  const again = next('online');
  keeper.redial();
  expect(keeper.state).toMatchObject({ kind: 'dialling', attempt: 0 });
  await again;
});

test('a reset is a lost session, and the next try follows', async () => {
  await online();
  const lost = next('waiting');
  relay.reset();
  expect((await lost).cause).toMatch(/reset|broke off/);
  const again = next('online');
  await clock.advance(1_000);
  await again;
});

test('a service whose hello never comes is left after 20 s', async () => {
  greets = false;
  const accepted = once(service, 'connection');
  keeper.goOnline();
  const [peer] = (await accepted) as [{ once(event: 'message', act: () => void): void }];
  // The first heartbeat shows that the host took the socket for open.
  await new Promise<void>((resolve) => peer.once('message', resolve));
  const lost = next('waiting');
  await clock.advance(HELLO_DEADLINE_MS);
  expect((await lost).cause).toBe('no hello within 20 s');
});

test('a service that takes the connection and says nothing is left, as one that did not answer', async () => {
  silent = createServer((socket) => socket.on('error', () => undefined).resume());
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  keeper = keeperTo((silent.address() as AddressInfo).port);
  const asked = once(silent, 'connection').then(([socket]) =>
    once(socket as NodeJS.EventEmitter, 'data'),
  );
  keeper.goOnline();
  await asked;
  const lost = next('waiting');
  await clock.advance(45_000);
  expect(await lost).toMatchObject({
    cause: 'the service did not answer in time',
    problem: { code: 'timed_out', via: 'service' },
  });
});
