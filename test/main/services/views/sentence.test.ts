import { describe, expect, test } from 'vitest';
import { sentence, type SentenceInput } from '../../../../main/services/views/sentence.ts';
import { sessionView } from '../../../../main/services/views/session-view.ts';
import type { EngineView } from '../../../../main/contract/views.ts';
import type { SessionState } from '../../../../runner-core/model/session-state.ts';

const AT_14_02 = Date.UTC(2026, 10, 30, 14, 2);
const ready: EngineView = { kind: 'ready', version: '29.1', reason: 'Found by x.', remedy: null };
const noDocker = (kind: EngineView['kind'], remedy: string | null): EngineView => ({
  kind,
  version: null,
  reason: 'why',
  remedy,
});
const session = (state: SessionState): SentenceInput['session'] => sessionView(state, null);
const refusal = (why: 'unauthorized' | 'gone' | 'deleted' | 'rotated' | 'replaced') =>
  session({ kind: 'refused', sinceMs: 0, refusal: why });
const waiting = session({
  kind: 'waiting',
  sinceMs: AT_14_02,
  retryAtMs: AT_14_02 + 12_000,
  attempt: 2,
  cause: 'the service refused the connection',
});

const CALM: SentenceInput = {
  session: session({ kind: 'online', sinceMs: 0, capacity: 4 }),
  engine: ready,
  intake: 'open',
  pause: null,
  nowMs: AT_14_02,
  slots: 4,
  held: 2,
  unreported: 0,
  jobsInAll: 10,
  name: 'birch-14',
  embedded: false,
  serverUrl: 'https://preloop.example',
  canRunTestJob: false,
  enrolment: null,
  timeZone: 'UTC',
};

const HOUR_MS = 3_600_000;
const pause = (
  changes: Partial<NonNullable<SentenceInput['pause']>>,
): NonNullable<SentenceInput['pause']> => ({
  when: 'now',
  untilMs: null,
  onBattery: false,
  active: true,
  note: null,
  sinceMs: AT_14_02,
  ...changes,
});

/** State, consequence, and the remedy as `action: label`. */
function said(changes: Partial<SentenceInput>): string {
  const { tone, state, consequence, remedy } = sentence({ ...CALM, ...changes });
  const act = remedy === null ? '' : ` [${remedy.action}: ${remedy.label}]`;
  return `${tone} | ${state} ${consequence}${act}`;
}

const CASES: readonly (readonly [Partial<SentenceInput>, string])[] = [
  [
    {
      engine: { kind: 'not_running', version: null, reason: '', remedy: null },
      localCommands: 1,
      slots: 2,
      held: 2,
    },
    'quiet | All 2 slots are busy. The next job waits at Preloop.',
  ],
  [
    { engine: noDocker('looking', null), slots: 2, held: 2 },
    'quiet | All 2 slots are busy. The next job waits at Preloop.',
  ],
  [
    {
      engine: { kind: 'not_running', version: null, reason: '', remedy: 'start it' },
      slots: 2,
      held: 2,
    },
    'attention | Not taking jobs. Docker is not running. Start it. [check_engine: Check again]',
  ],
  [
    {
      engine: { kind: 'not_running', version: null, reason: '', remedy: null },
      localCommands: 1,
    },
    'quiet | Taking local commands only. Docker is not running. Jobs for containers wait until it is there. [check_engine: Check again]',
  ],
  [
    { intake: 'paused', held: 1, pause: pause({ untilMs: AT_14_02 + 4 * HOUR_MS }) },
    'paused | Paused until 18:02. One job is finishing, no new one starts. [resume: Resume now]',
  ],
  [
    { intake: 'paused', held: 0, pause: pause({ untilMs: AT_14_02 + 18 * HOUR_MS, note: 'demo' }) },
    'paused | Paused until 1 Dec, 08:02. No new job starts. Your note: Demo. [resume: Resume now]',
  ],
  [
    { intake: 'paused', pause: pause({ when: 'after_jobs' }) },
    'paused | Finishing 2 jobs, then pausing. No new one starts. [resume: Resume now]',
  ],
  [
    { intake: 'paused', held: 0, pause: pause({ when: 'after_jobs' }) },
    'paused | Paused. No new job starts. [resume: Resume now]',
  ],
  [
    { intake: 'paused', held: 0, pause: pause({ onBattery: true }) },
    'paused | Paused while on battery. No new job starts. [resume: Resume now]',
  ],
  [
    { pause: pause({ onBattery: true, active: false }) },
    'quiet | Taking jobs. Two slots are free. Pauses while on battery.',
  ],
  [{}, 'quiet | Taking jobs. Two slots are free.'],
  [{ held: 3 }, 'quiet | Taking jobs. One slot is free.'],
  [{ held: 0, slots: 32 }, 'quiet | Taking jobs. 32 slots are free.'],
  [{ held: 4 }, 'quiet | All 4 slots are busy. The next job waits at Preloop.'],
  [{ held: 1, slots: 1, embedded: true }, 'quiet | The slot is busy. The next job waits here.'],
  // The owner lowered the number of slots while more jobs ran.
  [{ held: 4, slots: 2 }, 'quiet | All 2 slots are busy. The next job waits at Preloop.'],
  [
    { jobsInAll: 0, held: 0, canRunTestJob: true, embedded: true },
    'quiet | Ready for a first job. Nothing leaves this machine. [run_test_job: Run a test job]',
  ],
  [{ jobsInAll: 0, held: 0 }, 'quiet | Taking jobs. Four slots are free.'],
  [{ intake: 'paused', held: 0 }, 'paused | Paused. No new job starts. [resume: Resume now]'],
  [
    { intake: 'paused', held: 1 },
    'paused | Paused. One job is finishing, no new one starts. [resume: Resume now]',
  ],
  [
    { intake: 'paused' },
    'paused | Paused. Two jobs are finishing, no new one starts. [resume: Resume now]',
  ],
  [
    { intake: 'paused', unstarted: 1 },
    'paused | Paused. One job is finishing, one waits until you resume, no new one starts. [resume: Resume now]',
  ],
  [
    { intake: 'paused', held: 2, unstarted: 2 },
    'paused | Paused. 2 jobs wait until you resume, no new one starts. [resume: Resume now]',
  ],
  [{ intake: 'draining' }, 'paused | Finishing 2 jobs, then closing. No new one starts.'],
  [
    { intake: 'draining', held: 1, awaitingEngine: ['5f0c2a34-8d1e-4b7a-9c55-000000000001'] },
    'paused | Finishing 1 job, then closing. No new one starts. Job 5f0c2a34 waits for its Docker engine; stop it to close without that.',
  ],
  [{ intake: 'closed', held: 0 }, 'paused | Closing. No new one starts.'],
  [
    { intake: 'offline', session: session({ kind: 'closed', sinceMs: AT_14_02 }) },
    'paused | You went offline at 14:02. Two running jobs go on and report later. [go_online: Go online]',
  ],
  [
    { session: waiting },
    'paused | Offline since 14:02. The service refused the connection. It is tried again on its own. [try_now: Try now]',
  ],
  [
    { session: waiting, unreported: 1 },
    'paused | Offline since 14:02. The service refused the connection. 1 verdict waits to be reported. [try_now: Try now]',
  ],
  [
    { session: session({ kind: 'dialling', sinceMs: AT_14_02, attempt: 3 }) },
    'paused | Offline since 14:02. Trying now.',
  ],
  [
    { session: session({ kind: 'dialling', sinceMs: 0, attempt: 0 }) },
    'quiet | Connecting to Preloop. Jobs come in once it answers.',
  ],
  [
    { session: session({ kind: 'signed_out', sinceMs: 0 }), embedded: true },
    'quiet | Starting. Jobs can run in a moment.',
  ],
  [
    {
      session: session({ kind: 'signed_out', sinceMs: 0 }),
      enrolment: { problem: 'this machine is not enrolled', remedy: 'Set PRELOOP_TOKEN' },
    },
    'attention | This machine is not enrolled. Set PRELOOP_TOKEN.',
  ],
  [
    { session: refusal('replaced') },
    'attention | Another process took over the runner birch-14. This app takes no jobs until you decide. [take_back: Take it back]',
  ],
  [
    {
      session: refusal('replaced'),
      takenBy: { kind: 'elsewhere', hostname: 'build-box-3' },
    },
    'attention | Another process on build-box-3 took over the runner birch-14. This app takes no jobs until you decide. [take_back: Take it back]',
  ],
  [
    { session: refusal('replaced'), takenBy: { kind: 'here' } },
    "attention | Another process on this machine took over the runner birch-14. So Preloop's record says, and it would of a copy of the data folder elsewhere too. This app takes no jobs until you decide. [take_back: Take it back]",
  ],
  [
    { session: refusal('replaced'), takenBy: { kind: 'unknown' } },
    'attention | Another process took over the runner birch-14. Where it runs cannot be told from here. This app takes no jobs until you decide. [take_back: Take it back]',
  ],
  ...(['unauthorized', 'rotated'] as const).map(
    (why) =>
      [
        { session: refusal(why) },
        "attention | Preloop no longer accepts this runner's credential. It was replaced there or has ended. [none: Start once with --enrol again]",
      ] as const,
  ),
  ...(['gone', 'deleted'] as const).map(
    (why) =>
      [
        { session: refusal(why) },
        "attention | Preloop no longer accepts this runner's credential. The runner was deleted there. [none: Start once with --enrol new]",
      ] as const,
  ),
  [{ engine: noDocker('looking', null) }, 'quiet | Looking for Docker. Jobs need it.'],
  [
    { engine: noDocker('not_running', 'start Docker') },
    'attention | Not taking jobs. Docker is not running. Start Docker. [check_engine: Check again]',
  ],
  [
    { engine: noDocker('not_installed', null) },
    'attention | Not taking jobs. Docker is not installed. Jobs wait until it is there. [check_engine: Check again]',
  ],
  [
    { engine: noDocker('no_permission', null) },
    'attention | Not taking jobs. Docker is there, but this user may not use it. Jobs wait until it is there. [check_engine: Check again]',
  ],
  [
    { engine: noDocker('too_old', 'Update it.') },
    'attention | Not taking jobs. Docker is too old. Update it. [check_engine: Check again]',
  ],
  [
    { engine: noDocker('unreachable', 'Look.') },
    'attention | Not taking jobs. Docker cannot be reached. Look. [check_engine: Check again]',
  ],
];

describe('a state is said as', () => {
  test.each(CASES)('%j: %s', (changes, expected) => {
    expect(said(changes)).toBe(expected);
  });
});

/** Each with all the faults that are said after it: the first that is true wins. */
test('of several faults the one that matters first is said', () => {
  const faults: readonly (readonly [Partial<SentenceInput>, RegExp])[] = [
    [{ session: refusal('gone') }, /credential/],
    [{ intake: 'paused' }, /Paused/],
    [{ session: waiting }, /Offline since/],
    [{ engine: noDocker('not_running', null) }, /Docker/],
    [{ held: 4 }, /busy/],
  ];
  for (const [first, [, words]] of faults.entries()) {
    const changes = faults.slice(first).map(([each]) => each);
    expect(said(Object.assign({}, ...changes.toReversed()) as Partial<SentenceInput>)).toMatch(
      words,
    );
  }
});

test('an outage began when the session was lost, not with the last try', () => {
  const state = { kind: 'dialling', sinceMs: 9_000, attempt: 3 } as const;
  expect(sessionView(state, 1_000).sinceMs).toBe(1_000);
  expect(sessionView({ kind: 'online', sinceMs: 9_000, capacity: null }, null).sinceMs).toBe(9_000);
});
