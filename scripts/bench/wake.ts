/**
 * What a host does about a network that went away without a word: how long until a half-open socket is found, and
 * how soon after waking it is back. A real host and plane, and a relay between them that can swallow every byte.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHostProcess, type HostProcess } from '../host-process.ts';
import type { BenchResult } from './bench-result.ts';
import { median } from './median.ts';
import { startPlaneOfBench } from './plane-process.ts';

const WAKES = 12;
const JUMPS = 10;
const ASLEEP_MS = 1_500;
/** Wakings closer together count as one. */
const AWAKE_MS = 2_500;
/** Between the check that sees a jump and the next, so that jumps fall anywhere in between. */
const JUMP_SPREAD_MS = 700;
const LIMIT = {
  half_open_ms: 45_000,
  wake_to_hello_max_ms: 5_000,
  wake_to_hello_median_ms: 2_000,
  wake_to_dial_max_ms: 250,
  /** Nobody tells, so it is the check every 5 s and a dial. */
  jump_to_hello_max_ms: 5_250,
} as const;

export async function run(): Promise<BenchResult> {
  const plane = await startPlaneOfBench();
  const relay = await startSwallowingRelay(new URL(plane.url));
  let host: HostProcess | null = null;
  try {
    host = await startHostProcess({
      args: ['--server', `http://127.0.0.1:${relay.port}`],
      nodeArgs: ['--import', fileURLToPath(new URL('clock-jump.mjs', import.meta.url))],
      environment: { PRELOOP_TOKEN: plane.ownerToken },
    });
    const wakes = await each(WAKES, () => wake(relay, signalled(host)));
    const jumps = await each(JUMPS, (index) => jump(relay, signalled(host), index));
    const halfOpenMs = await halfOpen(relay);
    return result(wakes, jumps, halfOpenMs);
  } finally {
    await host?.stop();
    await relay.stop();
    await plane.stop();
  }
}

interface Back {
  readonly dialMs: number;
  readonly helloMs: number;
}

function result(wakes: readonly Back[], jumps: readonly Back[], halfOpenMs: number): BenchResult {
  const hello = wakes.map(({ helloMs }) => helloMs);
  const metrics = {
    half_open_ms: halfOpenMs,
    wakes: wakes.length,
    wake_to_hello_max_ms: Math.max(...hello),
    wake_to_hello_median_ms: median(hello),
    wake_to_dial_max_ms: Math.max(...wakes.map(({ dialMs }) => dialMs)),
    // Where nothing tells of it, the check that runs every 5 s does: the bar of a waking that is told is not for it.
    clock_jumps: jumps.length,
    jump_to_hello_max_ms: Math.max(...jumps.map(({ helloMs }) => helloMs)),
    jump_to_hello_median_ms: median(jumps.map(({ helloMs }) => helloMs)),
  };
  const pass =
    metrics.half_open_ms <= LIMIT.half_open_ms &&
    metrics.wake_to_hello_max_ms <= LIMIT.wake_to_hello_max_ms &&
    metrics.wake_to_hello_median_ms <= LIMIT.wake_to_hello_median_ms &&
    metrics.wake_to_dial_max_ms <= LIMIT.wake_to_dial_max_ms &&
    metrics.jump_to_hello_max_ms <= LIMIT.jump_to_hello_max_ms;
  return { bench: 'wake', metrics, limit: LIMIT, ratio: halfOpenMs / LIMIT.half_open_ms, pass };
}

type Signal = (signal: NodeJS.Signals) => void;
function signalled(host: HostProcess | null): Signal {
  return (signal) => void host?.child.kill(signal);
}

/** The lid: halted, its connection forgotten meanwhile, and set going again, of which the system tells. */
async function wake(relay: SwallowingRelay, signal: Signal): Promise<Back> {
  signal('SIGSTOP');
  relay.swallow();
  await sleep(ASLEEP_MS);
  const back = backOn(relay);
  signal('SIGCONT');
  const found = await back;
  await sleep(AWAKE_MS);
  return found;
}

/** Nobody tells: only the wall clock is an hour on. */
async function jump(relay: SwallowingRelay, signal: Signal, index: number): Promise<Back> {
  await sleep(AWAKE_MS + index * JUMP_SPREAD_MS);
  relay.swallow();
  const back = backOn(relay);
  signal('SIGUSR1');
  return back;
}

async function halfOpen(relay: SwallowingRelay): Promise<number> {
  await sleep(AWAKE_MS);
  relay.swallow();
  const sinceMs = performance.now();
  const { atMs } = await relay.closedByHost();
  return atMs - sinceMs;
}

/** From now to the next connection, and to the first frame of the service on it that is a `hello`. */
async function backOn(relay: SwallowingRelay): Promise<Back> {
  const sinceMs = performance.now();
  const [dial, hello] = await Promise.all([relay.connected(), relay.greeted()]);
  return { dialMs: dial.atMs - sinceMs, helloMs: hello.atMs - sinceMs };
}

async function each<T>(count: number, act: (index: number) => Promise<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for (let index = 0; index < count; index++) found.push(await act(index));
  return found;
}

interface Seen {
  readonly atMs: number;
}
interface SwallowingRelay {
  readonly port: number;
  /** No byte passes on the connections there are, and neither side is told; later ones pass. */
  swallow(): void;
  connected(): Promise<Seen>;
  greeted(): Promise<Seen>;
  closedByHost(): Promise<Seen>;
  stop(): Promise<void>;
}

async function startSwallowingRelay({ hostname, port }: URL): Promise<SwallowingRelay> {
  const sockets = new Set<Socket>();
  const swallowers = new Set<() => void>();
  const waiting = { connected: new Set<Tell>(), greeted: new Set<Tell>(), closed: new Set<Tell>() };
  const server = createServer((near) => {
    tell(waiting.connected);
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    let isOpen = true;
    near.on('data', (bytes) => void (isOpen && far.write(bytes)));
    far.on('data', (bytes) => {
      if (!isOpen) return;
      near.write(bytes);
      // Frames of a server are not masked, so the text can be seen.
      if (bytes.includes('"type":"hello"')) tell(waiting.greeted);
    });
    // Read on after swallowing, so that the host's end of it is seen here and nowhere else.
    near.on('close', () => (isOpen ? far.destroy() : tell(waiting.closed)));
    far.on('close', () => void (isOpen && near.destroy()));
    swallowers.add(() => (isOpen = false));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const next = (of: Set<Tell>) => (): Promise<Seen> =>
    new Promise<Seen>((resolve) => void of.add(resolve));
  return {
    port: (server.address() as AddressInfo).port,
    swallow: () => {
      for (const close of swallowers) close();
      swallowers.clear();
    },
    connected: next(waiting.connected),
    greeted: next(waiting.greeted),
    closedByHost: next(waiting.closed),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

type Tell = (seen: Seen) => void;
function tell(waiting: Set<Tell>): void {
  const atMs = performance.now();
  for (const resolve of waiting) resolve({ atMs });
  waiting.clear();
}
