import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  AlreadyRunningError,
  DataDirUnusableError,
  dataPaths,
  defaultDataDir,
  jobLogFile,
  openDataDir,
  type DataDir,
} from '../../main/data-dir.ts';
import { aJobId } from '../support/job-builders.ts';
import { tempDir } from '../support/temp-dir.ts';

function opened(root: string): DataDir {
  const dataDir = openDataDir(root);
  onTestFinished(() => dataDir.release());
  return dataDir;
}

test('a new data folder is made with its folders, all for the owner alone', () => {
  const root = join(tempDir(), 'a', 'b');
  const dataDir = opened(root);
  for (const folder of [
    root,
    dataDir.logsDir,
    dataDir.workspacesDir,
    dataDir.planeDir,
    dataDir.diagnosticsDir,
  ])
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(dataDir).toMatchObject(dataPaths(root));
  expect(jobLogFile(dataDir.logsDir, aJobId('j1'))).toBe(join(root, 'logs', 'j1.log'));
});

test('a folder others could enter is closed to them', () => {
  const root = tempDir();
  chmodSync(root, 0o755);
  opened(root);
  expect(statSync(root).mode & 0o777).toBe(0o700);
});

test('a second opening is refused by name until the first is released', () => {
  const root = tempDir();
  const first = opened(root);
  expect(() => openDataDir(root)).toThrow(AlreadyRunningError);
  expect(() => openDataDir(root)).toThrow(root);
  first.release();
  first.release();
  opened(root);
});

test('a file in the place of the folder is refused with the remedy', () => {
  const path = join(tempDir(), 'file');
  writeFileSync(path, '');
  expect(() => openDataDir(path)).toThrow(DataDirUnusableError);
  expect(() => openDataDir(path)).toThrow(/is a file\. Move it away, or choose another/);
});

test('a relative path is refused', () => {
  expect(() => openDataDir('data')).toThrow(/is not an absolute path/);
});

test('a folder with other files is refused and left alone', () => {
  const root = tempDir();
  writeFileSync(join(root, 'thesis.tex'), '');
  chmodSync(root, 0o755);
  expect(() => openDataDir(root)).toThrow(/holds other files\. Choose an empty or a new folder/);
  expect(readdirSync(root)).toEqual(['thesis.tex']);
  expect(statSync(root).mode & 0o777).toBe(0o755);
});

test('a folder with settings put there beforehand is taken', () => {
  const root = tempDir();
  writeFileSync(dataPaths(root).settings, '');
  opened(root);
  expect(existsSync(dataPaths(root).lock)).toBe(true);
});

test("another user's folder is refused, naming both users", () => {
  const root = tempDir();
  const owner = statSync(root).uid;
  const other = owner + 1;
  expect(() => openDataDir(root, other)).toThrow(
    `belongs to user ${owner}, and this host runs as user ${other}`,
  );
});

test('a lock file that is none is refused with the remedy', () => {
  const root = tempDir();
  mkdirSync(dataPaths(root).lock);
  expect(() => openDataDir(root)).toThrow(/cannot be locked .* delete lock\.db while no host runs/);
});

test.each<[NodeJS.Platform, Record<string, string>, string]>([
  ['linux', {}, '/home/ann/.local/share/preloop-runner-host'],
  ['linux', { XDG_DATA_HOME: '/data' }, '/data/preloop-runner-host'],
  ['linux', { XDG_DATA_HOME: 'relative' }, '/home/ann/.local/share/preloop-runner-host'],
  [
    'darwin',
    { XDG_DATA_HOME: '/data' },
    '/home/ann/Library/Application Support/preloop-runner-host',
  ],
  ['win32', { LOCALAPPDATA: '/appdata' }, '/appdata/preloop-runner-host'],
  ['win32', {}, '/home/ann/AppData/Local/preloop-runner-host'],
])('on %s with %o the data folder is %s', (platform, environment, expected) => {
  expect(defaultDataDir(platform, environment, '/home/ann')).toBe(expected);
});
