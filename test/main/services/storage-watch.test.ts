import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bytesOnDisk } from '../../../main/services/disk-tidy.ts';
import { LOOK_OFTEN_MS, StorageWatch } from '../../../main/services/storage-watch.ts';
import {
  SOUND_STORAGE,
  storageFaults,
  storageSentence,
} from '../../../main/services/views/storage-words.ts';
import { storageLines } from '../../../main/state-lines.ts';
import { DiskReserve } from '../../../main/store/disk-reserve.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { StoreBench } from '../../support/store-bench.ts';

const GIB = 2 ** 30;

function watching(free: { bytes: number }) {
  const bench = new StoreBench();
  const clock = new FakeClock();
  const reserve = new DiskReserve(join(bench.dir, 'reserve'), bench.dir);
  reserve.fill();
  let changes = 0;
  const hostWorkspacesDir = join(bench.dir, 'host-workspaces');
  const watch = new StorageWatch({
    clock,
    log: new RecordedLog(),
    root: bench.dir,
    logsDir: bench.logsDir,
    setAsideDir: join(bench.dir, 'set-aside'),
    workspacesDir: join(bench.dir, 'workspaces'),
    hostWorkspacesDir,
    scratchDir: join(bench.dir, 'tried-commands'),
    localCommandBudgetBytes: () => 4 * GIB,
    store: bench.store,
    limits: () => ({ budgetBytes: 2 * GIB, ageMs: null, freeFloorBytes: GIB }),
    reserve,
    setAside: null,
    laterDamage: Promise.resolve(null),
    changed: () => (changes += 1),
    freeBytes: () => Promise.resolve(free.bytes),
  });
  onTestFinished(() => watch.stop());
  return { watch, clock, reserve, hostWorkspacesDir, changes: () => changes };
}

test('below the floor no job is taken, and one is again once there is room, without a restart', async () => {
  const free = { bytes: 5 * GIB };
  const { watch, clock } = watching(free);
  await watch.look();
  expect(watch.refusal()).toBeNull();
  free.bytes = GIB - 1;
  await watch.look();
  expect(watch.refusal()).toBe('below the free-space floor');
  expect(storageSentence(watch.state)?.state).toBe(
    'Not taking jobs: 1023 MiB free, the floor is 1 GiB.',
  );
  free.bytes = 3 * GIB;
  await clock.advance(LOOK_OFTEN_MS);
  await watch.look();
  expect(watch.refusal()).toBeNull();
  expect(storageSentence(watch.state)).toBeNull();
});

test('a disk that was found full is told at once, and refilled at the next look', async () => {
  const { watch, reserve, changes } = watching({ bytes: 5 * GIB });
  await watch.look();
  const before = changes();
  reserve.noteFull();
  expect(changes()).toBe(before + 1);
  expect(watch.refusal()).toBe('disk full');
  await watch.look();
  expect(watch.refusal()).toBeNull();
});

test('changes of free space that decide nothing are not told', async () => {
  const free = { bytes: 5 * GIB };
  const { watch, changes } = watching(free);
  await watch.look();
  const before = changes();
  free.bytes = 4 * GIB;
  await watch.look();
  expect(changes()).toBe(before);
});

test('what local commands keep is measured beside the rest, against its own budget', async () => {
  const { watch, hostWorkspacesDir } = watching({ bytes: 5 * GIB });
  expect(watch.state).toMatchObject({ localCommandBytes: null, localCommandBudgetBytes: 4 * GIB });
  mkdirSync(hostWorkspacesDir);
  writeFileSync(join(hostWorkspacesDir, 'made by Cursor'), Buffer.alloc(1_000_000, 1));
  await watch.tidy(new Set());
  expect(watch.state.localCommandBytes).toBe(await bytesOnDisk(hostWorkspacesDir));
  expect(watch.state.usedBytes).toBeLessThan(5_500_000);
});

test('sentence, rows and lines of the terminal say the same, each with its remedy', () => {
  const storage = {
    ...SOUND_STORAGE,
    freeBytes: 3.1 * GIB,
    floorBytes: 5 * GIB,
    setAside: { because: 'newer', folder: '/data/set-aside/then newer' },
    usedBytes: 3 * GIB,
    budgetBytes: 2 * GIB,
  } as const;
  expect(storageSentence(storage)).toMatchObject({
    state: 'Not taking jobs: 3.1 GiB free, the floor is 5 GiB.',
    remedy: { action: 'none', label: 'Free space, or lower free_floor in settings.yaml' },
  });
  expect(storageFaults(storage).map(({ id }) => id)).toEqual([
    'store_set_aside',
    'disk_over_budget',
  ]);
  expect(storageLines(storage).map((line) => line.slice(0, 60))).toEqual([
    'Disk     Not taking jobs: 3.1 GiB free, the floor is 5 GiB. ',
    'Store    The database was written by a newer version of this',
    'Store    This runner takes 3 GiB, the budget is 2 GiB. What ',
  ]);
  expect(storageLines(SOUND_STORAGE)).toEqual([]);
});
