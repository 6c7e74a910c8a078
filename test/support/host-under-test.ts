/** A real host in this process, with real workers, a real embedded plane and whatever engine there is. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlaneClient } from '../../main/cli/plane-client.ts';
import type { HostConfig } from '../../main/config.ts';
import type { Host, HostView } from '../../main/host-shape.ts';
import { createHost } from '../../main/host.ts';
import { ChildProcessLauncher } from '../../main/workers/child-process-launcher.ts';
import type { PowerSource } from '../../main/system-power.ts';
import { dataPaths } from '../../main/data-dir.ts';
import { systemClock, systemRandom } from '../../runner-core/system.ts';

const source = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export interface HostUnderTest {
  readonly host: Host;
  readonly plane: PlaneClient;
  readonly dataDir: string;
  /** Resolves with the first view that passes; checked at once and after each change. */
  until(passes: (view: HostView) => boolean): Promise<HostView>;
}

export interface HostOptions {
  /** An existing data folder to start over in; a new one otherwise. */
  readonly dataDir?: string;
  readonly config?: Partial<HostConfig>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Left out: a machine that cannot be asked. */
  readonly power?: PowerSource;
}

export async function newDataDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'preloop-host-'));
}

/** Starts a host; the caller stops it. */
export async function startHost(options: HostOptions = {}): Promise<HostUnderTest> {
  const dataDir = options.dataDir ?? (await newDataDir());
  const environment = options.environment ?? process.env;
  const host = await createHost(
    {
      launcher: (log) =>
        new ChildProcessLauncher({
          entry: source('runner-core/worker/worker-main.ts'),
          environment,
          clock: systemClock,
          log,
        }),
      pageDir: source('out/page'),
      planeEntry: source('control-plane/plane-main.ts'),
      clock: systemClock,
      random: systemRandom,
      environment,
      homeDir: dataDir,
      osName: process.platform,
      defaultDataDir: dataDir,
      ...(options.power === undefined ? {} : { power: options.power }),
    },
    {
      dataDir,
      server: null,
      ownerToken: null,
      name: null,
      labels: null,
      concurrency: null,
      port: null,
      open: false,
      enrol: null,
      once: false,
      ephemeral: false,
      waitForJobMs: 0,
      ...options.config,
    },
  );
  const until = (passes: (view: HostView) => boolean): Promise<HostView> =>
    new Promise((resolve) => {
      const look = (): void => {
        const view = host.view();
        if (!passes(view)) return;
        resolve(view);
        queueMicrotask(() => unwatch());
      };
      host.watch(look);
      // Of a job's output only this tells.
      const unwatch = host.watchOverview(look);
    });
  return { host, dataDir, until, plane: await PlaneClient.of(dataPaths(dataDir).planeDir) };
}

export async function removeDataDir(dataDir: string): Promise<void> {
  await rm(dataDir, { recursive: true, force: true });
}
