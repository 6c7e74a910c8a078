/** What the page is told of the disk. */
import { expect, test } from 'vitest';
import { storageView } from '../../../../main/services/views/storage-view.ts';
import { SOUND_STORAGE } from '../../../../main/services/views/storage-words.ts';
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
  });
});
