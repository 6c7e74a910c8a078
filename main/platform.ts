/** What a shell must bring to wrap a host. */
import type { Clock, Log, RandomSource, WorkerLauncher } from '../runner-core/ports.ts';
import type { StartPlane } from './embedded-plane.ts';
import type { PowerSource } from './system-power.ts';

export interface Platform {
  /** Makes the launcher of the worker entry; called once. `warm` starts its spare. */
  readonly launcher: (log: Log) => WorkerLauncher & { warm(): void };
  /** Absolute path of the embedded plane's entry. */
  readonly planeEntry: string;
  /** How that entry is started; as a child process of plain Node where a shell says nothing. */
  readonly startPlane?: StartPlane;
  /** Absolute folder of the built page. */
  readonly pageDir: string;
  /** Null or left out: this shell cannot tell what the machine runs on. */
  readonly power?: PowerSource | null;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  /** Node's name for the operating system. */
  readonly osName: NodeJS.Platform;
  /** Absolute; used where the owner names no other. */
  readonly defaultDataDir: string;
}
