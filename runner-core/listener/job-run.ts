/**
 * One job from launch, or from where a previous host left it, to its stored end. Makes sure that its
 * worker and all it made are gone before the end is stored. What the service is told is `reporter`'s.
 */
import type {
  Clock,
  ContainerLeftover,
  JobStore,
  KeptContainers,
  Log,
  OwnerSettings,
  WorkerLauncher,
} from '../ports.ts';
import { IllegalTransitionError, isStoreBusy } from '../model/errors.ts';
import type { JobId } from '../model/ids.ts';
import type { DockerLaunchSpec, JobSpec } from '../model/job-spec.ts';
import { newestContainer } from '../model/leftover.ts';
import type { StopCause, Verdict } from '../model/outcome.ts';
import { lostVerdict, stoppedVerdict } from '../wire/result-report.ts';
import {
  NO_FACTS,
  type EngineAddress,
  type JobContext,
  type Phase,
  type ToWorker,
} from '../worker/protocol.ts';
import { BUSY_RETRY_MS, type CommitTurns } from './commit-turns.ts';
import { SWEEP_LIMIT_MS, type LeftoverSweeper } from './leftover-sweeper.ts';
import { WorkerSession, type WorkerEnd } from './worker-session.ts';

/** What a stop that used up its time still gives the removal of leftovers. */
const MIN_SWEEP_MS = 1_000;
/** An end the disk refused is tried again this often; the job keeps its slot until then. */
export const STORE_RETRY_MS = 30_000;
/** So many workers of one job may die and be followed by another; the next death is told as it is. */
export const MOST_WORKERS_LOST = 3;

export interface JobRunDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: JobStore;
  readonly turns: CommitTurns;
  readonly launcher: WorkerLauncher;
  readonly sweeper: LeftoverSweeper;
  readonly settings: OwnerSettings;
  /** Left out: every container goes when its job is over. */
  readonly kept?: KeptContainers;
  readonly runnerId: () => string;
  readonly hostInstance: string;
  readonly workspacesDir: string;
  /** The job's state or phase changed: for showing only. Of its log the store tells. */
  readonly changed: (jobId: JobId) => void;
  readonly logStored: (jobId: JobId) => void;
  /** The job is over, and a container of it that nobody noted may come to be yet. */
  readonly lookLater: (jobId: JobId) => void;
}

/** Where a held job stands beside its stored state. The two `awaiting` ones occur only after a restart. */
export type RunStage =
  'awaiting_redelivery' | 'awaiting_engine' | 'working' | 'concluding' | 'over';

/** A launch as the service sent it. In memory alone. */
export interface Offer {
  readonly spec: DockerLaunchSpec;
  readonly environment: Readonly<Record<string, string>>;
}
/** What the job's next worker needs as well. No environment where a container has it. */
interface Work {
  readonly spec: DockerLaunchSpec;
  readonly engine: EngineAddress;
  readonly environment: Readonly<Record<string, string>> | null;
}
type FirstMessage = ToWorker & { kind: 'run' | 'adopt' };

export class JobRun {
  readonly jobId: JobId;
  /** Resolves when the job is no longer held here: its end is stored, or it was left for the next host. */
  readonly over: Promise<void>;
  readonly #over = Promise.withResolvers<undefined>();
  readonly #deps: JobRunDeps;
  readonly #leaving = new AbortController();
  #session: WorkerSession | null = null;
  #stage: RunStage;
  #phase: Phase | null = null;
  #progress: string | null = null;
  #stopCause: StopCause | null = null;
  #stopMs: number | null = null;
  #isStarted = false;
  #earlySecrets: Readonly<Record<string, string>>[] = [];
  #offer: Offer | null = null;
  /** A worker of it, or of a previous host, may have asked for a container that was not noted. */
  #mayBeUnnoted: boolean;

  constructor(
    deps: JobRunDeps,
    jobId: JobId,
    stage: 'awaiting_redelivery' | 'awaiting_engine' = 'awaiting_redelivery',
  ) {
    this.#deps = deps;
    this.jobId = jobId;
    this.#stage = stage;
    this.over = this.#over.promise;
    const state = deps.store.job(jobId)?.state;
    if (state?.kind === 'stopping') this.#stopCause = state.cause;
    this.#isStarted = state?.kind === 'running';
    this.#mayBeUnnoted = state?.kind === 'starting' || state?.kind === 'stopping';
  }

  get stage(): RunStage {
    return this.#stage;
  }

  get phase(): Phase | null {
    return this.#phase;
  }

  get progress(): string | null {
    return this.#progress;
  }

  get isStopping(): boolean {
    return this.#stopCause !== null;
  }

  /** The newest launch that came for a job of a previous host, until it is used or withdrawn. */
  get offer(): Offer | null {
    return this.#offer;
  }

  /** The service sent the job again. Kept until it is known whether a start is still to come. */
  offered(offer: Offer): void {
    this.#offer = offer;
  }

  /** The service no longer counts on this host for it. */
  withdrawn(): void {
    this.#offer = null;
  }

  /** Nothing of the job was ever started: it waits for a launch, as one that was only accepted. */
  awaitRedelivery(): void {
    if (this.#stage !== 'awaiting_engine') return;
    this.#stage = 'awaiting_redelivery';
    this.#deps.changed(this.jobId);
  }

  /** Starts the work of a job of which nothing was started before. */
  launch(
    spec: DockerLaunchSpec,
    environment: Readonly<Record<string, string>>,
    engine: EngineAddress,
  ): void {
    this.#offer = null;
    this.#work({ spec, engine, environment }, () => {
      const { store, clock } = this.#deps;
      const context = this.#context(spec, engine);
      const isFirst = store.job(this.jobId)?.state.kind === 'accepted';
      if (isFirst) store.transition(this.jobId, { kind: 'launched', atMs: clock.nowMs() });
      return { kind: 'run', spec, environment, context, mayBeMade: !isFirst };
    });
  }

  /** Takes up a container that a previous host started. */
  adopt(spec: DockerLaunchSpec, container: ContainerLeftover, engine: EngineAddress): void {
    this.#offer = null;
    this.#stopMs = this.#stopCause === null ? null : this.#deps.clock.monotonicMs();
    const work = { spec, engine, environment: null };
    this.#work(work, () => this.#adoption(work, container));
  }

  /** Ends a job that no worker will carry out (any more). Its leftovers are removed first. */
  conclude(verdict: Verdict): void {
    if (this.#stage === 'awaiting_redelivery' || this.#stage === 'awaiting_engine')
      void this.#conclude(verdict);
  }

  /** Ends the job; the first cause stays. Too late once the worker told its verdict. */
  stop(cause: StopCause): void {
    const isEnding =
      this.#stage === 'concluding' || this.#stage === 'over' || this.#session?.hasEnded === true;
    if (this.#stopCause !== null || isEnding) return;
    this.#stopCause = cause;
    this.#stopMs = this.#deps.clock.monotonicMs();
    this.#store(() =>
      this.#deps.store.transition(this.jobId, {
        kind: 'stop_requested',
        atMs: this.#deps.clock.nowMs(),
        cause,
      }),
    );
    this.#session?.stop(cause);
    if (this.#stage === 'awaiting_redelivery') this.conclude(stoppedVerdict(cause));
    this.#deps.changed(this.jobId);
  }

  addSecrets(environment: Readonly<Record<string, string>>): void {
    if (this.#session !== null) this.#session.addSecrets(environment);
    else this.#earlySecrets.push(environment);
  }

  /** Lets go of the job without ending it: its container stays and is adopted at the next start. */
  leave(): void {
    this.#leaving.abort(new Error('left for the next host'));
    this.#session?.abandon();
    if (this.#stage === 'awaiting_redelivery' || this.#stage === 'awaiting_engine') this.#finish();
  }

  #work(work: Work, first: () => FirstMessage): void {
    this.#stage = 'working';
    void this.#carryOut(work, first);
  }

  /**
   * Never rejects: whatever goes wrong is the end of this job alone. A worker that dies is followed by another,
   * which takes up what there is: the container runs on without them.
   */
  async #carryOut(work: Work, first: () => FirstMessage): Promise<void> {
    let next = first;
    for (let lost = 0; ; lost++) {
      const end = await this.#runWorker(next);
      this.#mayBeUnnoted ||= end.kind !== 'ended' && !this.#isStarted;
      if (this.#leaving.signal.aborted && this.#session?.hasEnded !== true) {
        this.#finish();
        return;
      }
      const isOver = !this.#hasMoreToTakeUp(end) || this.#stopCause !== null;
      if (isOver || lost === MOST_WORKERS_LOST) return this.#conclude(this.#verdictOf(end));
      this.#deps.log.warn('worker replaced', { jobId: this.jobId, lost: lost + 1 });
      this.#deps.store.rereadLog(this.jobId);
      next = () => this.#takeUp(work);
    }
  }

  /** A container that runs goes on without a worker, whether that died or never came to be. */
  #hasMoreToTakeUp(end: WorkerEnd): boolean {
    if (end.kind === 'crashed') return true;
    const { store } = this.#deps;
    return end.kind === 'never_ready' && newestContainer(store.leftovers(this.jobId)) !== undefined;
  }

  /** The container that was noted, or the launch once more where none was: a container starts only once noted. */
  #takeUp(work: Work): FirstMessage {
    const container = newestContainer(this.#deps.store.leftovers(this.jobId));
    if (container !== undefined) return this.#adoption(work, container);
    const { spec, engine, environment } = work;
    if (environment === null) throw new Error('the container to take up is no longer noted');
    const context = this.#context(spec, engine);
    return { kind: 'run', spec, environment, context, mayBeMade: true };
  }

  #adoption({ spec, engine }: Work, container: ContainerLeftover): FirstMessage {
    const job = this.#deps.store.job(this.jobId);
    return {
      kind: 'adopt',
      spec,
      container,
      context: this.#context(spec, engine),
      cursor: job?.cursor ?? null,
      nextSeq: (job?.chunks ?? 0) + 1,
      nextLine: job?.lines ?? 0,
      stopCause: this.#stopCause,
    };
  }

  /** Resolves when the worker is gone. Never rejects. */
  async #runWorker(first: () => FirstMessage): Promise<WorkerEnd> {
    const { clock, log, store, turns, launcher } = this.#deps;
    try {
      const message = await this.#onceStored(first);
      if (message === null) return { kind: 'never_ready' };
      this.#session = new WorkerSession(
        {
          clock,
          log,
          store,
          turns,
          launcher,
          jobId: this.jobId,
          phase: (phase, progress) => this.#reached(phase, progress),
          logStored: () => this.#deps.logStored(this.jobId),
          keepsContainer: (ended) => this.#keepsContainer(ended),
        },
        message,
      );
      for (const environment of this.#earlySecrets.splice(0)) this.#session.addSecrets(environment);
      if (this.#stopCause !== null) this.#session.stop(this.#stopCause);
      this.#deps.changed(this.jobId);
      return await this.#session.run();
    } catch (error) {
      log.error('worker not started', { jobId: this.jobId, error });
      return { kind: 'never_ready' };
    }
  }

  /** A lock passes; until then nothing of the job starts. Null once it is left. Rejects with what else the store throws. */
  async #onceStored(first: () => FirstMessage): Promise<FirstMessage | null> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      try {
        return first();
      } catch (error) {
        if (!isStoreBusy(error)) throw error;
      }
      await this.#deps.clock.wait(BUSY_RETRY_MS, signal).catch(() => undefined);
    }
    return null;
  }

  /** A worker's own verdict stands even when a stop came in between (docker-jobs.md 4.10). */
  #verdictOf(end: WorkerEnd): Verdict {
    if (end.kind === 'ended') return end.verdict;
    if (this.#stopCause !== null) return stoppedVerdict(this.#stopCause);
    return lostVerdict(end.kind === 'never_ready' ? 'worker_start_failed' : 'worker_crashed');
  }

  #reached(phase: Phase, progress: string | null): void {
    this.#phase = phase;
    this.#progress = progress;
    if (phase === 'running' && !this.#isStarted && this.#stopCause === null) {
      this.#deps.store.transition(this.jobId, { kind: 'started', atMs: this.#deps.clock.nowMs() });
      this.#isStarted = true;
    }
    this.#deps.changed(this.jobId);
  }

  async #conclude(verdict: Verdict): Promise<void> {
    this.#stage = 'concluding';
    this.#deps.changed(this.jobId);
    // Once more for one that an earlier host judged and did not live to clear away.
    this.#keepsContainer(verdict);
    this.#noteVerdict(verdict);
    const usedMs = this.#stopMs === null ? 0 : this.#deps.clock.monotonicMs() - this.#stopMs;
    await this.#deps.sweeper.sweep(this.jobId, Math.max(MIN_SWEEP_MS, SWEEP_LIMIT_MS - usedMs));
    await this.#storeEnd(verdict);
    if (this.#mayBeUnnoted) this.#deps.lookLater(this.jobId);
    this.#finish();
  }

  /** On disk before anything goes: a host that dies meanwhile must not look for a container that is gone. */
  #noteVerdict(verdict: Verdict): void {
    const { store } = this.#deps;
    this.#store(() => {
      if (store.job(this.jobId)?.told !== null || store.leftovers(this.jobId).length === 0) return;
      store.noteEnding(this.jobId, verdict, NO_FACTS);
    });
  }

  #keepsContainer(verdict: Verdict): boolean {
    const { kept, store, log } = this.#deps;
    if (kept === undefined) return false;
    try {
      const container = newestContainer(store.leftovers(this.jobId));
      return container !== undefined && kept.keep(this.jobId, container, verdict);
    } catch (error) {
      log.error('failed container not kept', { jobId: this.jobId, error });
      return false;
    }
  }

  async #storeEnd(verdict: Verdict): Promise<void> {
    const { clock, store } = this.#deps;
    const end = (): unknown =>
      store.transition(this.jobId, { kind: 'ended', atMs: clock.nowMs(), verdict });
    while (!this.#store(end)) {
      try {
        await clock.wait(STORE_RETRY_MS, this.#leaving.signal);
      } catch {
        return;
      }
    }
  }

  /** False when the disk refused and trying again may help. */
  #store(act: () => unknown): boolean {
    try {
      act();
      return true;
    } catch (error) {
      this.#deps.log.error('job state not stored', { jobId: this.jobId, error });
      return error instanceof IllegalTransitionError;
    }
  }

  #finish(): void {
    this.#stage = 'over';
    this.#over.resolve(undefined);
  }

  #context(spec: JobSpec, engine: EngineAddress): JobContext {
    const { settings, runnerId, hostInstance, workspacesDir } = this.#deps;
    return {
      runnerId: runnerId(),
      hostInstance,
      limits: settings.limits(),
      allowed: settings.allowed(spec.flowId),
      engine,
      workspacesDir,
    };
  }
}
