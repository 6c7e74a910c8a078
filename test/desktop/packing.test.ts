/** The packed app: what is in it, what is not, that it is enough, and how its binary is locked. */
import { extractAll, extractFile, listPackage } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { execa } from 'execa';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { projectDir } from '../../scripts/setup/places.mjs';
import { startOnDouble } from '../support/desktop-on-double.ts';
import { writeStubDist } from '../support/stub-electron-dist.ts';
import { startDisplay } from '../support/virtual-display.ts';

/** A fuse in the binary is the character 1. */
const FUSE_ON = 0x31;

const manifestSchema = z.object({
  main: z.string(),
  type: z.literal('module'),
  dependencies: z.null().optional(),
  devDependencies: z.null().optional(),
});

let folder = '';
let unpacked = '';
let archive = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'preloop-packing-'));
  const manifest: unknown = JSON.parse(await readFile(join(projectDir, 'package.json'), 'utf8'));
  const { devDependencies } = z
    .object({ devDependencies: z.record(z.string(), z.string()) })
    .parse(manifest);
  await writeStubDist(join(folder, 'electron'), devDependencies['electron'] ?? '');
  await execa(
    process.execPath,
    [
      join(projectDir, 'node_modules/electron-builder/cli.js'),
      '--dir',
      '--linux',
      `-c.electronDist=${join(folder, 'electron')}`,
      `-c.directories.output=${join(folder, 'packed')}`,
      '--publish',
      'never',
    ],
    { cwd: projectDir },
  );
  const [name = ''] = (await readdir(join(folder, 'packed'))).filter((entry) =>
    entry.endsWith('unpacked'),
  );
  unpacked = join(folder, 'packed', name);
  archive = join(unpacked, 'resources', 'app.asar');
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Files of the archive, without folders. */
function packedFiles(): string[] {
  const all = listPackage(archive, { isPack: false }).map((path) => path.replaceAll('\\', '/'));
  return all.filter((path) => !all.some((other) => other.startsWith(`${path}/`)));
}

test('the archive holds the built programs, the page and the images, and the main program is its entry', () => {
  const files = packedFiles();
  expect(files.filter((path) => /^\/out\/[^/]+$/.test(path)).sort()).toEqual([
    '/out/control-plane.js',
    '/out/electron-main.js',
    '/out/preload.cjs',
    '/out/worker.js',
  ]);
  expect(files).toEqual(expect.arrayContaining(['/out/page/index.html', '/resources/icon.png']));
  expect(files.filter((path) => path.startsWith('/resources/tray/'))).toHaveLength(36);
  const manifest: unknown = JSON.parse(extractFile(archive, 'package.json').toString('utf8'));
  expect(manifestSchema.parse(manifest).main).toBe('out/electron-main.js');
});

test('nothing else is packed: no sources, tests, maps or set-up, and of all packages only the native one', () => {
  const strangers = packedFiles().filter(
    (path) =>
      !/^\/(package\.json|LICENSE|out\/|resources\/(icon\.png|tray\/)|node_modules\/better-sqlite3\/(lib\/|prebuilds\/|package\.json|LICENSE))/.test(
        path,
      ) || /\.(ts|tsx|map|md)$/.test(path),
  );
  expect(strangers).toEqual([]);
});

test('the native binaries of this system, and no others, lie beside the archive', async () => {
  const beside = join(`${archive}.unpacked`, 'node_modules/better-sqlite3/prebuilds');
  expect((await readdir(beside)).sort()).toEqual([
    `linux-${process.arch}.node`,
    `linuxmusl-${process.arch}.node`,
  ]);
});

test('the binary runs nothing but the archive, whatever its environment and arguments say', async () => {
  const wire = await getCurrentFuseWire(join(unpacked, 'preloop-runner-host'));
  const on = Object.values(FuseV1Options)
    .filter((fuse) => typeof fuse === 'number')
    .filter((fuse) => Number(wire[fuse]) === FUSE_ON)
    .map((fuse) => FuseV1Options[fuse]);
  expect(on).toEqual([
    'EnableCookieEncryption',
    'EnableEmbeddedAsarIntegrityValidation',
    'OnlyLoadAppFromAsar',
  ]);
});

test('no launcher, entry or program asks Chromium to let down its guard', async () => {
  const programs = await Promise.all(
    ['out/electron-main.js', 'out/preload.cjs'].map((file) =>
      Promise.resolve(extractFile(archive, file).toString('utf8')),
    ),
  );
  const asked = [
    /appendSwitch/,
    /['"]--no-sandbox/,
    /webSecurity/,
    /allowRunningInsecureContent/,
    /enableBlinkFeatures/,
    /experimentalFeatures/,
    /executeJavaScript/,
    /insertCSS/,
    /setCertificateVerifyProc/,
    /on\(['"]certificate-error/,
    /ELECTRON_DISABLE_SECURITY_WARNINGS/,
    /@electron\/remote/,
  ].filter((sign) => programs.some((text) => sign.test(text)));
  expect(asked).toEqual([]);
});

test('what is packed is enough: extracted somewhere else, it starts and comes online', async () => {
  const app = join(folder, 'app');
  extractAll(archive, app);
  const display = await startDisplay();
  const desktop = await startOnDouble({
    dataDir: join(folder, 'data'),
    display: display.name,
    bundle: join(app, 'out/electron-main.js'),
  });
  try {
    await desktop.until(({ tray }) => tray?.toolTip.startsWith('Online') === true);
    await (await desktop.page()).getByText('Ready for a first job.').waitFor();
  } finally {
    await desktop.kill();
    await display.stop();
  }
});
