/** The strings of a row of the list. */
import { expect, test } from 'vitest';
import { cellTitle, rowText } from '../../renderer/features/jobs/row-text.ts';
import { endedRowAt, heldRow } from '../fixtures/page/rows.ts';

const NOW_MS = new Date(2026, 10, 17, 14, 32, 7).getTime();
const DAY_MS = 86_400_000;

test('an ended job that is not told of yet says so, and how long it ran', () => {
  const row = { ...endedRowAt(0, NOW_MS), reported: false, image: null };
  expect(rowText(row, NOW_MS)).toMatchObject({
    glyph: 'succeeded',
    state: 'Succeeded',
    image: row.agentType,
    verdict: 'Not yet reported',
    unreported: true,
  });
  expect(rowText({ ...row, reported: true }, NOW_MS)).toMatchObject({
    verdict: 'Reported',
    unreported: false,
  });
});

test('a running job has no run time of its own, and one that waits none at all', () => {
  const running = rowText(heldRow(0, NOW_MS, 60_000, 'running'), NOW_MS);
  const starting = rowText(heldRow(1, NOW_MS, 60_000, 'starting'), NOW_MS);
  expect([running.ran, running.verdict]).toEqual([null, 'none yet']);
  expect([starting.ran, starting.waited]).toEqual(['', '']);
});

test('a reason stands beside the title instead of the repository', () => {
  const failed = { ...endedRowAt(2, NOW_MS), reason: 'Exit code 1.' };
  expect(rowText(failed, NOW_MS).beside).toBe('Exit code 1.');
  expect(cellTitle(failed, 'c-job')).toBe(`${failed.title}\nExit code 1.`);
  expect(rowText({ ...failed, reason: null }, NOW_MS).beside).toBe(failed.repository);
});

test('on the next day the same row tells its date', () => {
  const row = { ...endedRowAt(0, NOW_MS), acceptedAtMs: NOW_MS };
  expect(rowText(row, NOW_MS).accepted).toBe('14:32:07');
  expect(rowText(row, NOW_MS + DAY_MS).accepted).toBe('17 Nov, 14:32');
});
