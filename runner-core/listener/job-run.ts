/**
 * One job from launch, or from where a previous host left it, to its stored end. Makes sure that its
 * worker and all it made are gone before the end is stored. What the service is told is `reporter`'s.
 */
import type { ContainerLeftover, EngineSense, WorkerLauncher } from '../ports.ts';
import { isStoreBusy } from '../model/errors.ts';
import type { JobId } from '../model/ids.ts';
import type { DockerLaunchSpec, ReportProtocol } from '../model/job-spec.ts';
import { newestContainer } from '../model/leftover.ts';
import type { StopCause, Verdict } from '../model/outcome.ts';
import { lostVerdict, reportedVerdict, stoppedVerdict } from '../wire/result-report.ts';
import type { EngineAddress, Phase } from '../worker/protocol.ts';
import { BUSY_RETRY_MS, type CommitTurns } from './commit-turns.ts';
import { EngineWait } from './engine-wait.ts';
import { FirstMessages, type FirstMessageDeps, type Work } from './first-messages.ts';
import { JobEnding, type JobEndingDeps } from './job-ending.ts';
import { SWEEP_LIMIT_MS } from './leftover-sweeper.ts';
import type { DockerOffer, HostOffer, Offer } from './offer.ts';
import type { StartGate } from './start-gate.ts';
import { WorkerSession, type FirstMessage, type WorkerEnd } from './worker-session.ts';

/** What a stop that used up its time still gives the removal of leftovers. */
const MIN_SWEEP_MS = 1_000;
/** So many workers of one job may die and be followed by another; the next death is told as it is. */
export const MOST_WORKERS_LOST = 3;

export interface JobRunDeps extends JobEndingDeps, FirstMessageDeps {
  readonly turns: CommitTurns;
  readonly launcher: WorkerLauncher;
  readonly engine: () => EngineAddress | null;
  readonly engines?: EngineSense;
  readonly startGate: StartGate;
  /** The job's state or phase changed: for showing only. Of its log the store tells. */
  readonly changed: (jobId: JobId) => void;
  readonly logStored: (jobId: JobId) => void;
  /** The job is over, and a container of it that nobody noted may come to be yet. */
  readonly lookLater: (jobId: JobId) => void;
}

/**
 * Where a held job stands beside its stored state. `awaiting_redelivery` occurs only after a restart,
 * `awaiting_engine` also where the engine went away before anything of the job ran.
 */
export type RunStage =
  'awaiting_redelivery' | 'awaiting_engine' | 'working' | 'concluding' | 'over';

export class JobRun {
  readonly jobId: JobId;
  /** Resolves when the job is no longer held here: its end is stored, or it was left for the next host. */
  readonly over: Promise<void>;
  readonly #over = Promise.withResolvers<undefined>();
  readonly #deps: JobRunDeps;
  readonly #leaving = new AbortController();
  /** A local command: nobody can take it up, and a stop counts until its end is stored. */
  readonly #isHost: boolean;
  /** How its end is reported. */
  readonly #report: ReportProtocol;
  readonly #ending: JobEnding;
  readonly #messages: FirstMessages;
  readonly #engineWait: EngineWait;
  /** Aborted when a job that waits for its engine waits no longer. */
  #waiting: AbortController | null = null;
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
    this.#ending = new JobEnding(deps, jobId, this.#leaving.signal);
    this.#messages = new FirstMessages(deps, jobId);
    const { clock, engine, engines } = deps;
    this.#engineWait = new EngineWait({ clock, engine, check: engines?.check.bind(engines) });
    const job = deps.store.job(jobId);
    this.#isHost = job?.spec.kind === 'host_exec';
    this.#report = job?.spec.report ?? { kind: 'docker_v1' };
    const state = job?.state;
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

  /** Its container is in an engine that is not the one in use, at `at`: it waits for that one. */
  isElsewhere(at: string): void {
    const said = `This job's container is in another engine: ${at}`;
    if (this.#stage !== 'awaiting_engine' || this.#progress === said) return;
    this.#progress = said;
    this.#deps.log.warn('container in another engine', { jobId: this.jobId, at });
    this.#deps.changed(this.jobId);
  }

  /** Nobody can look at what it made, and it was to be stopped: that does not wait for its engine. */
  concludeStopped(): void {
    if (this.#stopCause !== null) this.conclude(stoppedVerdict(this.#stopCause));
  }

  /** Starts the work of a job of which nothing was started before. */
  launch(
    spec: DockerLaunchSpec,
    environment: Readonly<Record<string, string>>,
    engine: EngineAddress,
  ): void {
    this.#offer = null;
    const offer = { spec, environment };
    this.#work({ ...offer, engine }, () => this.#messages.launch(offer, engine));
  }

  /** Starts a local command. It dies with its worker, and its worker with this host. */
  launchHost(offer: HostOffer): void {
    this.#offer = null;
    this.#work(null, () => this.#messages.launchHost(offer));
  }

  /** Takes up a container that a previous host started. */
  adopt(spec: DockerLaunchSpec, container: ContainerLeftover, engine: EngineAddress): void {
    this.#offer = null;
    this.#stopMs = this.#stopCause === null ? null : this.#deps.clock.monotonicMs();
    const work = { spec, engine, environment: null };
    this.#work(work, () => this.#messages.adoption(work, container, this.#stopCause));
  }

  /** Ends a job that no worker will carry out (any more). Its leftovers are removed first. */
  conclude(verdict: Verdict): void {
    if (this.#isWaiting()) void this.#conclude(verdict);
  }

  /** False: left alone it would die without a word, so it is stopped where others are left. */
  get canBeLeft(): boolean {
    return !(this.#isHost && this.#stage === 'working');
  }

  /** Ends the job; the first cause stays. Too late once the worker told its verdict, but for a local command. */
  stop(cause: StopCause): void {
    const isTold = this.#stage === 'concluding' || this.#session?.hasEnded === true;
    const isEnding = this.#stage === 'over' || (isTold && !this.#isHost);
    if (this.#stopCause !== null || isEnding) return;
    this.#stopCause = cause;
    this.#stopMs = this.#deps.clock.monotonicMs();
    this.#ending.store(() =>
      this.#deps.store.transition(this.jobId, {
        kind: 'stop_requested',
        atMs: this.#deps.clock.nowMs(),
        cause,
      }),
    );
    this.#session?.stop(cause);
    this.conclude(stoppedVerdict(cause));
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
    if (this.#isWaiting()) this.#finish();
  }

  #isWaiting(): boolean {
    return this.#stage === 'awaiting_redelivery' || this.#stage === 'awaiting_engine';
  }

  #work(work: Work | null, first: () => FirstMessage): void {
    this.#stage = 'working';
    this.#progress = null;
    void this.#carryOut(work, first);
  }

  /** Never rejects: whatever goes wrong, such as a disk that cannot be read, is the end of this job alone. */
  async #carryOut(work: Work | null, first: () => FirstMessage): Promise<void> {
    try {
      await this.#workInTurns(work, first);
    } catch (error) {
      this.#deps.log.error('job not carried on', { jobId: this.jobId, error });
      await this.#conclude(this.#verdictOf({ kind: 'store_failed' }));
    }
  }

  /**
   * A worker that dies is followed by another, which takes up what there is: the container runs on without them.
   * One that met no engine is followed by another when there is one. Rejects with what the store throws.
   */
  async #workInTurns(work: Work | null, first: () => FirstMessage): Promise<void> {
    let current = work;
    let next = first;
    let lost = 0;
    for (;;) {
      const end = await this.#runWorker(next);
      this.#mayBeUnnoted ||= end.kind !== 'ended' && !this.#isStarted;
      if (this.#leaving.signal.aborted && this.#session?.hasEnded !== true) {
        this.#finish();
        return;
      }
      if (current === null) return this.#conclude(this.#verdictOf(end));
      if (end.kind === 'no_engine' && this.#stopCause === null) {
        const engine = await this.#awaitEngine();
        // Ended or left meanwhile, by who said so.
        if (this.#stage !== 'awaiting_engine') return;
        if (engine === null) return this.#conclude(end.verdict);
        this.#stage = 'working';
        current = { ...current, engine, environment: this.#offered ?? current.environment };
      } else {
        const isOver = this.#stopCause !== null || !(await this.#hasMoreToTakeUp(end));
        if (isOver || lost === MOST_WORKERS_LOST) return this.#conclude(this.#verdictOf(end));
        lost += 1;
        this.#deps.log.warn('worker replaced', { jobId: this.jobId, lost });
      }
      await this.#onceStored(() => this.#deps.store.rereadLog(this.jobId));
      const then = current;
      next = () => this.#messages.takeUp(then, this.#stopCause);
    }
  }

  /** Of the newest launch that came. */
  get #offered(): DockerOffer['environment'] | null {
    return this.#offer !== null && 'environment' in this.#offer ? this.#offer.environment : null;
  }

  async #awaitEngine(): Promise<EngineAddress | null> {
    this.#stage = 'awaiting_engine';
    this.#deps.log.warn('job waits for the engine', { jobId: this.jobId });
    this.#deps.engines?.missed();
    this.#deps.changed(this.jobId);
    this.#waiting = new AbortController();
    return this.#engineWait.next(this.#waiting.signal);
  }

  /** A container that runs goes on without a worker, whether that died or never came to be. */
  async #hasMoreToTakeUp(end: WorkerEnd): Promise<boolean> {
    if (end.kind !== 'never_ready') return end.kind === 'crashed';
    const { store } = this.#deps;
    const noted = await this.#onceStored(() => store.leftovers(this.jobId));
    return noted !== null && newestContainer(noted) !== undefined;
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
          startGate: this.#deps.startGate,
          engineMissed: () => this.#deps.engines?.missed(),
          waitsForEngine: ({ reason }) => reason?.code === 'docker_unavailable' && !this.#isStarted,
          keepsContainer: (ended) => this.#ending.keepsContainer(ended),
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
  async #onceStored<T>(act: () => T): Promise<T | null> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      try {
        return act();
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
    this.#waiting?.abort();
    this.#progress = null;
    this.#deps.changed(this.jobId);
    const reported = (told: Verdict): Verdict => reportedVerdict(this.#report, told);
    const usedMs = this.#stopMs === null ? 0 : this.#deps.clock.monotonicMs() - this.#stopMs;
    await this.#ending.carryOut(
      reported(verdict),
      Math.max(MIN_SWEEP_MS, SWEEP_LIMIT_MS - usedMs),
      () =>
        reported(
          this.#isHost && this.#stopCause !== null ? stoppedVerdict(this.#stopCause) : verdict,
        ),
    );
    // A local command makes no container.
    if (this.#mayBeUnnoted && !this.#isHost) this.#deps.lookLater(this.jobId);
    this.#finish();
  }

  #finish(): void {
    this.#stage = 'over';
    this.#waiting?.abort();
    this.#over.resolve(undefined);
  }
}
