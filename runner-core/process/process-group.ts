/**
 * A program in a process group of its own, and the end of all it started: signals to the group, then a sweep for
 * what left it. On Windows the group is the tree below the program, as `taskkill` knows it.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../ports.ts';
import { OwnedGroup } from './owned-group.ts';
import { processesWith, startMark } from './process-table.ts';
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
  /** Number of the program; for noting it, not for signals. */
  readonly pid: number;
  /** Whom signals go to. */
  readonly owned: OwnedGroup;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The program's own end, whoever still holds its output. Never rejects. */
  readonly exited: Promise<GroupExit>;
}

/** A variable that all a job started has in its environment. */
export interface OwnedTag {
  readonly variable: string;
  readonly value: string;
}

/** Whom to end as noted, perhaps by another process: a group, and whatever carries the tag in its environment. */
export interface Owned {
  /** Null: nothing is known to have been started. */
  readonly pid: number | null;
  /** `startMark` of the program; null: its number may be somebody else's by now and is left alone. */
  readonly mark: string | null;
  readonly tag: OwnedTag;
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
  const { pid } = child;
  const owned = pid === undefined ? null : new OwnedGroup(pid);
  const exited = new Promise<GroupExit>((resolve) => {
    child.once('exit', (code, signal) => {
      owned?.leaderReaped();
      resolve({ code, signal });
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  // A later error of the child is only of a signal that came too late.
  child.on('error', () => undefined);
  if (pid === undefined || owned === null) throw new Error('a program that runs has no number');
  return { pid, owned, stdout: child.stdout, stderr: child.stderr, exited };
}

/** To all in a group that is still ours. False where the group is empty, or was. */
export async function signalGroup(
  { number }: Pick<OwnedGroup, 'number'>,
  signal: 'SIGTERM' | 'SIGKILL',
): Promise<boolean> {
  if (number === null) return false;
  if (process.platform === 'win32') return endTreeOnWindows(number, signal === 'SIGKILL');
  try {
    process.kill(-number, signal);
    return true;
  } catch {
    return false;
  }
}

/** As `endStarted`, for what was noted. What left the group, or outlived its program, is found by the tag alone. */
export async function endAll(clock: Clock, { pid, mark, tag }: Owned): Promise<boolean> {
  if (pid !== null && mark !== null && (await startMark(pid)) === mark)
    await signalGroup({ number: pid }, 'SIGKILL');
  return endLeft(clock, null, tag);
}

/**
 * Kills all of a group that this process started, again until no more is seen. True when nothing is left; false where
 * something does not go. What left the group is found on Linux only.
 */
export function endStarted(
  clock: Clock,
  { owned }: Pick<StartedGroup, 'owned'>,
  tag: OwnedTag,
): Promise<boolean> {
  return endLeft(clock, owned, tag);
}

async function endLeft(clock: Clock, group: OwnedGroup | null, tag: OwnedTag): Promise<boolean> {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const isGroupAlive = group !== null && (await group.isAlive());
    if (isGroupAlive) await signalGroup(group, 'SIGKILL');
    // After the group: whom its last member started on its way out is seen here.
    const tagged = await processesWith(tag.variable, tag.value);
    if (!isGroupAlive && tagged.length === 0) return true;
    for (const { pid } of tagged) killOne(pid);
    await clock.wait(LOOK_EVERY_MS);
  }
  return false;
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
