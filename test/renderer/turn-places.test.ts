/** Which turn a record of the log tells of. */
import { expect, test } from 'vitest';
import { turnOfRecord } from '../../renderer/features/job/turn-places.ts';

const place = (first: number, last: number) => ({ first, last });
const index = (places: Parameters<typeof turnOfRecord>[0], record: number): number | undefined =>
  turnOfRecord(places, record)?.index;

test('a record belongs to the turn that holds it', () => {
  const places = [place(1, 1), place(2, 5), place(6, 7)];
  expect([1, 2, 4, 5, 6, 7].map((record) => index(places, record))).toEqual([0, 1, 1, 1, 2, 2]);
});

test('of calls that overlap the one that begins or ends there is meant, else the shortest', () => {
  const places = [place(10, 20), place(11, 21), place(14, 16)];
  expect([10, 11, 14, 15, 17, 20, 21].map((record) => index(places, record))).toEqual([
    0, 1, 2, 2, 0, 0, 1,
  ]);
});

test('a record of no turn belongs to the turn before it, and one before all of them to the first', () => {
  const places = [null, place(3, 4), null, place(8, 9)];
  expect(turnOfRecord(places, 6)).toEqual({ index: 1, isCertain: true });
  expect(turnOfRecord(places, 0)).toEqual({ index: 1, isCertain: false });
});

test('without places there is no turn to go to', () => {
  expect(turnOfRecord([], 1)).toBeNull();
  expect(turnOfRecord([null], 1)).toBeNull();
});
