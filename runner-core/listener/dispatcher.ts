/**
 * Answers what the service asks of this host: halts first, then the jobs of the same frame. Accepts
 * within capacity, recognises repeats, and settles what can never run here. A job it leaves
 * unanswered comes again with the next heartbeat.
 */
import type { Clock, HostCommands, JobStore, LabelledContainer, Log } from '../ports.ts';
import { toJobId, type JobId } from '../model/ids.ts';
import type { DockerLaunchSpec, JobSpec, UnrunnableSpec } from '../model/job-spec.ts';
import type { Verdict } from '../model/outcome.ts';
import { reason } from '../model/reason.ts';
import type { ServerFrame } from '../wire/frames.ts';
import { NO_HOST_OFFERS } from '../wire/host-lease.ts';
import {
  haltsOf,
  jobsOf,
  parseJob,
  type Halts,
  type ParsedHostJob,
  type ParsedJob,
} from '../wire/job-payload.ts';
import { failedVerdict, lostVerdict, stoppedVerdict } from '../wire/result-report.ts';
import type { EngineAddress } from '../worker/protocol.ts';
import type { HeldJobs } from './held-jobs.ts';
import type { JobRun } from './job-run.ts';
import type { HostOffer } from './offer.ts';
import { PendingHalts } from './pending-halts.ts';
import type { Reporter } from './reporter.ts';
import type { Link } from './session-socket.ts';
import type { Survivors } from './survivors.ts';

/** `paused`: connected, nothing new. `draining`: the same, and never again. `closed`: not even answers. */
export type Intake = 'open' | 'paused' | 'draining' | 'closed';

const MAX_NOTED_REPEATS = 1_000;
/** An engine that starts with the machine, or again, is up by then; after that the service is told. */
export const ENGINE_WAIT_MS = 120_000;

export interface DispatcherDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: JobStore;
  readonly serverUrl: string;
  /** The owner's own limit; the service's, when lower, counts too. */
  readonly concurrency: () => number;
  readonly engine: () => EngineAddress | null;
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

type AnyJob = ParsedJob | ParsedHostJob;

export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #halts: PendingHalts;
  /** Jobs that were left unanswered, each with why, so that a repeat is not logged again. */
  readonly #leftAlone = new Map<string, string>();
  /** Jobs that met no engine, each with when it first did, by the monotonic clock. */
  readonly #withoutEngine = new Map<JobId, number>();
  readonly #statusInFlight = new Set<JobId>();
  #link: Link | null = null;
  #serviceCapacity: number | null = null;
  intake: Intake = 'open';

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#halts = new PendingHalts(deps.clock);
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
        const job = parseJob(raw, serverUrl, hostCommands?.offers() ?? NO_HOST_OFFERS);
        const jobId = idOf(job);
        if (jobId !== null) listed.add(jobId);
        this.#deliver(job, frame.type);
      } catch (error) {
        this.#deps.log.error('delivery not handled', { error });
      }
    }
    return listed;
  }

  #halt(halts: Halts | null): void {
    if (halts === null) return;
    if (halts.all) for (const run of this.#deps.held.all()) run.stop('service');
    for (const id of halts.ids) {
      const jobId = toJobId(id);
      if (jobId === undefined) continue;
      const held = this.#deps.held.get(jobId);
      if (held !== undefined) held.stop('service');
      else if (!this.#isKnown(jobId)) this.#halts.remember(jobId);
    }
  }

  #deliver(job: AnyJob, frameType: ServerFrame['type']): void {
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
    else if (job.kind === 'repeat') this.#leave(jobId, 'started elsewhere, no launch');
    else this.#consider(jobId, job);
  }

  #repeatOfHeld(run: JobRun, job: AnyJob, frameType: ServerFrame['type']): void {
    if (job.kind === 'refused') run.conclude(failedVerdict(job.reason, job.error, job.exitCode));
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

  /** Starts a job of a previous host that waits for nothing else; without a launch, or an engine, it goes on waiting. */
  startOffered(run: JobRun): void {
    if (run.stage !== 'awaiting_redelivery' || run.offer === null) return;
    if ('prompt' in run.offer) {
      this.#startHost(run, run.offer);
      return;
    }
    const { spec, environment } = run.offer;
    const engine = this.#deps.engine();
    if (engine === null) this.#leave(run.jobId, 'no engine');
    else this.#start(run, spec, environment, engine);
  }

  /**
   * Asks for a job's launch once more. A lease that says PENDING is one that was not started, and comes with a
   * launch in the next heartbeat's reply.
   */
  askAgain(jobId: JobId): void {
    this.#link?.send({ type: 'status', execution_id: jobId, status: 'PENDING' });
  }

  #consider(jobId: JobId, job: Extract<AnyJob, { kind: 'docker' | 'host' | 'refused' }>): void {
    if (this.intake !== 'open') {
      this.#leave(jobId, this.intake);
      return;
    }
    if (job.kind === 'refused') {
      this.#settleUnstarted(job.spec, failedVerdict(job.reason, job.error, job.exitCode));
      return;
    }
    const refusal = this.#deps.refusal?.() ?? null;
    if (refusal !== null) {
      this.#leave(jobId, refusal);
      return;
    }
    const engine = this.#deps.engine();
    const capacity = Math.min(
      this.#deps.concurrency(),
      this.#serviceCapacity ?? Number.POSITIVE_INFINITY,
    );
    if (this.#deps.held.count >= capacity) this.#leave(jobId, 'full');
    else if (job.kind === 'host') this.#acceptHost({ spec: job.spec, prompt: job.secrets.prompt });
    else if (engine === null) this.#awaitEngine(job.spec);
    else if (!this.#deps.survivors.isKnown) this.#leave(jobId, 'containers not yet listed');
    else this.#accept(job.spec, job.secrets.environment, engine);
  }

  /** Not taken while there may soon be an engine; then answered, so that nobody waits for this machine in vain. */
  #awaitEngine(spec: DockerLaunchSpec): void {
    const { clock, engineProblem } = this.#deps;
    const nowMs = clock.monotonicMs();
    const sinceMs = this.#withoutEngine.get(spec.jobId) ?? nowMs;
    if (this.#withoutEngine.size >= MAX_NOTED_REPEATS) this.#withoutEngine.clear();
    this.#withoutEngine.set(spec.jobId, sinceMs);
    if (nowMs - sinceMs < ENGINE_WAIT_MS) {
      this.#leave(spec.jobId, 'no engine');
      return;
    }
    this.#withoutEngine.delete(spec.jobId);
    const detail = engineProblem?.() ?? null;
    const facts = detail === null ? {} : { detail };
    this.#settleUnstarted(spec, failedVerdict(reason('docker_unavailable', facts)));
  }

  #accept(
    spec: DockerLaunchSpec,
    environment: Readonly<Record<string, string>>,
    engine: EngineAddress,
  ): void {
    const { store, held, survivors, clock, log } = this.#deps;
    store.accept(spec, clock.nowMs());
    this.#leftAlone.delete(spec.jobId);
    this.#withoutEngine.delete(spec.jobId);
    log.info('job accepted', { jobId: spec.jobId, image: spec.image });
    const run = this.#deps.newRun(spec.jobId);
    held.add(run);
    const containers = survivors.take(spec.jobId);
    const container = containers[0];
    if (container === undefined) this.#start(run, spec, environment, engine);
    else this.#adopt(run, spec, containers, container, environment, engine);
  }

  /** Docker need not be there for it. */
  #acceptHost(offer: HostOffer): void {
    const { store, held, clock, log } = this.#deps;
    const { jobId, profileName } = offer.spec;
    store.accept(offer.spec, clock.nowMs());
    this.#leftAlone.delete(jobId);
    log.info('job accepted', { jobId, profile: profileName });
    const run = this.#deps.newRun(jobId);
    held.add(run);
    this.#startHost(run, offer);
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
  #adopt(
    run: JobRun,
    spec: DockerLaunchSpec,
    containers: readonly LabelledContainer[],
    container: LabelledContainer,
    environment: Readonly<Record<string, string>>,
    engine: EngineAddress,
  ): void {
    const { store, clock } = this.#deps;
    try {
      for (const { leftover } of containers) store.noteLeftover(spec.jobId, leftover);
      store.transition(spec.jobId, { kind: 'launched', atMs: clock.nowMs() });
    } catch (error) {
      run.conclude(lostVerdict('host_restarted'));
      throw error;
    }
    this.#tellRunning(spec.jobId);
    run.addSecrets(environment);
    run.adopt(spec, container.leftover, engine);
  }

  #answerHalted(jobId: JobId, job: Exclude<AnyJob, { kind: 'unreadable' }>): void {
    const spec = job.kind === 'repeat' ? startedElsewhere(jobId) : job.spec;
    this.#settleUnstarted(spec, stoppedVerdict('service'));
    this.#halts.forget(jobId);
  }

  /** Answers a job without starting it. The store keeps the answer, so that it is repeated until heard. */
  #settleUnstarted(spec: JobSpec, verdict: Verdict): void {
    const { store, clock, log, held, survivors } = this.#deps;
    store.accept(spec, clock.nowMs());
    log.info('job answered without a start', { jobId: spec.jobId, outcome: verdict.outcome });
    const run = this.#deps.newRun(spec.jobId);
    held.add(run);
    for (const { leftover } of survivors.take(spec.jobId)) store.noteLeftover(spec.jobId, leftover);
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

function idOf(job: AnyJob): JobId | null {
  if (job.kind === 'unreadable') return null;
  return job.kind === 'repeat' ? job.jobId : job.spec.jobId;
}

/** Stands in for a job of which only the id is known: enough to answer for it. */
function startedElsewhere(jobId: JobId): UnrunnableSpec {
  return {
    kind: 'unrunnable',
    jobId,
    flowId: null,
    flowName: null,
    repository: null,
    agentType: 'unknown',
    modelIdentifier: null,
    report: { kind: 'docker_v1' },
  };
}
