import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reconnectDelayMs } from '../../../runner-core/listener/reconnect-delay.ts';

const at = (fraction: number) => ({ fraction: () => fraction });

test('the longest delay doubles with each failure up to 30 s', () => {
  const longest = [0, 1, 2, 3, 4, 5, 6, 20, 2_000].map((attempt) =>
    reconnectDelayMs(attempt, at(1 - Number.EPSILON / 2)),
  );
  expect(longest).toEqual([999, 1_999, 3_999, 7_999, 15_999, 29_999, 29_999, 29_999, 29_999]);
});

test('a delay is whole, never negative and below both limits for any attempt and chance', () => {
  fc.assert(
    fc.property(
      fc.nat(5_000),
      fc.double({ min: 0, max: 0.999999, noNaN: true }),
      (attempt, chance) => {
        const delayMs = reconnectDelayMs(attempt, at(chance));
        expect(Number.isInteger(delayMs)).toBe(true);
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThan(Math.min(30_000, 1_000 * 2 ** attempt));
      },
    ),
  );
});

test('half of the chance is half of the delay: the jitter is full', () => {
  expect(reconnectDelayMs(3, at(0.5))).toBe(4_000);
  expect(reconnectDelayMs(3, at(0))).toBe(0);
});

test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'an attempt of %s is refused',
  (attempt) => {
    expect(() => reconnectDelayMs(attempt, at(0))).toThrow(RangeError);
  },
);
