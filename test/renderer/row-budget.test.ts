/** How many rows are drawn anew in one frame. */
import { expect, test } from 'vitest';
import {
  fillWithin,
  type Fill,
  type SlotRow,
  type WantedRow,
} from '../../renderer/features/jobs/row-budget.ts';
import { endedRowAt } from '../fixtures/page/rows.ts';

const COUNT = 30;
/** The same object for the same index, as from one fetched page. */
const jobs = Array.from({ length: 100 }, (_, index) => endedRowAt(index, 0));
const from = (first: number): readonly WantedRow[] =>
  Array.from({ length: COUNT }, (_, at) => {
    const index = first + at;
    return { slot: index % COUNT, index, row: jobs[index] };
  });
const shownOf = ({ rows }: Fill): Map<number, SlotRow> =>
  new Map(rows.map((row) => [row.slot, row]));
const all = (wanted: readonly WantedRow[]): Fill => fillWithin(COUNT, wanted, new Map());
const drawn = ({ rows }: Fill): readonly number[] =>
  rows.flatMap(({ index, waiting }) => (waiting ? [] : [index]));

test('a leap is drawn over several frames, from the middle on, until all is there', () => {
  let shown = new Map<number, SlotRow>();
  const frames: (readonly number[])[] = [];
  for (let late = true; late;) {
    const fill = fillWithin(12, from(50), shown);
    frames.push(drawn(fill));
    shown = shownOf(fill);
    late = fill.late;
  }
  expect(frames.map((rows) => rows.length)).toEqual([12, 24, 30]);
  expect([frames[0]?.[0], frames[0]?.at(-1)]).toEqual([59, 70]);
});

test('what stays in view is not counted, and never taken away', () => {
  const fill = fillWithin(12, from(15), shownOf(all(from(0))));
  expect(fill.late).toBe(true);
  expect(drawn(fill)).toHaveLength(15 + 12);
  expect(drawn(fill).slice(0, 15)).toEqual(
    from(15)
      .slice(0, 15)
      .map(({ index }) => index),
  );
});

test('where newer states of the same jobs arrive, the older ones stay until their turn', () => {
  const newer = from(0).map((at) => ({ ...at, row: at.row && { ...at.row, lines: 7 } }));
  const fill = fillWithin(12, newer, shownOf(all(from(0))));
  expect(drawn(fill)).toHaveLength(COUNT);
  expect(fill.rows.filter(({ row }) => row?.lines === 7)).toHaveLength(12);
});

test('rows that are not fetched wait with what their slot had, and are drawn once they come, even if it was them', () => {
  const before = all(from(0));
  const away = fillWithin(
    12,
    from(60).map((at) => ({ ...at, row: undefined })),
    shownOf(before),
  );
  expect([drawn(away), away.late]).toEqual([[], false]);
  expect(away.rows.map(({ row }) => row)).toEqual(before.rows.map(({ row }) => row));
  expect(drawn(fillWithin(COUNT, from(0), shownOf(away)))).toHaveLength(COUNT);
});
