import { expect, test } from 'vitest';
import { IllegalTransitionError } from '../../../runner-core/model/errors.ts';
import {
  nextJobState,
  occupiesSlot,
  type JobEvent,
  type JobState,
  type JobStateKind,
} from '../../../runner-core/model/job-machine.ts';
import { stoppedVerdict } from '../../../runner-core/wire/result-report.ts';

const verdict = stoppedVerdict('owner');
const sinceMs = 1;
const atMs = 2;

const STATES: { readonly [K in JobStateKind]: Extract<JobState, { kind: K }> } = {
  accepted: { kind: 'accepted', sinceMs },
  starting: { kind: 'starting', sinceMs },
  running: { kind: 'running', sinceMs },
  stopping: { kind: 'stopping', sinceMs, cause: 'service' },
  reporting: { kind: 'reporting', sinceMs, verdict },
  settled: { kind: 'settled', sinceMs, verdict },
};
const EVENTS: { readonly [K in JobEvent['kind']]: Extract<JobEvent, { kind: K }> } = {
  launched: { kind: 'launched', atMs },
  started: { kind: 'started', atMs },
  stop_requested: { kind: 'stop_requested', atMs, cause: 'owner' },
  ended: { kind: 'ended', atMs, verdict },
  acknowledged: { kind: 'acknowledged', atMs },
};

const stopping: JobState = { kind: 'stopping', sinceMs: atMs, cause: 'owner' };
const reporting: JobState = { kind: 'reporting', sinceMs: atMs, verdict };
/** What follows, by state and event; a pair left out cannot happen. */
const TABLE: Partial<Record<`${JobStateKind} ${JobEvent['kind']}`, JobState>> = {
  'accepted launched': { kind: 'starting', sinceMs: atMs },
  'accepted stop_requested': stopping,
  'accepted ended': reporting,
  'starting started': { kind: 'running', sinceMs: atMs },
  'starting stop_requested': stopping,
  'starting ended': reporting,
  'running stop_requested': stopping,
  'running ended': reporting,
  'stopping stop_requested': STATES.stopping,
  'stopping ended': reporting,
  'reporting acknowledged': { kind: 'settled', sinceMs: atMs, verdict },
};

const pairs = Object.values(STATES).flatMap((state) =>
  Object.values(EVENTS).map((event) => [state, event] as const),
);

test.each(pairs.map(([state, event]) => [state.kind, event.kind, state, event] as const))(
  'a job that is %s takes the event %s as the table says',
  (stateKind, eventKind, state, event) => {
    const expected = TABLE[`${stateKind} ${eventKind}`];
    if (expected === undefined) {
      expect(() => nextJobState(state, event)).toThrow(IllegalTransitionError);
    } else {
      expect(nextJobState(state, event)).toEqual(expected);
    }
  },
);

test('an event that cannot happen says so by code and names both sides', () => {
  try {
    nextJobState(STATES.settled, EVENTS.launched);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({
      code: 'illegal_transition',
      facts: { state: 'settled', event: 'launched' },
    });
  }
});

test('a job occupies its slot until it ended', () => {
  const occupying = Object.values(STATES).filter(occupiesSlot);
  expect(occupying.map((state) => state.kind)).toEqual([
    'accepted',
    'starting',
    'running',
    'stopping',
  ]);
});
