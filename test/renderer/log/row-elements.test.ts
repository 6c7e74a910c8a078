import { expect, test } from 'vitest';
import { rowElements } from '../../../renderer/log/row-elements.ts';

const before = { first: 100, end: 140, base: 90 };
/** The numbers of the elements in use. */
const used = ({ first, end, base }: typeof before): readonly number[] =>
  Array.from({ length: end - first }, (_, index) => first + index - base);

test('a row keeps its element while the log scrolls by less than half a view', () => {
  for (const by of [1, -1, 19, -19]) {
    const after = rowElements(before, before.first + by, before.end + by);
    expect(after).toEqual({ first: 100 + by, end: 140 + by, base: 90 });
  }
});

test('rows that are mostly other ones are put into the elements that are there', () => {
  for (const by of [21, -21, 500, -100]) {
    const after = rowElements(before, before.first + by, before.end + by);
    expect(used(after)).toEqual(used(before));
  }
});

test('no two rows get one element, however the view moves and grows', () => {
  let state = { first: 0, end: 0, base: 0 };
  for (const [first, end] of [
    [0, 10],
    [300, 340],
    [310, 352],
    [290, 330],
    [0, 40],
    [0, 0],
    [1_000_000, 1_000_046],
  ] as const) {
    state = rowElements(state, first, end);
    expect(new Set(used(state)).size).toBe(end - first);
  }
});
