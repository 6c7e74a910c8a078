/**
 * What the system says of the processes that run: groups, starts, and a variable of their environment. Only Linux
 * tells all of it (/proc); elsewhere there is no table, and `startMark` asks `ps`.
 */
import { readdir, readFile } from 'node:fs/promises';
import { runHelper } from './run-helper.ts';

export interface SeenProcess {
  readonly pid: number;
  readonly group: number;
  /** Since the machine's start, in ticks of the kernel. */
  readonly startTicks: number;
}

const PS_LIMIT_MS = 2_000;
/** Of `/proc/PID/stat`, counted behind the command's name, which may hold spaces and brackets itself. */
const STATE = 0;
const GROUP = 2;
const START_TICKS = 19;

/**
 * Tells a process from a later one with the same number: null where it is gone, or the system has no such mark. A
 * mark is of one start of the machine.
 */
export async function startMark(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const [seen, boot] = await Promise.all([look(pid), bootId()]);
    return seen === null ? null : `${boot} ${seen.startTicks}`;
  }
  if (process.platform === 'win32') return null;
  const args = ['-o', 'lstart=', '-p', String(pid)];
  const { PATH } = process.env;
  const end = await runHelper({
    command: 'ps',
    args,
    input: '',
    timeoutMs: PS_LIMIT_MS,
    env: { PATH },
  });
  const text = end.kind === 'exited' ? end.stdout.trim() : '';
  return text === '' ? null : text;
}

/** Every process that is not over; a zombie is. None where the system has no table. */
export async function processTable(): Promise<readonly SeenProcess[]> {
  if (process.platform !== 'linux') return [];
  const names = await readdir('/proc').catch(() => []);
  const seen = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .map(look),
  );
  return seen.filter((found) => found !== null);
}

/**
 * Those whose environment has exactly `variable=value`, apart from this process. Ends are not missed and numbers not
 * mixed up: a process is only told where its start was the same before and after the look.
 */
export async function processesWith(
  variable: string,
  value: string,
): Promise<readonly SeenProcess[]> {
  const wanted = Buffer.from(`${variable}=${value}\0`);
  const table = await processTable();
  const found = await Promise.all(
    table.map(async (seen) => {
      if (seen.pid === process.pid) return null;
      const environment = await readFile(`/proc/${seen.pid}/environ`).catch(() => null);
      if (environment === null || !holds(environment, wanted)) return null;
      const again = await look(seen.pid);
      return again?.startTicks === seen.startTicks ? again : null;
    }),
  );
  return found.filter((seen) => seen !== null);
}

/** At the start of an entry: a longer name may end alike. */
function holds(environment: Buffer, wanted: Buffer): boolean {
  for (let at = environment.indexOf(wanted); at !== -1; at = environment.indexOf(wanted, at + 1))
    if (at === 0 || environment[at - 1] === 0) return true;
  return false;
}

async function look(pid: number): Promise<SeenProcess | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const state = fields[STATE] ?? 'X';
  const [group, startTicks] = [Number(fields[GROUP]), Number(fields[START_TICKS])];
  return 'ZX'.includes(state) ? null : { pid, group, startTicks };
}

async function bootId(): Promise<string> {
  const text = await readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(() => '');
  return text.trim();
}
