/** A job as one row. Pure. */
import type { JobRow, JobStateName } from '../../contract/views.ts';
import { reasonText } from '../../../runner-core/model/reason-text.ts';
import type { ListedJob } from '../../store/listed-rows.ts';
import { shownText } from './shown-text.ts';

const ID_START = 8;

export function jobRow(job: ListedJob): JobRow {
  return {
    jobId: job.jobId,
    state: shownState(job),
    reported: job.state === 'settled',
    title: titleOf(job),
    flowId: job.flowId,
    repository: ownerAndName(job.repository),
    agentType: job.agentType,
    image: job.image,
    profile: job.profile === null ? null : shownText(job.profile),
    acceptedAtMs: job.acceptedAtMs,
    startedAtMs: job.startedAtMs,
    endedAtMs: job.endedAtMs,
    lines: job.lines,
    reason: reasonSentence(job),
  };
}

function shownState({ state, outcome }: ListedJob): JobStateName {
  if (state !== 'reporting' && state !== 'settled') return state;
  return outcome ?? 'lost';
}

/** The flow's name, else the repository's, else the agent and the start of the id. */
function titleOf({ flowName, repository, agentType, jobId }: ListedJob): string {
  const name = shownText(flowName ?? repository?.split('/').at(-1) ?? '');
  return name === '' ? `${agentType} ${jobId.slice(0, ID_START)}`.trim() : name;
}

/** Without the host in front, which is the same for nearly all. */
function ownerAndName(repository: string | null): string | null {
  const [, ...path] = repository?.split('/') ?? [];
  return path.length === 0 ? repository : path.join('/');
}

/** One sentence why it did not succeed; null for one that did, or has not ended. */
function reasonSentence({ outcome, reason, error }: ListedJob): string | null {
  if (outcome === null || outcome === 'succeeded') return null;
  if (reason !== null) return shownText(reasonText(reason).what);
  return shownText(error.split('\n', 1)[0]?.slice(0, 300) ?? '') || null;
}
