/** What runs on this machine, as /proc shows it: which workers a host has. Linux only. */
import { readdir, readFile } from 'node:fs/promises';

export interface WorkerProcess {
  readonly pid: number;
  /** In clock ticks since the machine's start: with the pid, one process. */
  readonly startTime: string;
}

/** The workers that `hostPid` started, those that ended and were not yet reaped left out. */
export async function workersOf(hostPid: number): Promise<readonly WorkerProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const looked = await Promise.all(
    pids.map(async (pid) => {
      const found = await look(pid);
      if (found?.parent !== hostPid) return [];
      return (await commandLine(pid)).includes('worker.js')
        ? [{ pid, startTime: found.startTime }]
        : [];
    }),
  );
  return looked.flat();
}

export async function isAlive(worker: WorkerProcess): Promise<boolean> {
  return (await look(worker.pid))?.startTime === worker.startTime;
}

async function look(
  pid: number,
): Promise<{ readonly parent: number; readonly startTime: string } | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name, in brackets, may hold anything; what follows it are fields from the third on.
  const [state, parent, ...more] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (parent === undefined || state === 'Z') return undefined;
  return { parent: Number(parent), startTime: more[17] ?? '' };
}

async function commandLine(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
}
