/** A Unix socket before the engine's own that notes when which request begins and which answer comes. */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface EngineProxy {
  /** For DOCKER_HOST. */
  readonly address: string;
  /** Resolves with the instant (performance.now) of the next container-create request. */
  nextCreate(): Promise<number>;
  /** Resolves with the instant at which the next container start was answered. */
  nextStarted(): Promise<number>;
  stop(): Promise<void>;
}

export async function startEngineProxy(engineSocket: string): Promise<EngineProxy> {
  const path = join(tmpdir(), `preloop-bench-engine-${process.pid}.sock`);
  await rm(path, { force: true });
  let created: (atMs: number) => void = () => undefined;
  let started: (atMs: number) => void = () => undefined;
  const server = createServer((incoming, outgoing) => {
    if (/\/containers\/create/.test(incoming.url ?? '')) created(performance.now());
    pass(incoming, outgoing, engineSocket, () => {
      if (/\/containers\/[^/]+\/start/.test(incoming.url ?? '')) started(performance.now());
    });
  });
  // `docker run` attaches by an upgraded connection.
  server.on('upgrade', (incoming, socket, head) => {
    const engine = connect(engineSocket, () => {
      const headers = incoming.rawHeaders.reduce(
        (text, value, index) => text + value + (index % 2 === 0 ? ': ' : '\r\n'),
        '',
      );
      engine.write(
        `${incoming.method ?? 'POST'} ${incoming.url ?? '/'} HTTP/1.1\r\n${headers}\r\n`,
      );
      engine.write(head);
      engine.pipe(socket).pipe(engine);
    });
    engine.on('error', () => socket.destroy());
    socket.on('error', () => engine.destroy());
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    address: `unix://${path}`,
    nextCreate: () => new Promise((resolve) => (created = resolve)),
    nextStarted: () => new Promise((resolve) => (started = resolve)),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  engineSocket: string,
  answered: () => void,
): void {
  const { method, url, headers } = incoming;
  const onward = request({ socketPath: engineSocket, method, path: url, headers }, (answer) => {
    answered();
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}
