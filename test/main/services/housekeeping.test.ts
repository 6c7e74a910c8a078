import { mkdir, mkdtemp, readdir, realpath, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Housekeeping } from '../../../main/services/housekeeping.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { RecordedLog } from '../../support/recorded-log.ts';

const OLD = '5f0c2a34-8d1e-4b7a-9c55-2e6f7a8b9c01';
const HELD = '5f0c2a34-8d1e-4b7a-9c55-2e6f7a8b9c02';
const NEW = '5f0c2a34-8d1e-4b7a-9c55-2e6f7a8b9c03';
const DAY_MS = 24 * 3_600_000;

test('a workspace past its day goes at the first pass, one that is held or younger stays', async () => {
  const workspacesDir = await mkdtemp(join(tmpdir(), 'preloop-workspaces-'));
  const nowMs = 100 * DAY_MS;
  for (const [id, ageMs] of [
    [OLD, DAY_MS + 60_000],
    [HELD, 5 * DAY_MS],
    [NEW, DAY_MS - 60_000],
  ] as const) {
    await mkdir(join(workspacesDir, id));
    const at = new Date(nowMs - ageMs);
    await utimes(join(workspacesDir, id), at, at);
  }
  const clock = new FakeClock(nowMs);
  const housekeeping = new Housekeeping({
    clock,
    log: new RecordedLog(),
    workspacesDir,
    held: () => new Set([HELD]),
  });
  housekeeping.start();
  await clock.advance(30_000);
  await housekeeping.stop();
  expect((await readdir(workspacesDir)).sort()).toEqual([`${OLD}.expired`, HELD, NEW].sort());
  expect(clock.pending).toBe(0);
  await rm(workspacesDir, { recursive: true });
});

test('of directories of local commands only what the store names goes, and is forgotten there', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'preloop-runs-')));
  const parent = join(root, '.preloop-host-exec');
  for (const id of [OLD, NEW]) await mkdir(join(parent, id), { recursive: true });
  const nowMs = 100 * DAY_MS;
  const clock = new FakeClock(nowMs);
  const known = [OLD, HELD].map((jobId) => ({
    path: join(parent, jobId),
    jobId,
    endedAtMs: nowMs - 31 * DAY_MS,
  }));
  const forgotten: string[] = [];
  const housekeeping = new Housekeeping({
    clock,
    log: new RecordedLog(),
    workspacesDir: join(root, 'workspaces'),
    held: () => new Set(),
    hostDirectories: { removable: () => known, forget: (path) => void forgotten.push(path) },
  });
  housekeeping.start();
  await clock.advance(30_000);
  await housekeeping.stop();
  expect(await readdir(parent)).toEqual([NEW]);
  expect(forgotten).toEqual(known.map(({ path }) => path));
  await rm(root, { recursive: true });
});
