/**
 * Answers what the service asks of this host: halts first, then the jobs of the same frame. Accepts
 * within capacity, recognises repeats, and settles what can never run here. A job it leaves
 * unanswered comes again with the next heartbeat.
 */
import type { Clock, EngineSense, HostCommands, JobStore, Log } from '../ports.ts';
import { toJobId, type JobId } from '../model/ids.ts';
import type { DockerLaunchSpec, JobSpec } from '../model/job-spec.ts';
import { newestContainer } from '../model/leftover.ts';
import type { Verdict } from '../model/outcome.ts';
import { reason } from '../model/reason.ts';
import type { ServerFrame } from '../wire/frames.ts';
import { NO_HOST_OFFERS } from '../wire/host-lease.ts';
import { haltsOf, idIn, jobsOf, parseJob, type AnyJob, type Halts } from '../wire/job-payload.ts';
import { specToAdopt } from '../wire/spec-to-adopt.ts';
import { failedVerdict, lostVerdict, stoppedVerdict } from '../wire/result-report.ts';
import type { EngineAddress } from '../worker/protocol.ts';
import { Claims, madeFor, unknownSpec, type OfferedJob } from './claims.ts';
import { OffersWithoutEngine } from './engine-wait.ts';
import type { HeldJobs } from './held-jobs.ts';
import type { JobRun } from './job-run.ts';
import type { HostOffer } from './offer.ts';
import { PendingHalts } from './pending-halts.ts';
import type { Reporter } from './reporter.ts';
import type { Link } from './session-socket.ts';
import type { Survivors } from './survivors.ts';

/** `paused`: connected, nothing new. `draining`: the same, and never again. `closed`: not even answers. */
export type Intake = 'open' | 'paused' | 'draining' | 'closed';
/** What a pause means for jobs that a previous host accepted and did not start. */
export type Unstarted = 'wait' | 'start';

const MAX_NOTED_REPEATS = 1_000;

export interface DispatcherDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: JobStore;
  readonly serverUrl: string;
  /** The owner's own limit; the service's, when lower, counts too. */
  readonly concurrency: () => number;
  readonly engine: () => EngineAddress | null;
  readonly engines?: EngineSense;
  /** Why there is none, in plain words. */
  readonly engineProblem?: () => string | null;
  /** Why this machine takes no job now, in few words; null or left out: it does. Read for each offer. */
  readonly refusal?: () => string | null;
  /** Left out: every job for a local command is refused. */
  readonly hostCommands?: HostCommands;
  readonly held: HeldJobs;
  readonly survivors: Survivors;
  readonly reporter: Reporter;
  readonly newRun: (jobId: JobId) => JobRun;
}

export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #halts: PendingHalts;
  readonly #claims: Claims;
  /** Jobs that were left unanswered, each with why, so that a repeat is not logged again. */
  readonly #leftAlone = new Map<string, string>();
  readonly #withoutEngine: OffersWithoutEngine;
  /** Jobs to be taken once it is sure that their engine answers. */
  readonly #checking = new Set<JobId>();
  readonly #statusInFlight = new Set<JobId>();
  #link: Link | null = null;
  #serviceCapacity: number | null = null;
  #intake: Intake = 'open';
  #unstarted: Unstarted = 'start';

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#halts = new PendingHalts(deps.clock);
    this.#withoutEngine = new OffersWithoutEngine(deps.clock);
    this.#claims = new Claims({
      ...deps,
      adopt: (offered, spec, engine) => this.#adopt(offered, spec, engine),
      settle: (spec, verdict) => this.#settleUnstarted(spec, verdict),
      askAgain: (jobId) => this.askAgain(jobId),
      consider: ({ job }) => {
        if (this.#link !== null && job.kind !== 'repeat')
          this.#consider(job.spec.jobId, job, false);
      },
    });
  }

  /** Jobs that may be at work here though the store does not know them. */
  mayBeHere(): readonly JobId[] {
    return this.#claims.mayBeHere();
  }

  /** The containers of earlier hosts were listed, or there is an engine again. */
  containersKnown(): void {
    if (this.#intake !== 'closed') this.#claims.look();
  }

  stop(): void {
    this.#claims.stop();
  }

  get intake(): Intake {
    return this.#intake;
  }

  /** Starts what waited for the end of a pause, unless this one lets it wait too. */
  turn(intake: Intake, unstarted: Unstarted = 'start'): void {
    this.#intake = intake;
    this.#unstarted = unstarted;
    if (!this.holdsBack) for (const run of this.#deps.held.all()) this.startOffered(run);
  }

  /** A job that was accepted and not started has to wait for the owner. */
  get holdsBack(): boolean {
    return this.#intake === 'closed' || (this.#intake === 'paused' && this.#unstarted === 'wait');
  }

  online(link: Link): void {
    this.#link = link;
    this.#serviceCapacity = null;
    this.#statusInFlight.clear();
  }

  offline(): void {
    this.#link = null;
  }

  /** Handles all a frame carries; returns the jobs it listed. What goes wrong with one job stays with it. */
  frame(frame: ServerFrame): ReadonlySet<JobId> {
    if ('concurrency' in frame && frame.concurrency !== undefined)
      this.#serviceCapacity = frame.concurrency;
    this.#halt(haltsOf(frame));
    const listed = new Set<JobId>();
    for (const raw of jobsOf(frame)) {
      try {
        const { serverUrl, hostCommands } = this.#deps;
        const job = parseJob(raw, serverUrl, () => hostCommands?.offers() ?? NO_HOST_OFFERS);
        const jobId = idIn(job);
        if (jobId !== null) listed.add(jobId);
        this.#deliver(job, frame.type, false, raw);
      } catch (error) {
        this.#deps.log.error('delivery not handled', { error });
      }
    }
    if (frame.type !== 'hello') return listed;
    for (const id of frame.held_execution_ids ?? []) this.#heldThere(toJobId(id), listed);
    this.#claims.greeted(listed);
    return listed;
  }

  /** Leased here and started, and that is all the service says of it. */
  #heldThere(jobId: JobId | undefined, listed: Set<JobId>): void {
    if (jobId === undefined || listed.has(jobId)) return;
    listed.add(jobId);
    try {
      this.#deliver({ kind: 'repeat', jobId }, 'hello');
    } catch (error) {
      this.#deps.log.error('delivery not handled', { error });
    }
  }

  #halt(halts: Halts | null): void {
    if (halts === null) return;
    if (halts.all) {
      for (const run of this.#deps.held.all()) run.stop('service');
      for (const jobId of this.#checking) this.#halts.remember(jobId);
    }
    for (const id of halts.ids) {
      const jobId = toJobId(id);
      if (jobId === undefined) continue;
      const held = this.#deps.held.get(jobId);
      if (held !== undefined) held.stop('service');
      else if (!this.#isKnown(jobId)) this.#halts.remember(jobId);
    }
  }

  #deliver(
    job: AnyJob,
    frameType: ServerFrame['type'],
    isChecked = false,
    raw: unknown = null,
  ): void {
    if (job.kind === 'unreadable') {
      this.#deps.log.error('job not readable', { field: job.field, problem: job.problem });
      return;
    }
    const jobId = job.kind === 'repeat' ? job.jobId : job.spec.jobId;
    if (this.intake === 'closed') return;
    const run = this.#deps.held.get(jobId);
    if (run !== undefined) this.#repeatOfHeld(run, job, frameType);
    else if (this.#isKnown(jobId)) this.#deps.reporter.repeat(jobId);
    else if (this.#halts.has(jobId)) this.#answerHalted(jobId, job);
    else if (this.#claims.recognise(this.#offered(jobId, job, raw), frameType === 'hello')) return;
    else if (job.kind === 'repeat') this.#leave(jobId, 'started elsewhere, no launch');
    else this.#consider(jobId, job, isChecked);
  }

  #offered(jobId: JobId, job: OfferedJob['job'], raw: unknown): OfferedJob {
    const spec = job.kind === 'docker' ? job.spec : specToAdopt(raw, this.#deps.serverUrl);
    return { jobId, job, spec };
  }

  #repeatOfHeld(run: JobRun, job: AnyJob, frameType: ServerFrame['type']): void {
    // One that was started goes on, whatever the service can no longer prepare.
    if (job.kind === 'refused' && run.stage === 'awaiting_redelivery')
      run.conclude(failedVerdict(job.reason, job.error, job.exitCode));
    if (job.kind !== 'docker' && job.kind !== 'host') return;
    if (run.stage === 'awaiting_redelivery' || run.stage === 'awaiting_engine')
      run.offered(
        job.kind === 'host'
          ? { spec: job.spec, prompt: job.secrets.prompt }
          : { spec: job.spec, environment: job.secrets.environment },
      );
    if (run.stage === 'awaiting_redelivery') {
      // Answered without a start, but the host died before the answer was stored.
      if (this.#deps.store.job(run.jobId)?.spec.kind !== job.spec.kind)
        run.conclude(lostVerdict('host_restarted'));
      else this.startOffered(run);
      return;
    }
    if (job.kind === 'docker') run.addSecrets(job.secrets.environment);
    // Outside `hello`, a launch means that the service has not heard that the job was started.
    if (frameType !== 'hello' && !run.isStopping) this.#tellRunning(run.jobId);
  }

  /**
   * Starts a job of a previous host that waits for nothing else; without a launch, or an engine, or while the
   * owner's pause holds it back, it goes on waiting.
   */
  startOffered(run: JobRun): void {
    if (run.stage !== 'awaiting_redelivery' || run.offer === null) return;
    const { offer } = run;
    const engine = this.#deps.engine();
    if (this.holdsBack) this.#leave(run.jobId, this.intake);
    else if ('prompt' in offer) this.#startHost(run, offer);
    else if (engine === null) this.#leave(run.jobId, 'no engine');
    else this.#start(run, offer.spec, offer.environment, engine);
  }

  /**
   * Asks for a job's launch once more. A lease that says PENDING is one that was not started, and comes with a
   * launch in the next heartbeat's reply.
   */
  askAgain(jobId: JobId): void {
    this.#link?.send({ type: 'status', execution_id: jobId, status: 'PENDING' });
  }

  #consider(
    jobId: JobId,
    job: Extract<AnyJob, { kind: 'docker' | 'host' | 'refused' }>,
    isChecked: boolean,
  ): void {
    const engine = this.#deps.engine();
    const refusal = this.#deps.refusal?.() ?? null;
    const capacity = Math.min(
      this.#deps.concurrency(),
      this.#serviceCapacity ?? Number.POSITIVE_INFINITY,
    );
    if (this.intake !== 'open') this.#leave(jobId, this.intake);
    else if (job.kind === 'refused')
      this.#settleUnstarted(job.spec, failedVerdict(job.reason, job.error, job.exitCode));
    else if (refusal !== null) this.#leave(jobId, refusal);
    else if (this.#deps.held.count >= capacity) this.#leave(jobId, 'full');
    else if (job.kind === 'host') this.#acceptHost({ spec: job.spec, prompt: job.secrets.prompt });
    else if (engine === null) this.#awaitEngine(job.spec);
    else if (!this.#deps.survivors.isKnown) this.#leave(jobId, 'containers not yet listed');
    else if (!isChecked && this.#deps.engines !== undefined)
      void this.#check(job, this.#deps.engines);
    else this.#accept(job.spec, job.secrets.environment, engine);
  }

  /** An engine that went away unseen would lose the job: it is asked before the job is taken. Never rejects. */
  async #check(job: Extract<AnyJob, { kind: 'docker' }>, engines: EngineSense): Promise<void> {
    const { jobId } = job.spec;
    if (this.#checking.has(jobId)) return;
    this.#checking.add(jobId);
    try {
      await engines.check();
      this.#deliver(job, 'job', true);
    } catch (error) {
      this.#deps.log.error('delivery not handled', { error });
    } finally {
      this.#checking.delete(jobId);
    }
  }

  /** Not taken while there may soon be an engine; then answered, so that nobody waits for this machine in vain. */
  #awaitEngine(spec: DockerLaunchSpec): void {
    if (this.#withoutEngine.mayWait(spec.jobId)) {
      this.#leave(spec.jobId, 'no engine');
      return;
    }
    this.#withoutEngine.forget(spec.jobId);
    const detail = this.#deps.engineProblem?.() ?? null;
    const facts = detail === null ? {} : { detail };
    this.#settleUnstarted(spec, failedVerdict(reason('docker_unavailable', facts)));
  }

  #accept(
    spec: DockerLaunchSpec,
    environment: Readonly<Record<string, string>>,
    engine: EngineAddress,
  ): void {
    this.#deps.log.info('job accepted', { jobId: spec.jobId, image: spec.image });
    this.#start(this.#take(spec), spec, environment, engine);
  }

  /** Stored and held from now on. */
  #take(spec: JobSpec): JobRun {
    const { store, held, clock, newRun } = this.#deps;
    const { jobId } = spec;
    store.accept(spec, clock.nowMs());
    this.#leftAlone.delete(jobId);
    this.#withoutEngine.forget(jobId);
    this.#claims.forget(jobId);
    const run = newRun(jobId);
    held.add(run);
    return run;
  }

  /** Docker need not be there for it. */
  #acceptHost(offer: HostOffer): void {
    const { jobId, profileName } = offer.spec;
    this.#deps.log.info('job accepted', { jobId, profile: profileName });
    this.#startHost(this.#take(offer.spec), offer);
  }

  #startHost(run: JobRun, offer: HostOffer): void {
    this.#tellRunning(run.jobId);
    run.launchHost(offer);
  }

  #start(
    run: JobRun,
    spec: DockerLaunchSpec,
    environment: Readonly<Record<string, string>>,
    engine: EngineAddress,
  ): void {
    // At once: each heartbeat before it makes the service mint another credential.
    this.#tellRunning(spec.jobId);
    run.launch(spec, environment, engine);
  }

  /** The database was lost, the container was not: running it again would do the work twice. */
  #adopt({ jobId, job }: OfferedJob, spec: DockerLaunchSpec, engine: EngineAddress): void {
    const { store, clock, survivors, log } = this.#deps;
    const made = madeFor(spec, survivors.take(jobId, spec.options.network));
    const container = newestContainer(made);
    log.info('container adopted', { jobId, name: container?.name });
    const run = this.#take(spec);
    try {
      for (const leftover of made) store.noteLeftover(jobId, leftover);
      store.transition(jobId, { kind: 'launched', atMs: clock.nowMs() });
    } catch (error) {
      run.conclude(lostVerdict('host_restarted'));
      throw error;
    }
    this.#tellRunning(jobId);
    if (job.kind === 'docker') run.addSecrets(job.secrets.environment);
    if (container === undefined) run.conclude(lostVerdict('host_restarted'));
    else run.adopt(spec, container, engine);
  }

  #answerHalted(jobId: JobId, job: Exclude<AnyJob, { kind: 'unreadable' }>): void {
    const spec = job.kind === 'repeat' ? unknownSpec(jobId) : job.spec;
    this.#settleUnstarted(spec, stoppedVerdict('service'));
    this.#halts.forget(jobId);
  }

  /** Answers a job without starting it. The store keeps the answer, so that it is repeated until heard. */
  #settleUnstarted(spec: JobSpec, verdict: Verdict): void {
    const { store, log, survivors } = this.#deps;
    const { jobId } = spec;
    const run = this.#take(spec);
    log.info('job answered without a start', { jobId, outcome: verdict.outcome });
    for (const leftover of survivors.take(jobId)) store.noteLeftover(jobId, leftover);
    run.conclude(verdict);
  }

  #tellRunning(jobId: JobId): void {
    if (this.#link === null || this.#statusInFlight.has(jobId)) return;
    this.#statusInFlight.add(jobId);
    this.#link.send({ type: 'status', execution_id: jobId, status: 'RUNNING' }, () =>
      this.#statusInFlight.delete(jobId),
    );
  }

  #isKnown(jobId: JobId): boolean {
    return this.#deps.store.job(jobId) !== undefined;
  }

  #leave(jobId: JobId, why: string): void {
    if (this.#leftAlone.get(jobId) === why) return;
    if (this.#leftAlone.size >= MAX_NOTED_REPEATS) this.#leftAlone.clear();
    this.#leftAlone.set(jobId, why);
    this.#deps.log.info('job left unanswered', { jobId, why });
  }
}
