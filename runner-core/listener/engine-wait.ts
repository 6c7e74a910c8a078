/**
 * Waits for an engine that is away from a job of which nothing runs yet. Owns how long and how often; what is done
 * with the engine that came, or with none, is the caller's.
 */
import type { JobId } from '../model/ids.ts';
import type { Clock } from '../ports.ts';
import type { EngineAddress } from '../worker/protocol.ts';

/** An engine that starts with the machine, or again, is up by then; after that the service is told. */
export const ENGINE_WAIT_MS = 120_000;
/** An engine that answers and yet lost the job is not asked at once. Where there is none this looks at nothing. */
export const ENGINE_AGAIN_MS = 5_000;

export interface EngineWaitDeps {
  readonly clock: Clock;
  readonly engine: () => EngineAddress | null;
  /** Makes sure that the engine still answers; left out: it does. */
  readonly check: (() => Promise<void>) | undefined;
}

export class EngineWait {
  readonly #deps: EngineWaitDeps;
  #lostMs = Number.NEGATIVE_INFINITY;
  #untilMs = 0;

  constructor(deps: EngineWaitDeps) {
    this.#deps = deps;
  }

  /**
   * The engine to try again with; null when ENGINE_WAIT_MS are over since it was first lost, or `signal` was aborted.
   * A loss long after the last one is another. Never rejects.
   */
  async next(signal: AbortSignal): Promise<EngineAddress | null> {
    const { clock, engine, check } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#lostMs > 2 * ENGINE_WAIT_MS) this.#untilMs = nowMs + ENGINE_WAIT_MS;
    this.#lostMs = nowMs;
    for (;;) {
      const leftMs = this.#untilMs - clock.monotonicMs();
      if (leftMs <= 0) return null;
      await clock.wait(Math.min(ENGINE_AGAIN_MS, leftMs), signal).catch(() => undefined);
      await check?.();
      if (signal.aborted) return null;
      const found = engine();
      if (found !== null) return found;
    }
  }
}

const MOST_OFFERS = 1_000;

/** Jobs that were offered while there was no engine: how long nobody is told. */
export class OffersWithoutEngine {
  readonly #clock: Clock;
  /** When each first met none, by the monotonic clock. */
  readonly #sinceMs = new Map<JobId, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** False once the job waited ENGINE_WAIT_MS. */
  mayWait(jobId: JobId): boolean {
    const nowMs = this.#clock.monotonicMs();
    const sinceMs = this.#sinceMs.get(jobId) ?? nowMs;
    if (this.#sinceMs.size >= MOST_OFFERS) this.#sinceMs.clear();
    this.#sinceMs.set(jobId, sinceMs);
    return nowMs - sinceMs < ENGINE_WAIT_MS;
  }

  forget(jobId: JobId): void {
    this.#sinceMs.delete(jobId);
  }
}
