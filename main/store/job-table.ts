/** Statements over `job`, `job_event` and `leftover`: one method a query, no rules. */
import type { JobState, JobStateKind } from '../../runner-core/model/job-machine.ts';
import type { OutcomeKind } from '../../runner-core/model/outcome.ts';
import type { HostDatabase } from './database.ts';
import { JOB_COLUMNS, type JobRow } from './job-rows.ts';

/** Something that happened to a job, as kept for its owner. `kind` is a JobEvent's, or 'accepted', 'log_shortened'. */
export interface HistoryEntry {
  readonly kind: string;
  readonly atMs: number;
  readonly detail: string | null;
}

/** What a job list is narrowed to: one state, all states but settled, or one ending. */
export type JobFilter =
  | { readonly state: JobStateKind }
  | { readonly unsettled: true }
  | { readonly outcome: OutcomeKind };

export interface JobInstants {
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly settledAtMs: number | null;
}

const FROM_JOB = `SELECT ${JOB_COLUMNS} FROM job JOIN job_log ON job_log.job = job.n`;

export class JobTable {
  readonly #statements: ReturnType<typeof prepare>;

  constructor(database: HostDatabase) {
    this.#statements = prepare(database);
  }

  /** The row number the new job got. */
  insert(jobId: string, spec: string, atMs: number): number {
    return Number(this.#statements.insert.run({ jobId, spec, atMs }).lastInsertRowid);
  }

  number(jobId: string): number | undefined {
    return this.#statements.number.get(jobId)?.n;
  }

  row(jobId: string): JobRow | undefined {
    return this.#statements.row.get(jobId);
  }

  unsettled(): readonly JobRow[] {
    return this.#statements.unsettled.all();
  }

  /** Newest first; `before` is a row number, not included. */
  page(filter: JobFilter | undefined, before: number, limit: number): readonly JobRow[] {
    if (filter === undefined) return this.#statements.page.all(before, limit);
    if ('unsettled' in filter) return this.#statements.pageUnsettled.all(before, limit);
    if ('state' in filter) return this.#statements.pageByState.all(filter.state, before, limit);
    return this.#statements.pageByOutcome.all(filter.outcome, before, limit);
  }

  settledBefore(atMs: number, limit: number): readonly JobRow[] {
    return this.#statements.settledBefore.all(atMs, limit);
  }

  counts(): readonly { state: JobStateKind; outcome: OutcomeKind | null; jobs: number }[] {
    return this.#statements.counts.all();
  }

  setState(n: number, state: JobState, instants: JobInstants): void {
    const verdict = 'verdict' in state ? state.verdict : null;
    this.#statements.setState.run({
      n,
      state: state.kind,
      sinceMs: state.sinceMs,
      stopCause: state.kind === 'stopping' ? state.cause : null,
      outcome: verdict?.outcome ?? null,
      verdict: verdict === null ? null : JSON.stringify(verdict),
      ...instants,
    });
  }

  setMarkers(n: number, markers: string): void {
    this.#statements.setMarkers.run(markers, n);
  }

  setFacts(n: number, facts: string): void {
    this.#statements.setFacts.run(facts, n);
  }

  setEnding(n: number, verdict: string, facts: string): void {
    this.#statements.setEnding.run(verdict, facts, n);
  }

  remove(n: number): void {
    this.#statements.remove.run(n);
  }

  addEvent(n: number, entry: HistoryEntry): void {
    this.#statements.addEvent.run({ n, ...entry });
  }

  events(n: number): readonly HistoryEntry[] {
    return this.#statements.events.all(n);
  }

  addLeftover(n: number, body: string): void {
    this.#statements.addLeftover.run(n, body);
  }

  removeLeftover(n: number, body: string): void {
    this.#statements.removeLeftover.run(n, body);
  }

  leftovers(n: number): readonly string[] {
    return this.#statements.leftovers.all(n).map((row) => row.body);
  }

  setPinned(n: number, pinned: boolean): void {
    this.#statements.setPinned.run(pinned ? 1 : 0, n);
  }

  /** Settled, not pinned, the longest settled first. */
  removable(
    settledBeforeMs: number,
    withLog: boolean,
    limit: number,
  ): readonly { job_id: string }[] {
    const { removable, removableWithLog } = this.#statements;
    return (withLog ? removableWithLog : removable).all(settledBeforeMs, limit);
  }

  /** Pinned, or not settled. */
  staying(): readonly { job_id: string }[] {
    return this.#statements.staying.all();
  }

  /** The log itself is housekeeping's to remove; this notes it. */
  markLogRemoved(n: number, atMs: number): void {
    this.#statements.dropChunks.run(n);
    this.#statements.markLogRemoved.run(atMs, n);
  }

  logBytesOnDisk(): number {
    return this.#statements.logBytesOnDisk.get()?.bytes ?? 0;
  }
}

function prepare(db: HostDatabase) {
  const page = (where: string): string => `${FROM_JOB} WHERE ${where} ORDER BY n DESC LIMIT ?`;
  return {
    insert: db.prepare<[{ jobId: string; spec: string; atMs: number }]>(
      `INSERT INTO job (job_id, spec, state, since_ms, accepted_at_ms, batch_salt)
       VALUES (@jobId, @spec, 'accepted', @atMs, @atMs, lower(hex(randomblob(9))))`,
    ),
    number: db.prepare<[string], { n: number }>('SELECT n FROM job WHERE job_id = ?'),
    row: db.prepare<[string], JobRow>(`${FROM_JOB} WHERE job_id = ?`),
    unsettled: db.prepare<[], JobRow>(`${FROM_JOB} WHERE state <> 'settled' ORDER BY n`),
    page: db.prepare<[number, number], JobRow>(page('n < ?')),
    pageUnsettled: db.prepare<[number, number], JobRow>(page(`state <> 'settled' AND n < ?`)),
    pageByState: db.prepare<[string, number, number], JobRow>(page('state = ? AND n < ?')),
    pageByOutcome: db.prepare<[string, number, number], JobRow>(page('outcome = ? AND n < ?')),
    settledBefore: db.prepare<[number, number], JobRow>(
      `${FROM_JOB} WHERE settled_at_ms < ? ORDER BY settled_at_ms LIMIT ?`,
    ),
    counts: db.prepare<[], { state: JobStateKind; outcome: OutcomeKind | null; jobs: number }>(
      'SELECT state, outcome, count(*) AS jobs FROM job GROUP BY state, outcome',
    ),
    setState: db.prepare<[Record<string, unknown>]>(
      `UPDATE job SET state = @state, since_ms = @sinceMs, stop_cause = @stopCause, outcome = @outcome,
         verdict = coalesce(@verdict, verdict), started_at_ms = @startedAtMs, ended_at_ms = @endedAtMs,
         settled_at_ms = @settledAtMs WHERE n = @n`,
    ),
    setMarkers: db.prepare<[string, number]>('UPDATE job SET markers = ? WHERE n = ?'),
    setFacts: db.prepare<[string, number]>('UPDATE job SET facts = ? WHERE n = ?'),
    setEnding: db.prepare<[string, string, number]>(
      'UPDATE job SET verdict = ?, facts = ? WHERE n = ?',
    ),
    remove: db.prepare<[number]>('DELETE FROM job WHERE n = ?'),
    addEvent: db.prepare<[HistoryEntry & { n: number }]>(
      'INSERT INTO job_event (job, at_ms, kind, detail) VALUES (@n, @atMs, @kind, @detail)',
    ),
    events: db.prepare<[number], HistoryEntry>(
      'SELECT kind, at_ms AS atMs, detail FROM job_event WHERE job = ? ORDER BY rowid',
    ),
    addLeftover: db.prepare<[number, string]>(
      'INSERT OR IGNORE INTO leftover (job, body) VALUES (?, ?)',
    ),
    removeLeftover: db.prepare<[number, string]>('DELETE FROM leftover WHERE job = ? AND body = ?'),
    leftovers: db.prepare<[number], { body: string }>(
      'SELECT body FROM leftover WHERE job = ? ORDER BY rowid',
    ),
    dropChunks: db.prepare<[number]>('DELETE FROM log_chunk WHERE job = ?'),
    markLogRemoved: db.prepare<[number, number]>(
      'UPDATE job_log SET removed_at_ms = ?, file_bytes = 0 WHERE job = ?',
    ),
    setPinned: db.prepare<[number, number]>('UPDATE job SET pinned = ? WHERE n = ?'),
    removable: db.prepare<[number, number], { job_id: string }>(
      `SELECT job_id FROM job WHERE settled_at_ms IS NOT NULL AND pinned = 0 AND settled_at_ms < ?
       ORDER BY settled_at_ms LIMIT ?`,
    ),
    staying: db.prepare<[], { job_id: string }>(
      `SELECT job_id FROM job WHERE pinned = 1
       UNION SELECT job_id FROM job WHERE state <> 'settled'`,
    ),
    removableWithLog: db.prepare<[number, number], { job_id: string }>(
      `SELECT job_id FROM job JOIN job_log ON job_log.job = job.n
       WHERE settled_at_ms IS NOT NULL AND pinned = 0 AND settled_at_ms < ?
         AND job_log.removed_at_ms IS NULL
       ORDER BY settled_at_ms LIMIT ?`,
    ),
    logBytesOnDisk: db.prepare<[], { bytes: number }>(
      'SELECT coalesce(sum(file_bytes), 0) AS bytes FROM job_log',
    ),
  };
}
