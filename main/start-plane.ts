/** Starts the embedded plane where it was before. */
import type { DataDir } from './data-dir.ts';
import { EmbeddedPlane } from './embedded-plane.ts';
import type { HostLog } from './log.ts';
import type { Platform } from './platform.ts';
import type { SettingsStore } from './store/settings-store.ts';

const PLANE_PORT_SETTING = 'plane_port';

export async function startPlane(
  platform: Platform,
  dataDir: DataDir,
  facts: SettingsStore,
  log: HostLog,
): Promise<EmbeddedPlane> {
  const lastPort = Number(facts.get(PLANE_PORT_SETTING) ?? Number.NaN);
  const plane = await EmbeddedPlane.start({
    entry: platform.planeEntry,
    start: platform.startPlane,
    dataDir: dataDir.planeDir,
    port: Number.isInteger(lastPort) ? lastPort : null,
    clock: platform.clock,
    log,
  });
  if (lastPort !== plane.port) keepPort(facts, plane.port, log);
  return plane;
}

/** A plane at another address is no harm: the next start finds it again. */
function keepPort(facts: SettingsStore, port: number, log: HostLog): void {
  try {
    facts.set(PLANE_PORT_SETTING, String(port));
  } catch (error) {
    log.warn('port of the plane not stored', { error });
  }
}
