/**
 * Which file a profile's executable is on this machine. Decided when a job starts, since tools are installed and
 * moved while a host runs. Looks at files through a port; starts nothing.
 */
import { posix, win32 } from 'node:path';
import type { HostPlatform } from '../model/host-profile.ts';
import { unwrappedShim, SHIM_MAX_BYTES } from './npm-shim.ts';

export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'other';
  /** Permission bits; on Windows without meaning. */
  readonly mode: number;
  /** Numeric owner; -1 where the system has none. */
  readonly uid: number;
  readonly sizeBytes: number;
}

/** What is asked of the disk. None of these rejects: what cannot be looked at is null or empty. */
export interface ExecutableFiles {
  /** Follows links. */
  stat(path: string): Promise<FileFacts | null>;
  /** The path without links. */
  realPath(path: string): Promise<string | null>;
  readText(path: string, maxBytes: number): Promise<string | null>;
  /** Names in a folder. */
  list(path: string): Promise<readonly string[]>;
  /** Whether this user may execute the file. */
  mayExecute(path: string): Promise<boolean>;
}

export interface Machine {
  readonly platform: HostPlatform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: ExecutableFiles;
}

export interface ResolvedExecutable {
  readonly kind: 'resolved';
  /** What is started; absolute. Node itself where an npm shim was unwrapped. */
  readonly path: string;
  /** Comes before all other arguments: what the shim gives to Node. */
  readonly prefix: readonly string[];
  /** A `.cmd` or `.bat`, which Windows starts through its command interpreter. */
  readonly isBatch: boolean;
  /** The file that was found before links and shims, for showing. */
  readonly found: string;
  /** To put in front of `PATH`: a tool started with `#!/usr/bin/env node` needs the Node beside it. */
  readonly directories: readonly string[];
}

export interface ExecutableProblem {
  readonly kind: 'problem';
  readonly code: 'missing' | 'not_executable' | 'unsupported' | 'relative';
  /** Plain words that continue a sentence after a colon. */
  readonly detail: string;
}

const CURSOR_NAMES = ['cursor-agent', 'agent'];
const WINDOWS_EXTENSIONS = ['.exe', '.cmd', '.bat', '.com'];

/** Where a profile's executable is, or why it is nowhere. */
export async function resolveExecutable(
  executable: string,
  machine: Machine,
): Promise<ResolvedExecutable | ExecutableProblem> {
  const isWindows = machine.platform === 'win32';
  const path = isWindows ? win32 : posix;
  if (isAbsolutePath(executable, machine.platform)) return resolveFile(executable, machine);
  if (/[/\\]/.test(executable) || (isWindows && /^[A-Za-z]:/.test(executable)))
    return problem('relative', `${executable} is neither a name nor a full path`);
  const directories = await searchedDirectories(machine);
  let refused: ExecutableProblem | null = null;
  for (const name of namesToTry(executable)) {
    for (const directory of directories) {
      for (const candidate of spellings(name, isWindows)) {
        const answer = await resolveFile(path.join(directory, candidate), machine);
        if (answer.kind === 'resolved') return answer;
        if (answer.code !== 'missing') refused ??= answer;
      }
    }
  }
  if (refused !== null) return refused;
  return problem(
    'missing',
    `${namesToTry(executable).join(' and ')} in none of ${shown(directories)}`,
  );
}

/** Full: on Windows with a drive and a separator, or a share. */
export function isAbsolutePath(path: string, platform: HostPlatform): boolean {
  if (platform !== 'win32') return posix.isAbsolute(path);
  return /^[A-Za-z]:[\\/]/.test(path) || /^[\\/]{2}[^\\/]+[\\/]+[^\\/]+/.test(path);
}

/** The folders that are searched for a bare name, in order, each once. */
export async function searchedDirectories(machine: Machine): Promise<readonly string[]> {
  const { platform, env } = machine;
  const isWindows = platform === 'win32';
  const path = isWindows ? win32 : posix;
  const fromPath = (variable(env, 'PATH', isWindows) ?? '')
    .split(isWindows ? ';' : ':')
    .map((entry) => (isWindows ? entry.replaceAll('"', '') : entry))
    // An empty or relative entry means wherever somebody stands: nothing is started from there.
    .filter((entry) => isAbsolutePath(entry, platform));
  const fallbacks = isWindows ? windowsFallbacks(machine) : await posixFallbacks(machine);
  return [...new Set([...fromPath, ...fallbacks].map((entry) => path.normalize(entry)))];
}

async function posixFallbacks({ platform, env, files }: Machine): Promise<readonly string[]> {
  const home = env['HOME'] ?? '';
  const shared = platform === 'darwin' ? ['/opt/homebrew/bin', '/usr/local/bin'] : [];
  if (!posix.isAbsolute(home)) return shared;
  const own = ['.local/bin', '.npm-global/bin', '.openclaw/bin', '.copilot/bin', 'Library/pnpm'];
  const nvm = posix.join(env['NVM_DIR'] ?? posix.join(home, '.nvm'), 'versions/node');
  const versions = [...(await files.list(nvm))].sort(newestFirst);
  return [
    ...own.map((folder) => posix.join(home, folder)),
    ...versions.map((version) => posix.join(nvm, version, 'bin')),
    ...shared,
  ];
}

function windowsFallbacks({ env }: Machine): readonly string[] {
  const appData = variable(env, 'APPDATA', true) ?? '';
  const home = variable(env, 'USERPROFILE', true) ?? '';
  return [
    ...(appData === '' ? [] : [win32.join(appData, 'npm')]),
    ...(home === '' ? [] : [win32.join(home, '.copilot\\bin'), win32.join(home, '.local\\bin')]),
  ];
}

async function resolveFile(
  found: string,
  machine: Machine,
): Promise<ResolvedExecutable | ExecutableProblem> {
  const { files, platform } = machine;
  const isWindows = platform === 'win32';
  const path = isWindows ? win32 : posix;
  const target = await files.realPath(found);
  const facts = target === null ? null : await files.stat(target);
  if (target === null || facts === null) return problem('missing', `there is no ${found}`);
  if (facts.kind === 'directory') return problem('not_executable', `${found} is a folder`);
  const extension = path.extname(target).toLowerCase();
  if (isWindows && !WINDOWS_EXTENSIONS.includes(extension))
    return problem('unsupported', `${found} ends in ${extension === '' ? 'nothing' : extension}`);
  if (!isWindows && ((facts.mode & 0o111) === 0 || !(await files.mayExecute(target))))
    return problem('not_executable', `${found} has no permission for it`);
  const isBatch = isWindows && (extension === '.cmd' || extension === '.bat');
  const whole: ResolvedExecutable = {
    kind: 'resolved',
    path: target,
    prefix: [],
    isBatch,
    found,
    directories: [...new Set([path.dirname(target), path.dirname(found)])],
  };
  if (!isBatch || facts.sizeBytes > SHIM_MAX_BYTES) return whole;
  const text = await files.readText(target, SHIM_MAX_BYTES);
  const shim = text === null ? undefined : unwrappedShim(text, win32.dirname(target));
  const node = shim === undefined ? undefined : await nodeFor(win32.dirname(target), machine);
  if (shim === undefined || node === undefined) return whole;
  return { ...whole, path: node, prefix: [...shim.flags, shim.script], isBatch: false };
}

/** The Node beside a shim, else the one that a search finds. */
async function nodeFor(directory: string, machine: Machine): Promise<string | undefined> {
  for (const folder of [directory, ...(await searchedDirectories(machine))]) {
    const candidate = win32.join(folder, 'node.exe');
    if ((await machine.files.stat(candidate))?.kind === 'file') return candidate;
  }
  return undefined;
}

/** The spelling of the profile first, then Cursor's two names. */
function namesToTry(executable: string): readonly string[] {
  const others = CURSOR_NAMES.filter((name) => name !== executable.toLowerCase());
  return [executable, ...others];
}

function spellings(name: string, isWindows: boolean): readonly string[] {
  if (!isWindows || win32.extname(name) !== '') return [name];
  return WINDOWS_EXTENSIONS.map((extension) => name + extension);
}

function variable(env: Machine['env'], name: string, isWindows: boolean): string | undefined {
  if (!isWindows) return env[name];
  const spelled = Object.keys(env).find((key) => key.toUpperCase() === name);
  return spelled === undefined ? undefined : env[spelled];
}

function newestFirst(one: string, other: string): number {
  return other.localeCompare(one, 'en', { numeric: true });
}

/** The first folders by name; a whole search path would bury the sentence. */
function shown(directories: readonly string[]): string {
  const [most, rest] = [directories.slice(0, 6), directories.length - 6];
  if (most.length === 0) return 'the searched folders';
  return most.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

function problem(code: ExecutableProblem['code'], detail: string): ExecutableProblem {
  return { kind: 'problem', code, detail };
}
