/** What the tray says of each state of a host. */
import { expect, test } from 'vitest';
import type { OverviewView } from '../../main/contract/views.ts';
import { clockWords, OFFLINE_AFTER_MS, trayView, type Moment } from '../../electron/tray-view.ts';
import { overview, session, SINCE_MS, slot } from '../support/overview-builder.ts';

const NOW_MS = SINCE_MS + 3 * 3_600_000;
const clock = clockWords('en-GB', NOW_MS, 'UTC');
const at = (changes: Partial<Moment> = {}): Moment => ({
  nowMs: NOW_MS,
  awaySinceMs: null,
  clock,
  ...changes,
});
const AWAY_MS = NOW_MS - OFFLINE_AFTER_MS;
const waiting = session({ kind: 'waiting', attempt: 3, retryAtMs: NOW_MS + 60_000 });
const attention = {
  tone: 'attention',
  state: 'Docker is not running.',
  consequence: 'Docker jobs wait.',
  remedy: null,
} as const;

const STATES: readonly {
  readonly of: string;
  readonly given: Partial<OverviewView>;
  readonly awaySinceMs?: number;
  readonly state: string;
  readonly words: string;
}[] = [
  { of: 'a free host', given: {}, state: 'online', words: 'Online, taking jobs · since 08:41' },
  {
    of: 'a host at work',
    given: { slots: 4, held: [slot(), slot({ jobId: 'job-2' })] },
    state: 'busy',
    words: 'Online, 2 of 4 slots busy · since 08:41',
  },
  {
    of: 'a first dial',
    given: { session: session({ kind: 'dialling' }) },
    awaySinceMs: NOW_MS,
    state: 'connecting',
    words: 'Connecting',
  },
  {
    of: 'a wait for the next dial',
    given: { session: waiting },
    awaySinceMs: AWAY_MS + 1,
    state: 'connecting',
    words: 'Connecting · try 3, next at 11:42',
  },
  {
    of: 'two minutes without an answer',
    given: { session: waiting, unreported: 1 },
    awaySinceMs: AWAY_MS,
    state: 'offline',
    words: 'Offline since 11:39 · 1 verdict waits',
  },
  {
    of: 'a machine not registered yet',
    given: { session: session({ kind: 'signed_out' }) },
    awaySinceMs: NOW_MS,
    state: 'connecting',
    words: 'Connecting',
  },
  {
    of: 'an owner who went offline',
    given: { intake: 'offline', session: session({ kind: 'closed' }), unreported: 2 },
    awaySinceMs: NOW_MS,
    state: 'offline',
    words: 'Offline since 08:41 · 2 verdicts wait',
  },
  { of: 'a pause', given: { intake: 'paused' }, state: 'paused', words: 'Paused' },
  {
    of: 'a pause with a job',
    given: { intake: 'paused', held: [slot()] },
    state: 'paused',
    words: 'Paused · 1 job finishing',
  },
  {
    of: 'a pause with a job that it holds back',
    given: { intake: 'paused', held: [slot(), slot({ waitsForResume: true })] },
    state: 'paused',
    words: 'Paused · 1 job finishing, 1 job not started',
  },
  {
    of: 'jobs that finish before a quit',
    given: { intake: 'draining', held: [slot(), slot()] },
    state: 'paused',
    words: 'Finishing 2 jobs, then quitting',
  },
  {
    of: 'a host about to end',
    given: { intake: 'closed', session: session({ kind: 'closed' }) },
    awaySinceMs: AWAY_MS,
    state: 'paused',
    words: 'Quitting',
  },
  {
    of: 'no Docker',
    given: { sentence: attention, held: [slot()] },
    state: 'attention',
    words: 'Needs you: Docker is not running',
  },
  {
    of: 'no Docker, after what follows from it',
    given: { sentence: { ...attention, state: 'Not taking jobs. Docker is not running.' } },
    state: 'attention',
    words: 'Needs you: Docker is not running',
  },
  {
    of: 'a service that gave the runner to another',
    given: { sentence: { ...attention, state: 'Another process took over the runner v1.2.' } },
    state: 'attention',
    words: 'Needs you: Another process took over the runner v1.2',
  },
  {
    of: 'no Docker while offline',
    given: { sentence: attention, session: waiting },
    awaySinceMs: AWAY_MS,
    state: 'attention',
    words: 'Needs you: Docker is not running',
  },
];

test.each(STATES)('of $of the tray says "$words"', ({ given, awaySinceMs, state, words }) => {
  const view = trayView(overview(given), at({ awaySinceMs: awaySinceMs ?? null }));
  expect({ state: view.state, words: view.words }).toEqual({ state, words });
});

test('what can be done follows the intake: pause, resume, or neither; offline, or online again', () => {
  const choices = (['open', 'paused', 'draining', 'closed', 'offline'] as const).map((intake) => {
    const view = trayView(overview({ intake }), at());
    return [intake, view.intake, view.link];
  });
  expect(choices).toEqual([
    ['open', 'pause', 'go_offline'],
    ['paused', 'resume', 'go_offline'],
    ['draining', null, 'go_offline'],
    ['closed', null, 'go_offline'],
    ['offline', null, 'go_online'],
  ]);
});

test('slots are counted in words, also where there is one', () => {
  const words = (changes: Partial<OverviewView>): string => trayView(overview(changes), at()).slots;
  expect([words({}), words({ slots: 1 }), words({ slots: 4, held: [slot()] })]).toEqual([
    'All 2 slots are free',
    'The slot is free',
    '1 of 4 slots busy',
  ]);
});

test('a job has its title, its phase and since when', () => {
  const held = [
    slot(),
    slot({ jobId: 'job-2', phase: 'Pulling the image' }),
    slot({ jobId: 'job-3', state: 'accepted', startedAtMs: null }),
    slot({ jobId: 'job-4', state: 'stopping' }),
  ];
  expect(trayView(overview({ held }), at()).jobs.map(({ words }) => words)).toEqual([
    'running · since 08:42',
    'pulling the image · since 08:42',
    'accepted · since 08:41',
    'stopping · since 08:42',
  ]);
});

test.each([
  ['\u202Egpj.exe\u0000\n\t  x', 'gpj.exe x'],
  ['\u2066\u200B', 'A job without a name'],
  ['x'.repeat(80), `${'x'.repeat(59)}…`],
  ['𝕏'.repeat(61), `${'𝕏'.repeat(59)}…`],
])('a hostile title %j is shown as %j', (title, shown) => {
  expect(trayView(overview({ held: [slot({ title })] }), at()).jobs[0]?.title).toBe(shown);
});

test('an instant of another day names the day', () => {
  expect(clock(SINCE_MS - 86_400_000)).toBe('29 Nov, 08:41');
});
