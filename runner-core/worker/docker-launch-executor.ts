/**
 * One container, from nothing to nothing: create, note, start, follow its log, wait, judge, and, when told,
 * remove. Owns the order; the parts are in the files beside it.
 */
import { isEngineError, type ContainerInfo, type DockerEngine } from '../docker/docker-engine.ts';
import type { Owner } from '../docker/labels.ts';
import { removeLeftover } from '../docker/leftover-remover.ts';
import type { RegistryLookup } from '../docker/registry-auth.ts';
import type { JobId } from '../model/ids.ts';
import type { JobLimits } from '../model/job-spec.ts';
import type { Leftover } from '../model/leftover.ts';
import type { Verdict } from '../model/outcome.ts';
import { reason } from '../model/reason.ts';
import type { Clock } from '../ports.ts';
import {
  dockerVerdict,
  failedVerdict,
  lostVerdict,
  stoppedVerdict,
} from '../wire/result-report.ts';
import { abortable } from './abortable.ts';
import { composeLeftover, removeUnnoted, removeWhatWasMade, type Made } from './clearing.ts';
import { containerBody, containerName } from './container-body.ts';
import {
  ContainerStopper,
  containerExit,
  findContainer,
  findMade,
  type ContainerExit,
} from './container-end.ts';
import type { AdoptOrder, Ending, Executor, JobReport, RunOrder } from './executor.ts';
import type { JobLog } from './job-log.ts';
import { isNamedNetwork } from './option-check.ts';
import { joinedNetwork, prepareJob, type JoinedNetwork } from './preparation.ts';
import type { PipelineEnd } from './log-pipeline.ts';
import { maskedVerdict } from './masked-verdict.ts';
import { NO_FACTS, type ContainerLimits, type RunFacts } from './protocol.ts';
import { createFailure, startFailure, type StartFailure } from './start-failure.ts';
import { STOP_GRACE_MS, StoppedError, type StopRequest, type StopSwitch } from './stop-switch.ts';
import { UsageWatch } from './usage-watch.ts';
import { workspaceDirOf, WorkspaceLease } from './workspace.ts';

export interface DockerLaunchDeps {
  readonly engine: DockerEngine;
  readonly clock: Clock;
  readonly report: JobReport;
  readonly stop: StopSwitch;
  readonly log: JobLog;
  readonly credentialsFor: (image: string) => Promise<RegistryLookup>;
  /** Hex digits that make a container's name its own. */
  readonly shortId: () => string;
}

type Order = RunOrder | AdoptOrder;
type Container = Leftover & { readonly kind: 'container' };

/** A step was refused; carried to the end of the job, where it becomes the verdict. */
class RefusedError extends Error {
  readonly failure: StartFailure;
  constructor(failure: StartFailure, options?: ErrorOptions) {
    super(failure.reason.code, options);
    this.failure = failure;
  }
}

function isNetworkGone(error: unknown): boolean {
  const { cause } = error as Error;
  return isEngineError(cause, 'not_found') && /\bnetwork\b/i.test(cause.message);
}

function isAmbiguous(error: unknown): boolean {
  return isEngineError(error) && /\bnetwork\b.*\bambiguous\b/i.test(error.message);
}

/** Between two tries to start while a network's name is ambiguous; five seconds in all. */
const AMBIGUOUS_WAIT_MS = 250;
const AMBIGUOUS_TURNS = 20;

export class DockerLaunchExecutor implements Executor {
  readonly #deps: DockerLaunchDeps;
  #made: Made = { container: null, networkId: null, mayHaveComposed: false };
  #lease: WorkspaceLease | null = null;
  #jobId: JobId | null = null;
  #owner: Owner | null = null;
  #facts: RunFacts = NO_FACTS;
  #mayBeUnnoted = false;

  constructor(deps: DockerLaunchDeps) {
    this.#deps = deps;
  }

  run(order: RunOrder): Promise<Ending> {
    return this.#toTheEnd(order, async () => {
      this.#deps.report.phase('preparing');
      const seen = order.mayBeMade ? await this.#takeUpMade(order) : undefined;
      if (seen !== undefined) return seen;
      const container = await this.#createAndStart(order);
      return this.#follow(order, container, undefined);
    });
  }

  adopt(order: AdoptOrder): Promise<Ending> {
    const { container, stopCause } = order;
    if (stopCause !== null) this.#deps.stop.stop({ cause: stopCause, graceMs: STOP_GRACE_MS });
    return this.#toTheEnd(order, async () => {
      const verdict = await this.#takeUp(order, container);
      if (verdict !== undefined) return verdict;
      return stopCause === null ? lostVerdict('host_restarted') : stoppedVerdict(stopCause);
    });
  }

  async clear(keepContainer: boolean): Promise<void> {
    const { engine, clock } = this.#deps;
    const known = this.#facts.containerId;
    const made = keepContainer ? { ...this.#made, container: null } : this.#made;
    const jobId = this.#jobId;
    await Promise.all([
      jobId === null || removeWhatWasMade(engine, clock, jobId, { ...made, owner: this.#owner }),
      jobId === null || !this.#mayBeUnnoted || removeUnnoted(engine, clock, jobId, known),
      this.#lease?.release(),
    ]);
  }

  /** What an earlier worker made and did not live to have noted; undefined where there is none. */
  async #takeUpMade(order: RunOrder): Promise<Verdict | undefined> {
    const { engine, clock, report, stop } = this.#deps;
    this.#mayBeUnnoted = true;
    const made = await abortable(findMade(engine, clock, order.spec.jobId), stop.signal);
    if (made === undefined) return undefined;
    await abortable(report.made(made), stop.signal);
    return this.#takeUp(order, made);
  }

  /** Goes on with a container that is there already, from whatever it has come to; undefined where it is gone. */
  async #takeUp(order: Order, container: Container): Promise<Verdict | undefined> {
    const { log, engine, clock, report } = this.#deps;
    const { mountDockerSocket, network } = order.spec.options;
    this.#made = { container, networkId: null, mayHaveComposed: mountDockerSocket };
    const seen = await findContainer(engine, clock, container, () => report.engineMissed());
    if (seen === undefined) return undefined;
    log.addSecrets(await secretsIn(engine, seen));
    const { id: containerId, imageId } = seen;
    const limits = limitsOf(order.context.limits);
    this.#facts = { ...this.#facts, containerId, imageId, limits };
    if (isNamedNetwork(network)) this.#made = { ...this.#made, networkId: seen.networkMode };
    this.#leaseWorkspace(order);
    // Made and not started: the start is all that is missing.
    if (seen.status === 'created') {
      await this.#start(order, container);
      return this.#follow(order, container, undefined);
    }
    if (seen.running) report.phase('running');
    return this.#follow(order, container, seen);
  }

  /** Runs the steps and turns their failures into a verdict. */
  async #toTheEnd(order: Order, steps: () => Promise<Verdict>): Promise<Ending> {
    const { log, report } = this.#deps;
    this.#jobId = order.spec.jobId;
    this.#owner = order.context;
    let verdict: Verdict;
    try {
      verdict = await steps();
    } catch (error) {
      verdict = this.#verdictOf(error);
    }
    const masked = maskedVerdict(verdict, log);
    // Before the container goes: until then its log can be read again, by us or by who adopts it.
    await log.allStored();
    report.phase('cleaning');
    return { verdict: masked, facts: this.#facts };
  }

  #verdictOf(error: unknown): Verdict {
    const { stop } = this.#deps;
    if (error instanceof RefusedError)
      return failedVerdict(error.failure.reason, undefined, error.failure.exitCode);
    if (error instanceof StoppedError && stop.request !== undefined)
      return stoppedVerdict(stop.request.cause);
    if (isEngineError(error))
      return failedVerdict(reason('docker_unavailable', { detail: error.message }));
    throw error;
  }

  async #createAndStart(order: RunOrder): Promise<Container> {
    const { spec, context } = order;
    const { stop, engine, clock } = this.#deps;
    const prepared = await prepareJob({ ...this.#deps, spec, context, signal: stop.signal });
    if (prepared.kind === 'refused') throw new RefusedError(prepared.failure);
    this.#leaseWorkspace(order);
    const { workspaceDir, network } = prepared;
    const container = await this.#create(order, workspaceDir, network);
    try {
      await this.#start(order, container);
      return container;
    } catch (error) {
      if (network?.isOurs !== true || !isNetworkGone(error)) throw error;
    }
    // Another job was the network's last and removed it since we looked. A container is bound to its
    // network by id, so it is made anew as well.
    await removeLeftover(engine, clock, container);
    const again = await joinedNetwork({ ...this.#deps, spec, context }, undefined);
    if (again !== null && 'reason' in again) throw new RefusedError(again);
    const second = await this.#create(order, workspaceDir, again);
    await this.#start(order, second);
    return second;
  }

  async #create(
    order: RunOrder,
    workspaceDir: string | null,
    network: JoinedNetwork | null,
  ): Promise<Container> {
    const { spec, context, environment } = order;
    const { engine, report, stop, shortId } = this.#deps;
    const networkId = network?.id ?? null;
    this.#made = { ...this.#made, networkId: network?.isOurs === true ? networkId : null };
    report.phase('creating');
    const name = containerName(spec.jobId, shortId());
    const body = containerBody({ spec, context, environment, workspaceDir, networkId });
    const id = await engine.createContainer(name, body).catch((error: unknown) => {
      if (!isEngineError(error)) throw error;
      throw new RefusedError(createFailure(error, spec.image));
    });
    const { identity } = context;
    const made = identity === null ? {} : { engine: identity };
    const container: Container = { kind: 'container', id, name, ...made };
    this.#made = { ...this.#made, container, mayHaveComposed: spec.options.mountDockerSocket };
    this.#facts = { ...this.#facts, containerId: id, limits: limitsOf(context.limits) };
    if (spec.options.mountDockerSocket)
      report.made(composeLeftover(spec.jobId)).catch(() => undefined);
    await abortable(report.made(container), stop.signal);
    return container;
  }

  async #start({ spec }: Order, { id }: Container): Promise<void> {
    const { report, stop } = this.#deps;
    stop.signal.throwIfAborted();
    report.phase('starting');
    await this.#startSettled(id).catch((error: unknown) => {
      if (!isEngineError(error)) throw error;
      throw new RefusedError(startFailure(error, spec.image), { cause: error });
    });
    report.phase('running');
    // A host that dies now still knows afterwards when the job was prepared and started.
    report.facts(this.#facts);
  }

  /** While two jobs make a network of one name, the engine starts nothing on it: in a moment one is gone. */
  async #startSettled(id: string): Promise<void> {
    const { engine, clock, stop } = this.#deps;
    for (let turn = 1; ; turn++) {
      try {
        await engine.startContainer(id);
        return;
      } catch (error) {
        if (!isAmbiguous(error) || turn === AMBIGUOUS_TURNS) throw error;
      }
      await clock.wait(AMBIGUOUS_WAIT_MS, stop.signal);
    }
  }

  /** Follows a started container until its exit. `seen`: as an adopted one was found. */
  async #follow(
    { context: { limits } }: Order,
    container: Container,
    seen: ContainerInfo | undefined,
  ): Promise<Verdict> {
    const { id } = container;
    const exited = this.#exit(
      container,
      this.#timeLeft(limits.timeLimitMs, seen?.startedAtMs ?? null),
    );
    const usage = this.#watchUsage(id);
    const [end, { exit, stopCause }] = await Promise.all([
      this.#readLog(id, exited),
      exited.finally(() => usage.stop()),
    ]);
    if (exit === undefined) {
      const detail = 'the container was removed by somebody else';
      return stopCause === null
        ? failedVerdict(reason('engine_refused', { detail }), undefined, -1)
        : stoppedVerdict(stopCause);
    }
    const { exitCode, oomKilled, imageId } = exit;
    this.#facts = { ...this.#facts, exitCode, oomKilled, imageId: imageId ?? this.#facts.imageId };
    if (end === null && exitCode === 0)
      return failedVerdict(reason('engine_refused', { detail: 'its log could not be read' }));
    return dockerVerdict({
      exitCode,
      oomKilled,
      stopCause,
      envelopePayloads: end?.envelopePayloads ?? [],
      envelopeCount: end?.envelopeCount ?? 0,
      setupFailed: end?.setupFailed ?? false,
      memoryLimitBytes: limits.memoryBytes,
      timeLimitMs: limits.timeLimitMs,
    });
  }

  #watchUsage(id: string): UsageWatch {
    const { engine, clock, report } = this.#deps;
    return new UsageWatch({
      engine,
      clock,
      id,
      seen: (usage) => {
        this.#facts = { ...this.#facts, ...usage };
        report.facts(this.#facts);
      },
    });
  }

  /** What is left of the time limit, null for no limit. By the wall clock for one that ran before us. */
  #timeLeft(timeLimitMs: number, startedAtMs: number | null): number | null {
    if (timeLimitMs <= 0) return null;
    const ranMs = startedAtMs === null ? 0 : this.#deps.clock.nowMs() - startedAtMs;
    return Math.max(0, timeLimitMs - Math.max(0, ranMs));
  }

  /** The container's exit, with who had asked for it by then. Carries out stop and time limit until then. */
  async #exit(
    container: Container,
    timeLeftMs: number | null,
  ): Promise<{ exit: ContainerExit | undefined; stopCause: StopRequest['cause'] | null }> {
    const { engine, clock, stop, report } = this.#deps;
    const limit =
      timeLeftMs === null
        ? undefined
        : clock.after(timeLeftMs, () => stop.stop({ cause: 'time_limit', graceMs: STOP_GRACE_MS }));
    const stopper = new ContainerStopper(engine, clock, container.id, stop);
    try {
      const exit = await containerExit(engine, clock, container, () => report.engineMissed());
      report.phase('collecting');
      return { exit, stopCause: stop.request?.cause ?? null };
    } finally {
      limit?.cancel();
      stopper.over();
    }
  }

  /** What the log says; null where it could not be read to its end. */
  async #readLog(id: string, exited: Promise<unknown>): Promise<PipelineEnd | null> {
    try {
      return await this.#deps.log.follow(id, exited);
    } catch (error) {
      // The container's own exit decides; where the engine is away, waiting for it fails as well.
      await exited;
      if (error instanceof TypeError || error instanceof RangeError) throw error;
      return null;
    }
  }

  #leaseWorkspace({ spec, context }: Order): void {
    if (!spec.options.persistWorkspace) return;
    const dir = workspaceDirOf(context.workspacesDir, spec.jobId);
    this.#lease = new WorkspaceLease(dir, this.#deps.clock);
  }
}

function limitsOf({ memoryBytes, cpus, pids, timeLimitMs }: JobLimits): ContainerLimits {
  return { memoryBytes, cpus, pids, timeLimitMs };
}

/** The environment the job was given, without what its image sets by itself. */
async function secretsIn(
  engine: DockerEngine,
  container: ContainerInfo,
): Promise<Readonly<Record<string, string>>> {
  const image = await engine.image(container.imageId).catch(() => undefined);
  const ofImage = new Set(image?.environment ?? []);
  return Object.fromEntries(
    container.environment
      .filter((entry) => !ofImage.has(entry))
      .map((entry) => {
        const equals = entry.indexOf('=');
        return [entry.slice(0, equals), entry.slice(equals + 1)];
      }),
  );
}
