/**
 * What outlives the database: a journal of each unsettled job, in a folder beside that of the logs. From it a database
 * that was begun anew has the job again as it was (`journal-restore.ts`): its state, its leftovers, the index of its
 * log, and with that the boundaries, ids and acknowledgements of its batches.
 *
 * Lines are written after the commit they repeat, so before a batch is first sent, and never flushed: this is for
 * a lost database, not for a power cut. They hold what the database holds and nothing else.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JobId } from '../../runner-core/model/ids.ts';
import type { Log } from '../../runner-core/ports.ts';
import type { HostDatabase } from './database.ts';
import type { HistoryEntry } from './job-table.ts';
import { LogFiles } from './log-files.ts';
import { CHUNK_COLUMNS, type ChunkRow } from './log-index.ts';

export const JOURNAL_SUFFIX = '.journal';
/** Of the table `job`; `facts` beside them. */
export const JOURNALLED_COLUMNS: readonly string[] = [
  ...['spec', 'state', 'since_ms', 'stop_cause', 'outcome', 'verdict', 'markers', 'accepted_at_ms'],
  ...['started_at_ms', 'ended_at_ms', 'settled_at_ms', 'pinned', 'batch_salt'],
];
/** A job of a previous start is written whole once: more chunks would take too long. */
const MOST_CHUNKS = 50_000;

/** A job whose journal was begun in this process. */
interface Written {
  readonly n: number;
  bytes: number;
  /** The last chunk that is in it. */
  seq: number;
  acknowledged: number;
  /** The line that was last written of the job itself. */
  job: string;
}

interface JobNow {
  readonly n: number;
  readonly state: string;
  readonly verdict: string | null;
  readonly facts: string | null;
}

export function journalsDir(logsDir: string): string {
  return join(dirname(logsDir), 'journals');
}

export class JobJournal {
  readonly files: LogFiles;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #version: unknown;
  readonly #log: Log;
  readonly #written = new Map<JobId, Written>();
  /** Jobs that go without one: the disk refused. */
  readonly #without = new Set<JobId>();

  /** Makes the folder where there is none. A disk that refuses it costs the journals, not the start. */
  constructor(database: HostDatabase, logsDir: string, log: Log) {
    const dir = journalsDir(logsDir);
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
    } catch (error) {
      log.warn('no folder for journals', { error });
    }
    this.files = new LogFiles(dir, undefined, JOURNAL_SUFFIX);
    this.#statements = prepare(database);
    this.#version = database.pragma('user_version', { simple: true });
    this.#log = log;
  }

  /** After a commit. Never throws: without a journal a job is found by its container alone. */
  note(jobId: JobId, part: 'job' | 'log' | 'removed'): void {
    if (this.#without.has(jobId)) return;
    try {
      const written = this.#written.get(jobId);
      if (written === undefined || part === 'removed') this.#begin(jobId);
      else if (part === 'job') this.#noteJob(jobId, written);
      else this.#noteLog(jobId, written);
    } catch (error) {
      this.#log.warn('journal of a job not written', { jobId, error });
      this.#without.add(jobId);
      this.#remove(jobId);
    }
  }

  close(): void {
    this.files.close();
  }

  #begin(jobId: JobId): void {
    const job = this.#statements.job.get(jobId);
    this.#remove(jobId);
    if (job === undefined || job.state === 'settled') return;
    const { n } = job;
    if ((this.#statements.chunkCount.get(n)?.chunks ?? 0) > MOST_CHUNKS) {
      this.#without.add(jobId);
      return;
    }
    const written = { n, bytes: 0, seq: 0, acknowledged: 0, job: this.#jobLine(job) };
    this.#written.set(jobId, written);
    this.#append(jobId, written, `{"version":${String(this.#version)}}\n${written.job}`);
    this.#noteLog(jobId, written);
  }

  #noteJob(jobId: JobId, written: Written): void {
    const job = this.#statements.job.get(jobId);
    if (job === undefined || job.state === 'settled') {
      this.#remove(jobId);
      return;
    }
    const line = this.#jobLine(job);
    if (line === written.job) return;
    written.job = line;
    this.#append(jobId, written, line);
  }

  #noteLog(jobId: JobId, written: Written): void {
    const rows = this.#statements.chunks.all(written.n, written.seq);
    const last = rows.at(-1);
    let text = '';
    if (last !== undefined) {
      written.seq = last.seq;
      text = `${JSON.stringify({ chunks: rows })}\n`;
    }
    const acknowledged = this.#statements.acknowledged.get(written.n);
    if (acknowledged !== undefined && acknowledged.batches > written.acknowledged) {
      written.acknowledged = acknowledged.batches;
      text += `${JSON.stringify({ acknowledged })}\n`;
    }
    if (text !== '') this.#append(jobId, written, text);
  }

  /** What is known of a run changes every few seconds, and is for showing only: it is there once it ended. */
  #jobLine({ n, facts, ...job }: JobNow): string {
    const row = { ...job, facts: job.verdict === null ? null : facts };
    const events = this.#statements.events.all(n);
    const leftovers = this.#statements.leftovers.all(n);
    return `${JSON.stringify({ job: row, events, leftovers })}\n`;
  }

  #append(jobId: JobId, written: Written, text: string): void {
    const body = Buffer.from(text);
    this.files.append(jobId, written.bytes, [body]);
    written.bytes += body.length;
  }

  #remove(jobId: JobId): void {
    this.#written.delete(jobId);
    try {
      this.files.remove(jobId);
    } catch (error) {
      this.#log.warn('journal of a job not removed', { jobId, error });
    }
  }
}

function prepare(database: HostDatabase) {
  return {
    job: database.prepare<[string], JobNow>(
      `SELECT n, ${JOURNALLED_COLUMNS.join(', ')}, facts FROM job WHERE job_id = ?`,
    ),
    events: database.prepare<[number], HistoryEntry>(
      'SELECT kind, at_ms AS atMs, detail FROM job_event WHERE job = ? ORDER BY rowid',
    ),
    leftovers: database
      .prepare<[number]>('SELECT body FROM leftover WHERE job = ? ORDER BY rowid')
      .pluck(),
    chunkCount: database.prepare<[number], { chunks: number }>(
      'SELECT count(*) AS chunks FROM log_chunk WHERE job = ?',
    ),
    chunks: database.prepare<[number, number], ChunkRow>(
      `SELECT ${CHUNK_COLUMNS} FROM log_chunk WHERE job = ? AND seq > ? ORDER BY seq`,
    ),
    acknowledged: database.prepare<[number], { batches: number; lines: number }>(
      'SELECT batches_acked AS batches, lines_acked AS lines FROM job_log WHERE job = ?',
    ),
  };
}
