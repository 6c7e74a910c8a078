import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cleanHostDirectories } from '../../../runner-core/worker/host-retention.ts';
import { jobIdOf } from '../../support/builders.ts';

const DAY_MS = 24 * 3_600_000;
const NOW_MS = 1_800_000_000_000;

async function root(): Promise<{ readonly root: string; readonly parent: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'preloop-retention-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const parent = join(folder, '.preloop-host-exec');
  await mkdir(parent);
  return { root: folder, parent };
}

async function made(parent: string, name: string, daysOld: number, bytes = 10): Promise<void> {
  await mkdir(join(parent, name));
  await writeFile(join(parent, name, 'file'), Buffer.alloc(bytes));
  const atSeconds = (NOW_MS - daysOld * DAY_MS) / 1_000;
  await utimes(join(parent, name), atSeconds, atSeconds);
}

test('directories past their time go; younger ones, those of held jobs and what is not ours stay', async () => {
  const { root: folder, parent } = await root();
  await made(parent, jobIdOf(1), 31);
  await made(parent, jobIdOf(2), 29);
  await made(parent, jobIdOf(3), 31);
  await made(parent, 'notes', 31);
  const outside = join(folder, 'outside');
  await made(folder, 'outside', 31);
  await symlink(outside, join(parent, jobIdOf(4)));
  const cleaned = await cleanHostDirectories({
    roots: [folder, join(folder, 'missing')],
    keep: new Set([jobIdOf(3)]),
    nowMs: NOW_MS,
  });
  expect(cleaned).toEqual({ removed: [jobIdOf(1)], failed: [] });
  expect((await readdir(parent)).sort()).toEqual(
    ['notes', jobIdOf(2), jobIdOf(3), jobIdOf(4)].sort(),
  );
  expect(await readdir(outside)).toEqual(['file']);
});

test('beyond the quota the oldest go first', async () => {
  const { root: folder, parent } = await root();
  await made(parent, jobIdOf(1), 3, 400);
  await made(parent, jobIdOf(2), 2, 400);
  await made(parent, jobIdOf(3), 1, 400);
  const { removed } = await cleanHostDirectories({
    roots: [folder],
    keep: new Set(),
    nowMs: NOW_MS,
    quotaBytes: 900,
  });
  expect(removed).toEqual([jobIdOf(1)]);
});
