/**
 * Conversations of host jobs as they are read: made of the stored log, piece by piece so that the host stays free, and
 * kept while somebody looks. Two at most, each of bounded size; the log stays where everything is.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConversationBuilder } from '../../../runner-core/model/conversation.ts';
import { toJobId, type JobId } from '../../../runner-core/model/ids.ts';
import { occupiesSlot } from '../../../runner-core/model/job-machine.ts';
import type { Clock, Log, Timer } from '../../../runner-core/ports.ts';
import type { RequestInput, RequestResult } from '../../contract/requests.ts';
import type { TopicView } from '../../contract/topics.ts';
import { ProblemError } from '../../problem.ts';
import type { SqliteJobStore } from '../../store/sqlite-job-store.ts';
import { LogConversation } from './log-conversation.ts';

const BOUNDS = { entries: 5_000, chars: 8 * 2 ** 20 };
const MOST_KEPT = 2;
/** A page of the log ends by itself after about 1 MiB of text. */
const RECORDS_A_TURN = 512;
const KEPT_MS = 60_000;

export interface ConversationShelfDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Pick<SqliteJobStore, 'kept'>;
  /** The conversation of the job is another. */
  readonly changed: (jobId: string) => void;
}

interface Entry {
  readonly jobId: JobId;
  readonly builder: ConversationBuilder;
  readonly lines: LogConversation;
  readRecords: number;
  isReading: boolean;
  hasFailed: boolean;
  usedMs: number;
}

export class ConversationShelf {
  readonly #deps: ConversationShelfDeps;
  readonly #entries = new Map<JobId, Entry>();
  #sweep: Timer | null = null;
  #isStopped = false;

  constructor(deps: ConversationShelfDeps) {
    this.#deps = deps;
  }

  /** What is read so far; reading goes on behind it. Null: there is no conversation to come. */
  head(text: string): TopicView<'job_conversation'> {
    const jobId = toJobId(text);
    const job = jobId === undefined ? undefined : this.#deps.store.kept.job(jobId);
    if (jobId === undefined || job?.spec.kind !== 'host_exec' || job.logRemovedAtMs !== null)
      return null;
    const entry = this.#entry(jobId);
    const isBehind = !entry.hasFailed && entry.readRecords < job.records;
    if (isBehind) void this.#read(entry);
    return {
      ...entry.builder.head,
      revision: entry.readRecords,
      readRecords: entry.readRecords,
      records: job.records,
      complete: !isBehind && !occupiesSlot(job.state),
    };
  }

  page({
    jobId,
    offset,
    limit,
  }: RequestInput<'job.conversation'>): RequestResult<'job.conversation'> {
    const head = this.head(jobId);
    const known = toJobId(jobId);
    if (head === null || known === undefined)
      throw new ProblemError('no_conversation', 'There is no conversation of this job.');
    const { builder } = this.#entry(known);
    return {
      entries: [...builder.entries(offset, limit)],
      places: [...builder.places(offset, limit)],
      total: head.total,
      revision: head.revision,
    };
  }

  stop(): void {
    this.#isStopped = true;
    this.#sweep?.cancel();
    this.#entries.clear();
  }

  #entry(jobId: JobId): Entry {
    const usedMs = this.#deps.clock.monotonicMs();
    const found = this.#entries.get(jobId);
    if (found !== undefined) {
      found.usedMs = usedMs;
      return found;
    }
    const oldest = [...this.#entries.values()].toSorted((a, b) => a.usedMs - b.usedMs);
    for (const { jobId: old } of oldest.slice(0, Math.max(0, oldest.length - MOST_KEPT + 1)))
      this.#entries.delete(old);
    const builder = new ConversationBuilder(BOUNDS);
    const lines = new LogConversation(builder);
    const entry = {
      jobId,
      builder,
      lines,
      readRecords: 0,
      isReading: false,
      hasFailed: false,
      usedMs,
    };
    this.#entries.set(jobId, entry);
    this.#sweep ??= this.#deps.clock.after(KEPT_MS, () => this.#forgetIdle());
    return entry;
  }

  /** To the end of what is stored now, or until it is no longer kept. */
  async #read(entry: Entry): Promise<void> {
    if (entry.isReading) return;
    entry.isReading = true;
    const { jobId } = entry;
    const { store, log, changed } = this.#deps;
    try {
      while (!this.#isStopped && this.#entries.get(jobId) === entry) {
        await nextTurn();
        const { records, nextRecord } = store.kept.logPageFromRecord(
          jobId,
          entry.readRecords,
          RECORDS_A_TURN,
        );
        if (records.length === 0) break;
        for (const [index, record] of records.entries())
          entry.lines.push(record, entry.readRecords + index);
        entry.readRecords = nextRecord;
        changed(jobId);
      }
    } catch (error) {
      // The log itself says what is wrong with it.
      entry.hasFailed = true;
      log.warn('conversation not read', { jobId, error });
      changed(jobId);
    } finally {
      entry.isReading = false;
    }
  }

  #forgetIdle(): void {
    const { clock } = this.#deps;
    const beforeMs = clock.monotonicMs() - KEPT_MS;
    for (const { jobId, usedMs } of [...this.#entries.values()])
      if (usedMs <= beforeMs) this.#entries.delete(jobId);
    this.#sweep = this.#entries.size === 0 ? null : clock.after(KEPT_MS, () => this.#forgetIdle());
  }
}
