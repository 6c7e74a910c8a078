// @ts-check
/**
 * Installs what package-lock.json names when it is missing or differs. Plain Node 20 and built-ins
 * only: this runs before there is anything else.
 */
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { node24, projectDir } from './places.mjs';
import { runForeground } from './run-foreground.mjs';
import { SetupError, say } from './say.mjs';

/** @typedef {{ version?: string, integrity?: string, optional?: boolean, link?: boolean }} LockedPackage */
/** @typedef {Readonly<Record<string, LockedPackage>>} LockedPackages */

/** Packages whose install script is run, by name; `.npmrc` switches all others off. */
const RUN_INSTALL_SCRIPTS_OF = ['node', 'esbuild'];

/**
 * Why the installed packages are not those of the lock; null when they are. Optional packages may be
 * missing (they are for other operating systems), and what was added by hand does no harm.
 *
 * @param {LockedPackages} wanted `packages` of package-lock.json
 * @param {LockedPackages | null} installed `packages` of node_modules/.package-lock.json
 * @returns {string | null}
 */
export function whyStale(wanted, installed) {
  if (installed === null) return 'node_modules is missing';
  for (const [path, locked] of Object.entries(wanted)) {
    if (path === '' || locked.link === true) continue;
    const name = path.replace(/^.*node_modules\//, '');
    const found = installed[path];
    if (found === undefined) {
      if (locked.optional === true) continue;
      return `${name} is missing`;
    }
    if (found.version !== locked.version)
      return `${name} is ${found.version ?? 'unknown'}, the lock names ${locked.version ?? 'unknown'}`;
    if (found.integrity !== locked.integrity)
      return `${name} has other content than the lock names`;
  }
  return null;
}

/**
 * @returns {Promise<void>}
 * @throws {SetupError} when npm fails
 */
export async function ensureDependencies() {
  const wanted = readPackages(join(projectDir, 'package-lock.json'));
  if (wanted === null)
    throw new SetupError(
      'package-lock.json is missing.',
      'restore it: git checkout package-lock.json',
    );
  const why = whyStale(
    wanted,
    readPackages(join(projectDir, 'node_modules', '.package-lock.json')),
  );
  if (why !== null) {
    say(`Installing dependencies (npm ci): ${why}. This takes about half a minute…`);
    await npm(['ci']);
  }
  if (!existsSync(node24)) {
    say('Installing Node 24 for this project (npm package node)…');
    await npm(['rebuild', '--ignore-scripts=false', ...RUN_INSTALL_SCRIPTS_OF]);
    if (!existsSync(node24))
      throw new SetupError(
        `Node 24 is not at ${node24}.`,
        'delete the folder node_modules and run the same command again.',
      );
  }
}

/**
 * @param {string} file
 * @returns {LockedPackages | null} null when the file is missing or unreadable
 */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? null;
  } catch {
    return null;
  }
}

/** @param {readonly string[]} args */
async function npm(args) {
  const quiet = ['--loglevel=error', '--no-fund', '--no-audit'];
  const { npm_execpath: cli, npm_node_execpath: node } = process.env;
  // The npm that runs this script, on the machine's own Node: the project's Node may be replaced by this very call.
  const [command, first] = cli !== undefined && node !== undefined ? [node, [cli]] : ['npm', []];
  const code = await runForeground(command, [...first, ...args, ...quiet], {
    cwd: projectDir,
    env: { ...process.env, PATH: withoutProjectBinaries(process.env['PATH'] ?? '') },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (code !== 0)
    throw new SetupError(
      `npm ${args[0] ?? ''} failed (exit code ${code}); its own words are above.`,
      'check that the npm registry can be reached (npm ping), then run the same command again.',
    );
}

/**
 * @param {string} path
 * @returns {string}
 */
function withoutProjectBinaries(path) {
  return path
    .split(delimiter)
    .filter((folder) => !folder.startsWith(join(projectDir, 'node_modules')))
    .join(delimiter);
}
