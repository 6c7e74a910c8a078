/**
 * The local API's one listening socket, on loopback and nowhere else: serves the built page, trades sign-in codes
 * for tokens, and hands sockets to their sessions. What a request's head must say is `request-guard.ts`'s.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { WebSocketServer, type WebSocket } from 'ws';
import {
  MAX_FRAME_BYTES,
  SESSION_PATH,
  signInSchema,
  SOCKET_PATH,
  type Problem,
} from '../contract/frames.ts';
import { json, plain, refuseUpgrade } from './answers.ts';
import { openPageFile } from './page-files.ts';
import { refusalOf } from './request-guard.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { SignIn } from './sign-in.ts';
import { SocketSession, type PageSocket, type SessionDeps } from './socket-session.ts';

const ADDRESS = '127.0.0.1';
const MAX_BODY_BYTES = 1_024;
const MAX_CONNECTIONS = 256;
const MAX_SOCKETS = 64;
const HEAD_LIMIT_MS = 5_000;
const REQUEST_LIMIT_MS = 10_000;
/** What a socket may still take to close by itself. */
const CLOSE_LIMIT_MS = 500;

export interface LocalApiDeps extends Omit<SessionDeps, 'isSignedIn'> {
  readonly signIn: SignIn;
  /** The folder of the built page. */
  readonly pageDir: string;
  /** Null: any. */
  readonly port: number | null;
}

export class LocalApi {
  readonly #deps: LocalApiDeps;
  readonly #server: Server;
  readonly #sockets: WebSocketServer;
  readonly #sessions = new Map<WebSocket, SocketSession>();
  #port = 0;
  #takenPort: number | null = null;

  private constructor(deps: LocalApiDeps) {
    this.#deps = deps;
    this.#server = createServer(
      { headersTimeout: HEAD_LIMIT_MS, requestTimeout: REQUEST_LIMIT_MS, maxHeaderSize: 16_384 },
      (request, response) => void this.#answer(request, response),
    );
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.#sockets = new WebSocketServer({
      noServer: true,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
    });
  }

  /** Listens on the wished port, or on any where somebody else has that one. */
  static async start(deps: LocalApiDeps): Promise<LocalApi> {
    const api = new LocalApi(deps);
    try {
      await api.#listen(deps.port ?? 0);
    } catch (error) {
      if (deps.port === null) throw error;
      deps.log.warn('page port taken', { port: deps.port, error });
      api.#takenPort = deps.port;
      await api.#listen(0);
    }
    return api;
  }

  get port(): number {
    return this.#port;
  }

  /** The port that was wished for and is somebody else's. */
  get takenPort(): number | null {
    return this.#takenPort;
  }

  /** `http://127.0.0.1:PORT`. */
  get origin(): string {
    return `http://${ADDRESS}:${this.#port}`;
  }

  /** The page with a new sign-in code, in the fragment: browsers send that to nobody. */
  signInUrl(): string {
    return `${this.origin}/#code=${this.#deps.signIn.newCode()}`;
  }

  async stop(): Promise<void> {
    for (const session of this.#sessions.values()) session.goAway();
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    const cut = this.#deps.clock.after(CLOSE_LIMIT_MS, () => {
      for (const socket of this.#sockets.clients) socket.terminate();
      this.#server.closeAllConnections();
    });
    this.#server.closeIdleConnections();
    await closed;
    cut.cancel();
  }

  #listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: ADDRESS, port, exclusive: true }, () => {
        this.#server.off('error', reject);
        const address = this.#server.address();
        if (typeof address === 'object' && address !== null) this.#port = address.port;
        resolve();
      });
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { method = '', url = '', headers, rawHeaders } = request;
      const refusal = refusalOf({ method, url, headers, rawHeaders }, this.#port, false);
      const [path = ''] = url.split('?', 1);
      if (refusal !== null) plain(response, refusal.status, refusal.why);
      else if (path === SESSION_PATH) await this.#session(request, response);
      else if (method !== 'GET' && method !== 'HEAD')
        plain(response, 405, 'Only reading is possible here.', { Allow: 'GET, HEAD' });
      else await this.#file(path, method === 'HEAD', response);
    } catch (error) {
      this.#deps.log.error('page answer failed', { error });
      if (response.headersSent) response.destroy();
      else plain(response, 500, 'This app met an error of its own.');
    }
  }

  async #file(path: string, headOnly: boolean, response: ServerResponse): Promise<void> {
    const found = await openPageFile(this.#deps.pageDir, path);
    if (found.kind === 'absent') {
      plain(response, 404, 'There is nothing at this address.');
      return;
    }
    if (found.kind === 'not_built') {
      plain(response, 503, 'The page is not built yet. Run npm run build and load this again.');
      return;
    }
    const { handle, size, type, cacheControl } = found.file;
    response.writeHead(200, {
      ...SECURITY_HEADERS,
      'Content-Type': type,
      'Content-Length': size,
      'Cache-Control': cacheControl,
    });
    if (headOnly) {
      await handle.close();
      response.end();
      return;
    }
    // Ends the handle too. A browser that goes away meanwhile is no fault.
    await pipeline(handle.createReadStream({ start: 0 }), response).catch(() => response.destroy());
  }

  async #session(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      plain(response, 405, 'Sign in with POST.', { Allow: 'POST' });
      return;
    }
    // What a form of another page cannot send.
    if (!/^application\/json(?:;|$)/.test(request.headers['content-type'] ?? '')) {
      plain(response, 415, 'Only JSON is read here.');
      return;
    }
    const text = await bodyOf(request);
    const given = text === null ? null : parseSignIn(text);
    if (given === null) {
      plain(response, text === null ? 413 : 400, 'This is no sign-in.', { Connection: 'close' });
      return;
    }
    const traded = this.#deps.signIn.trade(given.code);
    if (traded.kind === 'token') json(response, 200, { token: traded.token });
    else if (traded.kind === 'too_many')
      json(
        response,
        429,
        problem('too_many', 'Too many wrong sign-ins.', 'Try again in a minute.'),
      );
    else
      json(
        response,
        401,
        problem(
          'wrong_code',
          'This sign-in address was used before or is too old.',
          'Run npx preloop-host open for a new one.',
        ),
      );
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // The other side may be gone before it is answered.
    socket.on('error', () => socket.destroy());
    const { method = '', url = '', headers, rawHeaders } = request;
    const refusal = refusalOf({ method, url, headers, rawHeaders }, this.#port, true);
    if (refusal !== null) {
      refuseUpgrade(socket, refusal.status, refusal.why);
    } else if (url !== SOCKET_PATH) {
      // A query is refused as well: an address is written down in more places than a frame.
      refuseUpgrade(socket, 400, 'There is no socket at this address.');
    } else if (this.#sessions.size >= MAX_SOCKETS) {
      refuseUpgrade(socket, 503, 'Too many pages are open.');
    } else {
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#opened(opened));
    }
  }

  #opened(socket: WebSocket): void {
    const { signIn } = this.#deps;
    const isSignedIn = (token: string): boolean => signIn.isSignedIn(token);
    const session = new SocketSession({ ...this.#deps, isSignedIn }, pageSocket(socket));
    this.#sessions.set(socket, session);
    socket.on('message', (data: Buffer, isBinary: boolean) =>
      session.receive(isBinary ? null : data.toString('utf8')),
    );
    // An oversize or broken message; the socket closes after it.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#sessions.delete(socket);
      session.closed();
    });
  }
}

function pageSocket(socket: WebSocket): PageSocket {
  return {
    send: (text) => new Promise((resolve) => socket.send(text, () => resolve())),
    unsentBytes: () => socket.bufferedAmount,
    close: (code) => socket.close(code),
    terminate: () => socket.terminate(),
  };
}

/** Null for more than a sign-in can be. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseSignIn(text: string): { readonly code: string } | null {
  try {
    return signInSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function problem(code: string, message: string, remedy: string): Problem {
  return { code, message, remedy, field: null };
}
