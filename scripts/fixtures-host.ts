/**
 * `node scripts/fixtures-host.ts [--port N]`: an HTTP and WebSocket server that speaks the page's contract
 * from fixtures, so any state can be looked at without an engine. The sign-in code names the state:
 * `http://127.0.0.1:PORT/#code=paused`. Serves the built page where there is one.
 */
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { WebSocketServer, type WebSocket } from 'ws';
import { SESSION_PATH, SOCKET_PATH, signInSchema } from '../main/contract/frames.ts';
import { FixtureSession } from '../test/fixtures/page/fixture-session.ts';
import { FIXTURE_STATES, type FixtureState } from '../test/fixtures/page/states.ts';
import { projectDir } from './setup/places.mjs';
import { CONTENT_SECURITY_POLICY } from '../main/api/security-headers.ts';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.map': 'application/json',
  '.png': 'image/png',
};
/** As the host sends it, so that what breaks under it breaks here. */

export interface FixturesHost {
  readonly port: number;
  /** The address that shows this state. */
  address(state: FixtureState): string;
  /** Cuts every open socket and refuses new ones, as a host that went away; `false` takes them again. */
  setAway(away: boolean): void;
  stop(): Promise<void>;
}

export interface FixturesHostOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly pageDir: string;
  readonly nowMs: () => number;
}

export async function startFixturesHost(options: FixturesHostOptions): Promise<FixturesHost> {
  const sockets = new WebSocketServer({ noServer: true });
  let away = false;
  const server = createServer((request, response) => {
    void answer(request, response, options.pageDir).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.on('upgrade', (request, socket, head) => {
    if (away || request.url !== SOCKET_PATH) {
      socket.destroy();
      return;
    }
    sockets.handleUpgrade(request, socket, head, (peer: WebSocket) => {
      const session = new FixtureSession(
        (text) => peer.send(text),
        () => peer.close(),
        options.nowMs,
      );
      peer.on('message', (data: Buffer) => session.receive(data.toString('utf8')));
      peer.on('close', () => session.stop());
    });
  });
  const port = await listen(server, options.port);
  return {
    port,
    address: (state) => `http://127.0.0.1:${port}/#code=${state}`,
    setAway: (value) => {
      away = value;
      if (away) for (const peer of sockets.clients) peer.terminate();
    },
    stop: () =>
      new Promise((resolve) => {
        for (const peer of sockets.clients) peer.terminate();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  pageDir: string,
): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
  if (path === SESSION_PATH && request.method === 'POST') {
    const { code } = signInSchema.parse(JSON.parse(await bodyOf(request)));
    const known =
      FIXTURE_STATES.some((state) => state === code) ||
      code === 'loading' ||
      code === 'wrong-version';
    response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ? { token: code } : {}));
    return;
  }
  const file = normalize(path === '/' ? '/index.html' : path);
  const body = await readFile(join(pageDir, file)).catch(() => null);
  if (body === null) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, {
    'content-type': CONTENT_TYPES[extname(file)] ?? 'application/octet-stream',
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'cache-control': 'no-store',
  });
  response.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

if (import.meta.main) {
  const at = process.argv.indexOf('--port');
  const port = at === -1 ? 4188 : Number(process.argv[at + 1]);
  const pageDir = join(projectDir, 'out', 'page');
  const host = await startFixturesHost({ port, pageDir, nowMs: () => Date.now() });
  for (const state of FIXTURE_STATES) console.log(`${state.padEnd(12)} ${host.address(state)}`);
}
