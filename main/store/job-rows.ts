/** Rows of `job` and `job_log` as the engine and the page know them. Pure. */
import type { JobId } from '../../runner-core/model/ids.ts';
import { toJobId } from '../../runner-core/model/ids.ts';
import type { JobEvent, JobState, JobStateKind } from '../../runner-core/model/job-machine.ts';
import type { Verdict } from '../../runner-core/model/outcome.ts';
import type { StoredJob } from '../../runner-core/ports.ts';
import type { RunFacts } from '../../runner-core/worker/protocol.ts';
import { StoredJobDamagedError } from './errors.ts';
import {
  cursorSchema,
  jobSpecSchema,
  markersSchema,
  readStored,
  runFactsSchema,
  stopCauseSchema,
  verdictSchema,
} from './stored-values.ts';

/** As selected by JOB_COLUMNS. STRICT tables hold the types; the JSON in them is parsed below. */
export interface JobRow {
  readonly n: number;
  readonly job_id: string;
  readonly spec: string;
  readonly state: JobStateKind;
  readonly since_ms: number;
  readonly stop_cause: string | null;
  readonly verdict: string | null;
  readonly facts: string | null;
  readonly markers: string;
  readonly accepted_at_ms: number;
  readonly started_at_ms: number | null;
  readonly ended_at_ms: number | null;
  readonly settled_at_ms: number | null;
  readonly chunks: number;
  readonly lines: number;
  readonly records: number;
  readonly bytes: number;
  readonly batches: number;
  readonly batches_acked: number;
  readonly lines_acked: number;
  readonly cursor: string;
  readonly removed_at_ms: number | null;
  readonly pinned: number;
  readonly batch_salt: string;
}

export const JOB_COLUMNS = `
  n, job_id, spec, state, since_ms, stop_cause, verdict, facts, markers, accepted_at_ms, started_at_ms,
  ended_at_ms, settled_at_ms, chunks, lines, records, bytes, batches, batches_acked, lines_acked, cursor, removed_at_ms, pinned,
  batch_salt`;

/** What the page and the command line show of a job, beside what the engine needs. */
export interface KeptJob extends StoredJob {
  /** Place in the order of acceptance; what `before` of the next page is given. */
  readonly order: number;
  readonly settledAtMs: number | null;
  readonly facts: RunFacts | null;
  /** Pieces of lines stored; `lines` of them start one. */
  readonly records: number;
  /** When housekeeping removed the log; null while it is there. */
  readonly logRemovedAtMs: number | null;
  /** The owner keeps it, whatever its age and size. */
  readonly pinned: boolean;
}

/** Throws StoredJobDamagedError. */
export function storedJob(row: JobRow): StoredJob {
  const jobId = jobIdOf(row);
  return {
    spec: readStored(jobSpecSchema, row.spec, { jobId, field: 'spec' }),
    state: stateOf(row),
    acceptedAtMs: row.accepted_at_ms,
    startedAtMs: row.started_at_ms,
    endedAtMs: row.ended_at_ms,
    lines: row.lines,
    chunks: row.chunks,
    bytes: row.bytes,
    batchSalt: row.batch_salt,
    batches: row.batches,
    batchesAcknowledged: row.batches_acked,
    linesAcknowledged: row.lines_acked,
    cursor: readStored(cursorSchema, row.cursor, { jobId, field: 'cursor' }),
    markers: markersOf(row),
    told: row.verdict === null ? null : verdictOf(row),
  };
}

/** Throws StoredJobDamagedError. */
export function keptJob(row: JobRow): KeptJob {
  return {
    ...storedJob(row),
    order: row.n,
    settledAtMs: row.settled_at_ms,
    facts: factsOf(row),
    records: row.records,
    logRemovedAtMs: row.removed_at_ms,
    pinned: row.pinned === 1,
  };
}

export function stateOf(row: JobRow): JobState {
  const { state: kind, since_ms: sinceMs } = row;
  switch (kind) {
    case 'accepted':
    case 'starting':
    case 'running':
      return { kind, sinceMs };
    case 'stopping': {
      const where = { jobId: row.job_id, field: 'stop_cause' };
      return {
        kind,
        sinceMs,
        cause: readStored(stopCauseSchema, JSON.stringify(row.stop_cause), where),
      };
    }
    case 'reporting':
    case 'settled':
      return { kind, sinceMs, verdict: verdictOf(row) };
  }
}

/** Throws StoredJobDamagedError. */
export function factsOf(row: JobRow): RunFacts | null {
  const where = { jobId: row.job_id, field: 'facts' };
  return readStored(runFactsSchema.nullable(), row.facts ?? 'null', where);
}

function markersOf(row: JobRow): StoredJob['markers'] {
  // Most jobs have none, and a start reads every job that is held.
  if (row.markers === '[]') return [];
  return readStored(markersSchema, row.markers, { jobId: row.job_id, field: 'markers' });
}

function verdictOf(row: JobRow): Verdict {
  const where = { jobId: row.job_id, field: 'verdict' };
  return readStored(verdictSchema, row.verdict ?? 'null', where);
}

export function jobIdOf(row: { readonly job_id: string }): JobId {
  const jobId = toJobId(row.job_id);
  if (jobId === undefined) throw new StoredJobDamagedError({ jobId: row.job_id, field: 'job_id' });
  return jobId;
}

/** What the history says of an event beside its kind. */
export function detailOf(event: JobEvent): string | null {
  if (event.kind === 'stop_requested') return event.cause;
  if (event.kind === 'ended') return event.verdict.reason?.code ?? event.verdict.outcome;
  return null;
}
