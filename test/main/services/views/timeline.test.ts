import { expect, test } from 'vitest';
import { timeline, type TimelineFacts } from '../../../../main/services/views/timeline.ts';
import type { Phase, PhaseStart } from '../../../../runner-core/worker/protocol.ts';

const phases = (...starts: readonly (readonly [Phase, number])[]): readonly PhaseStart[] =>
  starts.map(([phase, atMs]) => ({ phase, atMs }));

const WHOLE = phases(
  ['preparing', 1_100],
  ['pulling', 1_200],
  ['preparing', 4_000],
  ['creating', 4_100],
  ['starting', 4_300],
  ['running', 4_500],
  ['collecting', 64_500],
  ['cleaning', 64_600],
);

const FACTS: TimelineFacts = {
  acceptedAtMs: 1_000,
  startedAtMs: 4_510,
  endedAtMs: 65_000,
  settledAtMs: 65_200,
  phases: WHOLE,
  phase: null,
  outcome: 'succeeded',
  reason: null,
};

/** `name state duration`, one a step. */
function steps(changes: Partial<TimelineFacts> = {}): readonly string[] {
  return timeline({ ...FACTS, ...changes }).map(
    ({ name, state, durationMs }) => `${name} ${state} ${durationMs ?? '-'}`,
  );
}

test('a job that went well has every step, each as long as it took', () => {
  expect(timeline(FACTS)).toEqual([
    { name: 'Accepted', atMs: 1_000, durationMs: 100, state: 'done' },
    { name: 'Image', atMs: 1_100, durationMs: 3_000, state: 'done' },
    { name: 'Start', atMs: 4_100, durationMs: 400, state: 'done' },
    { name: 'Run', atMs: 4_500, durationMs: 60_000, state: 'done' },
    { name: 'Result', atMs: 64_500, durationMs: 500, state: 'done' },
    { name: 'Reported', atMs: 65_200, durationMs: 200, state: 'done' },
  ]);
});

test('a job taken over after a restart has run since its container started', () => {
  const phases: readonly PhaseStart[] = [{ phase: 'running', atMs: 40_000 }, ...WHOLE.slice(-2)];
  expect(steps({ phases })).toEqual([
    'Accepted done 3510',
    'Run done 59990',
    'Result done 500',
    'Reported done 200',
  ]);
});

test('a failing script fails the run, a result that cannot be read fails the result', () => {
  const last = (reason: TimelineFacts['reason']): readonly string[] =>
    steps({ outcome: 'failed', reason }).slice(3, 5);
  expect(last('exit_nonzero')).toEqual(['Run failed 60000', 'Result done 500']);
  expect(last('no_report')).toEqual(['Run done 60000', 'Result failed 500']);
  expect(last('report_malformed')).toEqual(['Run done 60000', 'Result failed 500']);
});

test('a job that was stopped has no step that failed', () => {
  expect(steps({ outcome: 'stopped', reason: 'stopped_by_owner' }).join()).not.toContain('failed');
});

test('an image that could not be had is where the job ends', () => {
  const facts = {
    startedAtMs: null,
    endedAtMs: 3_000,
    settledAtMs: null,
    phases: phases(['preparing', 1_100], ['pulling', 1_200], ['cleaning', 2_900]),
    outcome: 'failed',
    reason: 'image_pull_failed',
  } as const;
  expect(steps(facts)).toEqual(['Accepted done 100', 'Image failed 1900', 'Reported now -']);
});

test('a job that could never run ends where it was accepted', () => {
  const facts = { startedAtMs: null, endedAtMs: 1_000, settledAtMs: null, phases: [] } as const;
  expect(steps({ ...facts, outcome: 'failed', reason: 'kind_unsupported' })).toEqual([
    'Accepted failed 0',
    'Reported now -',
  ]);
});

test('a job that runs shows what is to come, and how long what is over took', () => {
  const running = { endedAtMs: null, settledAtMs: null, outcome: null, phases: WHOLE.slice(0, 6) };
  expect(steps({ ...running, phase: 'running' })).toEqual([
    'Accepted done 100',
    'Image done 3000',
    'Start done 400',
    'Run now -',
    'Result todo -',
    'Reported todo -',
  ]);
});

test('a worker that has told nothing of its times yet is placed by the phase it is in', () => {
  const fresh = {
    startedAtMs: null,
    endedAtMs: null,
    settledAtMs: null,
    outcome: null,
    phases: [],
  };
  expect(steps({ ...fresh, phase: 'pulling' })).toEqual([
    'Accepted done -',
    'Image now -',
    'Start todo -',
    'Run todo -',
    'Result todo -',
    'Reported todo -',
  ]);
  expect(steps({ ...fresh, phase: null })[0]).toBe('Accepted now -');
});

test('a job of an earlier version, which kept no phases, has those of its states', () => {
  expect(steps({ phases: [] })).toEqual([
    'Accepted done 3510',
    'Run done 60490',
    'Reported done 200',
  ]);
});
