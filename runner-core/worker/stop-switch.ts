/** Who asked a job to stop, first of all, and how long it may take. Shared by all parts of one execution. */
import type { StopCause } from '../model/outcome.ts';

export const STOP_GRACE_MS = 10_000;

export interface StopRequest {
  readonly cause: StopCause;
  /** From the first request until the end by force. */
  readonly graceMs: number;
}

/** Thrown, and the reason of `signal`, where a step was given up because of a stop. */
export class StoppedError extends Error {
  readonly code = 'stopped';
  override readonly name = 'StoppedError';
}

/** Set once: later requests change nothing. */
export class StopSwitch {
  readonly #abort = new AbortController();
  #request: StopRequest | undefined;

  /** Aborted with a StoppedError at the first request. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get request(): StopRequest | undefined {
    return this.#request;
  }

  stop(request: StopRequest): void {
    if (this.#request !== undefined) return;
    this.#request = request;
    this.#abort.abort(new StoppedError(`stopped by ${request.cause}`));
  }
}
