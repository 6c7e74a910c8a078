/** Which rows of the list are drawn, and in which slots. */
import { expect, test } from 'vitest';
import {
  ROW_PX,
  rowsInSlots,
  rowWindow,
  scrollToShow,
} from '../../renderer/features/jobs/row-window.ts';

const VIEW_PX = 20 * ROW_PX;
const TOTAL = 100_000;
const window = (row: number) => rowWindow(row * ROW_PX, VIEW_PX, TOTAL);

test('wherever the list is scrolled to, every row that a view can show is drawn', () => {
  for (const scrollPx of [0, 1, 31, 32, 4_000, 1_599_985, TOTAL * ROW_PX - VIEW_PX]) {
    const { first, count } = rowWindow(scrollPx, VIEW_PX, TOTAL);
    expect(first * ROW_PX).toBeLessThanOrEqual(scrollPx);
    expect((first + count) * ROW_PX).toBeGreaterThanOrEqual(scrollPx + VIEW_PX);
  }
});

test('no row beyond either end is drawn, however far the list is pulled', () => {
  for (const scrollPx of [-500, TOTAL * ROW_PX + 500]) {
    const { first, count } = rowWindow(scrollPx, VIEW_PX, TOTAL);
    expect(first).toBeGreaterThanOrEqual(0);
    expect(first + count).toBeLessThanOrEqual(TOTAL);
  }
  expect(rowWindow(0, VIEW_PX, 3)).toEqual({ first: 0, count: 3 });
  expect(rowWindow(0, VIEW_PX, 0)).toEqual({ first: 0, count: 0 });
});

test('each drawn row has one slot', () => {
  for (const row of [0, 3, 7, 29, 1_234, 50_001, TOTAL]) {
    const { first, count } = window(row);
    const rows = [...rowsInSlots({ first, count })].sort((one, other) => one - other);
    expect(rows).toEqual(Array.from({ length: count }, (_, at) => first + at));
  }
});

test('scrolling by three rows changes three slots', () => {
  const before = rowsInSlots(window(5_000));
  const after = rowsInSlots(window(5_003));
  expect(after.filter((row, slot) => row !== before[slot])).toHaveLength(3);
});

test('a row in view does not scroll the list, one above or below does as little as it can', () => {
  expect(scrollToShow(105, 100 * ROW_PX, VIEW_PX)).toBe(100 * ROW_PX);
  expect(scrollToShow(99, 100 * ROW_PX, VIEW_PX)).toBe(99 * ROW_PX);
  expect(scrollToShow(120, 100 * ROW_PX, VIEW_PX)).toBe(101 * ROW_PX);
});
