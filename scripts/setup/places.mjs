// @ts-check
/** Where things are: the project's folder, its own Node 24, and the cache kept outside the tree. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, absolute. */
export const projectDir = fileURLToPath(new URL('../../', import.meta.url));

/** The Node 24 that the npm package `node` brings, whatever Node this machine has. */
export const node24 = join(
  projectDir,
  'node_modules',
  'node',
  'bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
);

/**
 * What outlives a clone: the test image's archive, and a private engine's data and log.
 *
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @returns {string} absolute
 */
export function cacheDir(environment) {
  const base = environment['XDG_CACHE_HOME'];
  const usable = base !== undefined && base.startsWith('/');
  return join(usable ? base : join(homedir(), '.cache'), 'preloop-runner-host');
}
