/** What is an event and what is not. */
import { expect, test } from 'vitest';
import type { LeftoversView, PauseView } from '../../../../main/contract/views.ts';
import {
  eventsBetween,
  type Situation,
} from '../../../../main/services/timeline/events-between.ts';
import { SOUND_STORAGE } from '../../../../main/services/views/storage-words.ts';
import type { EngineChoice } from '../../../../runner-core/docker/engine-choice.ts';
import type { SessionState } from '../../../../runner-core/model/session-state.ts';

const GIB = 2 ** 30;
const ONLINE: SessionState = { kind: 'online', sinceMs: 5, capacity: 2 };
const waiting = (cause: string, attempt = 1): SessionState => ({
  kind: 'waiting',
  sinceMs: 6,
  retryAtMs: 7,
  attempt,
  cause,
});
const PAUSE: PauseView = {
  when: 'now',
  untilMs: null,
  onBattery: false,
  active: true,
  note: 'my secret plan',
  sinceMs: 1,
};
const found = (version: string): EngineChoice => ({
  ok: true,
  address: { kind: 'socket', path: '/s' },
  engine: { version, apiVersion: '1.52', os: 'linux', arch: 'amd64' },
  identity: { id: 'ENGINE-1', at: '/s' },
  why: 'DOCKER_HOST',
});
const LOST: EngineChoice = {
  ok: false,
  failure: {
    kind: 'not_running',
    reason: 'Docker is not running.',
    remedy: 'Start it.',
    where: null,
  },
};
const removal = (atMs: number): LeftoversView['removed'][number] => ({
  atMs,
  kind: 'container',
  name: `run-${atMs}`,
  jobId: null,
  why: 'unowned',
});
const BEFORE: Situation = {
  name: 'laptop',
  session: ONLINE,
  offlineSinceMs: null,
  pause: null,
  engine: found('29.1'),
  storage: { ...SOUND_STORAGE, freeBytes: 9 * GIB, floorBytes: 5 * GIB },
  removed: [removal(1)],
};
const after = (now: Partial<Situation>, before: Partial<Situation> = {}) =>
  eventsBetween({ ...BEFORE, ...before }, { ...BEFORE, ...before, ...now }).map(
    ({ kind, detail }) => `${kind}: ${detail}`,
  );

test('where nothing changed nothing happened', () => {
  expect(after({})).toEqual([]);
  expect(after({ storage: { ...BEFORE.storage, freeBytes: 8 * GIB } })).toEqual([]);
});

test('a connection is lost once for each cause, not for each try', () => {
  expect(after({ session: waiting('reset') })).toEqual(['connection_lost: reset']);
  const away = { session: waiting('reset') };
  expect(after({ session: waiting('reset', 2) }, away)).toEqual([]);
  expect(after({ session: waiting('timed out', 2) }, away)).toEqual(['connection_lost: timed out']);
  expect(after({ session: ONLINE }, away)).toEqual(['online: ']);
  expect(after({ session: { ...ONLINE, sinceMs: 9 } })).toEqual(['online: ']);
  expect(after({ session: { ...ONLINE, capacity: 3 } })).toEqual([]);
});

test('refused and taken over are told apart, with why', () => {
  const refused = (refusal: 'gone' | 'replaced') =>
    after({ session: { kind: 'refused', sinceMs: 1, refusal } });
  expect(refused('gone')).toEqual([
    "refused: Preloop no longer accepts this runner's credential. The runner was deleted there.",
  ]);
  expect(refused('replaced')).toEqual([
    'taken_over: Another process took over the runner laptop. This app takes no jobs until you decide.',
  ]);
});

test('going offline by choice is no lost connection', () => {
  const offline = { offlineSinceMs: 4, session: { kind: 'closed', sinceMs: 4 } } as const;
  expect(after(offline)).toEqual(['gone_offline: by the owner']);
  expect(after({ offlineSinceMs: null, session: ONLINE }, offline)).toEqual([
    'back_online: by the owner',
    'online: ',
  ]);
});

test('a pause tells how, never its note, and one for battery only while it holds', () => {
  expect(after({ pause: PAUSE })).toEqual(['paused: until resumed']);
  expect(after({ pause: { ...PAUSE, untilMs: 9, when: 'after_jobs' } })).toEqual([
    'paused: for a time, running jobs finish',
  ]);
  expect(after({ pause: null }, { pause: PAUSE })).toEqual(['resumed: ']);
  const battery = { ...PAUSE, onBattery: true, active: false };
  expect(after({ pause: battery })).toEqual([]);
  expect(after({ pause: { ...battery, active: true } }, { pause: battery })).toEqual([
    'paused: while on battery, until resumed',
  ]);
});

test('an engine is lost with its reason, found with its version, and no event as found at the start', () => {
  expect(after({ engine: LOST })).toEqual(['docker_lost: Docker is not running.']);
  expect(after({ engine: found('29.2') }, { engine: LOST })).toEqual([
    'docker_found: 29.2, found by DOCKER_HOST',
  ]);
  expect(after({ engine: found('29.1') }, { engine: null })).toEqual([]);
});

test('the disk is low below its floor or when full, and recovers', () => {
  const low = { storage: { ...BEFORE.storage, freeBytes: GIB } };
  const full = { storage: { ...BEFORE.storage, isFull: true } };
  expect(after(low)).toEqual(['disk_low: below the free-space floor']);
  expect(after(full, low)).toEqual(['disk_low: the disk is full']);
  expect(after({ storage: BEFORE.storage }, full)).toEqual(['disk_recovered: ']);
});

test('each leftover that was removed is told once, in words that repeat', () => {
  const removed = [removal(3), removal(2), removal(1)];
  const told = 'leftovers_removed: container, its job had ended';
  expect(after({ removed })).toEqual([told, told]);
  expect(after({ removed }, { removed: [] })).toHaveLength(3);
  expect(after({ removed }, { removed })).toEqual([]);
});
