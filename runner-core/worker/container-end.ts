/**
 * How a running container comes to its end: waits for the exit through losses of the engine, and ends it
 * on a stop, politely first.
 */
import {
  EngineError,
  isEngineError,
  type ContainerInfo,
  type DockerEngine,
} from '../docker/docker-engine.ts';
import { LABEL } from '../docker/labels.ts';
import { throwElsewhere } from '../docker/leftover-remover.ts';
import type { Clock, ContainerLeftover, Timer } from '../ports.ts';
import type { StopRequest, StopSwitch } from './stop-switch.ts';

/** An engine that restarts is away for some seconds; one that is away for longer has lost the job. */
export const ENGINE_AWAY_MS = 300_000;
const RETRY_MS = 1_000;
/** A kill takes an engine so much longer than a first signal: it takes the container down (measured: 4 to 6). */
const KILL_TAKES = 5;
/** By so much at most a kill is sent before its time. */
const MOST_AHEAD_MS = 1_000;

export interface ContainerExit {
  readonly exitCode: number;
  readonly oomKilled: boolean;
  /** Null where the container was gone before it could be looked at. */
  readonly imageId: string | null;
}

/**
 * Resolves when the container has exited; undefined when somebody removed it before its code was read.
 * Rejects with EngineError when the engine stays away.
 */
export async function containerExit(
  engine: DockerEngine,
  clock: Clock,
  container: ContainerLeftover,
  missed: () => void = () => undefined,
): Promise<ContainerExit | undefined> {
  const { id } = container;
  const look = async (): Promise<ContainerExit | undefined | 'again'> => {
    // A wait that broke off says nothing: the container itself is looked at either way.
    const waited = await engine.wait(id).catch((error: unknown) => {
      if (!isEngineError(error)) throw error;
      return undefined;
    });
    const seen = await lookAt(engine, container);
    if (seen === undefined)
      return waited === undefined
        ? undefined
        : { exitCode: waited, oomKilled: false, imageId: null };
    const { exitCode, oomKilled, imageId, running } = seen;
    return running ? 'again' : { exitCode, oomKilled, imageId };
  };
  return throughAbsence(clock, look, missed);
}

/** The container, undefined when it is gone. Waits for an engine that is still coming up; then rejects. */
export async function findContainer(
  engine: DockerEngine,
  clock: Clock,
  container: ContainerLeftover,
  missed: () => void = () => undefined,
): Promise<ContainerInfo | undefined> {
  return throughAbsence(clock, () => lookAt(engine, container), missed);
}

/** Another engine that took the place of its own does not tell that it is gone. */
async function lookAt(
  engine: DockerEngine,
  { id, engine: made }: ContainerLeftover,
): Promise<ContainerInfo | undefined> {
  const seen = await engine.container(id);
  if (seen === undefined) await throwElsewhere(engine, made);
  return seen;
}

/**
 * A container that was made for the job before, one that was started rather than one that was not. Waits for an
 * engine that is still coming up; then rejects.
 */
export async function findMade(
  engine: DockerEngine,
  clock: Clock,
  jobId: string,
): Promise<ContainerLeftover | undefined> {
  const found = await throughAbsence(clock, () => engine.containers({ [LABEL.execution]: jobId }));
  const chosen = found.find(({ running }) => running) ?? found[0];
  return chosen && { kind: 'container', id: chosen.id, name: chosen.name };
}

/**
 * Repeats `look` while it says `again`, and for ENGINE_AWAY_MS while the engine is away.
 *
 * @param missed called as each absence begins
 */
async function throughAbsence<T>(
  clock: Clock,
  look: () => Promise<T | 'again'>,
  missed: () => void = () => undefined,
): Promise<T> {
  let awaySinceMs: number | undefined;
  for (;;) {
    try {
      const found = await look();
      if (found !== 'again') return found;
      awaySinceMs = undefined;
    } catch (error) {
      if (!isEngineError(error)) throw error;
      if (awaySinceMs === undefined) missed();
      awaySinceMs ??= clock.monotonicMs();
      if (clock.monotonicMs() - awaySinceMs >= ENGINE_AWAY_MS) throw error;
    }
    await clock.wait(RETRY_MS);
  }
}

/** Carries a stop out on one container from construction until `over`. */
export class ContainerStopper {
  readonly #engine: DockerEngine;
  readonly #clock: Clock;
  readonly #id: string;
  readonly #stop: StopSwitch;
  readonly #act: () => void;
  #timer: Timer | undefined;
  #isOver = false;

  constructor(engine: DockerEngine, clock: Clock, id: string, stop: StopSwitch) {
    this.#engine = engine;
    this.#clock = clock;
    this.#id = id;
    this.#stop = stop;
    this.#act = () => {
      if (stop.request !== undefined) this.#begin(stop.request);
    };
    if (stop.request === undefined)
      stop.signal.addEventListener('abort', this.#act, { once: true });
    else this.#begin(stop.request);
  }

  /** The container has exited. */
  over(): void {
    this.#isOver = true;
    this.#timer?.cancel();
    this.#stop.signal.removeEventListener('abort', this.#act);
  }

  #begin({ graceMs }: StopRequest): void {
    if (this.#isOver) return;
    const askedMs = this.#clock.monotonicMs();
    const killIn = (delayMs: number): void => {
      this.#timer?.cancel();
      if (this.#isOver) return;
      this.#timer = this.#clock.after(delayMs, () => void this.#kill());
    };
    killIn(graceMs);
    // How long the first signal takes tells how long the last one will: sent ahead by that much, the container
    // is down when the grace is over, also on a machine that is busy.
    void this.#signal('SIGTERM').then(() => {
      const tookMs = this.#clock.monotonicMs() - askedMs;
      if (tookMs < graceMs)
        killIn(Math.max(0, graceMs - tookMs - Math.min(tookMs * KILL_TAKES, MOST_AHEAD_MS)));
    });
  }

  /** Again and again: an engine that was away for one attempt must not leave the job running. */
  async #kill(): Promise<void> {
    await this.#signal('SIGKILL');
    if (this.#isOver) return;
    this.#timer = this.#clock.after(RETRY_MS, () => void this.#kill());
  }

  async #signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    try {
      await this.#engine.signalContainer(this.#id, signal);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
    }
  }
}
