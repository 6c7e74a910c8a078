/**
 * What the ending of a job means: the facts of a finished container, or of none, to the verdict the
 * service is told and the finer reason the owner is shown. The report itself is read by
 * `result-envelope.ts`.
 */
import type { JobId } from '../model/ids.ts';
import type { ReportProtocol } from '../model/job-spec.ts';
import type { StopCause, Verdict } from '../model/outcome.ts';
import { reasonText } from '../model/reason-text.ts';
import { reason, type Reason, type ReasonCode } from '../model/reason.ts';
import type { CompleteFrame } from './frames.ts';
import { parseEnvelopes, type ReportProblem, type ReportReading } from './result-envelope.ts';

export { asciiJsonBytes } from './json-measure.ts';
export {
  confirmation,
  parseEnvelopes,
  RESULT_LIMIT_BYTES,
  type ReportReading,
} from './result-envelope.ts';

/**
 * How a container ended. `exitCode` null: a signal ended the process and no code is known.
 * `stopCause` is set only when a stop was asked for before the process ended. `envelopePayloads` are
 * what followed RESULT_PREFIX on the first KEPT_ENVELOPES such lines of `envelopeCount`.
 * `setupFailed`: the job printed the marker of a failed setup. `timeLimitMs`, where known, is named
 * in the reason of a job that passed it.
 */
export interface DockerEndFacts {
  readonly exitCode: number | null;
  readonly oomKilled: boolean;
  readonly stopCause: StopCause | null;
  readonly envelopePayloads: readonly string[];
  readonly envelopeCount: number;
  readonly setupFailed: boolean;
  readonly memoryLimitBytes: number | null;
  readonly timeLimitMs?: number;
}

const REASON_OF_STOP: Readonly<Record<StopCause, ReasonCode>> = {
  service: 'stopped_by_service',
  owner: 'stopped_by_owner',
  shutdown: 'stopped_by_shutdown',
  time_limit: 'time_limit',
};
const REASON_OF_PROBLEM: Readonly<Record<ReportProblem, ReasonCode>> = {
  absent: 'no_report',
  duplicate: 'report_duplicate',
  malformed: 'report_malformed',
  too_large: 'report_too_large',
  exit_mismatch: 'report_exit_mismatch',
  unknown_verdict: 'report_unknown_verdict',
};
const SIGNAL_NAMES: ReadonlyMap<number, string> = new Map([
  [1, 'SIGHUP'],
  [2, 'SIGINT'],
  [3, 'SIGQUIT'],
  [4, 'SIGILL'],
  [6, 'SIGABRT'],
  [7, 'SIGBUS'],
  [8, 'SIGFPE'],
  [9, 'SIGKILL'],
  [11, 'SIGSEGV'],
  [13, 'SIGPIPE'],
  [14, 'SIGALRM'],
  [15, 'SIGTERM'],
]);

/**
 * The verdict of a container that ran. A stop that lost the race against a clean exit is not a stop;
 * a zero exit code is not success: exactly one report that confirms it is needed as well. A report
 * that could be read goes along with every ending.
 */
export function dockerVerdict(facts: DockerEndFacts): Verdict {
  const reading = parseEnvelopes(facts.envelopePayloads, facts.envelopeCount);
  const report = { result: reading.result, evidenceUpload: reading.evidenceUpload };
  if (facts.exitCode === 0) return { ...cleanExitVerdict(reading), ...report };
  const exitCode = facts.exitCode ?? -1;
  const ending =
    facts.stopCause === null
      ? failedVerdict(failureReason(facts, reading), undefined, exitCode)
      : endedByStop(facts.stopCause, exitCode, facts.timeLimitMs);
  return { ...ending, ...report };
}

/** A job that failed, or never started. `error` is the wire's text; left out, the reason's own words. */
export function failedVerdict(why: Reason, error?: string, exitCode = 0): Verdict {
  return {
    outcome: 'failed',
    status: 'FAILED',
    exitCode,
    error: error ?? reasonText(why).what,
    result: null,
    evidenceUpload: null,
    reason: why,
  };
}

/** A job that was stopped before anything of it ran, or whose container is gone. */
export function stoppedVerdict(cause: StopCause): Verdict {
  return endedByStop(cause, 0, undefined);
}

/** A job whose ending nobody saw: its host, worker or lease went away. Reported as failed. */
export function lostVerdict(code: ReasonCode): Verdict {
  return { ...failedVerdict(reason(code), undefined, -1), outcome: 'lost' };
}

/** As the service is told it: an error of a local command begins with its stable code, whoever ended it. */
export function reportedVerdict(report: ReportProtocol, verdict: Verdict): Verdict {
  const { error, reason: why } = verdict;
  if (report.kind !== 'host_exec' || why === null || error === '') return verdict;
  return error.startsWith(`${why.code}: `)
    ? verdict
    : { ...verdict, error: `${why.code}: ${error}` };
}

/** The frame that ends a lease. The protocol fields are those of the lease, for every status. */
export function completeFrame(
  jobId: JobId,
  report: ReportProtocol,
  verdict: Verdict,
): CompleteFrame {
  const common = {
    type: 'complete',
    execution_id: jobId,
    status: verdict.status,
    exit_code: verdict.exitCode,
    result: verdict.result,
    error: verdict.error,
    ...(verdict.evidenceUpload === null ? {} : { evidence_upload: verdict.evidenceUpload }),
  } as const;
  return report.kind === 'docker_v1'
    ? { ...common, launch_version: 1, completion_protocol: 'docker_v1' }
    : { ...common, completion_protocol: 'host_exec', host_exec_profile: report.profile };
}

/** Never SUCCEEDED. A passed time limit goes out as FAILED: the service knows no other word for it. */
function endedByStop(cause: StopCause, exitCode: number, timeLimitMs: number | undefined): Verdict {
  const facts: Record<string, string> =
    cause === 'time_limit' && timeLimitMs !== undefined
      ? { limit: `${Math.round(timeLimitMs / 1_000)} s` }
      : {};
  const failed = failedVerdict(reason(REASON_OF_STOP[cause], facts), undefined, exitCode);
  return cause === 'time_limit'
    ? { ...failed, outcome: 'timed_out' }
    : { ...failed, outcome: 'stopped', status: 'STOPPED', error: '' };
}

function cleanExitVerdict(reading: ReportReading): Verdict {
  if (reading.problem !== null) return failedVerdict(problemReason(reading.problem, reading));
  if (reading.confirmation === 'failure') return failedVerdict(reason('reported_failure'), '');
  return {
    outcome: 'succeeded',
    status: 'SUCCEEDED',
    exitCode: 0,
    error: '',
    result: null,
    evidenceUpload: null,
    reason: null,
  };
}

/** Why a container failed that nobody stopped: the cause nearest to the root that can be told. */
function failureReason(facts: DockerEndFacts, reading: ReportReading): Reason {
  if (facts.oomKilled) {
    return reason(
      'out_of_memory',
      facts.memoryLimitBytes === null ? {} : { limit: bytesText(facts.memoryLimitBytes) },
    );
  }
  if (facts.exitCode === null) return reason('killed_by_signal');
  const exitCode = String(facts.exitCode);
  if (facts.setupFailed) return reason('setup_failed', { exitCode });
  // The script was content; the bootstrap exits with 1 because there is no usable result.
  if (reading.exitCode === 0 && reading.problem !== null)
    return problemReason(reading.problem, reading);
  // An envelope proves that the engine did run the container: the code is the script's own.
  if (exitCode === '125' && reading.exitCode === null)
    return reason('engine_refused', { exitCode });
  if (exitCode === '126') return reason('not_executable', { exitCode });
  if (exitCode === '127') return reason('command_not_found', { exitCode });
  const signal = facts.exitCode - 128;
  if (signal > 0 && signal <= 64)
    return reason('killed_by_signal', {
      exitCode,
      signal: SIGNAL_NAMES.get(signal) ?? `signal ${signal}`,
    });
  return reason('exit_nonzero', { exitCode });
}

function problemReason(problem: ReportProblem, reading: ReportReading): Reason {
  const facts: Record<string, string> =
    problem === 'exit_mismatch' ? { exitCode: String(reading.exitCode) } : {};
  return reason(REASON_OF_PROBLEM[problem], facts);
}

function bytesText(bytes: number): string {
  const gib = bytes / 2 ** 30;
  const text = gib >= 1 ? gib : bytes / 2 ** 20;
  return `${Number(text.toFixed(1))} ${gib >= 1 ? 'GiB' : 'MiB'}`;
}
