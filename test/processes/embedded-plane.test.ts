/** The plane beside a host: it comes back after any death, and gives its runner as many slots as the host says. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PlaneClient } from '../../main/cli/plane-client.ts';
import { EmbeddedPlane } from '../../main/embedded-plane.ts';
import { register } from '../../main/control-plane/registration.ts';
import type { Log } from '../../runner-core/ports.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { serviceRoute } from '../support/service-route.ts';

let dataDir: string;
let plane: EmbeddedPlane;
let clock: FakeClock;
let awaited: Map<string, () => void>;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'embedded-plane-'));
  clock = new FakeClock();
  awaited = new Map();
  const tell = (event: string): void => awaited.get(event)?.();
  const log: Log = { debug: tell, info: tell, warn: tell, error: tell };
  const entry = resolve('control-plane/plane-main.ts');
  plane = await EmbeddedPlane.start({ entry, dataDir, port: null, clock, log });
});
afterEach(async () => {
  await plane.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Resolves when this is logged next. */
const logged = (event: string): Promise<void> =>
  new Promise((done) => void awaited.set(event, done));

function kill(): void {
  if (plane.pid !== undefined) process.kill(plane.pid, 'SIGKILL');
}

test('a plane that cannot be restarted at once is tried again until it is there, at its address', async () => {
  const { url, port } = plane;
  const ended = logged('plane ended by itself');
  kill();
  await ended;
  const squatter = createServer().listen(port, '127.0.0.1');
  await once(squatter, 'listening');
  for (const waitMs of [1_000, 2_000]) {
    const failed = logged('plane could not be restarted');
    await clock.advance(waitMs);
    await failed;
  }
  await new Promise((done) => squatter.close(done));
  const restarted = logged('plane restarted');
  await clock.advance(4_000);
  await restarted;
  expect(plane.url).toBe(url);
  const client = await PlaneClient.of(dataDir);
  await expect(client.execution('00000000-0000-4000-8000-000000000000')).rejects.toThrow(
    /not found/i,
  );
});

test('a runner gets as many slots as it asks for, not the two of the hosted service', async () => {
  const registered = await register(serviceRoute(clock), plane.url, await plane.ownerToken(), {
    name: 'box',
    hostname: 'box',
    os: 'linux',
    arch: 'amd64',
    labels: [],
    concurrency: 7,
    host_exec_profiles: [],
  });
  expect(registered.ok).toBe(true);
  const headers = { Authorization: `Bearer ${await plane.ownerToken()}` };
  const runners: unknown = await (await fetch(`${plane.url}/api/v1/runners`, { headers })).json();
  expect(runners).toMatchObject([{ concurrency: 32, reported_concurrency: 7 }]);
});
