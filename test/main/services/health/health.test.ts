/** Order, what is not reached, muting, running again: over checks that the test scripts. */
import { expect, test } from 'vitest';
import { CHECKS, healthViewSchema, type CheckId } from '../../../../main/contract/views.ts';
import {
  failed,
  fine,
  notApplicable,
  warning,
  type Checks,
  type Finding,
} from '../../../../main/services/health/check.ts';
import { Health } from '../../../../main/services/health/health.ts';
import { allChecks } from '../../../support/all-checks.ts';
import { MemorySettings } from '../../../support/api-bench.ts';
import { FakeClock, settle } from '../../../support/fake-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';

type Script = Partial<Record<CheckId, Finding | Error | Promise<Finding>>>;

function bench(script: Script = {}, settings = new MemorySettings()) {
  const clock = new FakeClock(1_000);
  const log = new RecordedLog();
  const made: string[] = [];
  let changes = 0;
  let isStoppedSeen = false;
  const look =
    (id: CheckId): Checks[CheckId] =>
    ({ isAsked, signal }) => {
      made.push(isAsked ? id : `${id} quietly`);
      signal.addEventListener('abort', () => (isStoppedSeen = true));
      const found = script[id] ?? fine('Well.');
      if (found instanceof Error) throw found;
      return found;
    };
  const health = new Health({
    clock,
    log,
    settings,
    checks: () => allChecks(look),
    changed: () => (changes += 1),
  });
  const state = (id: CheckId) => health.view().checks.find((check) => check.id === id);
  return {
    clock,
    log,
    health,
    made,
    script,
    settings,
    state,
    changes: () => changes,
    isStoppedSeen: () => isStoppedSeen,
  };
}

test('before the first round everything is shown in order, and nothing is claimed', () => {
  const view = bench().health.view();
  expect(view.checks.map(({ id }) => id)).toEqual(CHECKS);
  expect(new Set(view.checks.map(({ state }) => state))).toEqual(new Set(['unchecked']));
  expect(view).toMatchObject({ attention: 0, failed: 0, checkedAtMs: null, running: false });
});

test('a round makes all checks in causal order and tells when and how long', async () => {
  const web = Promise.withResolvers<Finding>();
  const { health, made, clock } = bench({ web: web.promise });
  const round = health.run(null);
  await settle();
  // The machine's do not wait for a service that is slow.
  expect(
    health
      .view()
      .checks.filter(({ running }) => running)
      .map(({ id }) => id),
  ).toEqual(['web', 'live_connection', 'clock']);
  await clock.advance(1_900);
  web.resolve(fine('200.'));
  const view = healthViewSchema.parse(await round);
  const order = (part: readonly CheckId[]) => made.filter((id) => part.some((each) => each === id));
  expect(order(CHECKS.slice(0, 6))).toEqual(CHECKS.slice(0, 6));
  expect(order(CHECKS.slice(6))).toEqual(CHECKS.slice(6));
  expect(view).toMatchObject({ checkedAtMs: 2_900, tookMs: 1_900, running: false, failed: 0 });
  expect(view.checks.find(({ id }) => id === 'web')?.tookMs).toBe(1_900);
});

test('what a failed one is needed for is not reached, and names the first cause', async () => {
  const { health, made, state } = bench({
    name: failed('No name.', 'Look.'),
    docker: failed('x', 'y'),
  });
  const view = await health.run(null);
  for (const id of ['certificate', 'web', 'live_connection', 'clock'] as const)
    expect(state(id)).toMatchObject({
      state: 'skipped',
      said: 'Not reached: see Name first.',
      remedy: null,
      tookMs: null,
    });
  expect(state('images')).toMatchObject({
    state: 'skipped',
    said: 'Not reached: see Docker first.',
  });
  expect(made).not.toContain('web');
  expect(view).toMatchObject({ failed: 2, attention: 2 });
});

test('a warning, and what does not apply, keeps nothing from being looked at', async () => {
  const { health } = bench({
    proxy: notApplicable('None.'),
    web: warning('Slow.', 'Wait.'),
  });
  const view = await health.run(null);
  expect(view.checks.map(({ state }) => state)).not.toContain('skipped');
  expect(view).toMatchObject({ failed: 0, attention: 1 });
});

test('a muted check is shown and counted nowhere, also after a restart, until it is unmuted', async () => {
  const { health, settings } = bench({
    disk: failed('Full.', 'Free.'),
    clock: warning('Off.', 'Set.'),
  });
  await health.run(null);
  health.mute('disk', true);
  health.mute('clock', true);
  expect(health.view()).toMatchObject({ failed: 0, attention: 0, muted: 2 });

  const second = bench({ disk: failed('Full.', 'Free.') }, settings);
  await second.health.run(null);
  expect(second.state('disk')).toMatchObject({ state: 'failed', muted: true, remedy: 'Free.' });
  expect(second.health.view()).toMatchObject({ failed: 0, attention: 0, muted: 2 });
  second.health.mute('disk', false);
  expect(second.health.view()).toMatchObject({ failed: 1, attention: 1, muted: 1 });
});

test('a stored list that does not read, or names a check of another version, mutes nothing else', () => {
  for (const [stored, muted] of [
    ['{', 0],
    ['["fax","disk"]', 1],
  ] as const) {
    const settings = new MemorySettings();
    settings.set('muted_checks', stored);
    expect(bench({}, settings).health.view().muted).toBe(muted);
  }
});

test('a mute that cannot be remembered is not in force', () => {
  const settings = new MemorySettings();
  settings.set = () => {
    throw new Error('disk full');
  };
  const { health } = bench({}, settings);
  expect(() => health.mute('disk', true)).toThrow('disk full');
  expect(health.view().muted).toBe(0);
});

test('one check runs again with the cause that kept it from being reached, and with what waited for it', async () => {
  const { health, script, made, state } = bench({ name: failed('No name.', 'Look.') });
  await health.run(null);
  made.length = 0;
  script.name = fine('Found.');
  await health.run('web');
  expect(made).toEqual(['name', 'certificate', 'web', 'live_connection', 'clock']);
  expect(state('web')).toMatchObject({ state: 'ok' });
  made.length = 0;
  await health.run('disk');
  expect(made).toEqual(['disk']);
});

test('a check that breaks is shown as failed, written to the log, and stops no other', async () => {
  const { health, state, log } = bench({ disk: new Error('bug') });
  await health.run(null);
  expect(state('disk')).toMatchObject({ state: 'failed', said: 'This could not be looked at.' });
  expect(state('store')).toMatchObject({ state: 'ok' });
  expect(log.events()).toEqual(['check not made']);
});

test('two wishes for a round that has not begun are one', async () => {
  const { health, made } = bench();
  await Promise.all([health.run(null), health.run(null)]);
  expect(made).toHaveLength(CHECKS.length);
});

test('a change looks at its own checks only, quietly, and not before the first round', async () => {
  const { health, made } = bench();
  await health.refresh('docker', 'images');
  expect(made).toEqual([]);
  await health.runQuietly();
  made.length = 0;
  await health.refresh('docker', 'images');
  expect(made).toEqual(['docker quietly', 'images quietly']);
});

test('a host that ends waits for nothing, and nothing is told afterwards', async () => {
  const web = Promise.withResolvers<Finding>();
  const { health, changes, isStoppedSeen, made } = bench({ web: web.promise });
  const round = health.run(null);
  await settle();
  health.stop();
  expect(isStoppedSeen()).toBe(true);
  const [before, looked] = [changes(), made.length];
  web.resolve(fine('Late.'));
  await round;
  await health.run(null);
  expect([changes(), made.length]).toEqual([before, looked]);
});

test('what changes while the first round is under way is looked at after it', async () => {
  const web = Promise.withResolvers<Finding>();
  const { health, made, state, script } = bench({
    web: web.promise,
    cursor: notApplicable('No profile is on.'),
  });
  const round = health.runQuietly();
  await settle();
  script.cursor = fine('1 profile on.');
  const refreshed = health.refresh('cursor');
  web.resolve(fine('200.'));
  await Promise.all([round, refreshed]);
  expect(state('cursor')).toMatchObject({ state: 'ok' });
  expect(made.filter((id) => id.startsWith('cursor'))).toHaveLength(2);
});
