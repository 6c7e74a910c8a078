import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  cleanHostDirectories,
  type EndedDirectory,
} from '../../../runner-core/worker/host-retention.ts';
import { jobIdOf } from '../../support/builders.ts';

const DAY_MS = 24 * 3_600_000;
const NOW_MS = 1_800_000_000_000;

async function bench() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'preloop-retention-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const parent = join(folder, '.preloop-host-exec');
  await mkdir(parent);
  const fill = async (path: string, bytes = 10): Promise<void> => {
    await mkdir(path);
    await writeFile(join(path, 'file'), Buffer.alloc(bytes));
  };
  const known = (number: number, daysAgo: number, path?: string): EndedDirectory => ({
    path: path ?? join(parent, jobIdOf(number)),
    jobId: jobIdOf(number),
    endedAtMs: NOW_MS - daysAgo * DAY_MS,
  });
  const clean = async (directories: readonly EndedDirectory[], quotaBytes?: number) => {
    const limits = quotaBytes === undefined ? {} : { quotaBytes };
    const cleaned = await cleanHostDirectories({ directories, nowMs: NOW_MS, ...limits });
    const idsOf = (of: readonly EndedDirectory[]): readonly string[] =>
      of.map(({ jobId }) => jobId);
    return {
      removed: idsOf(cleaned.removed),
      failed: idsOf(cleaned.failed),
      gone: idsOf(cleaned.gone),
    };
  };
  return { folder, parent, fill, known, clean };
}

test('what is named goes past its time; a directory that looks the same and is not named stays', async () => {
  const { parent, fill, known, clean } = await bench();
  for (const number of [1, 2, 3]) await fill(join(parent, jobIdOf(number)));
  expect(await clean([known(1, 31), known(2, 29)])).toEqual({
    removed: [jobIdOf(1)],
    failed: [],
    gone: [],
  });
  expect((await readdir(parent)).sort()).toEqual([jobIdOf(2), jobIdOf(3)]);
});

test('beyond the quota the longest ended go first', async () => {
  const { parent, fill, known, clean } = await bench();
  for (const number of [1, 2, 3]) await fill(join(parent, jobIdOf(number)), 400);
  const { removed } = await clean([known(3, 1), known(1, 3), known(2, 2)], 900);
  expect(removed).toEqual([jobIdOf(1)]);
});

test('a link in the place of a directory, or of a folder above it, is not followed nor removed', async () => {
  const { folder, parent, fill, known, clean } = await bench();
  await fill(join(folder, 'outside'));
  await symlink(join(folder, 'outside'), join(parent, jobIdOf(1)));
  await fill(join(parent, jobIdOf(2)));
  await symlink(folder, join(folder, 'linked'));
  const linked = join(folder, 'linked', '.preloop-host-exec', jobIdOf(2));
  expect(await clean([known(1, 31), known(2, 31, linked)])).toEqual({
    removed: [],
    failed: [jobIdOf(1), jobIdOf(2)],
    gone: [],
  });
  expect(await readdir(join(folder, 'outside'))).toEqual(['file']);
  expect(await readdir(parent)).toHaveLength(2);
});

test('only a directory with the name of its job, in a parent of ours, is removed', async () => {
  const { folder, parent, fill, known, clean } = await bench();
  await fill(join(folder, jobIdOf(1)));
  await fill(join(parent, 'notes'));
  await writeFile(join(parent, jobIdOf(3)), 'a file');
  const { removed, failed } = await clean([
    known(1, 31, join(folder, jobIdOf(1))),
    known(2, 31, join(parent, 'notes')),
    known(3, 31),
  ]);
  expect(removed).toEqual([]);
  expect(failed).toEqual([jobIdOf(1), jobIdOf(2), jobIdOf(3)]);
});

test('what is there no more is told, so that it need not be looked for again', async () => {
  const { known, clean } = await bench();
  expect(await clean([known(1, 1)])).toEqual({ removed: [], failed: [], gone: [jobIdOf(1)] });
});
