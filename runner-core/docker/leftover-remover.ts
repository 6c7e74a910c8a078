/** Removes from an engine what workers made there, and looks until it is gone. Used by host and worker. */
import { toJobId, type JobId, type RunnerId } from '../model/ids.ts';
import { isHere, type EngineIdentity, type Leftover } from '../model/leftover.ts';
import type {
  Clock,
  ContainerLeftover,
  LabelledContainer,
  LabelledThing,
  LeftoverRemover,
} from '../ports.ts';
import { systemClock } from '../system.ts';
import type { EngineAddress } from '../worker/protocol.ts';
import { EngineError, isEngineError, type DockerEngine } from './docker-engine.ts';
import { dockerEngine } from './dockerode-engine.ts';
import { removeProcess } from '../process/remove-process.ts';
import { composeProjectName } from '../wire/launch.ts';
import { COMPOSE_PROJECT_LABEL, isMadeBy, LABEL, type Owner } from './labels.ts';

/** The engine removes on its own when two ask at once; then we only look, this often and this long. */
const LOOK_EVERY_MS = 100;
const LOOK_FOR_MS = 30_000;

/** Something in the engine that this host made, with the job it was made for. */
export interface OwnedThing {
  readonly jobId: JobId | null;
  readonly leftover: Leftover & { readonly kind: 'container' | 'network' };
}

/** The engine as it is known now; null while there is none. */
export interface EngineInUse {
  address(): EngineAddress | null;
  identity(): EngineIdentity | null;
  /** A call to it got no answer. */
  missed(): void;
}

/** What of ours an engine has. */
export interface Owned {
  readonly engine: EngineIdentity | null;
  readonly things: readonly OwnedThing[];
}

/** LeftoverRemover over the engine found at the moment of each call, so that it follows a changed address. */
export class EngineLeftoverRemover implements LeftoverRemover {
  readonly #inUse: EngineInUse;
  readonly #clock: Clock;
  readonly #open: (address: EngineAddress, clock: Clock) => DockerEngine;
  readonly #owner: (() => Owner) | null;

  /** @param owner whose networks may be removed; left out: those of every host */
  constructor(
    inUse: EngineInUse,
    clock: Clock = systemClock,
    open: (address: EngineAddress, clock: Clock) => DockerEngine = dockerEngine,
    owner: (() => Owner) | null = null,
  ) {
    this.#inUse = inUse;
    this.#clock = clock;
    this.#open = open;
    this.#owner = owner;
  }

  /** What is in another engine is away with it, and not asked for here. */
  async remove(leftover: Leftover): Promise<void> {
    if (leftover.kind === 'process') return removeProcess(this.#clock, leftover);
    const address = this.#address();
    const { engine: made } = leftover;
    const here = this.#inUse.identity();
    if (made !== undefined && here !== null && !isHere(made, here)) throw elsewhere(made);
    await this.#with(address, async (engine) => {
      await throwElsewhere(engine, made);
      await removeLeftover(engine, this.#clock, leftover, this.#owner?.() ?? null);
    });
  }

  /** Ends what runs in a container, which stays: its worker reads its log and removes it. Rejects with EngineError. */
  async kill({ id }: ContainerLeftover): Promise<void> {
    await this.#with(this.#address(), (engine) => engine.signalContainer(id, 'SIGKILL'));
  }

  async labelled(runnerId: RunnerId): Promise<readonly (LabelledContainer | LabelledThing)[]> {
    const found = await this.#with(this.#address(), (engine) => listLabelled(engine, runnerId));
    return found.map((one) =>
      'running' in one
        ? { ...one, leftover: this.#made(one.leftover) }
        : { ...one, leftover: this.#made(one.leftover) },
    );
  }

  /**
   * All that carries the labels of this host instance. Rejects with EngineError; null where there is no engine.
   */
  async ofHost(hostInstance: string): Promise<Owned | null> {
    const address = this.#inUse.address();
    if (address === null) return null;
    const engine = this.#inUse.identity();
    const found = await this.#with(address, (there) => listOwned(there, hostInstance));
    return { engine, things: found.map((one) => ({ ...one, leftover: this.#made(one.leftover) })) };
  }

  #made<T extends Leftover>(leftover: T): T {
    const engine = this.#inUse.identity();
    return engine === null ? leftover : { ...leftover, engine };
  }

  #address(): EngineAddress {
    const address = this.#inUse.address();
    if (address !== null) return address;
    throw new EngineError({ statusCode: null, kind: 'away' }, 'no Docker engine was found');
  }

  async #with<T>(address: EngineAddress, act: (engine: DockerEngine) => Promise<T>): Promise<T> {
    const engine = this.#open(address, this.#clock);
    try {
      return await act(engine);
    } catch (error) {
      if (isEngineError(error) && error.statusCode === null) this.#inUse.missed();
      throw error;
    } finally {
      engine.close();
    }
  }
}

/**
 * Rejects with EngineError, `away`, where what answers is not the engine it was made in: one that has not got a
 * thing does not tell that the other has not.
 */
export async function throwElsewhere(
  engine: DockerEngine,
  made: EngineIdentity | undefined,
): Promise<void> {
  if (made === undefined || made.id === null) return;
  if ((await engine.engineId()) !== made.id) throw elsewhere(made);
}

function elsewhere({ at }: EngineIdentity): EngineError {
  return new EngineError({ statusCode: null, kind: 'away' }, `it is in another engine: ${at}`);
}

/** Resolves when the leftover is seen gone, or is not ours alone to remove. Rejects with EngineError. */
export async function removeLeftover(
  engine: DockerEngine,
  clock: Clock,
  leftover: Leftover,
  owner: Owner | null = null,
): Promise<void> {
  switch (leftover.kind) {
    case 'container':
      return removeContainer(engine, clock, leftover.id);
    case 'network':
      return removeNetwork(engine, leftover.id, owner);
    case 'compose_project':
      return removeComposeProject(engine, clock, leftover.name);
    case 'process':
      return removeProcess(clock, leftover);
  }
}

async function removeContainer(engine: DockerEngine, clock: Clock, id: string): Promise<void> {
  try {
    await engine.removeContainer(id);
  } catch (error) {
    if (!isEngineError(error, 'conflict')) throw error;
  }
  const startedMs = clock.monotonicMs();
  while ((await engine.container(id)) !== undefined) {
    if (clock.monotonicMs() - startedMs >= LOOK_FOR_MS) {
      const facts = { statusCode: null, kind: 'timeout' } as const;
      throw new EngineError(facts, 'the container was still there 30 s after its removal');
    }
    await clock.wait(LOOK_EVERY_MS);
  }
}

/** Removes a network of ours once no container uses it; one in use, or made by somebody else, stays. */
async function removeNetwork(engine: DockerEngine, id: string, owner: Owner | null): Promise<void> {
  const network = await engine.network(id);
  if (network?.labels[LABEL.execution] === undefined) return;
  if (owner !== null && !isMadeBy(network.labels, owner)) return;
  if (network.containers.length > 0) return;
  try {
    await engine.removeNetwork(network.id);
  } catch (error) {
    // A container joined between the look and the removal: it is in use.
    if (!isEngineError(error, 'denied', 'conflict')) throw error;
  }
}

/** Containers first, since they hold networks and volumes in use. */
async function removeComposeProject(
  engine: DockerEngine,
  clock: Clock,
  project: string,
): Promise<void> {
  const labels = { [COMPOSE_PROJECT_LABEL]: project };
  const containers = await engine.containers(labels);
  await Promise.all(containers.map(({ id }) => removeContainer(engine, clock, id)));
  const [networks, volumes] = await Promise.all([engine.networks(labels), engine.volumes(labels)]);
  await Promise.all([
    ...networks.map(({ id }) => removeProjectNetwork(engine, id)),
    ...volumes.map((name) => engine.removeVolume(name)),
  ]);
}

/** A job may have put its own container on the project's network; it is taken off. */
async function removeProjectNetwork(engine: DockerEngine, id: string): Promise<void> {
  const attached = (await engine.network(id))?.containers ?? [];
  await Promise.all(attached.map((container) => engine.leaveNetwork(id, container)));
  await engine.removeNetwork(id);
}

async function listOwned(
  engine: DockerEngine,
  hostInstance: string,
): Promise<readonly OwnedThing[]> {
  const labels = { [LABEL.host]: hostInstance };
  const [containers, networks] = await Promise.all([
    engine.containers(labels),
    engine.networks(labels),
  ]);
  const owned = (kind: 'container' | 'network', things: typeof containers | typeof networks) =>
    things.map(({ id, name, labels: carried }): OwnedThing => ({
      jobId: toJobId(carried[LABEL.execution] ?? '') ?? null,
      leftover: { kind, id, name },
    }));
  return [...owned('container', containers), ...owned('network', networks)];
}

async function listLabelled(
  engine: DockerEngine,
  runnerId: RunnerId,
): Promise<readonly (LabelledContainer | LabelledThing)[]> {
  const labels = { [LABEL.runner]: runnerId };
  const [listed, listedNetworks] = await Promise.all([
    engine.containers(labels),
    orNone(engine.networks(labels)),
  ]);
  const containers = listed.flatMap(({ id, name, running, labels: carried }) => {
    const jobId = toJobId(carried[LABEL.execution] ?? '');
    const leftover = { kind: 'container', id, name } as const;
    return jobId === undefined ? [] : [{ leftover, jobId, running }];
  });
  const networks = listedNetworks.flatMap(({ id, name, labels: carried }) => {
    const jobId = toJobId(carried[LABEL.execution] ?? '');
    const leftover = { kind: 'network', id, name } as const;
    return jobId === undefined ? [] : [{ leftover, jobId }];
  });
  const jobIds = [...new Set(containers.map(({ jobId }) => jobId))];
  const projects = await Promise.all(jobIds.map((jobId) => projectOf(engine, jobId)));
  return [...containers, ...projects.flat(), ...networks];
}

/** Only containers hold jobs up: what else lies there is found again by the sweep of the host's own things. */
function orNone<T>(found: Promise<readonly T[]>): Promise<readonly T[]> {
  return found.catch((error: unknown) => {
    if (isEngineError(error)) return [];
    throw error;
  });
}

/** What the job started through an allowed Docker socket, if it did. */
async function projectOf(engine: DockerEngine, jobId: JobId): Promise<readonly LabelledThing[]> {
  const name = composeProjectName(jobId);
  const found = await orNone(engine.containers({ [COMPOSE_PROJECT_LABEL]: name }));
  return found.length === 0 ? [] : [{ leftover: { kind: 'compose_project', name }, jobId }];
}
