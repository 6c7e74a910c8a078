/** A clock that moves only when told. Wall and monotonic time advance together unless `jumpWall` is used. */
import type { Clock, Timer } from '../../runner-core/ports.ts';

interface Pending {
  readonly dueMs: number;
  readonly order: number;
  readonly act: () => void;
}

export class FakeClock implements Clock {
  #monotonicMs = 0;
  #wallOffsetMs: number;
  #order = 0;
  #pending: Pending[] = [];

  constructor(startMs = 0) {
    this.#wallOffsetMs = startMs;
  }

  nowMs(): number {
    return this.#monotonicMs + this.#wallOffsetMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, act: () => void): Timer {
    const entry: Pending = { dueMs: this.#monotonicMs + delayMs, order: this.#order++, act };
    this.#pending.push(entry);
    return {
      cancel: () => void (this.#pending = this.#pending.filter((other) => other !== entry)),
    };
  }

  wait(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return void reject(signal.reason as Error);
      const timer = this.after(delayMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      const onAbort = (): void => {
        timer.cancel();
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Timers not yet fired; a test that leaves some has a leak. */
  get pending(): number {
    return this.#pending.length;
  }

  /** Moves time on, firing each due timer at its own instant and letting promises settle in between. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#monotonicMs + ms;
    await settle();
    for (;;) {
      const next = this.#pending
        .filter((entry) => entry.dueMs <= endMs)
        .sort((a, b) => a.dueMs - b.dueMs || a.order - b.order)[0];
      if (next === undefined) break;
      this.#pending = this.#pending.filter((entry) => entry !== next);
      this.#monotonicMs = next.dueMs;
      next.act();
      await settle();
    }
    this.#monotonicMs = endMs;
    await settle();
  }

  /** Moves the wall clock alone, as a sleeping laptop or a corrected clock does. */
  jumpWall(ms: number): void {
    this.#wallOffsetMs += ms;
  }
}

/** Lets every promise that is ready settle; setImmediate runs after the microtask queue is empty. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++)
    await new Promise<void>((resolve) => void setImmediate(resolve));
}
