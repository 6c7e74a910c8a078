/** What may stand between a host and its service: a proxy that answers CONNECT, and a relay that can go silent. */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TestProxy {
  readonly port: number;
  /** Of each CONNECT, in order. */
  readonly asked: { readonly target: string; readonly headers: IncomingHttpHeaders }[];
  stop(): Promise<void>;
}

/** `answer`: the status line's number for CONNECT; 200 leads to `servicePort`; null answers nothing, ever. */
export async function startProxy(
  servicePort: number,
  answer: (headers: IncomingHttpHeaders) => number | null = () => 200,
): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  const asked: TestProxy['asked'] = [];
  const server = createHttpServer();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', (request, near: Socket) => {
    asked.push({ target: request.url ?? '', headers: request.headers });
    const status = answer(request.headers);
    if (status === null) return;
    if (status !== 200) {
      near.end(`HTTP/1.1 ${status} No\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n`);
      return;
    }
    const far = connect(servicePort, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    sockets.add(far);
    far.on('error', () => near.destroy());
    far.on('close', () => near.destroy());
    near.on('close', () => far.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: portOf(server.address()), asked, stop: () => stopped(server, sockets) };
}

export interface StallingRelay {
  readonly port: number;
  /** How many connections were made to it. */
  readonly connections: () => number;
  /** From now on no byte passes either way, and neither side is told: a lid, a cut cable, a forgotten NAT entry. */
  stall(): void;
  /** Connections that are made from now on pass. */
  resume(): void;
  /** Every connection is torn with a reset. */
  reset(): void;
  stop(): Promise<void>;
}

export async function startStallingRelay(targetPort: number): Promise<StallingRelay> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const sockets = new Set<Socket>();
  let isStalled = false;
  let count = 0;
  const cut = ([near, far]: readonly [Socket, Socket]): void => {
    near.unpipe(far);
    far.unpipe(near);
    near.pause();
    far.pause();
  };
  const server = createServer((near) => {
    count += 1;
    const far = connect(targetPort, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const socket of pair) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
    if (isStalled) cut(pair);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server.address()),
    connections: () => count,
    stall: () => {
      isStalled = true;
      for (const pair of pairs) cut(pair);
    },
    resume: () => void (isStalled = false),
    reset: () => {
      for (const [near] of pairs) near.resetAndDestroy();
    },
    stop: () => stopped(server, sockets),
  };
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('not listening');
  return address.port;
}

async function stopped(
  server: { close(done: () => void): unknown },
  sockets: ReadonlySet<Socket>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  for (const socket of sockets) socket.destroy();
  await closed;
}
