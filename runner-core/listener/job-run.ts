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
import { IllegalTransitionError } from '../model/errors.ts';
import type { JobId } from '../model/ids.ts';
import type { DockerLaunchSpec, JobSpec } from '../model/job-spec.ts';
import type { Leftover } from '../model/leftover.ts';
import type { StopCause, Verdict } from '../model/outcome.ts';
import { lostVerdict, stoppedVerdict } from '../wire/result-report.ts';
import type { EngineAddress, JobContext, Phase, ToWorker } from '../worker/protocol.ts';
import { SWEEP_LIMIT_MS, type LeftoverSweeper } from './leftover-sweeper.ts';
import { WorkerSession, type WorkerEnd } from './worker-session.ts';

/** What a stop that used up its time still gives the removal of leftovers. */
const MIN_SWEEP_MS = 1_000;
/** An end the disk refused is tried again this often; the job keeps its slot until then. */
export const STORE_RETRY_MS = 30_000;

export interface JobRunDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: JobStore;
  readonly launcher: WorkerLauncher;
  readonly sweeper: LeftoverSweeper;
  readonly settings: OwnerSettings;
  /** Left out: every container goes when its job is over. */
  readonly kept?: KeptContainers;
  readonly runnerId: () => string;
  readonly hostInstance: string;
  readonly workspacesDir: string;
  /** The job's state, phase or log changed: for showing only. */
  readonly changed: (jobId: JobId) => void;
  readonly logStored: (jobId: JobId) => void;
}

/** Where a held job stands beside its stored state. The two `awaiting` ones occur only after a restart. */
export type RunStage =
  'awaiting_redelivery' | 'awaiting_engine' | 'working' | 'concluding' | 'over';

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

  /** Starts the work of an accepted job. */
  launch(
    spec: DockerLaunchSpec,
    environment: Readonly<Record<string, string>>,
    engine: EngineAddress,
  ): void {
    this.#work(() => {
      const context = this.#context(spec, engine);
      this.#deps.store.transition(this.jobId, {
        kind: 'launched',
        atMs: this.#deps.clock.nowMs(),
      });
      return { kind: 'run', spec, environment, context };
    });
  }

  /** Takes up a container that a previous host started. */
  adopt(
    spec: DockerLaunchSpec,
    container: Leftover & { readonly kind: 'container' },
    engine: EngineAddress,
  ): void {
    this.#stopMs = this.#stopCause === null ? null : this.#deps.clock.monotonicMs();
    this.#work(() => {
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
    });
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

  #work(first: () => ToWorker & { kind: 'run' | 'adopt' }): void {
    this.#stage = 'working';
    void this.#carryOut(first);
  }

  /** Never rejects: whatever goes wrong is the end of this job alone. */
  async #carryOut(first: () => ToWorker & { kind: 'run' | 'adopt' }): Promise<void> {
    const { clock, log, store, launcher } = this.#deps;
    let verdict: Verdict;
    try {
      this.#session = new WorkerSession(
        {
          clock,
          log,
          store,
          launcher,
          jobId: this.jobId,
          phase: (phase, progress) => this.#reached(phase, progress),
          logStored: () => {
            this.#deps.logStored(this.jobId);
            this.#deps.changed(this.jobId);
          },
          keepsContainer: (ended) => this.#keepsContainer(ended),
        },
        first(),
      );
      for (const environment of this.#earlySecrets.splice(0)) this.#session.addSecrets(environment);
      if (this.#stopCause !== null) this.#session.stop(this.#stopCause);
      this.#deps.changed(this.jobId);
      verdict = this.#verdictOf(await this.#session.run());
    } catch (error) {
      log.error('worker not started', { jobId: this.jobId, error });
      verdict =
        this.#stopCause === null
          ? lostVerdict('worker_start_failed')
          : stoppedVerdict(this.#stopCause);
    }
    if (this.#leaving.signal.aborted && this.#session?.hasEnded !== true) this.#finish();
    else await this.#conclude(verdict);
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
      this.#isStarted = true;
      this.#deps.store.transition(this.jobId, { kind: 'started', atMs: this.#deps.clock.nowMs() });
    }
    this.#deps.changed(this.jobId);
  }

  async #conclude(verdict: Verdict): Promise<void> {
    this.#stage = 'concluding';
    this.#deps.changed(this.jobId);
    // Once more for one that an earlier host judged and did not live to clear away.
    this.#keepsContainer(verdict);
    const usedMs = this.#stopMs === null ? 0 : this.#deps.clock.monotonicMs() - this.#stopMs;
    await this.#deps.sweeper.sweep(this.jobId, Math.max(MIN_SWEEP_MS, SWEEP_LIMIT_MS - usedMs));
    await this.#storeEnd(verdict);
    this.#finish();
  }

  #keepsContainer(verdict: Verdict): boolean {
    const { kept, store, log } = this.#deps;
    if (kept === undefined) return false;
    try {
      const container = store
        .leftovers(this.jobId)
        .find((leftover): leftover is ContainerLeftover => leftover.kind === 'container');
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
