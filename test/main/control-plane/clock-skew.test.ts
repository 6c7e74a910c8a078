import { expect, test } from 'vitest';
import { ClockSkew, shownSkewMs } from '../../../main/control-plane/clock-skew.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const NOW_MS = Date.UTC(2026, 11, 1, 12, 0, 0);

function measured(serviceAheadMs: number, tookMs = 0) {
  const clock = new FakeClock(NOW_MS);
  let changes = 0;
  const skew = new ClockSkew(clock, () => void changes++);
  const answer = async (aheadMs: number, took = 0): Promise<void> => {
    const askedAtMs = clock.monotonicMs();
    await clock.advance(took);
    const toldMs = clock.nowMs() - took / 2 + aheadMs;
    skew.answered(new Date(toldMs).toUTCString(), askedAtMs);
  };
  return { clock, skew, answer, changes: () => changes, first: answer(serviceAheadMs, tookMs) };
}

test.each([
  [0, 0],
  [41_000, 0],
  [-41_000, 0],
  [41_000, 4_000],
  [-3_600_000, 900],
])(
  'a service ahead by %i ms, answering in %i ms, is measured within the uncertainty',
  async (aheadMs, tookMs) => {
    const { skew, first } = measured(aheadMs, tookMs);
    await first;
    const found = skew.current;
    expect(Math.abs((found?.offsetMs ?? Number.NaN) - aheadMs)).toBeLessThanOrEqual(
      found?.uncertaintyMs ?? 0,
    );
    expect(found?.uncertaintyMs).toBe(500 + tookMs / 2);
  },
);

test('only a skew that is surely over half a minute is shown, to the second', () => {
  const skew = (offsetMs: number, uncertaintyMs: number) =>
    shownSkewMs({ offsetMs, uncertaintyMs, measuredAtMs: 0 });
  expect(skew(41_400, 500)).toBe(41_000);
  expect(skew(-41_400, 500)).toBe(-41_000);
  expect(skew(30_400, 500)).toBeNull();
  expect(skew(41_400, 12_000)).toBeNull();
  expect(shownSkewMs(null)).toBeNull();
});

test('the owner is told when it comes and when it goes, not at each answer', async () => {
  const bench = measured(41_000);
  await bench.first;
  await bench.answer(41_000);
  expect(bench.changes()).toBe(1);
  await bench.answer(0);
  expect(bench.changes()).toBe(2);
  expect(shownSkewMs(bench.skew.current)).toBeNull();
});

test('an answer without a date, with nonsense for one, or very late measures nothing', async () => {
  const { skew, clock } = measured(0);
  const untouched = skew.current;
  skew.answered(undefined, clock.monotonicMs());
  skew.answered('yesterday, I think', clock.monotonicMs());
  await clock.advance(60_000);
  skew.answered(new Date(clock.nowMs() + 90_000).toUTCString(), 0);
  expect(skew.current).toBe(untouched);
});

test('a clock that jumps in sleep does not count as time that an answer took', () => {
  const { skew, clock } = measured(0);
  const askedAtMs = clock.monotonicMs();
  clock.jumpWall(3_600_000);
  skew.answered(new Date(clock.nowMs()).toUTCString(), askedAtMs);
  expect(skew.current?.uncertaintyMs).toBe(500);
});
