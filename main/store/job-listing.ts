/**
 * The list of jobs as it is filtered, counted and paged, and what is summed up over many of them. Reads only.
 * What a change of a job may alter is remembered until `forget`.
 */
import type { JobStateKind } from '../../runner-core/model/job-machine.ts';
import type { OutcomeKind } from '../../runner-core/model/outcome.ts';
import type { Log } from '../../runner-core/ports.ts';
import type { HostDatabase } from './database.ts';
import { orUnavailable } from './errors.ts';
import { readableRows } from './kept-jobs.ts';
import { listedJob, LISTED_COLUMNS, type ListedJob, type ListedRow } from './listed-rows.ts';

/** A state while the job is held, an outcome afterwards. */
export type Shown = Exclude<JobStateKind, 'reporting' | 'settled'> | OutcomeKind;

export interface ListFilter {
  /** Empty: all. */
  readonly shown: readonly Shown[];
  /** Each word has to be in agent, repository, image, flow or id; ASCII letters match in either case. */
  readonly text: string;
}

export interface DayTally {
  readonly total: number;
  readonly byOutcome: ReadonlyMap<OutcomeKind, number>;
  /** Of the newest MEDIAN_OVER that started, or ended. */
  readonly medianWaitMs: number | null;
  readonly medianRunMs: number | null;
}

export const MEDIAN_OVER = 500;
/** A search with more words than this looks for the first ones. */
const MAX_WORDS = 8;
const USUAL_OVER = 50;

/** All calls are synchronous and throw StoreUnavailableError where the disk refuses. */
export class JobListing {
  readonly #database: HostDatabase;
  readonly #log: Log;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #remembered = new Map<string, unknown>();

  constructor(database: HostDatabase, log: Log) {
    this.#database = database;
    this.#log = log;
    this.#statements = prepare(database);
  }

  /** A job was added, changed its state or is gone. */
  forget(): void {
    this.#remembered.clear();
  }

  /** Newest first. */
  page(filter: ListFilter, offset: number, limit: number): readonly ListedJob[] {
    const { where, values } = conditions(filter);
    const rows = this.#read(() =>
      this.#database
        .prepare<unknown[], ListedRow>(
          `SELECT ${LISTED_COLUMNS} FROM (
             SELECT job AS place FROM job_listing NOT INDEXED ${where} ORDER BY job DESC LIMIT ? OFFSET ?
           ) CROSS JOIN job ON n = place CROSS JOIN job_log ON job_log.job = place ORDER BY place DESC`,
        )
        .all(...values, limit, offset),
    );
    return readableRows(rows, listedJob, this.#log);
  }

  /** How many jobs match. */
  total(filter: ListFilter): number {
    const { where, values } = conditions(filter);
    if (wordsOf(filter.text).length === 0) {
      const counts = this.counts();
      const of = filter.shown.length === 0 ? [...counts.keys()] : filter.shown;
      return [...new Set(of)].reduce((sum, shown) => sum + (counts.get(shown) ?? 0), 0);
    }
    return this.#once(`total ${JSON.stringify(filter)}`, () => {
      const sql = `SELECT count(*) AS jobs FROM job_listing NOT INDEXED ${where}`;
      return this.#database.prepare<unknown[], { jobs: number }>(sql).get(...values)?.jobs ?? 0;
    });
  }

  /** What is absent is none. */
  counts(): ReadonlyMap<Shown, number> {
    return this.#once('counts', () => {
      const rows = this.#statements.counts.all();
      return new Map(rows.map(({ shown, jobs }) => [shown, jobs]));
    });
  }

  /** Ended, and the service does not know it yet. */
  unreported(): number {
    return this.#once('unreported', () => this.#statements.unreported.get()?.jobs ?? 0);
  }

  /** Of the jobs accepted at or after `fromMs`. */
  tallySince(fromMs: number): DayTally {
    return this.#once(`since ${fromMs}`, () => {
      const counted = this.#statements.countsSince.all(fromMs);
      const median = (values: readonly number[]): number | null =>
        values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;
      const times = this.#statements.timesSince.all(fromMs, MEDIAN_OVER);
      return {
        total: counted.reduce((sum, { jobs }) => sum + jobs, 0),
        byOutcome: new Map(
          counted.flatMap(({ outcome, jobs }) => (outcome === null ? [] : [[outcome, jobs]])),
        ),
        medianWaitMs: median(times.map(({ wait }) => wait).filter((wait) => wait !== null)),
        medianRunMs: median(times.map(({ ran }) => ran).filter((ran) => ran !== null)),
      };
    });
  }

  /** How long this flow's last successful jobs ran, ms, the newest first; USUAL_OVER at most. */
  runTimes(flowId: string): readonly number[] {
    return this.#once(`runs ${flowId}`, () =>
      this.#statements.runTimes.all(flowId, USUAL_OVER).map(({ ran }) => ran),
    );
  }

  /** The jobs of a profile, whatever the case of its name: the newest ones, and how many there are. */
  runsOf(profile: string, limit: number): { jobs: readonly ListedJob[]; total: number } {
    const name = profile.trim().toLowerCase();
    return this.#once(`profile ${limit} ${name}`, () => ({
      jobs: readableRows(this.#statements.runsOf.all(name, limit), listedJob, this.#log),
      total: this.#statements.runCount.get(name)?.jobs ?? 0,
    }));
  }

  /** The newest jobs that were refused for want of the owner's permission. */
  wantingPermission(limit: number): readonly ListedJob[] {
    return this.#once(`permission ${limit}`, () =>
      readableRows(this.#statements.wantingPermission.all(limit), listedJob, this.#log),
    );
  }

  #read<T>(act: () => T): T {
    return orUnavailable('read its data', act);
  }

  #once<T>(name: string, act: () => T): T {
    if (!this.#remembered.has(name)) this.#remembered.set(name, this.#read(act));
    return this.#remembered.get(name) as T;
  }
}

function wordsOf(text: string): readonly string[] {
  // As SQLite's lower(): ASCII only.
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return lower
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
}

function conditions(filter: ListFilter): {
  readonly where: string;
  readonly values: readonly string[];
} {
  const words = wordsOf(filter.text);
  const parts = [
    ...(filter.shown.length === 0 ? [] : [`shown IN (${filter.shown.map(() => '?').join(', ')})`]),
    ...words.map(
      () =>
        '(group_id IN (SELECT id FROM job_group WHERE instr(words, ?) > 0) OR instr(job_id, ?) > 0)',
    ),
  ];
  return {
    where: parts.length === 0 ? '' : `WHERE ${parts.join(' AND ')}`,
    values: [...filter.shown, ...words.flatMap((word) => [word, word])],
  };
}

/** As the index has it. */
const OF_PROFILE = `json_extract(spec, '$.kind') = 'host_exec'
  AND lower(trim(json_extract(spec, '$.profileName'))) = ?`;

function prepare(db: HostDatabase) {
  const ran = 'ended_at_ms - started_at_ms AS ran';
  return {
    counts: db.prepare<[], { shown: Shown; jobs: number }>(
      'SELECT shown, count(*) AS jobs FROM job_listing GROUP BY shown',
    ),
    unreported: db.prepare<[], { jobs: number }>(
      `SELECT count(*) AS jobs FROM job WHERE state = 'reporting'`,
    ),
    countsSince: db.prepare<[number], { outcome: OutcomeKind | null; jobs: number }>(
      'SELECT outcome, count(*) AS jobs FROM job WHERE accepted_at_ms >= ? GROUP BY outcome',
    ),
    timesSince: db.prepare<[number, number], { wait: number | null; ran: number | null }>(
      `SELECT started_at_ms - accepted_at_ms AS wait, ${ran} FROM job
       WHERE accepted_at_ms >= ? ORDER BY accepted_at_ms DESC LIMIT ?`,
    ),
    runTimes: db.prepare<[string, number], { ran: number }>(
      `SELECT ${ran} FROM (
         SELECT job AS place FROM job_listing
         WHERE group_id IN (SELECT id FROM job_group WHERE flow = ?) AND shown = 'succeeded'
         ORDER BY job DESC LIMIT ?
       ) CROSS JOIN job ON n = place WHERE started_at_ms IS NOT NULL ORDER BY place DESC`,
    ),
    runsOf: db.prepare<[string, number], ListedRow>(
      `SELECT ${LISTED_COLUMNS} FROM job INDEXED BY job_of_profile CROSS JOIN job_log ON job_log.job = n
       WHERE ${OF_PROFILE} ORDER BY n DESC LIMIT ?`,
    ),
    runCount: db.prepare<[string], { jobs: number }>(
      `SELECT count(*) AS jobs FROM job INDEXED BY job_of_profile WHERE ${OF_PROFILE}`,
    ),
    wantingPermission: db.prepare<[number], ListedRow>(
      `SELECT ${LISTED_COLUMNS} FROM job CROSS JOIN job_log ON job_log.job = n
       WHERE json_extract(verdict, '$.reason.code') = 'permission_needed' ORDER BY n DESC LIMIT ?`,
    ),
  };
}
