import {
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  cleanWorkspaces,
  type WorkspaceCleaning,
} from '../../../runner-core/worker/workspace-cleaning.ts';
import {
  copyFolder,
  LEASE_FILE,
  prepareWorkspace,
  touchLease,
  WorkspaceLease,
  type WorkspaceFound,
} from '../../../runner-core/worker/workspace.ts';
import { jobIdOf } from '../../support/builders.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { tempDir } from '../../support/temp-dir.ts';

const OLD = jobIdOf(1);
const NEW = jobIdOf(2);
const HOUR = 3_600_000;

function prepare(
  workspacesDir: string,
  jobId: string,
  resumeFrom: string | null = null,
): Promise<WorkspaceFound> {
  return prepareWorkspace({ workspacesDir, jobId, resumeFrom });
}
async function folderWith(path: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(path, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
}

test('a fresh workspace is an empty folder for this user alone', async () => {
  const root = join(tempDir(), 'workspaces');
  const found = await prepare(root, NEW);
  expect(found).toEqual({ kind: 'ready', dir: join(root, NEW) });
  expect((await stat(join(root, NEW))).mode & 0o777).toBe(0o700);
  expect((await stat(root)).mode & 0o777).toBe(0o700);
});

test('a continued workspace is moved, and given once more it is still there', async () => {
  const root = tempDir();
  await folderWith(join(root, OLD), { 'work.txt': 'half done' });
  await prepare(root, NEW, OLD);
  expect(await prepare(root, NEW, OLD)).toEqual({ kind: 'ready', dir: join(root, NEW) });
  expect(await readdir(root)).toEqual([NEW]);
  expect(await readFile(join(root, NEW, 'work.txt'), 'utf8')).toBe('half done');
});

test('a job that continues itself needs content of its own', async () => {
  const root = tempDir();
  await folderWith(join(root, OLD), { [LEASE_FILE]: 'now' });
  expect(await prepare(root, OLD, OLD)).toMatchObject({ kind: 'unrecoverable' });
  await folderWith(join(root, OLD), { 'work.txt': '' });
  expect(await prepare(root, OLD, OLD)).toMatchObject({ kind: 'ready' });
});

test('a workspace that is gone is told with what its tombstone says', async () => {
  const root = tempDir();
  const gone = { kind: 'unrecoverable', previous: OLD };
  expect(await prepare(root, NEW, OLD)).toEqual({ ...gone, why: null });
  await writeFile(join(root, `${OLD}.expired`), 'workspace_quota_exceeded\n');
  expect(await prepare(root, NEW, OLD)).toEqual({ ...gone, why: 'workspace_quota_exceeded' });
  expect(await readdir(root)).toEqual([`${OLD}.expired`]);
});

test('ids that are no UUID and workspaces that are links are refused', async () => {
  const root = tempDir();
  await expect(prepare(root, '../evil')).rejects.toThrow('no UUID');
  await expect(prepare(root, NEW, '..')).rejects.toThrow('no UUID');
  await symlink('/etc', join(root, NEW));
  await expect(prepare(root, NEW)).rejects.toThrow();
});

test('a copy keeps execute bits and links, and follows none', async () => {
  const root = tempDir();
  const from = join(root, 'from');
  await folderWith(join(from, 'bin'), {});
  await writeFile(join(from, 'bin', 'tool'), '#!/bin/sh\n', { mode: 0o755 });
  await symlink('/etc/passwd', join(from, 'out'));
  await symlink('bin/tool', join(from, 'in'));
  await symlink('nowhere', join(from, 'broken'));
  await copyFolder(from, join(root, 'to'));
  expect((await stat(join(root, 'to', 'bin', 'tool'))).mode & 0o777).toBe(0o755);
  const links = await Promise.all(
    ['out', 'in', 'broken'].map((name) => readlink(join(root, 'to', name))),
  );
  expect(links).toEqual(['/etc/passwd', 'bin/tool', 'nowhere']);
  expect(await readdir(root)).toEqual(['from', 'to']);
});

test('a lease is touched twice a minute, and gone when released', async () => {
  const dir = tempDir();
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const read = (): Promise<string> => readFile(join(dir, LEASE_FILE), 'utf8');
  const lease = new WorkspaceLease(dir, clock);
  await clock.advance(29_999);
  await lease.touched;
  expect(await read()).toBe('2026-01-01T00:00:00.000Z\n');
  await clock.advance(1);
  await lease.touched;
  expect(await read()).toBe('2026-01-01T00:00:30.000Z\n');
  await lease.release();
  expect(clock.pending).toBe(0);
  expect(await readdir(dir)).toEqual([]);
});

test('a lease that a job replaced by a link is not written through', async () => {
  const dir = tempDir();
  const victim = join(tempDir(), 'victim');
  await writeFile(victim, 'safe');
  await symlink(victim, join(dir, LEASE_FILE));
  await expect(touchLease(dir, 0)).rejects.toThrow('symbolic link');
  expect(await readFile(victim, 'utf8')).toBe('safe');
  expect(await readdir(dir)).toEqual([LEASE_FILE]);
});

const NOW = Date.UTC(2026, 5, 1);
/** A workspace with one file of `bytes`, last changed `hoursAgo`. */
async function workspace(root: string, id: string, hoursAgo: number, bytes = 10): Promise<void> {
  await folderWith(join(root, id), { file: 'x'.repeat(bytes) });
  const at = new Date(NOW - hoursAgo * HOUR);
  await utimes(join(root, id), at, at);
}
function clean(
  root: string,
  more: Partial<WorkspaceCleaning> = {},
): ReturnType<typeof cleanWorkspaces> {
  const defaults = { keep: new Set<string>(), ttlMs: 24 * HOUR, quotaBytes: 1_000, nowMs: NOW };
  return cleanWorkspaces({ workspacesDir: root, ...defaults, ...more });
}

test('workspaces past their time go and leave word; held and leased ones stay', async () => {
  const root = tempDir();
  const [held, leased, young] = [jobIdOf(3), jobIdOf(4), jobIdOf(5)];
  for (const id of [OLD, held]) await workspace(root, id, 25);
  await workspace(root, young, 23);
  await workspace(root, leased, 25);
  await touchLease(join(root, leased), NOW);
  const fresh = new Date(NOW - 119_000);
  await utimes(join(root, leased, LEASE_FILE), fresh, fresh);
  const past = new Date(NOW - 25 * HOUR);
  await utimes(join(root, leased), past, past);

  const cleaned = await clean(root, { keep: new Set([held]) });

  expect(cleaned).toMatchObject({ removed: [OLD], failed: [] });
  expect((await readdir(root)).sort()).toEqual([`${OLD}.expired`, held, leased, young].sort());
  expect(await readFile(join(root, `${OLD}.expired`), 'utf8')).toBe(
    'workspace_retention_expired\n',
  );
});

test('beyond the quota the oldest idle workspaces go, held ones only count', async () => {
  const root = tempDir();
  const [held, older, newer] = [jobIdOf(3), jobIdOf(4), jobIdOf(5)];
  await workspace(root, held, 20, 400);
  await workspace(root, older, 10, 400);
  await workspace(root, newer, 5, 400);
  expect(await clean(root, { keep: new Set([held]), quotaBytes: 800 })).toEqual({
    removed: [older],
    failed: [],
    bytes: 800,
  });
  expect(await readFile(join(root, `${older}.expired`), 'utf8')).toBe('workspace_quota_exceeded\n');
});

test('a time of 0 keeps no idle workspace', async () => {
  const root = tempDir();
  await workspace(root, OLD, 0);
  expect(await clean(root, { ttlMs: 0 })).toMatchObject({ removed: [OLD] });
});

test('a workspace whose word cannot be left is passed over, and the next still goes', async () => {
  const root = tempDir();
  await workspace(root, OLD, 30);
  await workspace(root, NEW, 30);
  // A folder in the tombstone's place refuses like files of another user do.
  await mkdir(join(root, `${OLD}.expired`));
  const at = new Date(NOW);
  await utimes(join(root, `${OLD}.expired`), at, at);
  const cleaned = await clean(root);
  expect(cleaned).toMatchObject({ removed: [NEW], failed: [OLD] });
});

test('words older than a month go; a missing folder is an empty one', async () => {
  const root = tempDir();
  const old = join(root, `${OLD}.expired`);
  await writeFile(old, 'workspace_retention_expired\n');
  await utimes(old, new Date(NOW - 31 * 24 * HOUR), new Date(NOW - 31 * 24 * HOUR));
  await clean(root);
  await expect(lstat(old)).rejects.toThrow();
  expect(await clean(join(root, 'missing'))).toEqual({ removed: [], failed: [], bytes: 0 });
});
