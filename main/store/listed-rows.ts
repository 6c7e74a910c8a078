/** Rows of the list of jobs: only the parts of spec and verdict that a list shows are taken out of them. */
import * as z from 'zod';
import type { JobId } from '../../runner-core/model/ids.ts';
import type { JobStateKind } from '../../runner-core/model/job-machine.ts';
import type { OutcomeKind } from '../../runner-core/model/outcome.ts';
import type { Reason } from '../../runner-core/model/reason.ts';
import type { StoredJob } from '../../runner-core/ports.ts';
import { jobIdOf } from './job-rows.ts';
import { readStored, reasonSchema } from './stored-values.ts';

/** A job as one row of a list. */
export interface ListedJob {
  readonly jobId: JobId;
  readonly state: JobStateKind;
  readonly outcome: OutcomeKind | null;
  readonly agentType: string;
  readonly flowId: string | null;
  readonly flowName: string | null;
  readonly repository: string | null;
  readonly image: string | null;
  /** Of a local command, as the lease spelled it; null for a job of a container. */
  readonly profile: string | null;
  readonly acceptedAtMs: number;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly lines: number;
  readonly reason: Reason | null;
  /** The text the service was told; empty for none. */
  readonly error: string;
}

export interface ListedRow {
  readonly job_id: string;
  readonly state: JobStateKind;
  readonly outcome: OutcomeKind | null;
  readonly accepted_at_ms: number;
  readonly started_at_ms: number | null;
  readonly ended_at_ms: number | null;
  readonly lines: number;
  readonly asked: string;
  readonly why: string;
}

export const LISTED_COLUMNS = `
  job_id, state, outcome, accepted_at_ms, started_at_ms, ended_at_ms, lines,
  json_extract(spec, '$.agentType', '$.flowId', '$.repository', '$.image', '$.flowName', '$.profileName') AS asked,
  json_array(json_extract(verdict, '$.error'), json_extract(verdict, '$.reason')) AS why`;

const askedSchema = z.tuple([
  z.string(),
  z.string().nullable(),
  z.string().nullable(),
  z.string().nullable(),
  z.string().nullable(),
  z.string().nullable(),
]);
const whySchema = z.tuple([z.string().nullable(), reasonSchema.nullable()]);

/** Throws StoredJobDamagedError. */
export function listedJob(row: ListedRow): ListedJob {
  const jobId = jobIdOf(row);
  const asked = readStored(askedSchema, row.asked, { jobId, field: 'spec' });
  const [agentType, flowId, repository, image, flowName, profile] = asked;
  const [error, reason] = readStored(whySchema, row.why, { jobId, field: 'verdict' });
  return {
    jobId,
    state: row.state,
    outcome: row.outcome,
    agentType,
    flowId,
    flowName,
    repository,
    image,
    profile,
    acceptedAtMs: row.accepted_at_ms,
    startedAtMs: row.started_at_ms,
    endedAtMs: row.ended_at_ms,
    lines: row.lines,
    reason,
    error: error ?? '',
  };
}

/** The same of a job that was read whole. */
export function listedFrom(job: StoredJob): ListedJob {
  const { spec, state } = job;
  const verdict = 'verdict' in state ? state.verdict : null;
  return {
    jobId: spec.jobId,
    state: state.kind,
    outcome: verdict?.outcome ?? null,
    agentType: spec.agentType,
    flowId: spec.flowId,
    flowName: spec.flowName,
    repository: spec.repository,
    image: spec.kind === 'docker_launch' ? spec.image : null,
    profile: spec.kind === 'host_exec' ? spec.profileName : null,
    acceptedAtMs: job.acceptedAtMs,
    startedAtMs: job.startedAtMs,
    endedAtMs: job.endedAtMs,
    lines: job.lines,
    reason: verdict?.reason ?? null,
    error: verdict?.error ?? '',
  };
}
