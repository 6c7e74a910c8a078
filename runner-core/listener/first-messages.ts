/** What a job's next worker is told first: to start, to look before it starts, or to take up a container. */
import type {
  Clock,
  ContainerLeftover,
  EngineSense,
  HostCommands,
  JobStore,
  OwnerSettings,
} from '../ports.ts';
import type { JobId } from '../model/ids.ts';
import type { DockerLaunchSpec, JobSpec } from '../model/job-spec.ts';
import { newestContainer } from '../model/leftover.ts';
import type { StopCause } from '../model/outcome.ts';
import type { EngineAddress, JobContext } from '../worker/protocol.ts';
import { hostContext } from './host-context.ts';
import type { DockerOffer, HostOffer } from './offer.ts';
import type { FirstMessage } from './worker-session.ts';

/** What a worker needs beside the store. No environment where a container has it. */
export interface Work {
  readonly spec: DockerLaunchSpec;
  readonly engine: EngineAddress;
  readonly environment: Readonly<Record<string, string>> | null;
}

export interface FirstMessageDeps {
  readonly clock: Clock;
  readonly store: JobStore;
  readonly settings: OwnerSettings;
  readonly engines?: EngineSense;
  readonly runnerId: () => string;
  readonly hostInstance: string;
  readonly workspacesDir: string;
  /** Left out: no local command runs here. */
  readonly hostCommands?: HostCommands;
}

/** All of them throw what the store throws, and then have changed nothing. */
export class FirstMessages {
  readonly #deps: FirstMessageDeps;
  readonly #jobId: JobId;

  constructor(deps: FirstMessageDeps, jobId: JobId) {
    this.#deps = deps;
    this.#jobId = jobId;
  }

  /** Stored as launched first; where it was so before, something may have come of it. */
  launch({ spec, environment }: DockerOffer, engine: EngineAddress): FirstMessage {
    const context = this.#context(spec, engine);
    const mayBeMade = !this.#noteLaunch();
    return { kind: 'run', spec, environment, context, mayBeMade };
  }

  launchHost({ spec, prompt }: HostOffer): FirstMessage {
    const { settings, hostCommands } = this.#deps;
    const context = hostContext(spec, hostCommands, settings.limits());
    this.#noteLaunch();
    return { kind: 'run_host', spec, prompt, context };
  }

  adoption(
    { spec, engine }: Work,
    container: ContainerLeftover,
    stopCause: StopCause | null,
  ): FirstMessage {
    const job = this.#deps.store.job(this.#jobId);
    return {
      kind: 'adopt',
      spec,
      container,
      context: this.#context(spec, engine),
      cursor: job?.cursor ?? null,
      nextSeq: (job?.chunks ?? 0) + 1,
      nextLine: job?.lines ?? 0,
      stopCause,
    };
  }

  /** The container that was noted, or the launch once more where none was: a container starts only once noted. */
  takeUp(work: Work, stopCause: StopCause | null): FirstMessage {
    const container = newestContainer(this.#deps.store.leftovers(this.#jobId));
    if (container !== undefined) return this.adoption(work, container, stopCause);
    const { spec, engine, environment } = work;
    if (environment === null) throw new Error('the container to take up is no longer noted');
    const context = this.#context(spec, engine);
    return { kind: 'run', spec, environment, context, mayBeMade: true };
  }

  /** False where it was launched before. */
  #noteLaunch(): boolean {
    const { store, clock } = this.#deps;
    const isFirst = store.job(this.#jobId)?.state.kind === 'accepted';
    if (isFirst) store.transition(this.#jobId, { kind: 'launched', atMs: clock.nowMs() });
    return isFirst;
  }

  #context(spec: JobSpec, engine: EngineAddress): JobContext {
    const { settings, engines, runnerId, hostInstance, workspacesDir } = this.#deps;
    return {
      runnerId: runnerId(),
      hostInstance,
      limits: settings.limits(),
      allowed: settings.allowed(spec.flowId),
      engine,
      identity: engines?.identity() ?? null,
      workspacesDir,
    };
  }
}
