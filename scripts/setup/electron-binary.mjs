// @ts-check
/**
 * Electron's binary: the one that is named, the one that its package has fetched, or one fetched now. Owns where it
 * is looked for and what is said where there is none.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { node24 } from './places.mjs';
import { runForeground } from './run-foreground.mjs';
import { say } from './say.mjs';

const GUARD = new URL('./guard-fetch.mjs', import.meta.url).href;

/** @typedef {{ path: string, problem: null } | { path: null, problem: string }} ElectronBinary */

/**
 * ELECTRON_BINARY counts alone where it is set, so that a wrong name is not answered by another program.
 *
 * @returns {Promise<ElectronBinary>} `path` is absolute; `problem` is one sentence
 */
export async function electronBinary() {
  const named = process.env['ELECTRON_BINARY'];
  if (named !== undefined && named !== '')
    return existsSync(named)
      ? { path: named, problem: null }
      : { path: null, problem: `There is no Electron at ${named} (ELECTRON_BINARY).` };
  const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  const found = fetched(folder) ?? (await fetchNow(folder));
  return found === null
    ? { path: null, problem: 'Electron cannot be fetched on this machine.' }
    : { path: found, problem: null };
}

/**
 * Ends within seconds where the network keeps silent; a download that goes on may take its time.
 *
 * @param {string} folder of the electron package
 * @returns {Promise<string | null>}
 */
async function fetchNow(folder) {
  say('Fetching Electron (about 120 MB, once)…');
  const code = await runForeground(node24, ['--import', GUARD, join(folder, 'install.js')], {
    cwd: folder,
    stdio: 'ignore',
    // Of HTTPS_PROXY and NO_PROXY, which Node's own fetch heeds only when told to.
    env: { ...process.env, NODE_USE_ENV_PROXY: '1' },
  });
  return code === 0 ? fetched(folder) : null;
}

/**
 * @param {string} folder of the electron package
 * @returns {string | null}
 */
function fetched(folder) {
  const note = join(folder, 'path.txt');
  if (!existsSync(note)) return null;
  const binary = join(folder, 'dist', readFileSync(note, 'utf8').trim());
  return existsSync(binary) ? binary : null;
}

/** Of the shell's main program. */
export const electronMain = fileURLToPath(new URL('../../out/electron-main.js', import.meta.url));
