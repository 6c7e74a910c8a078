/**
 * Tells the service what the store holds: each job's log in batches with stable ids, several in
 * flight, then its verdict, again and again until acknowledged. Owns order, window and fairness; a
 * job is settled here and nowhere else. Does nothing per line.
 */
import type { Clock, JobStore, Log, OutgoingBatch, Timer } from '../ports.ts';
import type { JobId } from '../model/ids.ts';
import type { Verdict } from '../model/outcome.ts';
import { EXECUTION_GONE, INVALID_LOG_BATCH } from '../wire/errors.ts';
import { batchId } from '../wire/log-batch.ts';
import { completeFrame } from '../wire/result-report.ts';
import { ReportStream, type Next } from './report-stream.ts';
import type { Reply } from './reply-queue.ts';
import type { Link } from './session-socket.ts';

/** Frames of all jobs in flight, and bytes the socket may hold back, before sending pauses. */
export const WINDOW_FRAMES = 32;
export const WINDOW_BYTES = 2 * 1024 * 1024;
/** One turn sends no longer than this, so that frames, workers and the page are served in between. */
export const TURN_BUDGET_MS = 5;
/** Every so many frames a held job goes before an ended one. */
const HELD_SHARE = 4;
/** Acknowledgements are stored this late: losing some costs a repeat under the same ids, each store a disk flush. */
export const ACK_STORE_DELAY_MS = 500;
/** Online this long without progress of an ended job's log: its verdict goes out without the rest. */
export const LOG_ACK_LIMIT_MS = 120_000;
/** After a failure of the store, and after a session that left a verdict refused. */
export const STREAM_PAUSE_MS = 5_000;

export interface ReporterDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: JobStore;
  /** For showing only: the job was settled. */
  readonly changed: (jobId: JobId) => void;
}

export class Reporter {
  readonly #deps: ReporterDeps;
  /** Ended jobs, oldest first, and held ones, the next to send first. */
  #ended: ReportStream[] = [];
  #held: ReportStream[] = [];
  readonly #streams = new Map<JobId, ReportStream>();
  readonly #repeats = new Set<JobId>();
  readonly #unstored = new Set<ReportStream>();
  #link: Link | null = null;
  /** Raised with each session; what an earlier one still says is not counted. */
  #sessions = 0;
  #inFlight = 0;
  #turns = 0;
  #nextTurn: Timer | null = null;
  #storeAcks: Timer | null = null;
  #isStopped = false;
  #caughtUpWaiters: (() => void)[] = [];

  constructor(deps: ReporterDeps) {
    this.#deps = deps;
  }

  online(link: Link): void {
    this.#forgetSession();
    this.#link = link;
    this.#pump();
  }

  offline(): void {
    this.#link = null;
    this.#forgetSession();
  }

  /** More output of the job is stored. Returns at once: sending happens in a turn of its own. */
  logStored(jobId: JobId): void {
    this.#stream(jobId)?.moreStored();
    this.#pumpSoon();
  }

  /** The job's end is stored, now or by a previous host. */
  ended(jobId: JobId): void {
    const stream = this.#stream(jobId);
    const state = this.#job(jobId)?.state;
    if (stream === undefined || state?.kind !== 'reporting' || stream.verdict !== null) return;
    stream.verdict = state.verdict;
    stream.moreStored();
    this.#held = this.#held.filter((other) => other !== stream);
    const younger = this.#ended.findIndex((other) => other.acceptedAtMs > stream.acceptedAtMs);
    this.#ended.splice(younger < 0 ? this.#ended.length : younger, 0, stream);
    this.#pumpSoon();
  }

  /** The service offered a job that ended here: it has not heard, or has forgotten, the verdict. */
  repeat(jobId: JobId): void {
    const job = this.#job(jobId);
    if (job?.state.kind === 'reporting') this.ended(jobId);
    if (job?.state.kind !== 'settled' || this.#repeats.has(jobId)) return;
    this.#repeats.add(jobId);
    this.#link?.send(completeFrame(jobId, job.spec.report, job.state.verdict), () =>
      this.#repeats.delete(jobId),
    );
  }

  /** True when all that is stored was told and acknowledged. */
  get isCaughtUp(): boolean {
    return this.#ended.length === 0 && this.#held.every((stream) => stream.hasSentAll);
  }

  /** Resolves when all that is stored was told and acknowledged. */
  caughtUp(): Promise<void> {
    if (this.isCaughtUp) return Promise.resolve();
    return new Promise((resolve) => void this.#caughtUpWaiters.push(resolve));
  }

  /** Ends sending; what was not told goes out at the next start. */
  stop(): void {
    this.#isStopped = true;
    this.offline();
    for (const stream of this.#streams.values()) stream.cancelTimers();
  }

  #pumpSoon(): void {
    if (this.#link === null || this.#isStopped) return;
    this.#nextTurn ??= this.#deps.clock.after(0, () => this.#pump());
  }

  #pump(): void {
    this.#nextTurn?.cancel();
    this.#nextTurn = null;
    const link = this.#link;
    const { clock } = this.#deps;
    const startMs = clock.monotonicMs();
    while (link !== null && link === this.#link && !this.#isStopped && this.#hasWindow(link)) {
      const found = this.#nextOfAll();
      if (found === undefined) break;
      this.#send(link, found.stream, found.next);
      if (clock.monotonicMs() - startMs >= TURN_BUDGET_MS) {
        this.#pumpSoon();
        break;
      }
    }
    if (this.isCaughtUp) for (const resolve of this.#caughtUpWaiters.splice(0)) resolve();
  }

  #hasWindow(link: Link): boolean {
    // With nothing in flight no reply would wake us, so the socket's own buffer alone never holds us back.
    return (
      this.#inFlight === 0 ||
      (this.#inFlight < WINDOW_FRAMES && link.bufferedBytes() < WINDOW_BYTES)
    );
  }

  #nextOfAll(): { stream: ReportStream; next: Next } | undefined {
    this.#turns += 1;
    const heldFirst = this.#turns % HELD_SHARE === 0;
    return heldFirst
      ? (this.#nextHeld() ?? this.#nextOf(this.#ended))
      : (this.#nextOf(this.#ended) ?? this.#nextHeld());
  }

  /** Held jobs take turns. */
  #nextHeld(): { stream: ReportStream; next: Next } | undefined {
    const found = this.#nextOf(this.#held);
    if (found !== undefined) {
      const at = this.#held.indexOf(found.stream) + 1;
      this.#held = [...this.#held.slice(at), ...this.#held.slice(0, at)];
    }
    return found;
  }

  #nextOf(streams: readonly ReportStream[]): { stream: ReportStream; next: Next } | undefined {
    for (const stream of streams) {
      try {
        const next = stream.next(this.#deps.store);
        if (next !== undefined) return { stream, next };
      } catch (error) {
        this.#deps.log.error('log not readable', { jobId: stream.jobId, error });
        stream.waitingSinceMs ??= this.#deps.clock.monotonicMs();
        this.#pause(stream);
        this.#armLimit(stream);
      }
    }
    return undefined;
  }

  #send(link: Link, stream: ReportStream, next: Next): void {
    const session = this.#sessions;
    const settle = (act: (reply: Reply) => void) => (reply: Reply) => {
      if (session !== this.#sessions) return;
      this.#inFlight -= 1;
      act(reply);
      this.#pump();
    };
    this.#inFlight += 1;
    if (next.kind === 'batch') {
      const { batch } = next;
      const { generation } = stream;
      stream.batchSent(batch, this.#deps.clock.monotonicMs());
      this.#armLimit(stream);
      link.send(
        {
          type: 'logs',
          execution_id: stream.jobId,
          lines: batch.lines,
          ...(link.acknowledgesLogs ? { batch_id: batchId(stream.batchSalt, batch.index) } : {}),
        },
        settle((reply) => {
          if (generation === stream.generation) this.#batchAnswered(stream, batch, reply);
        }),
      );
    } else {
      const { verdict } = next;
      this.#storeAcksOf(stream);
      stream.isVerdictInFlight = true;
      link.send(
        completeFrame(stream.jobId, stream.report, verdict),
        settle((reply) => this.#verdictAnswered(stream, verdict, reply)),
      );
    }
  }

  #batchAnswered(stream: ReportStream, batch: OutgoingBatch, reply: Reply): void {
    if (reply.kind === 'missed') {
      stream.rewind();
      return;
    }
    const { jobId } = stream;
    // Refused as it stands, so it would be refused again: these lines stay on this disk only.
    if (reply.kind === 'refused')
      this.#deps.log.warn('log batch refused', {
        jobId,
        index: batch.index,
        lines: batch.lines.length,
        asExpected: reply.error === INVALID_LOG_BATCH,
      });
    stream.batchAcknowledged(batch.index, this.#deps.clock.monotonicMs());
    this.#unstored.add(stream);
    this.#storeAcks ??= this.#deps.clock.after(ACK_STORE_DELAY_MS, () => this.#storeAllAcks());
  }

  #verdictAnswered(stream: ReportStream, verdict: Verdict, reply: Reply): void {
    const { jobId } = stream;
    stream.isVerdictInFlight = false;
    if (reply.kind === 'missed') return;
    if (reply.kind === 'refused') {
      this.#deps.log.error('verdict refused', {
        jobId,
        status: verdict.status,
        error: reply.error,
      });
      stream.isVerdictRefused = reply.error !== EXECUTION_GONE;
      // An execution that no longer exists will never take a verdict, and asking again ends the session.
      if (stream.isVerdictRefused) return;
    }
    this.#settle(stream);
  }

  #settle(stream: ReportStream): void {
    const { store, clock, log, changed } = this.#deps;
    try {
      store.transition(stream.jobId, { kind: 'acknowledged', atMs: clock.nowMs() });
    } catch (error) {
      log.error('acknowledgement not stored', { jobId: stream.jobId, error });
      this.#pause(stream);
      return;
    }
    stream.cancelTimers();
    this.#streams.delete(stream.jobId);
    this.#unstored.delete(stream);
    this.#ended = this.#ended.filter((other) => other !== stream);
    log.info('job settled', { jobId: stream.jobId });
    changed(stream.jobId);
  }

  #armLimit(stream: ReportStream): void {
    const { clock, log } = this.#deps;
    if (stream.limit !== null || stream.waitingSinceMs === null) return;
    const dueMs = stream.waitingSinceMs + LOG_ACK_LIMIT_MS;
    stream.limit = clock.after(Math.max(0, dueMs - clock.monotonicMs()), () => {
      stream.limit = null;
      const { waitingSinceMs } = stream;
      if (waitingSinceMs === null || this.#link === null) return;
      const isLate = clock.monotonicMs() - waitingSinceMs >= LOG_ACK_LIMIT_MS;
      if (isLate && stream.verdict !== null) {
        log.warn('verdict sent without the rest of the log', {
          jobId: stream.jobId,
          batchesAcknowledged: stream.acknowledged,
          limitMs: LOG_ACK_LIMIT_MS,
        });
        stream.giveUpLog();
        this.#pump();
      } else if (isLate) {
        stream.waitingSinceMs = clock.monotonicMs();
        this.#armLimit(stream);
      } else this.#armLimit(stream);
    });
  }

  #pause(stream: ReportStream): void {
    if (this.#isStopped) return;
    stream.pause?.cancel();
    stream.pause = this.#deps.clock.after(STREAM_PAUSE_MS, () => {
      stream.pause = null;
      this.#pump();
    });
  }

  #storeAllAcks(): void {
    this.#storeAcks?.cancel();
    this.#storeAcks = null;
    const streams = [...this.#unstored];
    if (streams.length > 1 && this.#storeAcksTogether(streams)) return;
    for (const stream of streams) this.#storeAcksOf(stream);
  }

  /** In one commit. False when the store refused it: which of them is to blame shows one by one. */
  #storeAcksTogether(streams: readonly ReportStream[]): boolean {
    const { store } = this.#deps;
    try {
      store.together(() => {
        for (const { jobId, acknowledged } of streams)
          store.acknowledgeBatches(jobId, acknowledged);
      });
    } catch {
      return false;
    }
    for (const stream of streams) {
      this.#unstored.delete(stream);
      stream.acknowledgedOnDisk = stream.acknowledged;
    }
    return true;
  }

  #storeAcksOf(stream: ReportStream): void {
    this.#unstored.delete(stream);
    if (stream.acknowledgedOnDisk === stream.acknowledged) return;
    try {
      this.#deps.store.acknowledgeBatches(stream.jobId, stream.acknowledged);
      stream.acknowledgedOnDisk = stream.acknowledged;
    } catch (error) {
      this.#deps.log.error('acknowledgements not stored', { jobId: stream.jobId, error });
    }
  }

  /** Nothing of the last session will be answered: all that is open is sent again on the next. */
  #forgetSession(): void {
    this.#sessions += 1;
    this.#inFlight = 0;
    this.#repeats.clear();
    this.#nextTurn?.cancel();
    this.#nextTurn = null;
    this.#storeAllAcks();
    for (const stream of this.#streams.values()) {
      stream.rewind();
      stream.isVerdictInFlight = false;
      stream.isVerdictRefused = false;
      stream.waitingSinceMs = null;
      stream.limit?.cancel();
      stream.limit = null;
    }
  }

  #stream(jobId: JobId): ReportStream | undefined {
    const known = this.#streams.get(jobId);
    if (known !== undefined || this.#isStopped) return known;
    const job = this.#job(jobId);
    if (job === undefined || job.state.kind === 'settled') return undefined;
    const stream = new ReportStream(job);
    this.#streams.set(jobId, stream);
    this.#held.push(stream);
    return stream;
  }

  #job(jobId: JobId): ReturnType<JobStore['job']> {
    try {
      return this.#deps.store.job(jobId);
    } catch (error) {
      this.#deps.log.error('job not readable', { jobId, error });
      return undefined;
    }
  }
}
