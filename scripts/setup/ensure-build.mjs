// @ts-check
/** Builds out/ when it is not made of the sources as they are now. Owns how that is told. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage, pageFile } from './build-page.mjs';
import { ENTRIES, bundlePrograms, outDir } from './bundle.mjs';
import { projectDir } from './places.mjs';
import { say } from './say.mjs';

const SOURCES = [
  'runner-core',
  'main',
  'control-plane',
  'renderer',
  'resources',
  'vite.config.ts',
  'electron',
  'scripts/setup/bundle.mjs',
  'package-lock.json',
];
const stampFile = join(outDir, 'built-from');

/**
 * Names one state of a set of files: it changes when one is added, removed, renamed or written.
 *
 * @param {readonly { path: string, size: number, mtimeMs: number }[]} files
 * @returns {string} hex
 */
export function fingerprint(files) {
  const hash = createHash('sha256');
  for (const { path, size, mtimeMs } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1)))
    hash.update(`${path}\0${size}\0${mtimeMs}\n`);
  return hash.digest('hex');
}

/**
 * @returns {Promise<void>}
 * @throws {import('./say.mjs').SetupError} when an entry is missing or does not compile
 */
export async function ensureBuild() {
  const now = fingerprint(SOURCES.flatMap((source) => filesUnder(source)));
  if (allBuilt() && readStamp() === now) return;
  say('Building out/ (esbuild, Vite)…');
  rmSync(stampFile, { force: true });
  await bundlePrograms(ENTRIES.map((entry) => entry.name));
  await buildPage();
  writeFileSync(stampFile, now);
}

function allBuilt() {
  return existsSync(pageFile) && ENTRIES.every(({ file }) => existsSync(join(outDir, file)));
}

function readStamp() {
  return existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : null;
}

/**
 * @param {string} source a file or folder of the project
 * @returns {{ path: string, size: number, mtimeMs: number }[]}
 */
function filesUnder(source) {
  const full = join(projectDir, source);
  const found = statSync(full, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (found.isFile()) return [{ path: source, size: found.size, mtimeMs: found.mtimeMs }];
  return readdirSync(full).flatMap((name) => filesUnder(join(source, name)));
}
