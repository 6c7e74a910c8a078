/**
 * Whether this machine runs on its battery, where the system tells. Owns no timer: read only while somebody asks, and
 * where a program has to be asked no more often than once a minute.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../runner-core/ports.ts';
import { runHelper, type HelperEnd, type HelperRun } from '../runner-core/process/run-helper.ts';

/** `no_battery`: the system lists none. `unknown`: it did not say. */
export type PowerReading = 'battery' | 'plugged_in' | 'no_battery' | 'unknown';

export interface PowerSource {
  /** Never rejects. */
  read(): Promise<PowerReading>;
  /** Where the system tells of a change by itself; otherwise it is read once a minute. */
  watch?(changed: () => void): () => void;
}

export interface PowerSystem {
  readonly osName: NodeJS.Platform;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly runHelper?: (run: HelperRun) => Promise<HelperEnd>;
}

const LINUX_SUPPLIES = '/sys/class/power_supply';
const PMSET = '/usr/bin/pmset';
const POWERSHELL = String.raw`\System32\WindowsPowerShell\v1.0\powershell.exe`;
/** One number a battery. A query that fails is an exit code, so that no output means no battery. */
const BATTERY_QUERY =
  '$ErrorActionPreference = "Stop"; Get-CimInstance -ClassName Win32_Battery | ForEach-Object { [int]$_.BatteryStatus }';
/** PowerShell takes seconds for its first start on a slow machine. */
const HELPER_LIMIT_MS = 10_000;
const HELPER_EVERY_MS = 60_000;

/** Null where we know no way to ask this system. */
export function systemPower(system: PowerSystem): PowerSource | null {
  const { osName, environment } = system;
  switch (osName) {
    case 'linux':
      return linuxPower(LINUX_SUPPLIES);
    case 'darwin':
      return helperPower(system, PMSET, ['-g', 'batt'], readPmset);
    case 'win32': {
      const program = `${environment['SystemRoot'] ?? String.raw`C:\Windows`}${POWERSHELL}`;
      const args = ['-NoProfile', '-NonInteractive', '-Command', BATTERY_QUERY];
      return helperPower(system, program, args, readWindowsBatteries);
    }
    default:
      return null;
  }
}

/** @param folder the kernel's list of supplies, one folder each */
export function linuxPower(folder: string = LINUX_SUPPLIES): PowerSource {
  return {
    async read() {
      const names = await readdir(folder).catch(() => []);
      const supplies = await Promise.all(names.map((name) => readSupply(join(folder, name))));
      const batteries = supplies.filter(
        ({ type, scope }) => type === 'Battery' && scope !== 'Device',
      );
      if (batteries.length === 0) return 'no_battery';
      // A battery that is full and held there, beside a plug the kernel does not list, does not discharge.
      const isPlugged = supplies.some(({ type, online }) => type !== 'Battery' && online === '1');
      const discharges = batteries.some(({ status }) => status === 'Discharging');
      return !isPlugged && discharges ? 'battery' : 'plugged_in';
    },
  };
}

/** Of `pmset -g batt`: the source in the first line, then one line a battery. Those of a UPS are none of ours. */
export function readPmset(text: string): PowerReading {
  const source = /^Now drawing from '([^']+)'/m.exec(text)?.[1];
  if (source === undefined) return 'unknown';
  const hasBattery = /^\s*-InternalBattery-\d+.*present: true/m.test(text);
  if (!hasBattery) return 'no_battery';
  return source === 'Battery Power' ? 'battery' : 'plugged_in';
}

/** `Win32_Battery.BatteryStatus`: these are of one that discharges, is low, or is critical. */
const DISCHARGING: ReadonlySet<string> = new Set(['1', '4', '5']);
/** On mains, full, four kinds of charging, partially charged. 10 is "undefined". */
const PLUGGED_IN: ReadonlySet<string> = new Set(['2', '3', '6', '7', '8', '9', '11']);

/** Of the query: the status of each battery as a number. */
export function readWindowsBatteries(text: string): PowerReading {
  const statuses = text.split(/\s+/).filter((word) => word !== '');
  if (statuses.length === 0) return 'no_battery';
  // Of two batteries one may rest; while the machine is on mains neither discharges.
  if (statuses.some((status) => DISCHARGING.has(status))) return 'battery';
  return statuses.some((status) => PLUGGED_IN.has(status)) ? 'plugged_in' : 'unknown';
}

function helperPower(
  { clock, environment, runHelper: run = runHelper }: PowerSystem,
  command: string,
  args: readonly string[],
  parse: (text: string) => PowerReading,
): PowerSource {
  let last: { readonly atMs: number; readonly reading: Promise<PowerReading> } | null = null;
  const ask = async (): Promise<PowerReading> => {
    const { SystemRoot, TEMP } = environment;
    const env = { SystemRoot, TEMP };
    const timeoutMs = HELPER_LIMIT_MS;
    const end = await run({ command, args, input: '', timeoutMs, env });
    return end.kind === 'exited' && end.exitCode === 0 ? parse(end.stdout) : 'unknown';
  };
  return {
    read() {
      const atMs = clock.monotonicMs();
      if (last === null || atMs - last.atMs >= HELPER_EVERY_MS)
        last = { atMs, reading: ask().catch(() => 'unknown') };
      return last.reading;
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
