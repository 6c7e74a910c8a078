/** Removes from an engine what workers made there, and looks until it is gone. Used by host and worker. */
import { toJobId, type JobId, type RunnerId } from '../model/ids.ts';
import type { Leftover } from '../model/leftover.ts';
import type { Clock, LabelledContainer, LeftoverRemover } from '../ports.ts';
import { systemClock } from '../system.ts';
import type { EngineAddress } from '../worker/protocol.ts';
import { EngineError, isEngineError, type DockerEngine } from './docker-engine.ts';
import { dockerEngine } from './dockerode-engine.ts';
import { removeProcess } from '../process/remove-process.ts';
import { COMPOSE_PROJECT_LABEL, LABEL } from './labels.ts';

/** The engine removes on its own when two ask at once; then we only look, this often and this long. */
const LOOK_EVERY_MS = 100;
const LOOK_FOR_MS = 30_000;

/** Something in the engine that this host made, with the job it was made for. */
export interface OwnedThing {
  readonly jobId: JobId | null;
  readonly leftover: Leftover & { readonly kind: 'container' | 'network' };
}

type AddressOf = () => EngineAddress | null;

/** LeftoverRemover over the engine found at the moment of each call, so that it follows a changed address. */
export class EngineLeftoverRemover implements LeftoverRemover {
  readonly #addressOf: AddressOf;
  readonly #clock: Clock;
  readonly #open: (address: EngineAddress, clock: Clock) => DockerEngine;

  constructor(
    addressOf: AddressOf,
    clock: Clock = systemClock,
    open: (address: EngineAddress, clock: Clock) => DockerEngine = dockerEngine,
  ) {
    this.#addressOf = addressOf;
    this.#clock = clock;
    this.#open = open;
  }

  async remove(leftover: Leftover): Promise<void> {
    if (leftover.kind === 'process') return removeProcess(this.#clock, leftover);
    await this.#with(this.#address(), (engine) => removeLeftover(engine, this.#clock, leftover));
  }

  async labelled(runnerId: RunnerId): Promise<readonly LabelledContainer[]> {
    return await this.#with(this.#address(), (engine) => listLabelled(engine, runnerId));
  }

  /**
   * All that carries the labels of this host instance. Rejects with EngineError; null where there is no engine.
   */
  async ofHost(hostInstance: string): Promise<readonly OwnedThing[] | null> {
    const address = this.#addressOf();
    if (address === null) return null;
    return this.#with(address, (engine) => listOwned(engine, hostInstance));
  }

  #address(): EngineAddress {
    const address = this.#addressOf();
    if (address !== null) return address;
    throw new EngineError({ statusCode: null, kind: 'away' }, 'no Docker engine was found');
  }

  async #with<T>(address: EngineAddress, act: (engine: DockerEngine) => Promise<T>): Promise<T> {
    const engine = this.#open(address, this.#clock);
    try {
      return await act(engine);
    } finally {
      engine.close();
    }
  }
}

/** Resolves when the leftover is seen gone, or is not ours alone to remove. Rejects with EngineError. */
export async function removeLeftover(
  engine: DockerEngine,
  clock: Clock,
  leftover: Leftover,
): Promise<void> {
  switch (leftover.kind) {
    case 'container':
      return removeContainer(engine, clock, leftover.id);
    case 'network':
      return removeNetwork(engine, leftover.id);
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
async function removeNetwork(engine: DockerEngine, id: string): Promise<void> {
  const network = await engine.network(id);
  if (network?.labels[LABEL.execution] === undefined) return;
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
): Promise<readonly LabelledContainer[]> {
  const found = await engine.containers({ [LABEL.runner]: runnerId });
  return found.flatMap(({ id, name, running, labels }) => {
    const jobId = toJobId(labels[LABEL.execution] ?? '');
    return jobId === undefined
      ? []
      : [{ leftover: { kind: 'container' as const, id, name }, jobId, running }];
  });
}
