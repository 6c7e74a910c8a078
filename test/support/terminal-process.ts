/** The built host in a terminal of its own, which a test can close as a person closes a window. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import type { PlaneUnderTest } from './plane-under-test.ts';

const PROGRAM = fileURLToPath(new URL('../../out/headless.js', import.meta.url));
/** The inner shell outlives the terminal, so that it can tell how the host ended. */
const TELL_END = `trap '' HUP; "$NODE" "$PROGRAM" --server "$SERVER" --no-open $FLAGS; echo $? > "$END"`;
/** The outer one is ended with the terminal, as a person's is, and the whole group hears of that. */
const IN_TERMINAL = 'echo "Group $$"; sh -c "$TELL_END"; :';

export interface TerminalRun {
  /** The exit code. */
  readonly exited: Promise<number>;
  /** The first line, past or future, that matches. */
  line(pattern: RegExp): Promise<string>;
  /** Each process in it gets SIGHUP, and nothing can be printed any more. */
  closeTerminal(): void;
  /** What the process left in its folder for temporary files. */
  left(): Promise<readonly string[]>;
}

/** @param flags words without blanks */
export async function inTerminal(
  plane: PlaneUnderTest,
  flags: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<TerminalRun> {
  const folder = await mkdtemp(join(tmpdir(), 'terminal-'));
  const temporary = await mkdtemp(join(tmpdir(), 'terminal-host-'));
  const end = join(folder, 'end');
  await promisify(execFile)('mkfifo', [end]);
  // Opened by the writer alone, it is read to its end at once.
  const exited = readFile(end, 'utf8').then(Number);
  const terminal = spawn('script', ['--quiet', '--flush', '--command', IN_TERMINAL, '/dev/null'], {
    env: {
      ...{ ...process.env, ...environment, SHELL: '/bin/sh', PRELOOP_TOKEN: plane.token },
      ...{ NODE: process.execPath, PROGRAM, SERVER: plane.url, FLAGS: flags.join(' ') },
      ...{ TELL_END, END: end, TMPDIR: temporary },
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: terminal.stdout }).on('line', (text) => {
    lines.push(text.trimEnd());
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
  onTestFinished(async () => {
    const group = Number(/\d+/.exec(await line(/^Group /))?.[0]);
    endGroup(group);
    terminal.kill('SIGKILL');
    await Promise.all(
      [folder, temporary].map((path) => rm(path, { recursive: true, force: true })),
    );
  });
  return {
    exited,
    line,
    closeTerminal: () => void terminal.kill('SIGKILL'),
    left: () => readdir(temporary),
  };
}

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Gone, as it should be.
  }
}
