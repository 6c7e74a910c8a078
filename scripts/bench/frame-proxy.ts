/** A TCP relay before the plane that notes when a frame carrying a launch passes on its way to the host. */
import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

export interface FrameProxy {
  readonly url: string;
  /** Resolves with the instant (performance.now) at which the next frame with a launch passed. */
  nextJobFrame(): Promise<number>;
  stop(): Promise<void>;
}

export async function startFrameProxy(planeUrl: string): Promise<FrameProxy> {
  const { hostname, port } = new URL(planeUrl);
  let passed: (atMs: number) => void = () => undefined;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
      socket.on('error', () => socket.destroy());
    }
    near.pipe(far);
    far.on('data', (bytes: Buffer) => {
      // Frames of a server are not masked, so the text can be seen.
      if (bytes.includes('"launch":{')) passed(performance.now());
      near.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    nextJobFrame: () => new Promise((resolve) => (passed = resolve)),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
