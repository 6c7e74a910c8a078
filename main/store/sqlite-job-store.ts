/** JobStore over SQLite: transactions, and "body before index". Tables, index, files and reading are beside it. */
import type { JobId } from '../../runner-core/model/ids.ts';
import { nextJobState, type JobEvent, type JobState } from '../../runner-core/model/job-machine.ts';
import type { JobSpec } from '../../runner-core/model/job-spec.ts';
import { leftoverSchema, type Leftover } from '../../runner-core/model/leftover.ts';
import type { LogChunk, LogCursor } from '../../runner-core/model/log-chunk.ts';
import type { Verdict } from '../../runner-core/model/outcome.ts';
import { Watchers, type Unwatch } from '../../runner-core/listener/watchers.ts';
import type { JobStore, Log, OutgoingBatch, StoredJob } from '../../runner-core/ports.ts';
import { mergeMarkers, type JobMarker } from '../../runner-core/wire/markers.ts';
import { joinedFacts } from '../../runner-core/worker/joined-facts.ts';
import type { RunFacts } from '../../runner-core/worker/protocol.ts';
import type { HostDatabase } from './database.ts';
import { isDiskFull, type DiskReserve } from './disk-reserve.ts';
import { JobExistsError, orUnavailable, UnknownJobError } from './errors.ts';
import { freshChunks } from './fresh-chunks.ts';
import { detailOf, factsOf, jobIdOf, stateOf, storedJob } from './job-rows.ts';
import { JobJournal } from './job-journal.ts';
import { JobListing } from './job-listing.ts';
import { JobTable } from './job-table.ts';
import { restoreJobs } from './journal-restore.ts';
import { KeptJobs, readableRows } from './kept-jobs.ts';
import { LogFiles, type LogFileSystem } from './log-files.ts';
import { LogGaps } from './log-gaps.ts';
import { LogIndex, type LogTally } from './log-index.ts';
import { LogReader } from './log-reader.ts';
import { repairLog, shortened } from './log-repair.ts';
import { jobSpecSchema, leftoverText, markersSchema, readStored } from './stored-values.ts';
import { withReserve } from './with-reserve.ts';

/** What changed once it is on disk: the job's row, its log, or that it is gone. */
export interface JobChange {
  readonly jobId: JobId;
  readonly part: 'job' | 'log' | 'removed';
}

export interface JobStoreOptions {
  /** An existing folder; one file a job. */
  readonly logsDir: string;
  readonly log: Log;
  /** Node's own when left out. */
  readonly fileSystem?: LogFileSystem;
  /** With it, a full disk costs log bodies and no states; without it, each write simply fails. */
  readonly reserve?: DiskReserve;
}

/**
 * The store over an open database, after jobs that it lacks were restored from their journals, and each unsettled
 * job's log file was made to agree with its index. The caller closes the store, then the database.
 *
 * @param atMs when a log that had to be shortened is said to have been, in the job's history
 * @throws StoreUnavailableError
 */
export function openJobStore(
  database: HostDatabase,
  options: JobStoreOptions,
  atMs: number,
): SqliteJobStore {
  const store = new SqliteJobStore(database, options);
  store.repairLogs(atMs);
  return store;
}

export class SqliteJobStore implements JobStore {
  /** The reading side, for page, command line and housekeeping. */
  readonly kept: KeptJobs;
  readonly listing: JobListing;
  readonly #database: HostDatabase;
  readonly #log: Log;
  readonly #jobs: JobTable;
  readonly #index: LogIndex;
  readonly #files: LogFiles;
  readonly #reader: LogReader;
  readonly #journal: JobJournal;
  readonly #watchers: Watchers<JobChange>;
  readonly #reserve: DiskReserve | undefined;
  readonly #gaps = new LogGaps();
  /** Whose log went into the transaction that is open. */
  readonly #appended = new Set<JobId>();
  /** Of the transaction that is open. */
  #changes: JobChange[] = [];

  constructor(database: HostDatabase, options: JobStoreOptions) {
    this.#database = database;
    this.#log = options.log;
    this.#reserve = options.reserve;
    this.#jobs = new JobTable(database);
    this.#index = new LogIndex(database);
    this.#files = new LogFiles(options.logsDir, options.fileSystem);
    this.#reader = new LogReader(this.#index, this.#files);
    this.#journal = new JobJournal(database, options.logsDir, options.log);
    this.kept = new KeptJobs(this.#jobs, this.#reader, options.log);
    this.listing = new JobListing(database, options.log);
    this.#watchers = new Watchers<JobChange>(options.log);
  }

  /** Called after the commit, once a change. */
  watch(changed: (change: JobChange) => void): Unwatch {
    return this.#watchers.add(changed);
  }

  /**
   * Makes all calls inside `act` one commit: one flush for many jobs' chunks. When `act` throws, none
   * of them happened. `act` must not wait for anything.
   */
  transaction<T>(act: () => T): T {
    if (this.#database.inTransaction || this.#reserve === undefined) return this.#commit(act);
    return withReserve(this.#reserve, this.#database, () => this.#commit(act));
  }

  /** While the disk is short each call inside is on its own, since each knows what to leave out. */
  together(act: () => void): void {
    if (this.#reserve?.isShort === true || this.#database.inTransaction) {
      act();
      return;
    }
    this.#appended.clear();
    this.#commit(act);
    for (const jobId of this.#appended) this.#gaps.forget(jobId);
  }

  #commit<T>(act: () => T): T {
    const outermost = !this.#database.inTransaction;
    let result: T;
    try {
      result = orUnavailable('write to its database', () =>
        this.#database.transaction(act).immediate(),
      );
    } catch (error) {
      // Chunks of the undone transaction may have been read, and their numbers will be given again.
      this.#reader.forget();
      if (outermost) this.#changes = [];
      throw error;
    }
    if (outermost) this.#tellChanges();
    return result;
  }

  accept(spec: JobSpec, atMs: number): void {
    const { jobId } = spec;
    this.#change(jobId, 'job', () => {
      if (this.#jobs.number(jobId) !== undefined) throw new JobExistsError({ jobId });
      const n = this.#jobs.insert(jobId, JSON.stringify(jobSpecSchema.parse(spec)), atMs);
      this.#index.begin(n);
      this.#jobs.addEvent(n, { kind: 'accepted', atMs, detail: null });
    });
  }

  job(jobId: JobId): StoredJob | undefined {
    const row = this.#read(() => this.#jobs.row(jobId));
    return row === undefined ? undefined : storedJob(row);
  }

  transition(jobId: JobId, event: JobEvent): JobState {
    if (event.kind === 'ended') this.#closeGap(jobId);
    return this.#change(jobId, 'job', () => {
      const row = this.#jobs.row(jobId);
      if (row === undefined) throw new UnknownJobError({ jobId });
      const before = stateOf(row);
      const after = nextJobState(before, event);
      if (after === before) return after;
      this.#jobs.setState(row.n, after, {
        startedAtMs: event.kind === 'started' ? event.atMs : row.started_at_ms,
        endedAtMs: event.kind === 'ended' ? event.atMs : row.ended_at_ms,
        settledAtMs: event.kind === 'acknowledged' ? event.atMs : row.settled_at_ms,
      });
      this.#jobs.addEvent(row.n, { kind: event.kind, atMs: event.atMs, detail: detailOf(event) });
      return after;
    });
  }

  /** On a full disk the bodies are left out and counted; see `log-gaps.ts`. */
  appendLog(jobId: JobId, chunks: readonly LogChunk[], cursor: LogCursor | null): void {
    const write = (): void => this.#writeLog(jobId, chunks, cursor);
    const reserve = this.#reserve;
    if (reserve === undefined || this.#database.inTransaction) {
      this.#change(jobId, 'log', write);
      this.#appended.add(jobId);
      return;
    }
    if (!reserve.isShort) {
      try {
        this.#commit(() => this.#noting(jobId, 'log', write));
        this.#gaps.forget(jobId);
        return;
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        reserve.noteFull();
        this.#log.warn('log bodies left out', { jobId, error });
      }
    }
    const { chunks: seq, lines } = this.#read(() => this.#tally(this.#number(jobId), jobId));
    this.#gaps.add(jobId, { chunks: seq, lines }, chunks, cursor);
  }

  rereadLog = (jobId: JobId): void => this.#gaps.forget(jobId);

  #writeLog(jobId: JobId, chunks: readonly LogChunk[], cursor: LogCursor | null): void {
    const n = this.#number(jobId);
    const gap = this.#gaps.chunk(jobId);
    if (gap !== undefined) this.#index.add(n, this.#tally(n, jobId), [gap.chunk], gap.cursor);
    const tally = this.#tally(n, jobId);
    const fresh = freshChunks(jobId, tally, chunks);
    // A late repeat: what is stored has gone on since, and so has the cursor.
    if (fresh.length === 0 && (chunks.at(-1)?.seq ?? tally.chunks) < tally.chunks) return;
    this.#files.append(
      jobId,
      tally.file_bytes,
      fresh.map((chunk) => chunk.body),
    );
    this.#index.add(n, tally, fresh, cursor);
  }

  /** Before the end is stored: what is missing of the log is part of it. The end matters more, though. */
  #closeGap(jobId: JobId): void {
    if (!this.#gaps.has(jobId)) return;
    try {
      this.#change(jobId, 'log', () => this.#writeLog(jobId, [], null));
      this.#gaps.forget(jobId);
    } catch (error) {
      this.#log.error('gap of a log not stored', { jobId, error });
    }
  }

  outgoing(jobId: JobId, from: number, limit: number): readonly OutgoingBatch[] {
    return this.#read(() => {
      const n = this.#jobs.number(jobId);
      return n === undefined ? [] : this.#reader.outgoing({ n, jobId }, from, limit);
    });
  }

  acknowledgeBatches(jobId: JobId, count: number): void {
    this.#change(jobId, 'log', () => {
      const n = this.#number(jobId);
      const tally = this.#tally(n, jobId);
      const acknowledged = Math.min(count, tally.batches);
      if (acknowledged <= tally.batches_acked) return;
      const lines = this.#reader.linesThroughBatch({ n, jobId }, acknowledged);
      this.#index.write(n, {
        ...tally,
        batches_acked: acknowledged,
        lines_acked: Math.max(lines, tally.lines_acked),
      });
    });
  }

  noteMarkers(jobId: JobId, markers: readonly JobMarker[]): void {
    if (markers.length === 0) return;
    this.#change(jobId, 'job', () => {
      const row = this.#jobs.row(jobId);
      if (row === undefined) throw new UnknownJobError({ jobId });
      const held = readStored(markersSchema, row.markers, { jobId, field: 'markers' });
      this.#jobs.setMarkers(row.n, JSON.stringify(mergeMarkers(held, markers)));
    });
  }

  noteLeftover(jobId: JobId, leftover: Leftover): void {
    this.#change(jobId, 'job', () =>
      this.#jobs.addLeftover(this.#number(jobId), leftoverText(leftover)),
    );
  }

  forgetLeftover(jobId: JobId, leftover: Leftover): void {
    this.#change(jobId, 'job', () =>
      this.#jobs.removeLeftover(this.#number(jobId), leftoverText(leftover)),
    );
  }

  leftovers(jobId: JobId): readonly Leftover[] {
    const texts = this.#read(() => {
      const n = this.#jobs.number(jobId);
      return n === undefined ? [] : this.#jobs.leftovers(n);
    });
    return texts.map((text) => readStored(leftoverSchema, text, { jobId, field: 'leftover' }));
  }

  unsettled(): readonly StoredJob[] {
    return readableRows(
      this.#read(() => this.#jobs.unsettled()),
      storedJob,
      this.#log,
    );
  }

  wasHere = (jobId: JobId): boolean => this.#files.size(jobId) > 0;

  noteFacts(jobId: JobId, facts: RunFacts): void {
    this.#change(jobId, 'job', () => {
      const { n, text } = this.#joined(jobId, facts);
      this.#jobs.setFacts(n, text);
    });
  }

  noteEnding(jobId: JobId, verdict: Verdict, facts: RunFacts): void {
    this.#closeGap(jobId);
    this.#change(jobId, 'job', () => {
      const { n, text } = this.#joined(jobId, facts);
      this.#jobs.setEnding(n, JSON.stringify(verdict), text);
    });
  }

  /** Removes a settled job's log and keeps the rest. False for a job that is absent or not settled. */
  removeLog(jobId: JobId, atMs: number): boolean {
    return this.#removeSettled(jobId, 'log', (n) => this.#jobs.markLogRemoved(n, atMs));
  }

  /** Removes a settled job and its log. False for a job that is absent or not settled. */
  removeJob(jobId: JobId): boolean {
    return this.#removeSettled(jobId, 'removed', (n) => this.#jobs.remove(n));
  }

  /** A pinned job is kept whole, whatever its age. False for an unknown job. */
  setPinned(jobId: JobId, pinned: boolean): boolean {
    return this.#change(jobId, 'job', () => {
      const n = this.#jobs.number(jobId);
      if (n !== undefined) this.#jobs.setPinned(n, pinned);
      return n !== undefined;
    });
  }

  /** Removes log files that belong to no job: a crash came between a removal's commit and its unlink. */
  removeOrphanLogs(): Promise<number> {
    return this.#files.removeOthers((jobId) => {
      const row = this.#read(() => this.#jobs.row(jobId));
      return row !== undefined && row.removed_at_ms === null;
    });
  }

  /** See `journal-restore.ts` and `log-repair.ts`. Only at the start: a job's log must not be growing meanwhile. */
  repairLogs(atMs: number): void {
    restoreJobs(this.#database, this.#journal.files, this.#log);
    this.transaction(() => {
      for (const row of this.#jobs.unsettled()) {
        const jobId = jobIdOf(row);
        const lost = repairLog({ n: row.n, jobId }, this.#index, this.#files);
        if (lost === undefined) continue;
        this.#log.warn('log shortened', { jobId, ...lost });
        this.#jobs.addEvent(row.n, shortened(lost, atMs));
      }
    });
  }

  close(): void {
    this.#files.close();
    this.#journal.close();
  }

  #change<T>(jobId: JobId, part: JobChange['part'], act: () => T): T {
    return this.transaction(() => this.#noting(jobId, part, act));
  }

  #noting<T>(jobId: JobId, part: JobChange['part'], act: () => T): T {
    const result = act();
    this.#changes.push({ jobId, part });
    return result;
  }

  #tellChanges(): void {
    const changes = this.#changes;
    this.#changes = [];
    if (changes.some(({ part }) => part !== 'log')) this.listing.forget();
    for (const { jobId, part } of changes) this.#journal.note(jobId, part);
    for (const change of changes) this.#watchers.tell(change);
  }

  #read<T>(act: () => T): T {
    return orUnavailable('read its data', act);
  }

  /** With what an earlier worker of the same job told; see `joined-facts.ts`. */
  #joined(jobId: JobId, facts: RunFacts): { readonly n: number; readonly text: string } {
    const row = this.#jobs.row(jobId);
    if (row === undefined) throw new UnknownJobError({ jobId });
    return { n: row.n, text: JSON.stringify(joinedFacts(factsOf(row), facts)) };
  }

  #number(jobId: JobId): number {
    const n = this.#jobs.number(jobId);
    if (n === undefined) throw new UnknownJobError({ jobId });
    return n;
  }

  #tally(n: number, jobId: JobId): LogTally {
    const tally = this.#index.tally(n);
    if (tally === undefined) throw new UnknownJobError({ jobId });
    return tally;
  }

  #removeSettled(jobId: JobId, part: JobChange['part'], remove: (n: number) => void): boolean {
    const removed = this.#change(jobId, part, () => {
      const row = this.#jobs.row(jobId);
      if (row?.state !== 'settled') return false;
      remove(row.n);
      return true;
    });
    if (removed) this.#read(() => this.#files.remove(jobId));
    this.#reader.forget();
    return removed;
  }
}
