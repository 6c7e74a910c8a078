/**
 * One worker process from launch to exit: its messages, its limits, its forced end. What the job's
 * verdict is when no worker said one, and what is removed afterwards, is `job-run`'s.
 */
import type { Clock, JobStore, Log, Timer, WorkerHandle, WorkerLauncher } from '../ports.ts';
import { isStoreBusy } from '../model/errors.ts';
import type { JobId } from '../model/ids.ts';
import type { StopCause, Verdict } from '../model/outcome.ts';
import type { FromWorker, Phase, RunFacts, ToWorker } from '../worker/protocol.ts';
import { BUSY_RETRY_MS, type CommitTurns } from './commit-turns.ts';
import { LogIntake } from './log-intake.ts';
import type { StartGate } from './start-gate.ts';

export const READY_LIMIT_MS = 30_000;
/** A worker that said `ended` has this long to clean up and exit. */
export const EXIT_LIMIT_MS = 10_000;
/** TERM at once, KILL after this. */
export const STOP_GRACE_MS = 10_000;
/** A stopped worker is cut off after this. */
export const STOP_CUTOFF_MS = 11_000;
/** A killed process is gone at once; this is for an operating system that does not say so. */
export const KILL_LIMIT_MS = 5_000;

export interface WorkerSessionDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: JobStore;
  readonly launcher: WorkerLauncher;
  readonly turns: CommitTurns;
  readonly jobId: JobId;
  readonly phase: (phase: Phase, progress: string | null) => void;
  /** More output is on disk. */
  readonly logStored: () => void;
  /** The engine of a running container gave no answer. */
  readonly engineMissed: () => void;
  /** Whether a job that ended so is no end: it only met no engine before anything of it ran. */
  readonly waitsForEngine: (verdict: Verdict) => boolean;
  /** Whether the container of a job that ended so stays. Never throws. */
  readonly keepsContainer: (verdict: Verdict) => boolean;
  /** Where a local command waits for its turn to start. */
  readonly startGate: Pick<StartGate, 'enter'>;
}

/** Everything a worker begins with. */
export type FirstMessage = ToWorker & { readonly kind: 'run' | 'adopt' | 'run_host' };

export type WorkerEnd =
  | { readonly kind: 'ended'; readonly verdict: Verdict }
  /** It met no engine, which is no end yet: `verdict` is, where none comes in time. */
  | { readonly kind: 'no_engine'; readonly verdict: Verdict }
  | { readonly kind: 'never_ready' }
  | { readonly kind: 'crashed' }
  /** It was killed, and the system does not say that it is dead: what it held must not be touched by another. */
  | { readonly kind: 'not_gone' }
  | { readonly kind: 'store_failed' };

export class WorkerSession {
  readonly #deps: WorkerSessionDeps;
  readonly #first: FirstMessage;
  #leaveGate: () => void = () => undefined;
  readonly #intake: LogIntake;
  readonly #killedLongAgo = Promise.withResolvers<'unknown'>();
  readonly #timers = new Set<Timer>();
  #worker: WorkerHandle | null = null;
  #readyLimit: Timer | null = null;
  #secrets: Readonly<Record<string, string>>[] = [];
  #begun = false;
  #stopCause: StopCause | null = null;
  #end: WorkerEnd | null = null;
  #isKilled = false;
  #isOver = false;

  constructor(deps: WorkerSessionDeps, first: FirstMessage) {
    this.#deps = deps;
    this.#first = first;
    this.#intake = new LogIntake({
      clock: deps.clock,
      store: deps.store,
      turns: deps.turns,
      jobId: deps.jobId,
      stored: (throughSeq) => {
        this.#worker?.send({ kind: 'log_stored', throughSeq });
        deps.logStored();
      },
      failed: (error) => this.#storeFailed(error),
    });
  }

  /** True once the worker told the verdict: it can no longer be stopped. */
  get hasEnded(): boolean {
    return this.#end !== null && this.#end.kind !== 'no_engine';
  }

  /** Resolves when the worker is gone. Throws what the launcher throws. */
  async run(): Promise<WorkerEnd> {
    if (this.#isKilled) return this.#end ?? { kind: 'crashed' };
    const { clock, log, jobId, launcher } = this.#deps;
    const worker = launcher.launch();
    this.#worker = worker;
    this.#readyLimit = this.#after(READY_LIMIT_MS, () => {
      this.#end = { kind: 'never_ready' };
      log.error('worker not ready', { jobId, waitedMs: READY_LIMIT_MS, pid: worker.pid });
      this.#kill();
    });
    const startedMs = clock.monotonicMs();
    worker.onMessage((message) => this.#receive(worker, message));
    const exit = await Promise.race([worker.exited, this.#killedLongAgo.promise]);
    for (const timer of this.#timers) timer.cancel();
    this.#isOver = true;
    this.#leaveGate();
    if (this.#end === null) this.#intake.close();
    else this.#intake.flush();
    if (exit === 'unknown') log.error('killed worker did not exit', { jobId, pid: worker.pid });
    else if (this.#end === null && this.#stopCause === null)
      log.error('worker lost', { jobId, ranMs: clock.monotonicMs() - startedMs, ...exit });
    return this.#end ?? { kind: exit === 'unknown' ? 'not_gone' : 'crashed' };
  }

  /** Asks the worker to end the job; it is cut off STOP_CUTOFF_MS later. */
  stop(cause: StopCause): void {
    if (this.#stopCause !== null || this.#end !== null) return;
    this.#stopCause = cause;
    if (this.#begun) this.#sendStop(cause);
    // Nothing was started yet. A container to adopt, though, is better ended by its worker.
    else if (this.#first.kind !== 'adopt') this.#kill();
  }

  /** Further values to mask. Kept until there is a worker at work. */
  addSecrets(environment: Readonly<Record<string, string>>): void {
    if (this.#begun) this.#worker?.send({ kind: 'secrets', environment });
    else this.#secrets.push(environment);
  }

  /** Ends the process at once and leaves what it made; what it said so far is on disk. */
  abandon(): void {
    this.#intake.flush();
    this.#kill();
  }

  #receive(worker: WorkerHandle, message: FromWorker): void {
    if (this.#end !== null || this.#isKilled || this.#isOver) return;
    try {
      this.#act(worker, message);
    } catch (error) {
      // A lock passes. The worker waits for the answer; where it tires of that, another takes up what is there.
      if (isStoreBusy(error)) this.#receiveLater(worker, message);
      else this.#storeFailed(error);
    }
  }

  #receiveLater(worker: WorkerHandle, message: FromWorker): void {
    this.#after(BUSY_RETRY_MS, () => this.#receive(worker, message));
  }

  /** Throws only what the store throws. */
  #act(worker: WorkerHandle, message: FromWorker): void {
    const { store, jobId, phase } = this.#deps;
    switch (message.kind) {
      case 'ready':
        this.#begin(worker);
        return;
      case 'made':
        store.noteLeftover(jobId, message.leftover);
        worker.send({ kind: 'noted', leftover: message.leftover });
        return;
      case 'start_wanted':
        this.#leaveGate();
        this.#leaveGate = this.#deps.startGate.enter(() => worker.send({ kind: 'start_granted' }));
        return;
      case 'start_over':
        this.#leaveGate();
        return;
      case 'phase':
        phase(message.phase, message.progress);
        return;
      case 'log':
        this.#intake.add(message);
        return;
      case 'engine_missed':
        this.#deps.engineMissed();
        return;
      case 'facts':
        this.#noteFacts(message.facts);
        return;
      case 'ended':
        this.#intake.flush();
        // It broke, rather than the job: its container is there for another worker to take up.
        if (message.verdict.reason?.code === 'worker_crashed') {
          this.#noteFacts(message.facts);
          this.#kill();
          return;
        }
        // Not told to the disk: for who starts next it is a job that was never started.
        if (this.#stopCause === null && this.#deps.waitsForEngine(message.verdict)) {
          this.#noteFacts(message.facts);
          this.#end ??= { kind: 'no_engine', verdict: message.verdict };
          this.#kill();
          return;
        }
        // Not before its last lines are on disk: with the answer its container goes.
        if (this.#intake.isWaiting) {
          this.#receiveLater(worker, message);
          return;
        }
        // The flush may have failed, and a job whose last lines are lost has not ended well.
        if (this.#end === null) store.noteEnding(jobId, message.verdict, message.facts);
        this.#end ??= { kind: 'ended', verdict: message.verdict };
        this.#after(EXIT_LIMIT_MS, () => {
          this.#deps.log.warn('worker did not exit', { jobId, pid: worker.pid });
          this.#kill();
        });
        if (this.#end.kind !== 'ended') return;
        worker.send({
          kind: 'verdict_noted',
          keepContainer: this.#deps.keepsContainer(message.verdict),
        });
        return;
      default:
        this.#deps.log.error('worker sent an unknown message', { jobId, pid: worker.pid });
        this.#kill();
    }
  }

  /** For showing only, and told anew in a moment: no reason to end the job. */
  #noteFacts(facts: RunFacts): void {
    try {
      this.#deps.store.noteFacts(this.#deps.jobId, facts);
    } catch (error) {
      this.#deps.log.warn('facts of a run not stored', { jobId: this.#deps.jobId, error });
    }
  }

  #begin(worker: WorkerHandle): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#readyLimit?.cancel();
    worker.send(
      this.#first.kind === 'adopt' && this.#stopCause !== null
        ? { ...this.#first, stopCause: this.#stopCause }
        : this.#first,
    );
    for (const environment of this.#secrets.splice(0)) this.addSecrets(environment);
    if (this.#stopCause !== null) this.#sendStop(this.#stopCause);
  }

  #sendStop(cause: StopCause): void {
    this.#worker?.send({ kind: 'stop', cause, graceMs: STOP_GRACE_MS });
    this.#after(STOP_CUTOFF_MS, () => {
      if (this.#end !== null) return;
      this.#deps.log.warn('stopped worker cut off', { jobId: this.#deps.jobId });
      this.#kill();
    });
  }

  #storeFailed(error: unknown): void {
    this.#deps.log.error('store failed a job', { jobId: this.#deps.jobId, error });
    this.#end ??= { kind: 'store_failed' };
    this.#kill();
  }

  #kill(): void {
    if (this.#isKilled) return;
    this.#isKilled = true;
    if (this.#worker === null) return;
    this.#worker.kill();
    this.#after(KILL_LIMIT_MS, () => this.#killedLongAgo.resolve('unknown'));
  }

  #after(delayMs: number, act: () => void): Timer {
    const timer = this.#deps.clock.after(delayMs, act);
    this.#timers.add(timer);
    return timer;
  }
}
