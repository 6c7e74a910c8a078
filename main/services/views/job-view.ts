/** One job, whole. Pure. */
import {
  permissionViewSchema,
  type JobRow,
  type JobView,
  type PermissionView,
} from '../../contract/views.ts';
import type { HeldJob } from '../../../runner-core/listener/listener.ts';
import { occupiesSlot } from '../../../runner-core/model/job-machine.ts';
import type { JobLimits, TrustedOption } from '../../../runner-core/model/job-spec.ts';
import type { Verdict } from '../../../runner-core/model/outcome.ts';
import type { Reason } from '../../../runner-core/model/reason.ts';
import { reasonText } from '../../../runner-core/model/reason-text.ts';
import type { JobMarker } from '../../../runner-core/wire/markers.ts';
import type { KeptJob } from '../../store/job-rows.ts';
import { listedFrom } from '../../store/listed-rows.ts';
import { jobRow } from './job-row.ts';
import { phaseWords } from './phase-words.ts';
import { shownJson } from './shown-text.ts';
import { timeline } from './timeline.ts';

export interface JobViewInput {
  readonly job: Omit<KeptJob, 'order'>;
  /** Null for one that is not held. */
  readonly held: HeldJob | null;
  /** What the owner allows this job's flow now. */
  readonly allowed: readonly TrustedOption[];
  /** The limits a container gets now; used until the worker has told those of this one. */
  readonly limits: JobLimits;
  /** Null where a service is configured. Its console shows executions. */
  readonly consoleOrigin: string | null;
  readonly embedded: boolean;
}

export function jobView(input: JobViewInput): JobView {
  const { job, held, consoleOrigin } = input;
  const row = jobRow(listedFrom(job));
  const verdict = 'verdict' in job.state ? job.state.verdict : null;
  const pullRequest = job.markers.find((marker) => marker.kind === 'pr_opened');
  const isOver = !occupiesSlot(job.state);
  return {
    ...row,
    timeline: [
      ...timeline({
        ...job,
        phases: job.facts?.phases ?? [],
        phase: held?.phase ?? null,
        outcome: verdict?.outcome ?? null,
        reason: verdict?.reason?.code ?? null,
      }),
    ],
    phase: held === null ? null : phaseWords(held),
    progress: held?.progress ?? null,
    why: why(row, verdict),
    wantsPermission: wantsPermission(row, verdict?.reason ?? null, input.allowed),
    pinned: job.pinned,
    verdict: verdict === null ? null : shownVerdict(verdict),
    pullRequestUrl: pullRequest?.url ?? null,
    consoleUrl:
      consoleOrigin === null
        ? null
        : `${consoleOrigin}/console/flows/executions/${encodeURIComponent(row.jobId)}`,
    markers: job.markers.map(markerWords).filter((words) => words !== null),
    container: container(input),
    sent: { lines: job.lines, acknowledged: job.linesAcknowledged },
    logBytes: job.bytes,
    records: job.records,
    canStop: !isOver && job.state.kind !== 'stopping',
    canRunAgain: isOver && input.embedded && job.spec.flowId !== null,
  };
}

/** The option that the owner could allow so that the job would run; null where that is not what it lacks. */
export function wantsPermission(
  { flowId }: Pick<JobRow, 'flowId'>,
  reason: Reason | null,
  allowed: readonly TrustedOption[],
): PermissionView | null {
  if (flowId === null || reason?.code !== 'permission_needed') return null;
  const option = permissionViewSchema.shape.option.safeParse(reason.facts['option']).data;
  return option === undefined || allowed.includes(option) ? null : { flowId, option };
}

function why(row: JobRow, verdict: Verdict | null): JobView['why'] {
  if (verdict === null || verdict.outcome === 'succeeded') return null;
  if (verdict.reason !== null) return { code: verdict.reason.code, ...reasonText(verdict.reason) };
  const what = row.reason ?? 'The job did not succeed.';
  return { code: 'unknown', what, remedy: 'Look at the end of the log.' };
}

function shownVerdict(verdict: Verdict): JobView['verdict'] {
  const { status, exitCode, error, result, evidenceUpload } = verdict;
  const report = result === null ? null : shownJson(JSON.stringify(result, null, 2));
  return { status, exitCode, error, report, evidenceUpload };
}

function container({ job, limits }: JobViewInput): JobView['container'] {
  const { spec, facts } = job;
  if (spec.kind !== 'docker_launch') return null;
  // A job that ended without a container, for example for want of its image, has none to tell of.
  if (facts?.containerId == null && !occupiesSlot(job.state)) return null;
  const { memoryBytes, cpus, pids, timeLimitMs } = facts?.limits ?? limits;
  return {
    id: facts?.containerId ?? null,
    imageId: facts?.imageId ?? null,
    network: spec.options.network ?? 'bridge',
    memoryLimitBytes: memoryBytes,
    cpus,
    pids,
    timeLimitMs: timeLimitMs === 0 ? null : timeLimitMs,
    peakMemoryBytes: facts?.peakMemoryBytes ?? null,
    cpuMs: facts?.cpuMs ?? null,
  };
}

/** Null for those that are shown elsewhere. */
function markerWords(marker: JobMarker): string | null {
  switch (marker.kind) {
    case 'pr_opened':
      return marker.branch === null ? null : `Pull request from ${marker.branch}`;
    case 'agent_session':
      return `Session of ${marker.agentType}: ${marker.sessionId}`;
    case 'verification':
      return marker.allowed ? 'Its checks passed' : 'Its checks did not pass';
    case 'setup_failed':
      return 'Its setup failed';
    case 'prompt_not_delivered':
      return 'The prompt did not reach the agent';
    case 'launch_payload_missing':
      return 'Its launch did not arrive whole';
    case 'launch_payload_truncated':
      return 'Its launch was cut short';
    case 'stream_recovery':
      return `Stream recovery ${marker.stage}${marker.detail === '' ? '' : `: ${marker.detail}`}`;
  }
}
