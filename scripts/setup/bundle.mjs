// @ts-check
/** Bundles the programs of this project into out/, each as one module with its source map. */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from './places.mjs';
import { SetupError } from './say.mjs';

export const outDir = join(projectDir, 'out');

/**
 * One program: `out/<file>` is made of `source`. All are ES modules but the preload, since Electron runs
 * none of those in its sandbox.
 *
 * @type {readonly { name: string, source: string, file: string }[]}
 */
export const ENTRIES = [
  { name: 'headless', source: 'main/headless.ts', file: 'headless.js' },
  { name: 'worker', source: 'runner-core/worker/worker-main.ts', file: 'worker.js' },
  { name: 'control-plane', source: 'control-plane/plane-main.ts', file: 'control-plane.js' },
  { name: 'cli', source: 'main/cli/preloop-host.ts', file: 'cli.js' },
  { name: 'electron-main', source: 'electron/main.ts', file: 'electron-main.js' },
  { name: 'preload', source: 'electron/preload.ts', file: 'preload.cjs' },
];

/** Electron itself, native, or looked for at run time and well done without. */
const EXTERNAL = ['electron', 'better-sqlite3', 'bufferutil', 'utf-8-validate', '*.node'];

/** CommonJS packages inside an ES module still call `require` for Node's own modules. */
const REQUIRE = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);`;

/**
 * What dockerode brings and is never used here. ssh2 and gRPC alone are four fifths of the bundle and
 * fail at load time inside an ES module. Calling one of these says what is missing.
 */
const LEFT_OUT = [
  { file: /[\\/]docker-modem[\\/]lib[\\/]ssh\.js$/, what: 'engines over ssh://' },
  { file: /[\\/]dockerode[\\/]lib[\\/](session|buildkit)\.js$/, what: 'BuildKit sessions' },
  { file: /[\\/]node_modules[\\/]tar-fs[\\/]index\.js$/, what: 'image builds' },
];

/** @type {import('esbuild').Plugin} */
const leaveOut = {
  name: 'leave-out',
  setup(builder) {
    for (const { file, what } of LEFT_OUT)
      builder.onLoad({ filter: file }, () => ({
        contents: `module.exports = () => { throw new Error('${what} are left out of this bundle'); };`,
        loader: 'js',
      }));
  },
};

/**
 * @param {readonly string[]} names of ENTRIES
 * @returns {Promise<void>}
 * @throws {SetupError} when an entry is missing or does not compile; esbuild has then shown where
 */
export async function bundlePrograms(names) {
  const esbuild = await import('esbuild');
  try {
    for (const name of names) await bundleProgram(esbuild, name);
  } finally {
    // Its compiler is a process that would idle beside the program for as long as that runs.
    await esbuild.stop();
  }
}

/**
 * @param {typeof import('esbuild')} esbuild
 * @param {string} name of ENTRIES
 */
async function bundleProgram(esbuild, name) {
  const entry = ENTRIES.find((known) => known.name === name);
  if (entry === undefined)
    throw new SetupError(
      `There is no program "${name}".`,
      `name one of ${ENTRIES.map((known) => known.name).join(', ')}.`,
    );
  const source = join(projectDir, entry.source);
  if (!existsSync(source))
    throw new SetupError(
      `The source of out/${entry.file} is missing: ${entry.source}.`,
      'restore the file, or take its line out of ENTRIES in scripts/setup/bundle.mjs.',
    );
  const outfile = join(outDir, entry.file);
  const isModule = entry.file.endsWith('.js');
  const shebang = name === 'cli' && !readFileSync(source, 'utf8').startsWith('#!');
  await esbuild
    .build({
      entryPoints: [source],
      outfile,
      bundle: true,
      format: isModule ? 'esm' : 'cjs',
      platform: 'node',
      target: 'node24',
      external: EXTERNAL,
      loader: { '.sql': 'text' },
      banner: { js: `${shebang ? '#!/usr/bin/env node\n' : ''}${isModule ? REQUIRE : ''}` },
      sourcemap: true,
      logLevel: 'warning',
      plugins: [leaveOut],
    })
    .catch((/** @type {unknown} */ cause) => {
      throw new SetupError(`${entry.source} does not compile.`, 'mend what is shown above.', {
        cause,
      });
    });
  if (name === 'cli') chmodSync(outfile, 0o755);
}
