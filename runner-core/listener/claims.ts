/**
 * Jobs that the service leases to this host and the store does not know, as after the loss of the database. One
 * with a container of ours is adopted, whatever else this host takes now: it runs already. Until the containers
 * could be listed such a job is remembered, and neither adopted nor started; once they were, one that had been
 * started before and has none is lost.
 */
import type { Clock, JobStore, Log, Timer } from '../ports.ts';
import type { JobId } from '../model/ids.ts';
import type { DockerLaunchSpec, JobSpec, UnrunnableSpec } from '../model/job-spec.ts';
import type { Leftover } from '../model/leftover.ts';
import type { Verdict } from '../model/outcome.ts';
import { reason } from '../model/reason.ts';
import type { AnyJob } from '../wire/job-payload.ts';
import { composeProjectName } from '../wire/launch.ts';
import { failedVerdict, lostVerdict } from '../wire/result-report.ts';
import type { EngineAddress } from '../worker/protocol.ts';
import type { Survivors } from './survivors.ts';

/** An engine that is not there by then leaves the service without an answer no longer. */
export const CLAIM_LIMIT_MS = 600_000;
const MOST_CLAIMS = 1_000;

export type ReadableJob = Exclude<AnyJob, { kind: 'unreadable' }>;

/** A job as it was offered, and what of it is needed to take up its container; null where it does not say. */
export interface OfferedJob {
  readonly jobId: JobId;
  readonly job: ReadableJob;
  readonly spec: DockerLaunchSpec | null;
}

export interface ClaimsDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly survivors: Survivors;
  readonly store: Pick<JobStore, 'wasHere'>;
  readonly engine: () => EngineAddress | null;
  readonly engineProblem?: () => string | null;
  readonly adopt: (offered: OfferedJob, spec: DockerLaunchSpec, engine: EngineAddress) => void;
  readonly settle: (spec: JobSpec, verdict: Verdict) => void;
  /** Asks the service for the job with its launch. */
  readonly askAgain: (jobId: JobId) => void;
  /** As a job that nobody has started. */
  readonly consider: (offered: OfferedJob) => void;
}

interface Claim {
  readonly offered: OfferedJob;
  readonly sinceMs: number;
  /** The service says so, by sending it without a launch, or output of it lies here. */
  readonly wasStarted: boolean;
}

export class Claims {
  readonly #deps: ClaimsDeps;
  readonly #claims = new Map<JobId, Claim>();
  #limit: Timer | null = null;

  constructor(deps: ClaimsDeps) {
    this.#deps = deps;
  }

  /** True when the offer is dealt with; false for a job that is to be considered like any other. */
  recognise(offered: OfferedJob, isHello: boolean): boolean {
    const { survivors } = this.#deps;
    const { jobId, job, spec } = offered;
    const isRepeat = job.kind === 'repeat';
    const claim = this.#claims.get(jobId);
    if (survivors.has(jobId)) {
      this.#takeUp(offered);
      return true;
    }
    // Outside `hello` a launch says that nothing was started.
    if (!isHello && !isRepeat) this.forget(jobId);
    else if (isHello || claim !== undefined) {
      const wasStarted = isRepeat || claim?.wasStarted === true || this.#wasHere(jobId);
      // A local command leaves no container that would have to be listed first.
      if (isOfHostCommand(job)) return wasStarted && this.#settleLost(offered);
      this.#remember(offered, wasStarted);
      if (survivors.isKnown) return wasStarted && this.#settleLost(offered);
      return spec !== null;
    }
    return false;
  }

  /** It is held now, or answered. */
  forget(jobId: JobId): void {
    this.#claims.delete(jobId);
    if (this.#claims.size === 0) this.stop();
  }

  /** A `hello` came: what it does not list is no longer leased here. */
  greeted(listed: ReadonlySet<JobId>): void {
    for (const jobId of [...this.#claims.keys()]) if (!listed.has(jobId)) this.forget(jobId);
  }

  /** The containers were listed, or there is an engine again. */
  look(): void {
    const { survivors, consider, log } = this.#deps;
    if (!survivors.isKnown) return;
    for (const { offered, wasStarted } of [...this.#claims.values()]) {
      try {
        if (survivors.has(offered.jobId)) this.#takeUp(offered);
        else if (wasStarted) this.#settleLost(offered);
        else consider(offered);
      } catch (error) {
        log.error('claimed job not taken up', { jobId: offered.jobId, error });
      }
    }
  }

  /** Jobs whose containers may be at work here. */
  mayBeHere(): readonly JobId[] {
    const { survivors } = this.#deps;
    return [...this.#claims.keys()].filter((jobId) => !survivors.isKnown || survivors.has(jobId));
  }

  stop(): void {
    this.#limit?.cancel();
    this.#limit = null;
  }

  #wasHere(jobId: JobId): boolean {
    return this.#deps.store.wasHere?.(jobId) === true;
  }

  #takeUp(offered: OfferedJob): void {
    const { engine, adopt, settle, askAgain } = this.#deps;
    const { job, jobId, spec } = offered;
    const address = engine();
    const refusal = refusalOf(job);
    if (spec !== null && address !== null) adopt(offered, spec, address);
    else if (spec === null && refusal !== null) settle(specOf(offered), refusal);
    else {
      this.#remember(offered, false);
      if (spec === null) askAgain(jobId);
      return;
    }
    this.forget(jobId);
  }

  #settleLost(offered: OfferedJob): true {
    this.#deps.settle(specOf(offered), lostVerdict('host_restarted'));
    this.forget(offered.jobId);
    return true;
  }

  /** What was sent with a launch is kept as it came: it may have to be started after all. */
  #remember(offered: OfferedJob, wasStarted: boolean): void {
    const { clock, log, survivors } = this.#deps;
    const { jobId, job } = offered;
    const known = this.#claims.get(jobId);
    if (known === undefined) {
      if (this.#claims.size >= MOST_CLAIMS) return;
      if (!survivors.isKnown) log.info('job waits for the list of containers', { jobId });
    }
    this.#claims.set(jobId, {
      offered: job.kind === 'repeat' ? (known?.offered ?? offered) : offered,
      sinceMs: known?.sinceMs ?? clock.monotonicMs(),
      wasStarted,
    });
    this.#limit ??= clock.after(CLAIM_LIMIT_MS, () => this.#settleOverdue());
  }

  #settleOverdue(): void {
    const { clock, engine, engineProblem, settle, survivors, log } = this.#deps;
    this.#limit = null;
    const detail = engineProblem?.() ?? null;
    const noEngine = failedVerdict(reason('docker_unavailable', detail === null ? {} : { detail }));
    const noAnswer = lostVerdict('host_restarted');
    const waiting = new Set(this.mayBeHere());
    let nextMs = CLAIM_LIMIT_MS;
    for (const [jobId, { offered, sinceMs }] of [...this.#claims]) {
      const leftMs = sinceMs + CLAIM_LIMIT_MS - clock.monotonicMs();
      if (leftMs > 0) nextMs = Math.min(nextMs, leftMs);
      else if (waiting.has(jobId)) {
        try {
          const why = survivors.isKnown && engine() !== null ? noAnswer : noEngine;
          settle(specOf(offered), refusalOf(offered.job) ?? why);
          this.forget(jobId);
        } catch (error) {
          log.error('claimed job not settled', { jobId, error });
        }
      }
    }
    if (this.#claims.size > 0) this.#limit = clock.after(nextMs, () => this.#settleOverdue());
  }
}

/** What was found of a job, with the compose project that its script may have made. */
export function madeFor(
  { jobId, options }: DockerLaunchSpec,
  found: readonly Leftover[],
): readonly Leftover[] {
  const isListed = found.some(({ kind }) => kind === 'compose_project');
  if (!options.mountDockerSocket || isListed) return found;
  return [{ kind: 'compose_project', name: composeProjectName(jobId) }, ...found];
}

function refusalOf(job: ReadableJob): Verdict | null {
  return job.kind === 'refused' ? failedVerdict(job.reason, job.error, job.exitCode) : null;
}

/** Taken or refused. */
function isOfHostCommand(job: ReadableJob): boolean {
  return job.kind === 'host' || (job.kind === 'refused' && job.spec.report.kind === 'host_exec');
}

function specOf({ job, jobId, spec }: OfferedJob): JobSpec {
  if (job.kind !== 'repeat') return job.spec;
  return spec ?? unknownSpec(jobId);
}

/** Stands in for a job of which only the id is known: enough to answer for it. */
export function unknownSpec(jobId: JobId): UnrunnableSpec {
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
