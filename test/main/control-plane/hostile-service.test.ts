/** The host's border against a service that sends nonsense: a real socket, the real listener behind it. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { WebSocketControlPlane } from '../../../main/control-plane/websocket-control-plane.ts';
import { parseServerFrame } from '../../../runner-core/wire/frames.ts';
import { jobIdOf, jobPayload } from '../../support/builders.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { hostileFrameText, seededDraw } from '../../support/hostile-frames.ts';
import { listenerBench, RecordingLog } from '../../support/listener-bench.ts';
import { serviceRoute } from '../../support/service-route.ts';

/** FUZZ_SEED tries others. */
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_130);
const FRAMES = 10_000;
const BURST = 100;
const LIMIT_MS = 120_000;
const HELLO = '{"type":"hello","runner_id":"r","log_acknowledgements":true}';

test(
  `${FRAMES} hostile frames leave the host alive, each bad one logged with its field (seed ${seed})`,
  async () => {
    const rejections: unknown[] = [];
    const noteRejection = (why: unknown): void => void rejections.push(why);
    process.on('unhandledRejection', noteRejection);
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    const clock = new FakeClock();
    const log = new RecordingLog();
    const { port } = server.address() as AddressInfo;
    const serverUrl = `http://127.0.0.1:${port}`;
    const controlPlane = new WebSocketControlPlane({
      serverUrl,
      clock,
      log,
      route: serviceRoute(clock),
    });
    const bench = listenerBench({
      clock,
      deps: { controlPlane, log, concurrency: () => 1_000_000 },
    });
    const draw = seededDraw(seed);
    let sent = 0;
    let badSent = 0;

    let peer = await connected(server, () => bench.listener.start());
    while (sent < FRAMES) {
      for (; sent < FRAMES && peer.readyState === peer.OPEN;) {
        for (let burst = 0; burst < BURST && sent < FRAMES; burst++, sent++) {
          const text = hostileFrameText(draw);
          const parsed = parseServerFrame(text);
          if (!parsed.ok) badSent += 1;
          peer.send(text);
          // It ends the session: what is sent behind it would not be read.
          if (parsed.ok && parsed.frame.error !== undefined) burst = BURST;
        }
        await answeredOrClosed(peer);
      }
      // An error of the service ends a session; the owner's word, or time, brings the next.
      if (peer.readyState !== peer.OPEN) peer = await connected(server, () => redial(bench, clock));
    }
    const skipped = log.of('frame skipped');
    expect(badSent).toBeGreaterThan(FRAMES / 10);
    expect(skipped.length).toBe(badSent);
    expect(skipped.filter(({ problem }) => problem === '')).toEqual([]);

    peer = await connected(server, () => redial(bench, clock));
    peer.send(JSON.stringify({ type: 'job', job: jobPayload(1) }));
    await answeredOrClosed(peer);
    await clock.advance(0);
    expect(bench.store.job(jobIdOf(1))?.state.kind).toMatch(/accepted|starting/);
    expect(rejections).toEqual([]);
    process.off('unhandledRejection', noteRejection);
    await bench.stop();
    for (const client of server.clients) client.terminate();
    await new Promise((resolve) => server.close(resolve));
  },
  LIMIT_MS,
);

async function redial(bench: ReturnType<typeof listenerBench>, clock: FakeClock): Promise<void> {
  bench.listener.retry();
  await clock.advance(0);
}

/** The next connection, greeted; its heartbeats are answered as the service answers them. */
async function connected(server: WebSocketServer, dial: () => Promise<void>): Promise<WebSocket> {
  const arrived = once(server, 'connection') as Promise<[WebSocket]>;
  await dial();
  const [peer] = await arrived;
  peer.on('error', () => undefined);
  peer.send(HELLO);
  await answeredOrClosed(peer);
  return peer;
}

/** Resolves when the host has handled all that was sent before, or is gone. */
async function answeredOrClosed(peer: WebSocket): Promise<void> {
  if (peer.readyState !== peer.OPEN) return;
  const over = new AbortController();
  peer.ping();
  await Promise.race([
    once(peer, 'pong', { signal: over.signal }),
    once(peer, 'close', { signal: over.signal }),
  ]);
  over.abort();
}
