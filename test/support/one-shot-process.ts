/** The built host with --once or --ephemeral against a plane of its own, run to its end. No engine unless there is one. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { PlaneUnderTest } from './plane-under-test.ts';

const PROGRAM = fileURLToPath(new URL('../../out/headless.js', import.meta.url));

export interface OneShotRun {
  readonly exited: Promise<number | null>;
  readonly lines: readonly string[];
  line(pattern: RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /** Nobody reads what it prints any more. */
  closeOutput(): void;
  /** What the process left in its folder for temporary files. */
  left(): Promise<readonly string[]>;
}

/** @param args beside the server; a data folder only where one is named in them */
export async function oneShotProcess(
  plane: PlaneUnderTest,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<OneShotRun> {
  const temporary = await mkdtemp(join(tmpdir(), 'one-shot-'));
  const child = spawn(process.execPath, [PROGRAM, '--server', plane.url, '--no-open', ...args], {
    env: { ...process.env, PRELOOP_TOKEN: plane.token, TMPDIR: temporary, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    await rm(temporary, { recursive: true, force: true });
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (text) => {
    lines.push(text);
    for (const look of [...waiting]) look();
  });
  return {
    exited,
    lines,
    line: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = lines.find((each) => pattern.test(each));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    kill: (signal) => void child.kill(signal),
    closeOutput: () => void child.stdout.destroy(),
    left: () => readdir(temporary),
  };
}

/** Names and ids of the runners the plane knows. */
export async function runners(
  plane: PlaneUnderTest,
): Promise<readonly { readonly ephemeral: boolean; readonly labels: readonly string[] }[]> {
  const { body } = await plane.rest('GET', '/api/v1/runners');
  return body as readonly { ephemeral: boolean; labels: string[] }[];
}
