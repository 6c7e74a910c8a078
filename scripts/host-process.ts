/**
 * The built host as a process of its own, in a throw-away data folder or one that is given. Owns the process's
 * end, also when this process is interrupted, and that of a throw-away folder.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const START_LIMIT_MS = 60_000;
/** What shells report for Ctrl-C: 128 + SIGINT. */
const INTERRUPTED = 130;

export interface HostProcess {
  readonly dataDir: string;
  readonly child: ChildProcess;
  /** Resolves with the first line of the host's output, past or future, that matches. */
  line(pattern: RegExp): Promise<string>;
  /** Ends the host, if it has not ended, and removes its folder where that was not given. */
  stop(): Promise<void>;
}

export interface HostProcessOptions {
  /** An existing folder, which stays; a throw-away one otherwise. */
  readonly dataDir?: string;
  /** Flags of the host beside its data folder. */
  readonly args?: readonly string[];
  /** Flags of Node, before the program. */
  readonly nodeArgs?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Given every line as it comes. */
  readonly echo?: (line: string) => void;
}

/** Resolves once the host is online. Throws with its output when it ends or does not come up within 60 s. */
export async function startHostProcess(options: HostProcessOptions = {}): Promise<HostProcess> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'preloop-host-')));
  const program = fileURLToPath(new URL('../out/headless.js', import.meta.url));
  const flags = ['--data-dir', dataDir, '--no-open', ...(options.args ?? [])];
  const child = spawn(process.execPath, [...(options.nodeArgs ?? []), program, ...flags], {
    env: { ...process.env, ...options.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (text) => {
    lines.push(text);
    options.echo?.(text);
    for (const look of [...waiting]) look();
  });
  const line = (pattern: RegExp): Promise<string> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = lines.find((each) => pattern.test(each));
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  let ending: Promise<void> | undefined;
  const stop = (): Promise<void> => (ending ??= end());
  const interrupted = (): void => void stop().finally(() => process.exit(INTERRUPTED));
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, interrupted);
  child.once('exit', () => {
    for (const signal of signals) process.off(signal, interrupted);
  });
  const up = new AbortController();
  try {
    await Promise.race([line(/online/), ended(child, lines, up.signal)]);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    up.abort();
  }
  return { dataDir, child, line, stop };
}

/** Rejects when the process ended, or has not come up in time. */
async function ended(
  child: ChildProcess,
  lines: readonly string[],
  up: AbortSignal,
): Promise<never> {
  const limit = AbortSignal.any([up, AbortSignal.timeout(START_LIMIT_MS)]);
  await once(child, 'exit', { signal: limit }).catch(() => undefined);
  throw new Error(`The host did not come online:\n${lines.join('\n')}`);
}
