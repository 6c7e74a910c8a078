/**
 * Waits for an engine that went away from a job of which nothing runs yet. Owns how long and how often; what is
 * done with the engine that came, or with none, is `job-run`'s.
 */
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
