/**
 * What the end of a host job means: the verdict for the service, and the owner's reason. A run succeeded if it exited
 * with 0 by itself after exactly one good result; everything else has a code of its own.
 */
import type { HostProfile } from '../model/host-profile.ts';
import type { JsonObject } from '../model/json.ts';
import type { StopCause, Verdict } from '../model/outcome.ts';
import { reasonText } from '../model/reason-text.ts';
import { reason, type Reason, type ReasonCode } from '../model/reason.ts';
import { CURSOR_HARNESS } from '../wire/host-lease.ts';
import { isGoodResult, type ObservedEvents } from './events.ts';
import { isConfigRace, lastWords, refusalSaid } from './said.ts';
import { withoutPaths } from './without-paths.ts';

/** What came between a job and the start of its process. */
export interface StartProblem {
  readonly step: 'executable' | 'arguments' | 'directory' | 'spawn';
  /** Stable word: an errno such as ENOENT, `EARLIER_RUN`, or one of `resolve-executable.ts` and `npm-shim.ts`. */
  readonly code: string;
  /** Plain, short, secret-free: what was looked for, or what the system said. */
  readonly detail: string;
}

/** How a host job ended. Its texts hold no secret: they are cut here, which may leave half of one unseen by a mask. */
export interface HostEnd {
  readonly profile: Pick<HostProfile, 'name' | 'lingeredIsSuccess' | 'argv' | 'trustWorkspace'>;
  /** What the flow asked for; null for none. */
  readonly requestedModel: string | null;
  /** Set where a stop was asked for before the verdict. It wins over everything. `time_limit` is the host's own limit. */
  readonly stopCause: StopCause | null;
  /** Why the process ended: by itself, or ended by us. */
  readonly ending: 'exited' | 'deadline' | 'lingered' | 'stalled' | 'not_started';
  readonly startProblem: StartProblem | null;
  /** null: ended by a signal, or never started. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly observed: ObservedEvents;
  /** The last lines of stderr, at most 4,096 characters. */
  readonly stderrTail: string;
  /** Folders of the job and of its owner, which the service is never told. */
  readonly places?: readonly string[];
  readonly deadlineSeconds: number;
  readonly stallSeconds: number;
  readonly lingerSeconds: number;
}

/** How much of stderr goes out with an error. */
const STDERR_SHOWN_MAX_CHARS = 2_048;
const NEVER_STARTED = -1;
const STOPPED_CODES = {
  service: 'stopped_by_service',
  owner: 'stopped_by_owner',
  shutdown: 'stopped_by_shutdown',
} as const;

/** The verdict of a host job. A stop that was asked for in time wins even over a success. */
export function judge(end: HostEnd): Verdict {
  const { stopCause } = end;
  if (stopCause !== null && stopCause !== 'time_limit') {
    const why = reason(STOPPED_CODES[stopCause]);
    return { ...failed(end, why, null), outcome: 'stopped', status: 'STOPPED', error: '' };
  }
  if (stopCause === 'time_limit' || end.ending === 'deadline') {
    const why = reason('host_exec_timeout', {
      limit: `${end.deadlineSeconds} s`,
      ...backgroundFact(end),
    });
    return { ...failed(end, why, null), outcome: 'timed_out' };
  }
  if (end.startProblem !== null || end.ending === 'not_started') {
    const why = startReason(end.startProblem);
    const verdict = failed(end, why, null);
    return why.code === 'host_restarted' ? { ...verdict, outcome: 'lost' } : verdict;
  }
  const hasExitedWell = end.ending === 'exited' && end.exitCode === 0;
  const why = failureReason(end);
  if (why === null) return succeeded(end);
  const isCounted = hasExitedWell && end.observed.resultCount === 1;
  return failed(end, why, isCounted ? resultOf(end, 'failure') : null);
}

/** Null: nothing failed. */
function failureReason(end: HostEnd): Reason | null {
  const { observed, ending } = end;
  if (ending === 'stalled')
    return reason('host_exec_stalled', { limit: `${end.stallSeconds} s`, ...backgroundFact(end) });
  if (ending === 'lingered') return lingeredReason(end);
  if (end.exitCode === null)
    return reason('host_exec_killed', end.signal === null ? {} : { signal: end.signal });
  if (end.exitCode !== 0)
    return (
      saidReason(end) ??
      reason('host_exec_exit_nonzero', { exitCode: String(end.exitCode), ...wordsFact(end) })
    );
  if (isGoodResult(observed)) return null;
  return saidReason(end) ?? resultReason(end);
}

/** Ended by us, after its result. What that result was says more than that it lingered, unless it was good. */
function lingeredReason(end: HostEnd): Reason | null {
  if (!isGoodResult(end.observed)) return resultReason(end);
  return end.profile.lingeredIsSuccess
    ? null
    : reason('host_exec_lingered', { limit: `${end.lingerSeconds} s` });
}

function resultReason(end: HostEnd): Reason {
  const { resultCount } = end.observed;
  if (resultCount === 0)
    return reason('host_exec_no_result', { ...wordsFact(end), ...backgroundFact(end) });
  return resultCount > 1
    ? reason('host_exec_two_results')
    : reason('host_exec_reported_failure', wordsFact(end));
}

/** What Cursor said itself is nearer to the cause than how it ended. After a good result it is not asked. */
function saidReason(end: HostEnd): Reason | null {
  if (end.observed.resultCount > 1 || isGoodResult(end.observed)) return null;
  if (isConfigRace(end)) return reason('host_exec_config_race');
  const code = refusalSaid(end);
  if (code === undefined) return null;
  if (code === 'host_exec_model_refused')
    return reason(code, end.requestedModel === null ? {} : { model: end.requestedModel });
  return reason(code, code === 'host_exec_directory_failed' ? { detail: lastWords(end) } : {});
}

const EXECUTABLE_CODES: ReadonlyMap<string, ReasonCode> = new Map<string, ReasonCode>([
  ['missing', 'host_exec_binary_missing'],
  ['ENOENT', 'host_exec_binary_missing'],
  ['relative', 'host_exec_binary_missing'],
  ['not_executable', 'host_exec_not_executable'],
  ['EACCES', 'host_exec_not_executable'],
  ['EPERM', 'host_exec_not_executable'],
  ['ENOEXEC', 'host_exec_not_executable'],
  ['ENOTDIR', 'host_exec_binary_missing'],
  ['unsupported', 'host_exec_executable_unsupported'],
  ['batch_argument_unsafe', 'host_exec_batch_argument_unsafe'],
  ['command_too_long', 'host_exec_command_too_long'],
  ['E2BIG', 'host_exec_command_too_long'],
  ['ENAMETOOLONG', 'host_exec_command_too_long'],
  ...['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'].map(
    (code) => [code, 'host_exec_directory_failed'] as const,
  ),
]);

/** Why a command was not started, with all its places: for the person here. */
export function startReason(problem: StartProblem | null): Reason {
  if (problem === null) return reason('host_exec_start_failed');
  const facts = problem.detail === '' ? {} : { detail: problem.detail };
  if (problem.code === 'EARLIER_RUN') return reason('host_restarted');
  if (problem.step === 'directory') return reason('host_exec_directory_failed', facts);
  if (problem.code === 'prompt')
    return reason('bad_payload', { field: 'prompt', problem: 'cannot be an argument' });
  return reason(EXECUTABLE_CODES.get(problem.code) ?? 'host_exec_start_failed', facts);
}

function succeeded(end: HostEnd): Verdict {
  return {
    outcome: 'succeeded',
    status: 'SUCCEEDED',
    exitCode: 0,
    error: '',
    result: resultOf(end, 'success'),
    evidenceUpload: null,
    reason: null,
  };
}

function failed(end: HostEnd, why: Reason, result: JsonObject | null): Verdict {
  return {
    outcome: 'failed',
    status: 'FAILED',
    exitCode: end.exitCode ?? NEVER_STARTED,
    error: errorText(end, why),
    result,
    evidenceUpload: null,
    reason: why,
  };
}

/**
 * The code, the sentence, and how stderr ended: for the service, so without places of this machine. The reason keeps
 * them for the person here, and stderr is in the log.
 */
function errorText(end: HostEnd, why: Reason): string {
  const bare = (text: string): string => withoutPaths(text, end.places);
  const words = lastWords(end);
  // Words that were cut already may end in half a place, which is none that is known.
  const told = (fact: string): string => (fact === words ? lastWords(end, bare) : bare(fact));
  const facts = Object.entries(why.facts).map(([name, fact]): [string, string] => [
    name,
    told(fact),
  ]);
  const text = `${why.code}: ${reasonText(reason(why.code, Object.fromEntries(facts))).what}`;
  const tail = bare(end.stderrTail).trim().slice(-STDERR_SHOWN_MAX_CHARS).toWellFormed();
  return tail === '' ? text : `${text}\nThe end of its error output:\n${tail}`;
}

/** What the service keeps of a run: no answer and no tokens; the model only as Cursor told it. */
function resultOf(end: HostEnd, status: 'success' | 'failure'): JsonObject {
  const { sessionId, model } = end.observed;
  return {
    status,
    harness: CURSOR_HARNESS,
    ...(sessionId === null ? {} : { session_id: sessionId }),
    ...(model === null ? {} : { model }),
    ...(end.requestedModel === null ? {} : { requested_model: end.requestedModel }),
  };
}

function wordsFact(end: HostEnd): Record<string, string> {
  const words = lastWords(end);
  return words === '' ? {} : { lastWords: words };
}
function backgroundFact(end: HostEnd): Record<string, string> {
  return end.observed.backgroundShell ? { background: 'yes' } : {};
}
