/** What only Debian and its children offer: packages that the set-up may install by itself, as root. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from './places.mjs';
import { runForeground } from './run-foreground.mjs';
import { SetupError, say } from './say.mjs';

export interface Machine {
  /** Debian or a child of it, with apt-get. */
  readonly debianLike: boolean;
  readonly root: boolean;
  /** dockerd is installed. */
  readonly dockerd: boolean;
}

export function thisMachine(): Machine {
  return {
    debianLike: isDebianLike(readOrEmpty('/etc/os-release')) && existsSync('/usr/bin/apt-get'),
    root: process.getuid?.() === 0,
    dockerd: isOnPath('dockerd'),
  };
}

/** @param osRelease the text of /etc/os-release */
export function isDebianLike(osRelease: string): boolean {
  const fields = new Map(
    osRelease.split('\n').map((line): [string, string] => {
      const [name = '', ...rest] = line.split('=');
      return [name, rest.join('=').replace(/^["']|["']$/g, '')];
    }),
  );
  const names = `${fields.get('ID') ?? ''} ${fields.get('ID_LIKE') ?? ''}`.split(/\s+/);
  return names.includes('debian');
}

/** True when a program of this name is on the search path or in the folders for administrators. */
export function isOnPath(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(':').concat('/usr/sbin', '/sbin');
  return folders.some((folder) => folder !== '' && existsSync(join(folder, program)));
}

/** Installs Debian packages. @throws SetupError when apt-get fails; its output is in the named log. */
export async function installPackages(...packages: readonly string[]): Promise<void> {
  say(`Installing ${packages.join(', ')} (Debian packages)…`);
  await quietly('apt-get', ['update', '-qq']);
  await quietly('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages]);
}

/** Runs a command with its output kept in the cache folder. @throws SetupError when it fails. */
export async function quietly(command: string, args: readonly string[]): Promise<void> {
  const folder = cacheDir(process.env);
  await mkdir(folder, { recursive: true });
  const logFile = join(folder, `${command}.log`);
  const log = await open(logFile, 'w');
  try {
    const code = await runForeground(command, args, {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', log.fd, log.fd],
    });
    if (code === 0) return;
    const lastWords = readOrEmpty(logFile).trimEnd().split('\n').slice(-5).join('\n');
    throw new SetupError(
      `${command} ${args[0] ?? ''} failed (exit code ${code}):\n${lastWords}`,
      `read ${logFile}, mend what it names, then run the same command again.`,
    );
  } finally {
    await log.close();
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
