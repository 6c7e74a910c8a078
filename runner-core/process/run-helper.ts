/** Runs a small helper program to its end: fixed arguments, input on stdin, a time limit. */
import { execa } from 'execa';

export interface HelperRun {
  readonly command: string;
  /** Constant words only: arguments can be read by everybody on the machine. */
  readonly args: readonly string[];
  readonly input: string;
  readonly timeoutMs: number;
  /** The whole environment of the helper; nothing is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>;
}
export type HelperEnd =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly stdout: string }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'timed_out' };

const MAX_OUTPUT_CHARACTERS = 1_048_576;

/** Never rejects for what the helper does. Its stderr is not kept: helpers print what they please there. */
export async function runHelper(run: HelperRun): Promise<HelperEnd> {
  const end = await execa(run.command, run.args, {
    input: run.input,
    timeout: run.timeoutMs,
    env: run.env,
    extendEnv: false,
    reject: false,
    stderr: 'ignore',
    maxBuffer: MAX_OUTPUT_CHARACTERS,
    stripFinalNewline: true,
    forceKillAfterDelay: 500,
    windowsHide: true,
  });
  if (end.timedOut) return { kind: 'timed_out' };
  if (end.code === 'ENOENT') return { kind: 'not_found' };
  return { kind: 'exited', exitCode: end.exitCode ?? -1, stdout: end.stdout };
}
