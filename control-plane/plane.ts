/** Builds the plane from its parts, in reading order, and takes it down in reverse. */
import { chmod, mkdir } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Clock, Log } from '../runner-core/ports.ts';
import { openKeyFileBox } from '../runner-core/sealing/key-file-box.ts';
import { systemClock } from '../runner-core/system.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { resealed } from './definitions.ts';
import { tokenHash } from './identifiers.ts';
import { LiveSockets } from './live-sockets.ts';
import { ownerToken } from './owner-token.ts';
import type { Behaviour, PlaneParts } from './plane-parts.ts';
import { QueuePoll } from './queue.ts';
import { planeRoutes } from './rest-api.ts';
import { DEFAULT_CEILING } from './pools.ts';
import { createRestServer } from './rest-router.ts';
import { RunnerSockets } from './runner-socket.ts';
import { PlaneStore } from './store/plane-store.ts';

const DEFAULT_BUDGET_SECONDS = 3_600;

export interface PlaneOptions {
  /** Created with mode 0700. One plane at a time may use it. */
  readonly dataDir: string;
  /** 0 or absent: any free one. */
  readonly port?: number;
  readonly host?: string;
  readonly behaviour?: Behaviour;
  /** Slots of a new runner. Default: the hosted service's. */
  readonly ceiling?: number;
  readonly clock?: Clock;
  readonly log?: Log;
  /** Wall-clock budget of executions that name none. Default 3,600 s. */
  readonly budgetSeconds?: number;
}

export interface Plane {
  /** `http://host:port`. */
  readonly url: string;
  /** The owner's, for REST. */
  readonly token: string;
  /** For tests and measurements: what is stored. */
  readonly store: PlaneStore;
  /** Resolves when every frame that has arrived is handled and answered. */
  idle(): Promise<void>;
  /** Resolves when the end of this runner's connection is stored; at once when it has none. */
  connectionEnded(runnerId: string): Promise<void>;
  /** Cuts all sockets, stops listening, closes the store. Idempotent. */
  close(): Promise<void>;
}

/**
 * Throws PlaneAlreadyRunningError, KeyFileError, NewerDatabaseError, or the system's error when it
 * cannot listen; nothing is then left open.
 */
export async function createPlane(options: PlaneOptions): Promise<Plane> {
  const { dataDir, host = '127.0.0.1', clock = systemClock, log = silentLog } = options;
  const opened: (() => Promise<void> | void)[] = [];
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await chmod(dataDir, 0o700);
    opened.push(lockDataDir(join(dataDir, 'plane.lock'), dataDir));
    const box = await openKeyFileBox(join(dataDir, 'plane.key'));
    const token = await ownerToken(join(dataDir, 'token'));
    const store = new PlaneStore(join(dataDir, 'plane.db'), clock.nowMs());
    opened.push(() => store.close());
    store.runners.forgetConnections();
    store.transaction(() => {
      for (const row of store.flows.definitionsToSeal())
        store.flows.replaceDefinition(resealed(row, box));
    });

    let url = '';
    const parts: PlaneParts = {
      clock,
      log,
      store,
      box,
      behaviour: options.behaviour ?? 'improved',
      ceiling: options.ceiling ?? DEFAULT_CEILING,
      live: new LiveSockets(),
      defaultBudgetSeconds: options.budgetSeconds ?? DEFAULT_BUDGET_SECONDS,
      publicUrl: () => url,
    };
    const sockets = new RunnerSockets(parts);
    const server = createRestServer(planeRoutes(parts), tokenHash(token), log);
    server.on('upgrade', (request, wire, head) => sockets.upgrade(request, wire, head));
    url = await listen(server, options.port ?? 0, host);
    opened.push(() => stopListening(server));
    opened.push(() => sockets.close());
    const poll = new QueuePoll(parts);
    poll.start();
    opened.push(() => poll.stop());

    let closed: Promise<void> | undefined;
    return {
      url,
      token,
      store,
      idle: () => sockets.idle(),
      connectionEnded: (runnerId) => sockets.ended(runnerId),
      close: () => (closed ??= closeAll(opened)),
    };
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

async function closeAll(opened: readonly (() => Promise<void> | void)[]): Promise<void> {
  for (const close of opened.toReversed()) await close();
}

function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${bound}`);
    });
  });
}

function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
