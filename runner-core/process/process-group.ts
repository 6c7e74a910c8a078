/**
 * A program in a process group of its own, and the end of all it started: signals to the group, then a sweep for
 * what left it. On Windows the group is the tree below the program, as `taskkill` knows it.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../ports.ts';
import { processesWith, processTable, startMark } from './process-table.ts';
import { runHelper } from './run-helper.ts';

export interface GroupOrder {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Windows: the arguments are quoted already. */
  readonly isQuoted: boolean;
}

export interface GroupExit {
  /** Null: a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
}

export interface StartedGroup {
  /** Number of the program and of its group. */
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The program's own end, whoever still holds its output. Never rejects. */
  readonly exited: Promise<GroupExit>;
}

/** Whom to end: a group, and whatever carries the tag in its environment. */
export interface Owned {
  /** Null: nothing is known to have been started. */
  readonly pid: number | null;
  /** `startMark` of the program; null: its start is not known and the number is taken as it is. */
  readonly mark: string | null;
  readonly tag: { readonly variable: string; readonly value: string };
}

const TASKKILL_LIMIT_MS = 5_000;
/** What is killed is gone within a moment; a process that is just being made is found by the next look. */
const LOOK_EVERY_MS = 20;
const MOST_LOOKS = 100;

/** Resolves when the program runs; its input is the null device. Rejects with the system's error. */
export async function startGroup(order: GroupOrder): Promise<StartedGroup> {
  const child = spawn(order.command, order.args, {
    cwd: order.cwd,
    env: order.environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    windowsVerbatimArguments: order.isQuoted,
  });
  const exited = new Promise<GroupExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  // A later error of the child is only of a signal that came too late.
  child.on('error', () => undefined);
  const { pid } = child;
  if (pid === undefined) throw new Error('a program that runs has no number');
  return { pid, stdout: child.stdout, stderr: child.stderr, exited };
}

/** False where the group is empty. */
export async function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<boolean> {
  if (process.platform === 'win32') return endTreeOnWindows(pid, signal === 'SIGKILL');
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Kills all of it, again until no more is seen. True when nothing is left; false where something does not go. What
 * left the group is found on Linux only.
 */
export async function endAll(clock: Clock, { pid, mark, tag }: Owned): Promise<boolean> {
  if (pid !== null && (mark === null || (await startMark(pid)) === mark))
    await signalGroup(pid, 'SIGKILL');
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const left = await ownedNow(mark === null ? pid : null, tag);
    if (left.length === 0) return true;
    for (const each of left) killOne(each);
    await clock.wait(LOOK_EVERY_MS);
  }
  return false;
}

/** Numbers of all that is left of a group, where it is surely ours, and of what carries the tag. */
async function ownedNow(group: number | null, tag: Owned['tag']): Promise<readonly number[]> {
  const [table, tagged] = await Promise.all([
    group === null ? [] : processTable(),
    processesWith(tag.variable, tag.value),
  ]);
  const members = table.filter((seen) => seen.group === group);
  return [...new Set([...members, ...tagged].map(({ pid }) => pid))];
}

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone meanwhile, or not ours to end; the next look tells.
  }
}

/** Without force it asks windows to close, which a program of the command line does not hear. */
async function endTreeOnWindows(pid: number, force: boolean): Promise<boolean> {
  if (!force) return true;
  const { SystemRoot = 'C:\\Windows', PATH } = process.env;
  const end = await runHelper({
    command: join(SystemRoot, 'System32', 'taskkill.exe'),
    args: ['/T', '/F', '/PID', String(pid)],
    input: '',
    timeoutMs: TASKKILL_LIMIT_MS,
    env: { SystemRoot, PATH },
  });
  return end.kind === 'exited' && end.exitCode === 0;
}
