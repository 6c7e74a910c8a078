import { describe, expect, test } from 'vitest';
import { toJobId } from '../../../runner-core/model/ids.ts';
import type { StopCause } from '../../../runner-core/model/outcome.ts';
import { reason } from '../../../runner-core/model/reason.ts';
import {
  completeFrame,
  dockerVerdict,
  failedVerdict,
  lostVerdict,
  reportedVerdict,
  stoppedVerdict,
  type DockerEndFacts,
} from '../../../runner-core/wire/result-report.ts';
import { JOB_ID } from '../../support/docker-job.ts';
import { envelopePayload } from '../../support/envelope.ts';

const result = { status: 'success' };
const report = (envelope: unknown): Pick<DockerEndFacts, 'envelopePayloads' | 'envelopeCount'> => ({
  envelopePayloads: [envelopePayload(envelope)],
  envelopeCount: 1,
});
const success = report({ exit_code: 0, result, evidence_upload: 'uploaded' });
const ended = (facts: Partial<DockerEndFacts>): DockerEndFacts => ({
  exitCode: 0,
  oomKilled: false,
  stopCause: null,
  envelopePayloads: [],
  envelopeCount: 0,
  setupFailed: false,
  memoryLimitBytes: null,
  ...facts,
});

describe('a clean exit', () => {
  test('with a report of success succeeds', () => {
    expect(dockerVerdict(ended(success))).toEqual({
      outcome: 'succeeded',
      status: 'SUCCEEDED',
      exitCode: 0,
      error: '',
      result,
      evidenceUpload: 'uploaded',
      reason: null,
    });
  });

  test.each<StopCause>(['service', 'owner', 'shutdown', 'time_limit'])(
    'won the race against a stop by %s',
    (stopCause) => {
      expect(dockerVerdict(ended({ ...success, stopCause })).status).toBe('SUCCEEDED');
    },
  );

  test('with a report of failure fails, with the result and without an error text', () => {
    const failed = { status: 'failed', verdict: 'pass' };
    expect(dockerVerdict(ended(report({ exit_code: 0, result: failed })))).toEqual({
      outcome: 'failed',
      status: 'FAILED',
      exitCode: 0,
      error: '',
      result: failed,
      evidenceUpload: null,
      reason: reason('reported_failure'),
    });
  });

  test.each<[string, Partial<DockerEndFacts>, string, boolean]>([
    ['no report', {}, 'no_report', false],
    ['a spoiled report', { envelopePayloads: ['%'], envelopeCount: 1 }, 'report_malformed', false],
    ['two reports', { ...success, envelopeCount: 2 }, 'report_duplicate', false],
    [
      'a report too large',
      report({ exit_code: 0, result: { a: 'é'.repeat(50_000) } }),
      'report_too_large',
      false,
    ],
    [
      'a report that confirms nothing',
      report({ exit_code: 0, result: { status: 'partial' } }),
      'report_unknown_verdict',
      true,
    ],
    ['another exit code reported', report({ exit_code: 4, result }), 'report_exit_mismatch', true],
  ])('with %s fails', (_name, facts, code, keepsResult) => {
    const verdict = dockerVerdict(ended(facts));
    expect(verdict).toMatchObject({
      outcome: 'failed',
      status: 'FAILED',
      exitCode: 0,
      reason: { code },
    });
    expect(verdict.error).not.toBe('');
    expect(verdict.result !== null).toBe(keepsResult);
  });
});

describe('any other exit', () => {
  test.each<[StopCause, string]>([
    ['service', 'stopped_by_service'],
    ['owner', 'stopped_by_owner'],
    ['shutdown', 'stopped_by_shutdown'],
  ])('after a stop by %s is stopped, with no error and the report that came', (stopCause, code) => {
    expect(dockerVerdict(ended({ ...success, exitCode: 137, stopCause }))).toEqual({
      outcome: 'stopped',
      status: 'STOPPED',
      exitCode: 137,
      error: '',
      result,
      evidenceUpload: 'uploaded',
      reason: reason(code as 'stopped_by_owner'),
    });
  });

  test('after the time limit is timed out, and goes out as failed with its limit', () => {
    expect(
      dockerVerdict(ended({ exitCode: 143, stopCause: 'time_limit', timeLimitMs: 3_600_000 })),
    ).toMatchObject({
      outcome: 'timed_out',
      status: 'FAILED',
      exitCode: 143,
      error: 'The job reached its time limit of 3600 s and was ended.',
      reason: { code: 'time_limit' },
    });
  });

  test.each<[string, Partial<DockerEndFacts>, string, Record<string, string>]>([
    ['code 7', { exitCode: 7 }, 'exit_nonzero', { exitCode: '7' }],
    ['code 255', { exitCode: 255 }, 'exit_nonzero', { exitCode: '255' }],
    ['code 125', { exitCode: 125 }, 'engine_refused', { exitCode: '125' }],
    [
      'a script that ended with 125',
      { exitCode: 125, ...report({ exit_code: 125 }) },
      'exit_nonzero',
      { exitCode: '125' },
    ],
    ['code 126', { exitCode: 126 }, 'not_executable', { exitCode: '126' }],
    ['code 127', { exitCode: 127 }, 'command_not_found', { exitCode: '127' }],
    ['code 137', { exitCode: 137 }, 'killed_by_signal', { exitCode: '137', signal: 'SIGKILL' }],
    ['code 162', { exitCode: 162 }, 'killed_by_signal', { exitCode: '162', signal: 'signal 34' }],
    ['no code', { exitCode: null }, 'killed_by_signal', {}],
    [
      'memory gone',
      { exitCode: 137, oomKilled: true, memoryLimitBytes: 8 * 2 ** 30 },
      'out_of_memory',
      { limit: '8 GiB' },
    ],
    [
      'memory gone and a failed setup',
      { exitCode: 1, oomKilled: true, setupFailed: true },
      'out_of_memory',
      {},
    ],
    ['a failed setup', { exitCode: 127, setupFailed: true }, 'setup_failed', { exitCode: '127' }],
    [
      'a content script and no result',
      { exitCode: 1, ...report({ exit_code: 0 }) },
      'no_report',
      {},
    ],
    [
      'a failed script and no result',
      { exitCode: 1, ...report({ exit_code: 1 }) },
      'exit_nonzero',
      { exitCode: '1' },
    ],
    [
      'a failed script and a result',
      { exitCode: 2, ...report({ exit_code: 2, result }) },
      'exit_nonzero',
      { exitCode: '2' },
    ],
  ])('with %s fails for its own reason', (_name, facts, code, expected) => {
    const verdict = dockerVerdict(ended(facts));
    expect(verdict).toMatchObject({ outcome: 'failed', status: 'FAILED', reason: { code } });
    expect(verdict.exitCode).toBe(facts.exitCode ?? -1);
    expect(verdict.reason?.facts).toEqual(expected);
    expect(verdict.error).not.toBe('');
  });

  test('a small memory limit is named in MiB', () => {
    const facts = ended({ exitCode: 137, oomKilled: true, memoryLimitBytes: 512 * 2 ** 20 });
    expect(dockerVerdict(facts).error).toBe(
      'The job was killed for memory: it reached its limit of 512 MiB.',
    );
  });

  test('a script content with a good result whose container failed is not a success', () => {
    expect(dockerVerdict(ended({ ...success, exitCode: 1 }))).toMatchObject({
      status: 'FAILED',
      result,
      reason: { code: 'exit_nonzero' },
    });
  });
});

describe('endings without a container', () => {
  test('a failed one says why in words of its own or in the given ones', () => {
    expect(failedVerdict(reason('image_unnamed'))).toEqual({
      outcome: 'failed',
      status: 'FAILED',
      exitCode: 0,
      error: 'The job names no container image.',
      result: null,
      evidenceUpload: null,
      reason: reason('image_unnamed'),
    });
    expect(failedVerdict(reason('launch_error'), 'as told')).toMatchObject({ error: 'as told' });
  });

  test('a stopped one has no error; a passed time limit is no stop', () => {
    expect(stoppedVerdict('owner')).toMatchObject({ status: 'STOPPED', error: '', exitCode: 0 });
    expect(stoppedVerdict('time_limit')).toMatchObject({ status: 'FAILED', outcome: 'timed_out' });
  });

  test('a lost one goes out as failed', () => {
    expect(lostVerdict('host_restarted')).toMatchObject({
      outcome: 'lost',
      status: 'FAILED',
      exitCode: -1,
      reason: reason('host_restarted'),
    });
  });
});

describe('reportedVerdict', () => {
  const host = { kind: 'host_exec', profile: 'Cursor-Read' } as const;
  const lost = lostVerdict('host_restarted');

  test('of a local command an error begins with its code, once', () => {
    const reported = reportedVerdict(host, lost);
    expect(reported).toEqual({ ...lost, error: `host_restarted: ${lost.error}` });
    expect(reportedVerdict(host, reported)).toEqual(reported);
  });

  test('a stop and a success stay without an error, and a Docker job keeps its words', () => {
    const stopped = stoppedVerdict('owner');
    expect(reportedVerdict(host, stopped)).toEqual(stopped);
    expect(reportedVerdict({ kind: 'docker_v1' }, lost)).toEqual(lost);
  });
});

describe('completeFrame', () => {
  const jobId = toJobId(JOB_ID);
  if (jobId === undefined) throw new Error('bad test id');

  test('carries the Docker protocol, and evidence only where there is some', () => {
    expect(completeFrame(jobId, { kind: 'docker_v1' }, dockerVerdict(ended(success)))).toEqual({
      type: 'complete',
      execution_id: JOB_ID,
      status: 'SUCCEEDED',
      exit_code: 0,
      result,
      error: '',
      launch_version: 1,
      completion_protocol: 'docker_v1',
      evidence_upload: 'uploaded',
    });
    const stopped = completeFrame(jobId, { kind: 'docker_v1' }, stoppedVerdict('service'));
    expect(stopped).not.toHaveProperty('evidence_upload');
    expect(stopped).toMatchObject({ status: 'STOPPED', result: null, launch_version: 1 });
  });

  test('of a host job echoes its profile and has no launch version, for every status', () => {
    const host = { kind: 'host_exec', profile: 'Cursor-1' } as const;
    for (const verdict of [stoppedVerdict('service'), failedVerdict(reason('kind_unsupported'))]) {
      const frame = completeFrame(jobId, host, verdict);
      expect(frame).toMatchObject({
        completion_protocol: 'host_exec',
        host_exec_profile: 'Cursor-1',
      });
      expect(frame).not.toHaveProperty('launch_version');
    }
  });
});
