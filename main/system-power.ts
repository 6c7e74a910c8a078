/** Whether this machine runs on its battery, where the system tells. Owns nothing; read only while somebody asks. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface PowerSource {
  /** Null: this machine tells of no battery. Never rejects. */
  onBattery(): Promise<boolean | null>;
  /** Where the system tells of a change by itself; otherwise `onBattery` is asked once a minute. */
  watch?(changed: () => void): () => void;
}

const LINUX_SUPPLIES = '/sys/class/power_supply';

/** Null where we know no way to ask this system. */
export function systemPower(osName: NodeJS.Platform): PowerSource | null {
  return osName === 'linux' ? linuxPower(LINUX_SUPPLIES) : null;
}

/** @param folder the kernel's list of supplies, one folder each */
export function linuxPower(folder: string): PowerSource {
  return {
    async onBattery() {
      const names = await readdir(folder).catch(() => []);
      const supplies = await Promise.all(names.map((name) => readSupply(join(folder, name))));
      const batteries = supplies.filter(
        ({ type, scope }) => type === 'Battery' && scope !== 'Device',
      );
      if (batteries.length === 0) return null;
      // A battery that is full and held there, beside a plug the kernel does not list, does not discharge.
      return (
        !supplies.some(({ type, online }) => type !== 'Battery' && online === '1') &&
        batteries.some(({ status }) => status === 'Discharging')
      );
    },
  };
}

/** `scope` is `Device` for the battery of a mouse or a headset. */
async function readSupply(folder: string): Promise<{
  readonly type: string;
  readonly scope: string;
  readonly online: string;
  readonly status: string;
}> {
  const [type = '', scope = '', online = '', status = ''] = await Promise.all(
    ['type', 'scope', 'online', 'status'].map((name) =>
      readFile(join(folder, name), 'utf8').then(
        (text) => text.trim(),
        () => '',
      ),
    ),
  );
  return { type, scope, online, status };
}
