/**
 * Takes up, at start, what a previous host of this data folder left: adopts living containers, waits
 * for the redelivery of what was not yet started, settles the rest. An engine that is away settles
 * nothing: a container nobody can look at may still be at work.
 */
import type { Clock, JobStore, Log, StoredJob, Timer } from '../ports.ts';
import type { JobId } from '../model/ids.ts';
import type { Leftover } from '../model/leftover.ts';
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

type ContainerLeftover = Leftover & { readonly kind: 'container' };

export interface ReconcileDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: JobStore;
  readonly engine: () => EngineAddress | null;
  readonly survivors: Survivors;
  readonly held: HeldJobs;
  readonly reporter: Reporter;
  readonly sweeper: LeftoverSweeper;
  readonly newRun: (jobId: JobId, stage: 'awaiting_redelivery' | 'awaiting_engine') => JobRun;
}

export class Reconcile {
  readonly #deps: ReconcileDeps;
  #awaitingRedelivery: JobRun[] = [];
  #awaitingEngine: JobRun[] = [];
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

  /** The service has said what is leased here; what was accepted comes with it or soon after. */
  online(): void {
    this.#awaitingRedelivery = this.#awaitingRedelivery.filter(
      (run) => run.stage === 'awaiting_redelivery',
    );
    if (this.#awaitingRedelivery.length === 0) return;
    this.#redeliveryLimit?.cancel();
    this.#redeliveryLimit = this.#deps.clock.after(REDELIVERY_LIMIT_MS, () => {
      for (const run of this.#awaitingRedelivery.splice(0))
        if (run.stage === 'awaiting_redelivery') run.conclude(lostVerdict('host_restarted'));
    });
  }

  /** There is an engine again: what waits for it need not wait for the next try. */
  engineFound(): void {
    this.#engineRetry?.cancel();
    void this.#recoverAll();
  }

  offline(): void {
    this.#redeliveryLimit?.cancel();
    this.#redeliveryLimit = null;
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
    const isUnstarted = job.state.kind === 'accepted';
    const run = newRun(jobId, isUnstarted ? 'awaiting_redelivery' : 'awaiting_engine');
    held.add(run);
    // Its worker had judged it: nothing is left to find out, only what it made may still be there.
    if (job.told !== null) run.conclude(job.told);
    else if (isUnstarted) this.#awaitingRedelivery.push(run);
    else {
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
    for (const run of waiting)
      if (engine === null || !this.#recover(run, engine)) this.#awaitingEngine.push(run);
    this.#engineRetry?.cancel();
    if (this.#awaitingEngine.length === 0) return;
    this.#deps.log.warn('jobs wait for the engine', { jobs: this.#awaitingEngine.length });
    this.#engineRetry = this.#deps.clock.after(ENGINE_RETRY_MS, () => void this.#recoverAll());
  }

  /** False when it has to be tried again. */
  #recover(run: JobRun, engine: EngineAddress): boolean {
    const { store, log, survivors } = this.#deps;
    const { jobId } = run;
    try {
      const job = store.job(jobId);
      if (job === undefined || run.stage !== 'awaiting_engine') return true;
      const container = this.#notedContainer(jobId);
      if (container === undefined && !survivors.isKnown) return false;
      const found = survivors.take(jobId);
      if (container !== undefined && job.spec.kind === 'docker_launch') {
        log.info('container adopted', { jobId, name: container.name });
        run.adopt(job.spec, container, engine);
        return true;
      }
      // Created, but the previous host did not live to note it, so it was never started.
      for (const { leftover } of found) store.noteLeftover(jobId, leftover);
      run.conclude(verdictWithout(job));
      return true;
    } catch (error) {
      log.error('job not recovered', { jobId, error });
      return false;
    }
  }

  #notedContainer(jobId: JobId): ContainerLeftover | undefined {
    return this.#deps.store
      .leftovers(jobId)
      .find((leftover): leftover is ContainerLeftover => leftover.kind === 'container');
  }
}

function verdictWithout(job: StoredJob): Verdict {
  return job.state.kind === 'stopping'
    ? stoppedVerdict(job.state.cause)
    : lostVerdict('host_restarted');
}
