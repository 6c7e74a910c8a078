/** A relay between a client and a server that sees the bytes of both directions and changes none. */
import { once } from 'node:events';
import {
  connect,
  createServer,
  type ListenOptions,
  type NetConnectOpts,
  type Socket,
} from 'node:net';

/** Made anew for each connection, so that it can remember what was asked on it. */
export interface Watcher {
  asked?(bytes: Buffer): void;
  answered?(bytes: Buffer): void;
}

export interface Relay {
  /** Of a TCP relay; 0 for one on a socket file. */
  readonly port: number;
  stop(): Promise<void>;
}

export async function startRelay(
  listen: ListenOptions,
  target: NetConnectOpts,
  watch: () => Watcher,
): Promise<Relay> {
  const sockets = new Set<Socket>();
  // Half-open, as `docker run` closes its side of an attached connection early.
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ ...target, allowHalfOpen: true });
    const watcher = watch();
    near.on('data', (bytes) => watcher.asked?.(bytes));
    far.on('data', (bytes) => watcher.answered?.(bytes));
    near.pipe(far);
    far.pipe(near);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
  });
  server.listen(listen);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
