/** What the page is told of the disk. */
import { expect, test } from 'vitest';
import { storageView } from '../../../../main/services/views/storage-view.ts';
import { SOUND_STORAGE, storageFaults } from '../../../../main/services/views/storage-words.ts';
import { aSpec } from '../../../support/job-builders.ts';

test('the engine’s own copies are counted of running Docker jobs, with what each line costs there', () => {
  const job = { spec: aSpec(), bytes: 1_000, lines: 10 };
  const view = storageView(SOUND_STORAGE, [{ held: { job } }, { held: { job } }]);
  expect(view.engineLogBytes).toBe(2 * (1_000 + 10 * 75));
  expect(storageView(SOUND_STORAGE, []).engineLogBytes).toBe(0);
});

test('what is not known is said to be so', () => {
  expect(storageView(SOUND_STORAGE, [])).toMatchObject({
    usedBytes: null,
    budgetBytes: null,
    freeBytes: null,
    floorBytes: null,
    localCommandBytes: null,
  });
});

test('over the budget it is said what stays, the largest first', () => {
  const staying = { logBytes: 1_048_576, workspaceBytes: 3 * 1_048_576, otherBytes: 0 };
  const over = { ...SOUND_STORAGE, usedBytes: 4 * 1_048_576, budgetBytes: 2 * 1_048_576, staying };
  expect(storageFaults(over)).toEqual([
    {
      id: 'disk_over_budget',
      what: 'This runner takes 4 MiB, the budget is 2 MiB.',
      why:
        'These stay: 3 MiB of workspaces in use, 1 MiB of logs of pinned or unfinished jobs. ' +
        'Other logs are left, since removing them would not be enough. Unpin jobs, or raise budget in settings.yaml.',
    },
  ]);
});

test('what is neither log nor workspace is the database and the rest of the data folder', () => {
  const staying = { logBytes: 0, workspaceBytes: 0, otherBytes: 3 * 1_048_576 };
  const over = { ...SOUND_STORAGE, usedBytes: 3 * 1_048_576, budgetBytes: 2 * 1_048_576, staying };
  expect(storageFaults(over)[0]?.why).toContain(
    'These stay: 3 MiB of the database and the rest of the data folder.',
  );
});
