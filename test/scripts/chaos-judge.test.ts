import { expect, test } from 'vitest';
import { reasonText } from '../../runner-core/model/reason-text.ts';
import { reason, type ReasonCode } from '../../runner-core/model/reason.ts';
import { judge, type JobRecord } from '../../scripts/chaos/judge.ts';
import type { NumberedJob } from '../../scripts/chaos/numbered-job.ts';
import type { ExecutionRecord } from '../../scripts/chaos/plane-records.ts';

const JOB: NumberedJob = {
  ending: 'success',
  lines: { out: 2, err: 1 },
  burst: 1,
  pauseMs: 20,
  longEvery: 0,
  longChars: 0,
  isUnterminated: false,
};
const LINES = ['out 000001 ', 'err 000001 ', 'out 000002 '];
const ENDED: ExecutionRecord = {
  id: 'a',
  status: 'SUCCEEDED',
  error: '',
  isLeased: false,
  isStopOnRecord: false,
};
const lost = (code: ReasonCode): Partial<ExecutionRecord> => ({
  status: 'FAILED',
  error: reasonText(reason(code)).what,
});
const record = (
  execution: Partial<ExecutionRecord>,
  changes: Partial<JobRecord> = {},
): JobRecord => ({
  id: 'a',
  job: JOB,
  wasStopped: false,
  execution: { ...ENDED, ...execution },
  lines: LINES,
  starts: 1,
  ...changes,
});
const wrong = (...jobs: readonly JobRecord[]): Partial<Record<string, number>> =>
  Object.fromEntries(Object.entries(judge(jobs, []).counts).filter(([, count]) => count > 0));

test('a job that did what it was to do has nothing wrong', () => {
  expect(judge([record({})], [])).toMatchObject({ problems: [] });
  expect(wrong(record({}))).toEqual({});
});

test.each([
  'host_restarted',
  'worker_crashed',
  'worker_start_failed',
  'docker_unavailable',
] as const)('a job that is told as %s is a wrong verdict, whatever it was to end with', (code) => {
  const failing = { ...JOB, ending: 'failure_reported' } as const;
  expect(wrong(record(lost(code)))).toEqual({ wrong_verdicts: 1 });
  expect(wrong(record(lost(code), { job: failing }))).toEqual({ wrong_verdicts: 1 });
});

test('a job that is told as lost and printed nothing has lost its lines as well', () => {
  expect(wrong(record(lost('host_restarted'), { lines: [], starts: 0 }))).toEqual({
    wrong_verdicts: 1,
    lost_lines: 3,
  });
});

test('a job that failed is right only with its own reason', () => {
  const failing = { ...JOB, ending: 'exit_code' } as const;
  const error = reasonText(reason('exit_nonzero', { exitCode: '7' })).what;
  expect(wrong(record({ status: 'FAILED', error }, { job: failing }))).toEqual({});
  expect(wrong(record({ status: 'FAILED', error: '' }, { job: failing }))).toEqual({
    wrong_verdicts: 1,
  });
});

test('a stop excuses a job only where it was asked for and the service has it on record', () => {
  const stopped = { status: 'STOPPED', isStopOnRecord: true };
  const short = { lines: LINES.slice(0, 1) };
  expect(wrong(record(stopped, { ...short, wasStopped: true }))).toEqual({});
  expect(wrong(record(stopped, short))).toMatchObject({ wrong_verdicts: 1 });
  expect(
    wrong(record({ ...stopped, isStopOnRecord: false }, { ...short, wasStopped: true })),
  ).toMatchObject({ wrong_verdicts: 1 });
  expect(wrong(record(lost('worker_crashed'), { wasStopped: true }))).toEqual({
    wrong_verdicts: 1,
  });
  expect(wrong(record({}, { wasStopped: true }))).toEqual({});
  const outran = { error: 'Manually stopped by user' };
  const onRecord = { ...outran, isStopOnRecord: true };
  expect(wrong(record(onRecord, { wasStopped: true }))).toEqual({});
  expect(wrong(record(outran, { wasStopped: true }))).toEqual({ wrong_verdicts: 1 });
  expect(wrong(record(onRecord))).toEqual({ wrong_verdicts: 1 });
});

test('a job without an end, or one the service still leases here, has lost its verdict', () => {
  expect(wrong(record({ status: 'RUNNING', isLeased: true }))).toEqual({ lost_verdicts: 1 });
  expect(wrong(record({ isLeased: true }))).toEqual({ lost_verdicts: 1 });
  expect(wrong(record({}, { execution: undefined }))).toEqual({ lost_verdicts: 1 });
});

test('a second container for one execution and what is left behind are counted', () => {
  expect(judge([record({}, { starts: 2 })], ['container c']).counts).toMatchObject({
    run_twice: 1,
    leftovers: 1,
  });
});

test('a job that ran to its end without a start that was seen spoils the run: a second start would go unseen too', () => {
  expect(judge([record({}, { starts: 0 })], []).problems).toEqual(['a: its start was not seen']);
});
