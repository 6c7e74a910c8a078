/** An embedded plane that belongs to the benchmark, so that it outlives the hosts that use it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedPlane } from '../../main/embedded-plane.ts';
import type { Log } from '../../runner-core/ports.ts';
import { systemClock } from '../../runner-core/system.ts';

export interface PlaneOfBench {
  readonly url: string;
  readonly dataDir: string;
  readonly ownerToken: string;
  /** Also removes its folder. */
  stop(): Promise<void>;
}

export async function startPlaneOfBench(): Promise<PlaneOfBench> {
  const dataDir = await mkdtemp(join(tmpdir(), 'preloop-bench-plane-'));
  const ignore = (): void => undefined;
  const log: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const plane = await EmbeddedPlane.start({
    entry: fileURLToPath(new URL('../../out/control-plane.js', import.meta.url)),
    dataDir,
    port: null,
    clock: systemClock,
    log,
  });
  return {
    url: plane.url,
    dataDir,
    ownerToken: await plane.ownerToken(),
    stop: async () => {
      await plane.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
