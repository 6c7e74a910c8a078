/** The runners' WebSocket endpoint: upgrade, authentication after it, and the greeting. Frames go to the pump. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { JsonObject } from '../runner-core/model/json.ts';
import { UNAUTHORIZED } from '../runner-core/wire/errors.ts';
import type { Effects } from './effects.ts';
import { FramePump } from './frame-pump.ts';
import { newConnectionId, parseUuid, sameHash, tokenHash } from './identifiers.ts';
import { capacity } from './leases.ts';
import { transact, type PlaneParts } from './plane-parts.ts';
import { CLOSE, GOODBYE_BUDGET_MS, RunnerConnection } from './runner-connection.ts';
import { requestUrl } from './rest-router.ts';
import { leaseNews } from './runner-state.ts';

const MAX_FRAME_BYTES = 16_777_216;
const SOCKET_PATH = /^\/api\/v1\/runners\/([^/]+)\/ws$/;

export class RunnerSockets {
  readonly #parts: PlaneParts;
  readonly #pump: FramePump;
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
  });
  #ended: { readonly runnerId: string; readonly tell: () => void }[] = [];

  constructor(parts: PlaneParts) {
    this.#parts = parts;
    this.#pump = new FramePump(parts);
  }

  /** For the HTTP server's `upgrade` event. */
  upgrade(request: IncomingMessage, wire: Duplex, head: Buffer): void {
    // Without a listener a reset during the handshake would end the process.
    wire.on('error', () => wire.destroy());
    const url = requestUrl(request);
    const named = url && SOCKET_PATH.exec(url.pathname)?.[1];
    if (url === undefined || named === undefined) return void refuse(wire, '404 Not Found');
    const runnerId = parseUuid(named);
    if (runnerId === undefined) return void refuse(wire, '403 Forbidden');
    const header = request.headers['x-runner-token'];
    const inQuery = url.searchParams.get('token') ?? '';
    const token = inQuery !== '' ? inQuery : typeof header === 'string' ? header : '';
    this.#server.handleUpgrade(request, wire, head, (socket) => {
      this.#greet(runnerId, token, socket, wire);
    });
  }

  /** Resolves when every frame that has arrived is handled and answered. */
  idle(): Promise<void> {
    return this.#pump.idle();
  }

  /** Resolves when the end of this runner's current connection is stored; at once when it has none. */
  ended(runnerId: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#parts.live.get(runnerId) === undefined) resolve();
      else this.#ended.push({ runnerId, tell: resolve });
    });
  }

  /** Cuts every socket, and resolves when the end of each is stored. */
  async close(): Promise<void> {
    const closed = [...this.#server.clients].map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.once('close', () => resolve());
          socket.terminate();
        }),
    );
    await Promise.all(closed);
    await this.#pump.idle();
  }

  /** The upgrade has succeeded by now even with a bad token; only `hello` tells a runner it is let in. */
  #greet(runnerId: string, token: string, socket: WebSocket, wire: Duplex): void {
    socket.on('error', (error) => {
      const problem = 'code' in error ? String(error.code) : error.name;
      this.#parts.log.warn('malformed frame', { runnerId, field: '', problem });
    });
    const hash = tokenHash(token);
    const stored = this.#parts.store.runners.keys(runnerId)?.token_hash;
    if (token === '' || stored === undefined || !sameHash(stored, hash)) {
      socket.send(JSON.stringify({ type: 'error', error: UNAUTHORIZED }));
      socket.close(CLOSE.refused);
      // One that does not answer the goodbye is cut: it has no business here.
      const cut = this.#parts.clock.after(GOODBYE_BUDGET_MS, () => socket.terminate());
      socket.once('close', () => cut.cancel());
      return;
    }
    const keys = { runnerId, connectionId: newConnectionId(), tokenHash: hash };
    const connection = new RunnerConnection(keys, socket, wire, this.#parts.clock);
    socket.on('message', (data, isBinary) => {
      // A frame is text; the empty buffer is refused like any other text that is no JSON.
      const text = isBinary || !Buffer.isBuffer(data) ? Buffer.alloc(0) : data;
      this.#pump.add(connection, text);
    });
    socket.on('close', () => {
      this.#pump.add(connection, null);
      void this.#pump.idle().then(() => this.#tellEnded(runnerId));
    });
    try {
      transact(this.#parts, (effects) => connect(this.#parts, connection, effects));
    } catch (error) {
      const problem = error instanceof Error ? error.name : 'unknown';
      this.#parts.log.error('runner could not be greeted', { runnerId, problem });
      socket.close(CLOSE.failed);
    }
  }

  #tellEnded(runnerId: string): void {
    if (this.#parts.live.get(runnerId) !== undefined) return;
    const told = this.#ended.filter((waiting) => waiting.runnerId === runnerId);
    this.#ended = this.#ended.filter((waiting) => waiting.runnerId !== runnerId);
    for (const { tell } of told) tell();
  }
}

function connect(parts: PlaneParts, connection: RunnerConnection, effects: Effects): void {
  const { runnerId, connectionId } = connection;
  parts.live.enter(connection);
  parts.store.runners.update(runnerId, {
    connection_id: connectionId,
    publication_readiness: null,
    status: 'online',
    last_heartbeat_ms: parts.clock.nowMs(),
  });
  const runner = parts.store.runners.get(runnerId);
  if (runner === undefined) throw new Error('the runner row vanished while it connected');
  const news = leaseNews(parts, runnerId, 'hello');
  const hello: JsonObject = {
    type: 'hello',
    runner_id: runnerId,
    log_acknowledgements: true,
    ephemeral: runner.ephemeral === 1,
    concurrency: capacity(runner),
    ...news.fields,
  };
  connection.reply(hello, effects);
  for (const job of news.separate) connection.reply({ type: 'job', job }, effects);
}

function refuse(wire: Duplex, status: string): void {
  wire.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
