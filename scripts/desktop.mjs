// @ts-check
/** `npm run desktop [-- FLAGS]`: builds, and runs the host as a desktop app. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ensureBuild } from './setup/ensure-build.mjs';
import { ensureDependencies } from './setup/ensure-dependencies.mjs';
import { node24, projectDir } from './setup/places.mjs';
import { runForeground } from './setup/run-foreground.mjs';
import { runEntry, say } from './setup/say.mjs';

await runEntry(async () => {
  await ensureDependencies();
  await ensureBuild();
  const electron = await electronBinary();
  if (electron === null) {
    process.stderr.write(
      'Electron cannot be fetched on this machine. "npm start" runs the same host and opens its page in your browser.\n',
    );
    return 1;
  }
  return runForeground(electron, [join(projectDir, 'out/electron-main.js'), ...process.argv.slice(2)], {
    cwd: projectDir,
  });
});

/**
 * ELECTRON_BINARY, or the one that the package fetches at its first use.
 *
 * @returns {Promise<string | null>} absolute; null when it cannot be fetched
 */
async function electronBinary() {
  const named = process.env['ELECTRON_BINARY'];
  if (named !== undefined && existsSync(named)) return named;
  const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  const found = fetched(folder);
  if (found !== null) return found;
  say('Fetching Electron (about 120 MB, once)…');
  const code = await runForeground(node24, [join(folder, 'install.js')], {
    cwd: folder,
    stdio: 'ignore',
  });
  const binary = fetched(folder);
  return code === 0 ? binary : null;
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
