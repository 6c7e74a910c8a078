/** The file a profile's executable is here, or why the job cannot start. */
import { executableFiles } from '../host-exec/executable-files.ts';
import { writableByOthers } from '../host-exec/file-trust.ts';
import { windowsCommandProblem, windowsQuoted } from '../host-exec/npm-shim.ts';
import { resolveExecutable } from '../host-exec/resolve-executable.ts';
import type { StartProblem } from '../host-exec/verdict.ts';
import type { HostPlatform, HostProfile } from '../model/host-profile.ts';

export interface HostCommand {
  readonly path: string;
  readonly prefix: readonly string[];
  /** Before links and shims, for showing. */
  readonly found: string;
  readonly isBatch: boolean;
  readonly directories: readonly string[];
  readonly platform: HostPlatform;
}

export async function resolveHere(
  { executable }: HostProfile,
  environment: Readonly<Record<string, string>>,
): Promise<HostCommand | StartProblem> {
  const platform = thisPlatform();
  const found = await resolveExecutable(executable, {
    platform,
    env: environment,
    files: executableFiles,
  });
  if (found.kind === 'problem')
    return { step: 'executable', code: found.code, detail: found.detail };
  const owner = { uid: process.getuid?.() ?? -1, platform };
  const facts = await executableFiles.stat(found.path);
  const problems = facts === null ? [] : writableByOthers('executable', facts, owner);
  const unsafe = problems.find(({ severity }) => severity === 'error');
  if (unsafe !== undefined) return { step: 'executable', code: unsafe.code, detail: unsafe.reason };
  return { ...found, platform };
}

/** Every other Unix goes by Linux. */
export function thisPlatform(): HostPlatform {
  const { platform } = process;
  return platform === 'win32' || platform === 'darwin' ? platform : 'linux';
}

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  /** Windows: the arguments are quoted already. */
  readonly isQuoted: boolean;
}

/** What is started, or what keeps Windows from starting it: batch files go through its command interpreter. */
export function commandLine(
  { path, prefix, isBatch, platform }: HostCommand,
  own: readonly string[],
  environment: Readonly<Record<string, string>>,
): CommandLine | StartProblem {
  const args = [...prefix, ...own];
  const problem = platform === 'win32' ? windowsCommandProblem(path, args, isBatch) : undefined;
  if (problem !== undefined) return { step: 'arguments', code: problem, detail: '' };
  if (!isBatch) return { command: path, args, isQuoted: false };
  const interpreter = environment['ComSpec'] ?? environment['COMSPEC'] ?? 'cmd.exe';
  const line = [path, ...args].map(windowsQuoted).join(' ');
  return { command: interpreter, args: ['/d', '/s', '/c', `"${line}"`], isQuoted: true };
}
