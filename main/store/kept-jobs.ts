/** What the page, the command line and housekeeping read of the jobs. Reads only. */
import { RunnerError } from '../../runner-core/model/errors.ts';
import type { JobId } from '../../runner-core/model/ids.ts';
import type { JobStateKind } from '../../runner-core/model/job-machine.ts';
import type { OutcomeKind } from '../../runner-core/model/outcome.ts';
import type { Log } from '../../runner-core/ports.ts';
import { orUnavailable } from './errors.ts';
import { jobIdOf, keptJob, type JobRow, type KeptJob } from './job-rows.ts';
import type { HistoryEntry, JobFilter, JobTable } from './job-table.ts';
import type { LogPage, LogReader } from './log-reader.ts';

export interface JobCounts {
  /** What is absent is none. */
  readonly byState: ReadonlyMap<JobStateKind, number>;
  readonly byOutcome: ReadonlyMap<OutcomeKind, number>;
}

/** All calls are synchronous and throw StoreUnavailableError where the disk refuses. */
export class KeptJobs {
  readonly #jobs: JobTable;
  readonly #reader: LogReader;
  readonly #log: Log;

  constructor(jobs: JobTable, reader: LogReader, log: Log) {
    this.#jobs = jobs;
    this.#reader = reader;
    this.#log = log;
  }

  /** Throws StoredJobDamagedError. */
  job(jobId: JobId): KeptJob | undefined {
    const row = read(() => this.#jobs.row(jobId));
    return row === undefined ? undefined : keptJob(row);
  }

  /** Newest first; `before` is the `order` of the last job of the page above. */
  list(page: {
    readonly filter?: JobFilter | undefined;
    readonly before?: number | undefined;
    readonly limit: number;
  }): readonly KeptJob[] {
    const before = page.before ?? Number.MAX_SAFE_INTEGER;
    const rows = read(() => this.#jobs.page(page.filter, before, page.limit));
    return readableRows(rows, keptJob, this.#log);
  }

  /** Settled jobs, the longest settled first: what housekeeping may remove. */
  settledBefore(atMs: number, limit: number): readonly KeptJob[] {
    const rows = read(() => this.#jobs.settledBefore(atMs, limit));
    return readableRows(rows, keptJob, this.#log);
  }

  /** Ids of settled jobs that are not pinned, the longest settled first; with `withLog` those that still have one. */
  removable(settledBeforeMs: number, withLog: boolean, limit: number): readonly JobId[] {
    const rows = read(() => this.#jobs.removable(settledBeforeMs, withLog, limit));
    return readableRows(rows, jobIdOf, this.#log);
  }

  /** Ids of jobs whose log may not be removed: pinned, or not settled. */
  staying(): readonly JobId[] {
    const rows = read(() => this.#jobs.staying());
    return readableRows(rows, jobIdOf, this.#log);
  }

  counts(): JobCounts {
    const byState = new Map<JobStateKind, number>();
    const byOutcome = new Map<OutcomeKind, number>();
    for (const { state, outcome, jobs } of read(() => this.#jobs.counts())) {
      byState.set(state, (byState.get(state) ?? 0) + jobs);
      if (outcome !== null) byOutcome.set(outcome, (byOutcome.get(outcome) ?? 0) + jobs);
    }
    return { byState, byOutcome };
  }

  /** What happened to the job, oldest first; empty for an unknown one. */
  history(jobId: JobId): readonly HistoryEntry[] {
    return read(() => {
      const n = this.#jobs.number(jobId);
      return n === undefined ? [] : this.#jobs.events(n);
    });
  }

  /** Records from line `fromLine` (counted from 0) on: at most `limit`, and about 1 MiB of text. */
  logPage(jobId: JobId, fromLine: number, limit: number): LogPage {
    return this.#page(jobId, (n) => this.#reader.pageFromLine({ n, jobId }, fromLine, limit));
  }

  /** The page that follows another: `fromRecord` is its `nextRecord`. */
  logPageFromRecord(jobId: JobId, fromRecord: number, limit: number): LogPage {
    return this.#page(jobId, (n) => this.#reader.pageFromRecord({ n, jobId }, fromRecord, limit));
  }

  /** Bytes of all log files that the index knows. */
  logBytesOnDisk(): number {
    return read(() => this.#jobs.logBytesOnDisk());
  }

  #page(jobId: JobId, page: (n: number) => LogPage): LogPage {
    return read(() => {
      const n = this.#jobs.number(jobId);
      return n === undefined ? { records: [], nextRecord: 0 } : page(n);
    });
  }
}

/** One damaged row must not hide the others or keep the host from starting. */
export function readableRows<Row extends Pick<JobRow, 'job_id'>, T>(
  rows: readonly Row[],
  readRow: (row: Row) => T,
  log: Log,
): readonly T[] {
  const jobs: T[] = [];
  for (const row of rows) {
    try {
      jobs.push(readRow(row));
    } catch (error) {
      if (!(error instanceof RunnerError)) throw error;
      log.error('stored job unreadable', { jobId: row.job_id, error });
    }
  }
  return jobs;
}

function read<T>(act: () => T): T {
  return orUnavailable('read its data', act);
}
