import { beforeEach, expect, test } from 'vitest';
import { WAKE_CHECK_MS, WAKE_JUMP_MS, WakeWatch } from '../../../main/services/wake-watch.ts';
import { FakeClock } from '../../support/fake-clock.ts';

let clock: FakeClock;
let woke: number;
let watch: WakeWatch;

beforeEach(() => {
  clock = new FakeClock(1_000_000);
  woke = 0;
  const ignore = (): void => undefined;
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  watch = new WakeWatch({ clock, log, woke: () => void woke++ });
  watch.start();
});

test('time that passes as it should is no waking', async () => {
  for (let check = 0; check < 100; check++) await clock.advance(WAKE_CHECK_MS);
  expect(woke).toBe(0);
});

test('a jump of the wall clock is noticed once, at the next check', async () => {
  await clock.advance(1_000);
  clock.jumpWall(3_600_000);
  await clock.advance(WAKE_CHECK_MS - 1_001);
  expect(woke).toBe(0);
  await clock.advance(1);
  expect(woke).toBe(1);
  await clock.advance(10 * WAKE_CHECK_MS);
  expect(woke).toBe(1);
});

test('a clock set right by less, or set back, is no waking', async () => {
  clock.jumpWall(WAKE_JUMP_MS - 1);
  await clock.advance(WAKE_CHECK_MS);
  clock.jumpWall(-3_600_000);
  await clock.advance(2 * WAKE_CHECK_MS);
  expect(woke).toBe(0);
});

test('what a shell tells is heeded at once, and the jump that the clock then shows is the same waking', async () => {
  await clock.advance(4_000);
  clock.jumpWall(3_600_000);
  watch.told();
  expect(woke).toBe(1);
  await clock.advance(2 * WAKE_CHECK_MS);
  expect(woke).toBe(1);
});

test('two shells that tell of one waking cause one dial, and the next waking another', async () => {
  watch.told();
  watch.told();
  expect(woke).toBe(1);
  await clock.advance(60_000);
  watch.told();
  expect(woke).toBe(2);
});

test('an idle host has one timer for it, no oftener than every 5 s, and none after the stop', async () => {
  expect(WAKE_CHECK_MS).toBeGreaterThanOrEqual(5_000);
  watch.told();
  await clock.advance(WAKE_CHECK_MS);
  expect(clock.pending).toBe(1);
  watch.stop();
  expect(clock.pending).toBe(0);
});
