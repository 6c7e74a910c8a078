/** What Electron brings to the host: utility processes, and where things lie beside this bundle. */
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defaultDataDir } from '../main/data-dir.ts';
import type { Platform } from '../main/platform.ts';
import { systemClock, systemRandom } from '../runner-core/system.ts';
import { desktopPower, type BatteryMonitor } from './desktop-power.ts';
import {
  UtilityProcessLauncher,
  utilityPlane,
  type ForkUtility,
} from './utility-process-launcher.ts';

/** Absolute paths; this code is in `out/`, in a packed app as well. */
export const PLACES = {
  worker: beside('./worker.js'),
  plane: beside('./control-plane.js'),
  page: beside('./page'),
  preload: beside('./preload.cjs'),
  trayIcons: beside('../resources/tray'),
  appIcon: beside('../resources/icon.png'),
} as const;

function beside(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

export function desktopPlatform(fork: ForkUtility, monitor: BatteryMonitor): Platform {
  const environment = process.env;
  return {
    launcher: (log) =>
      new UtilityProcessLauncher({
        fork,
        entry: PLACES.worker,
        environment,
        clock: systemClock,
        log,
      }),
    planeEntry: PLACES.plane,
    pageDir: PLACES.page,
    startPlane: utilityPlane(fork),
    power: desktopPower(monitor, process.platform),
    clock: systemClock,
    random: systemRandom,
    environment,
    homeDir: homedir(),
    osName: process.platform,
    defaultDataDir: defaultDataDir(process.platform, environment, homedir()),
  };
}
