import { expect, test } from 'vitest';
import { nextClockTime, parseDuration } from '../../main/duration-text.ts';

test.each([
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  [' 2D ', 172_800_000],
  ['500ms', 500],
  ['0s', undefined],
  ['15', undefined],
  ['-1m', undefined],
  ['1h x', undefined],
  ['400d', undefined],
])('%j is %s ms', (text, expected) => expect(parseDuration(text)).toBe(expected));

test('a time of day is the next one, tomorrow where it has passed', () => {
  const noon = new Date(2026, 10, 30, 12).getTime();
  expect(nextClockTime('18:00', noon)).toBe(new Date(2026, 10, 30, 18).getTime());
  expect(nextClockTime('8:00', noon)).toBe(new Date(2026, 11, 1, 8).getTime());
  expect(nextClockTime('12:00', noon)).toBe(new Date(2026, 11, 1, 12).getTime());
  expect([nextClockTime('24:00', noon), nextClockTime('noon', noon)]).toEqual([
    undefined,
    undefined,
  ]);
});
