/**
 * What is wrong with how a run's jobs ended. No fault that the run caused is an excuse: a container goes on without
 * its host, worker, network and service, and what had none yet is started later. The one other ending there may be
 * is the service's own: a stop that was asked of it, and that it has on record. It is written as the end at once; a
 * status that was under way can undo that, and a job that then ends well keeps the text of the stop, since a
 * completion without an error leaves the text alone.
 */
import { reasonText } from '../../runner-core/model/reason-text.ts';
import { reason } from '../../runner-core/model/reason.ts';
import { countLines, EXIT_CODE, statusOf, type Ending, type NumberedJob } from './numbered-job.ts';
import type { ExecutionRecord } from './plane-records.ts';

export interface Counts {
  readonly lost_lines: number;
  readonly doubled_lines: number;
  readonly lost_verdicts: number;
  readonly wrong_verdicts: number;
  readonly run_twice: number;
  readonly leftovers: number;
}

export interface JobRecord {
  readonly id: string;
  readonly job: NumberedJob;
  /** We asked the service to stop it. */
  readonly wasStopped: boolean;
  /** Undefined: the service does not know it. */
  readonly execution: ExecutionRecord | undefined;
  /** As the service has them. */
  readonly lines: readonly string[];
  /** Containers that were started for it. */
  readonly starts: number;
}

export interface Judgement {
  readonly counts: Counts;
  /** In words. */
  readonly problems: readonly string[];
}

const TERMINAL = ['SUCCEEDED', 'FAILED', 'STOPPED'];
/** What the service is told beside the status: a job that is lost fails as well, and must not pass for one that failed. */
const ERROR_OF: Readonly<Record<Ending, string>> = {
  success: '',
  exit_code: reasonText(reason('exit_nonzero', { exitCode: String(EXIT_CODE) })).what,
  failure_reported: '',
  no_report: reasonText(reason('no_report')).what,
};

const STOPPED = 'Manually stopped by user';

export function judge(jobs: readonly JobRecord[], left: readonly string[]): Judgement {
  const judged = jobs.map(judgeJob);
  const sum = (name: keyof Counts): number =>
    judged.reduce((total, { counts }) => total + counts[name], 0);
  return {
    counts: {
      lost_lines: sum('lost_lines'),
      doubled_lines: sum('doubled_lines'),
      lost_verdicts: sum('lost_verdicts'),
      wrong_verdicts: sum('wrong_verdicts'),
      run_twice: sum('run_twice'),
      leftovers: left.length,
    },
    problems: [
      ...judged.flatMap(({ problems }) => problems),
      ...left.map((each) => `left behind: ${each}`),
    ],
  };
}

export function isSettled({ status, isLeased }: ExecutionRecord): boolean {
  return TERMINAL.includes(status) && !isLeased;
}

function judgeJob({ id, job, wasStopped, execution, lines, starts }: JobRecord): Judgement {
  const problems: string[] = [];
  const say = (problem: string): void => void problems.push(`${id}: ${problem}`);
  const isLost = execution === undefined || !isSettled(execution);
  const mayStop = wasStopped && execution?.isStopOnRecord === true;
  const isStopped = mayStop && execution.status === 'STOPPED';
  const errors = mayStop && ERROR_OF[job.ending] === '' ? ['', STOPPED] : [ERROR_OF[job.ending]];
  const isRight = execution?.status === statusOf(job) && errors.includes(execution.error);
  if (isLost) {
    const leased = execution?.isLeased === true ? ', leased' : '';
    say(`no verdict (${execution?.status ?? 'unknown'}${leased})`);
  } else if (!isStopped && !isRight)
    say(`${execution.status} (${execution.error}) in place of ${statusOf(job)} by ${job.ending}`);
  const { lost, doubled, examples } = countLines(job, lines, !isStopped);
  if (lost + doubled > 0) say(`${lost} lines lost, ${doubled} doubled; ${examples.join(', ')}`);
  if (starts > 1) say(`${starts} containers started`);
  // What ran to its end was started: a count that says otherwise cannot be trusted to see a second start either.
  if (starts === 0 && isRight) say('its start was not seen');
  return {
    counts: {
      lost_lines: lost,
      doubled_lines: doubled,
      lost_verdicts: isLost ? 1 : 0,
      wrong_verdicts: !isLost && !isStopped && !isRight ? 1 : 0,
      run_twice: starts > 1 ? 1 : 0,
      leftovers: 0,
    },
    problems,
  };
}
