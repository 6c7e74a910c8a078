/** The plane behind a relay that notes when a frame carrying a launch passes on its way to the host. */
import { startRelay } from './relay.ts';

export interface WatchedPlane {
  readonly url: string;
  /** Resolves with the instant (performance.now) at which the next frame with a launch passed. */
  nextJobFrame(): Promise<number>;
  stop(): Promise<void>;
}

export async function startWatchedPlane(planeUrl: string): Promise<WatchedPlane> {
  const { hostname, port } = new URL(planeUrl);
  let passed: (atMs: number) => void = () => undefined;
  const relay = await startRelay(
    { port: 0, host: '127.0.0.1' },
    { port: Number(port), host: hostname },
    () => ({
      // Frames of a server are not masked, so the text can be seen.
      answered: (bytes) => {
        if (bytes.includes('"launch":{')) passed(performance.now());
      },
    }),
  );
  return {
    url: `http://127.0.0.1:${relay.port}`,
    nextJobFrame: () => new Promise((resolve) => (passed = resolve)),
    stop: () => relay.stop(),
  };
}
