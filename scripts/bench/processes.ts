/** What the kernel counts of a process: memory, processor time, how often it woke. Linux only. */
import { readFile } from 'node:fs/promises';

/** As `getconf CLK_TCK` has it on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const MEGABYTE_IN_KB = 1024;

/** The most it ever had resident, in MiB; NaN for a process that is gone. */
export async function peakMemoryMib(pid: number): Promise<number> {
  return statusNumber(await statusOf(pid), 'VmHWM') / MEGABYTE_IN_KB;
}

export async function memoryMib(pid: number): Promise<number> {
  return statusNumber(await statusOf(pid), 'VmRSS') / MEGABYTE_IN_KB;
}

/** Of all its threads since its start, in ms. */
export async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold anything; what follows it are fields from the third on.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1_000;
}

/** How often its main thread went to sleep by itself, which is how often it woke. */
export async function wakeUps(pid: number): Promise<number> {
  return statusNumber(await statusOf(pid), 'voluntary_ctxt_switches');
}

function statusOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
}

function statusNumber(status: string, name: string): number {
  const [, digits] = new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status) ?? [];
  return Number(digits ?? Number.NaN);
}
