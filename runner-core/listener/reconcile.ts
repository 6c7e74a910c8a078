/**
 * Takes up, at start, what a previous host of this data folder left: adopts containers, waits for the
 * redelivery of what was not yet started, settles the rest. An engine that is away settles nothing: a
 * container nobody can look at may still be at work.
 *
 * A container is started only once it was noted. So a job without a noted one never ran, however far
 * its host had come with it, and is started when the service sends it again.
 */
import type {
  Clock,
  ContainerLeftover,
  EngineSense,
  JobStore,
  Log,
  StoredJob,
  Timer,
} from '../ports.ts';
import type { JobId } from '../model/ids.ts';
import { isHere, newestContainer } from '../model/leftover.ts';
import type { Verdict } from '../model/outcome.ts';
import { lostVerdict, stoppedVerdict } from '../wire/result-report.ts';
import type { EngineAddress } from '../worker/protocol.ts';
import type { HeldJobs } from './held-jobs.ts';
import type { JobRun } from './job-run.ts';
import { SWEEP_LIMIT_MS, type LeftoverSweeper } from './leftover-sweeper.ts';
import type { Reporter } from './reporter.ts';
import type { Survivors } from './survivors.ts';

/** Online this long, and an accepted job was neither redelivered nor withdrawn: it is lost. */
export const REDELIVERY_LIMIT_MS = 60_000;
export const ENGINE_RETRY_MS = 30_000;

export interface ReconcileDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: JobStore;
  readonly engine: () => EngineAddress | null;
  readonly engines?: EngineSense;
  readonly survivors: Survivors;
  readonly held: HeldJobs;
  readonly reporter: Reporter;
  readonly sweeper: LeftoverSweeper;
  readonly newRun: (jobId: JobId, stage: 'awaiting_redelivery' | 'awaiting_engine') => JobRun;
  /** Starts a job that waits for nothing but an engine, where there is one. */
  readonly startOffered: (run: JobRun) => void;
  /** Asks the service for a job's launch. */
  readonly askAgain: (jobId: JobId) => void;
}

export class Reconcile {
  readonly #deps: ReconcileDeps;
  #awaitingRedelivery: JobRun[] = [];
  #awaitingEngine: JobRun[] = [];
  #isOnline = false;
  #redeliveryLimit: Timer | null = null;
  #engineRetry: Timer | null = null;
  #isStopped = false;

  constructor(deps: ReconcileDeps) {
    this.#deps = deps;
  }

  /** Each unsettled job is held, or the reporter has it, when this resolves. Bounded by the look-up of containers. */
  async start(): Promise<void> {
    for (const job of this.#deps.store.unsettled()) this.#sort(job);
    await this.#recoverAll();
  }

  /** The service has said what is leased here; a job that is not yet started comes with it or soon after. */
  online(listed: ReadonlySet<JobId>): void {
    this.#isOnline = true;
    for (const run of [...this.#awaitingRedelivery, ...this.#awaitingEngine])
      if (!listed.has(run.jobId)) run.withdrawn();
    this.#awaitRedelivery();
  }

  /** There is an engine again: what waits for it need not wait for the next try. */
  engineFound(): void {
    for (const run of this.#awaitingRedelivery) this.#deps.startOffered(run);
    this.#engineRetry?.cancel();
    void this.#recoverAll();
  }

  offline(): void {
    this.#isOnline = false;
    this.#redeliveryLimit?.cancel();
    this.#redeliveryLimit = null;
  }

  /** What has no launch is asked for, and lost where none comes; what has one waits for its engine alone. */
  #awaitRedelivery(): void {
    this.#awaitingRedelivery = this.#awaitingRedelivery.filter(
      (run) => run.stage === 'awaiting_redelivery',
    );
    const missing = this.#awaitingRedelivery.filter(({ offer }) => offer === null);
    if (!this.#isOnline || missing.length === 0) return;
    for (const { jobId } of missing) this.#deps.askAgain(jobId);
    this.#redeliveryLimit?.cancel();
    this.#redeliveryLimit = this.#deps.clock.after(REDELIVERY_LIMIT_MS, () => {
      for (const run of this.#awaitingRedelivery)
        if (run.stage === 'awaiting_redelivery' && run.offer === null)
          run.conclude(lostVerdict('host_restarted'));
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.offline();
    this.#engineRetry?.cancel();
  }

  #sort(job: StoredJob): void {
    const { jobId } = job.spec;
    const { reporter, sweeper, held, newRun, store, log } = this.#deps;
    if (job.state.kind === 'reporting') {
      reporter.ended(jobId);
      if (store.leftovers(jobId).length > 0) void sweeper.sweep(jobId, SWEEP_LIMIT_MS);
      return;
    }
    log.info('job taken up', { jobId, state: job.state.kind });
    // A local command is noted before it is started, and nobody can take it up once it was.
    const isHost = job.spec.kind === 'host_exec';
    const isUnstarted =
      job.state.kind === 'accepted' ||
      (isHost && job.state.kind === 'starting' && store.leftovers(jobId).length === 0);
    const run = newRun(jobId, isUnstarted ? 'awaiting_redelivery' : 'awaiting_engine');
    held.add(run);
    // Its worker had judged it: nothing is left to find out, only what it made may still be there.
    if (job.told !== null) run.conclude(job.told);
    else if (isUnstarted) this.#awaitingRedelivery.push(run);
    else if (isHost) {
      reporter.logStored(jobId);
      run.conclude(verdictWithout(job));
    } else {
      this.#awaitingEngine.push(run);
      reporter.logStored(jobId);
    }
  }

  /** Never rejects. */
  async #recoverAll(): Promise<void> {
    await this.#deps.survivors.lookUp();
    if (this.#isStopped) return;
    const engine = this.#deps.engine();
    const waiting = this.#awaitingEngine.splice(0);
    for (const run of waiting) {
      if (engine !== null && this.#recover(run, engine)) continue;
      run.concludeStopped();
      if (run.stage === 'awaiting_engine') this.#awaitingEngine.push(run);
    }
    this.#engineRetry?.cancel();
    if (this.#awaitingEngine.length === 0) return;
    this.#deps.log.warn('jobs wait for the engine', { jobs: this.#awaitingEngine.length });
    this.#engineRetry = this.#deps.clock.after(ENGINE_RETRY_MS, () => {
      // A job may wait for an engine beside the one in use, for which nobody else looks.
      if (this.#deps.engine() !== null) void this.#deps.engines?.lookIfChanged();
      void this.#recoverAll();
    });
  }

  /** False when it has to be tried again. */
  #recover(run: JobRun, engine: EngineAddress): boolean {
    const { store, log, survivors } = this.#deps;
    const { jobId } = run;
    try {
      const job = store.job(jobId);
      if (job === undefined || run.stage !== 'awaiting_engine') return true;
      const noted = newestContainer(store.leftovers(jobId));
      if (noted === undefined && !survivors.isKnown) return false;
      const network = job.spec.kind === 'docker_launch' ? job.spec.options.network : null;
      const made = survivors.take(jobId, network);
      for (const leftover of made)
        if (!('id' in leftover) || leftover.id !== noted?.id) store.noteLeftover(jobId, leftover);
      const found = made.filter((leftover) => leftover.kind === 'container');
      const container = adoptable(noted, found);
      const here = this.#deps.engines?.identity() ?? null;
      if (container?.engine !== undefined && here !== null && !isHere(container.engine, here)) {
        run.isElsewhere(container.engine.at);
        return false;
      }
      if (container !== undefined && job.spec.kind === 'docker_launch') {
        log.info('container adopted', { jobId, name: container.name });
        run.adopt(job.spec, container, engine);
      } else if (job.state.kind === 'starting') {
        log.info('job not started yet', { jobId });
        run.awaitRedelivery();
        this.#awaitingRedelivery.push(run);
        this.#deps.startOffered(run);
        this.#awaitRedelivery();
      } else run.conclude(verdictWithout(job));
      return true;
    } catch (error) {
      log.error('job not recovered', { jobId, error });
      return false;
    }
  }
}

/** What was noted last, unless that is gone and another is there, made and not yet noted when its worker died. */
function adoptable(
  noted: ContainerLeftover | undefined,
  found: readonly ContainerLeftover[],
): ContainerLeftover | undefined {
  return found.find(({ id }) => id === noted?.id) ?? found.at(-1) ?? noted;
}

function verdictWithout(job: StoredJob): Verdict {
  return job.state.kind === 'stopping'
    ? stoppedVerdict(job.state.cause)
    : lostVerdict('host_restarted');
}
