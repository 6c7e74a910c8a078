/** Looks now and then at what a running container uses. Only for showing: a look that fails is left out. */
import { isEngineError, type DockerEngine } from '../docker/docker-engine.ts';
import type { Clock, Timer } from '../ports.ts';
import type { RunFacts } from './protocol.ts';

/** Most test jobs last longer than this, and start-up is over by then. */
const FIRST_LOOK_MS = 1_000;
const INTERVAL_MS = 5_000;

export type Usage = Pick<RunFacts, 'peakMemoryBytes' | 'cpuMs'>;

export interface UsageWatchDeps {
  readonly engine: DockerEngine;
  readonly clock: Clock;
  /** The container's id. */
  readonly id: string;
  readonly seen: (usage: Usage) => void;
}

/** Looks from construction until `stop`. */
export class UsageWatch {
  readonly #deps: UsageWatchDeps;
  #usage: Usage = { peakMemoryBytes: null, cpuMs: null };
  #timer: Timer;
  #isStopped = false;

  constructor(deps: UsageWatchDeps) {
    this.#deps = deps;
    this.#timer = deps.clock.after(FIRST_LOOK_MS, () => void this.#look());
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer.cancel();
  }

  async #look(): Promise<void> {
    const { engine, clock, id, seen } = this.#deps;
    try {
      const found = await engine.usage(id);
      if (this.#isStopped) return;
      const memory = [this.#usage.peakMemoryBytes, found?.memoryBytes ?? null];
      this.#usage = {
        peakMemoryBytes: most(memory),
        cpuMs: most([this.#usage.cpuMs, found?.cpuMs ?? null]),
      };
      if (found !== undefined) seen(this.#usage);
    } catch (error) {
      if (!isEngineError(error)) throw error;
    }
    if (!this.#isStopped) this.#timer = clock.after(INTERVAL_MS, () => void this.#look());
  }
}

function most(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}
