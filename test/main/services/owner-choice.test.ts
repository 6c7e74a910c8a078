/** Pausing and being offline: how long each holds, over sleep and a restart, and what the service may count on. */
import { expect, test } from 'vitest';
import { OwnerChoice, type PauseWish } from '../../../main/services/owner-choice.ts';
import type { PowerReading, PowerSource } from '../../../main/system-power.ts';
import { MemorySettings } from '../../support/api-bench.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { RecordedLog } from '../../support/recorded-log.ts';

const NOON = Date.UTC(2026, 10, 30, 12);
const HOUR_MS = 3_600_000;

class FakePower implements PowerSource {
  reading: PowerReading = 'plugged_in';
  reads = 0;
  read(): Promise<PowerReading> {
    this.reads += 1;
    return Promise.resolve(this.reading);
  }
}

interface Given {
  readonly settings?: MemorySettings;
  readonly clock?: FakeClock;
  readonly power?: PowerSource | null;
}

async function choiceBench(given: Given = {}) {
  const clock = given.clock ?? new FakeClock(NOON);
  const settings = given.settings ?? new MemorySettings();
  const intake = { paused: false, online: true, unstarted: '' };
  const choice = new OwnerChoice({
    clock,
    log: new RecordedLog(),
    settings,
    listener: {
      session: { kind: 'online', sinceMs: NOON, capacity: null },
      pause: ({ unstarted }) => {
        intake.paused = true;
        intake.unstarted = unstarted;
      },
      resume: () => void (intake.paused = false),
      goOffline: () => void (intake.online = false),
      goOnline: () => void (intake.online = true),
      retry: () => void (intake.online = true),
    },
    power: given.power ?? null,
    changed: () => undefined,
  });
  await choice.start();
  return { choice, clock, settings, intake };
}

test('a pause without an end holds until it is resumed, and needs no timer', async () => {
  const { choice, clock, intake } = await choiceBench();
  await choice.takePause({});
  await clock.advance(48 * HOUR_MS);
  expect({ paused: intake.paused, timers: clock.pending }).toEqual({ paused: true, timers: 0 });
  choice.resume();
  expect({ paused: intake.paused, pause: choice.pause }).toEqual({ paused: false, pause: null });
});

test.each([
  [undefined, 'wait'],
  ['now', 'wait'],
  ['after_jobs', 'start'],
] as const)('a pause %s lets what was accepted and not started %s', async (when, unstarted) => {
  const { choice, intake } = await choiceBench();
  await choice.takePause({ when });
  expect(intake.unstarted).toBe(unstarted);
});

test('a pause for an hour ends by itself at its time, not a moment before', async () => {
  const { choice, clock, intake } = await choiceBench();
  await choice.takePause({ untilMs: NOON + HOUR_MS, note: ' back\u001b[1m after\nlunch ' });
  expect(choice.pause).toMatchObject({ note: 'back [1m after lunch', active: true });
  await clock.advance(HOUR_MS - 1);
  expect(intake.paused).toBe(true);
  await clock.advance(1);
  expect({ paused: intake.paused, timers: clock.pending }).toEqual({ paused: false, timers: 0 });
});

test('a pause that ended during sleep is over within half a minute, and at once when wake is told', async () => {
  const first = await choiceBench();
  await first.choice.takePause({ untilMs: NOON + HOUR_MS });
  first.clock.jumpWall(2 * HOUR_MS);
  await first.clock.advance(30_000);
  expect(first.intake.paused).toBe(false);
  const second = await choiceBench();
  await second.choice.takePause({ untilMs: NOON + HOUR_MS });
  second.clock.jumpWall(2 * HOUR_MS);
  await second.choice.check();
  expect(second.intake.paused).toBe(false);
});

test('a pause and being offline are found again after a restart, with note and since when', async () => {
  const first = await choiceBench();
  await first.choice.takePause({ when: 'after_jobs', untilMs: NOON + HOUR_MS, note: 'demo' });
  first.choice.goOffline();
  first.choice.stop();
  const clock = new FakeClock(NOON + HOUR_MS / 2);
  const second = await choiceBench({ settings: first.settings, clock });
  expect(second.intake.paused).toBe(true);
  expect(second.choice.pause).toEqual({
    when: 'after_jobs',
    untilMs: NOON + HOUR_MS,
    onBattery: false,
    note: 'demo',
    sinceMs: NOON,
    active: true,
  });
  expect(second.choice.offlineSinceMs).toBe(NOON);
  await clock.advance(HOUR_MS / 2);
  second.choice.goOnline();
  second.choice.stop();
  const third = await choiceBench({ settings: first.settings });
  expect([third.choice.pause, third.choice.offlineSinceMs, third.intake.paused]).toEqual([
    null,
    null,
    false,
  ]);
});

test('a pause whose time passed while no host ran is over at the start', async () => {
  const first = await choiceBench();
  await first.choice.takePause({ untilMs: NOON + HOUR_MS });
  const second = await choiceBench({
    settings: first.settings,
    clock: new FakeClock(NOON + HOUR_MS),
  });
  expect([second.choice.pause, second.intake.paused]).toEqual([null, false]);
});

test('a pause while on battery follows the plug, and reads the battery only while chosen', async () => {
  const power = new FakePower();
  const { choice, clock, intake } = await choiceBench({ power });
  await clock.advance(HOUR_MS);
  expect(power.reads).toBe(0);
  await choice.takePause({ onBattery: true });
  expect([intake.paused, choice.pause?.active]).toEqual([false, false]);
  power.reading = 'battery';
  await clock.advance(60_000);
  expect([intake.paused, choice.pause?.active]).toEqual([true, true]);
  power.reading = 'plugged_in';
  await clock.advance(60_000);
  expect(intake.paused).toBe(false);
  choice.resume();
  const reads = power.reads;
  await clock.advance(HOUR_MS);
  expect([power.reads - reads, clock.pending]).toEqual([0, 0]);
});

test('a look that tells nothing leaves a pause while on battery as it was', async () => {
  const power = new FakePower();
  power.reading = 'battery';
  const { choice, clock, intake } = await choiceBench({ power });
  await choice.takePause({ onBattery: true });
  power.reading = 'unknown';
  await clock.advance(60_000);
  expect([intake.paused, choice.pause?.active]).toEqual([true, true]);
});

test('a pause while on battery is refused where this system cannot be asked at all', async () => {
  const { choice } = await choiceBench({ power: null });
  await expect(choice.takePause({ onBattery: true })).rejects.toMatchObject({
    code: 'battery_unknown',
    message: expect.stringContaining('cannot be told on this system') as string,
  });
});

test.each<[string, PauseWish, PowerReading]>([
  ['no_battery', { onBattery: true }, 'no_battery'],
  ['battery_unknown', { onBattery: true }, 'unknown'],
  ['time_past', { untilMs: NOON }, 'plugged_in'],
])('a pause that cannot be kept is refused as %s and changes nothing', async (code, wish, read) => {
  const power = new FakePower();
  power.reading = read;
  const { choice, intake, settings } = await choiceBench({ power });
  await expect(choice.takePause(wish)).rejects.toMatchObject({ code });
  expect([choice.pause, intake.paused, settings.values.size]).toEqual([null, false, 0]);
});

test('a row of another version counts as no choice', async () => {
  const settings = new MemorySettings();
  settings.set('pause', '{"until":"doomsday"}');
  settings.set('offline', 'x');
  const { choice, intake } = await choiceBench({ settings });
  expect([choice.pause, choice.offlineSinceMs, intake.paused]).toEqual([null, null, false]);
});
