/**
 * What every launcher of workers has in common, however its shell starts a process: one idle worker is
 * kept started, since a cold start costs about 90 ms and a warm one about 1 ms.
 */
import type { Clock, Timer, WorkerHandle, WorkerLauncher } from '../../runner-core/ports.ts';

const SPARE_DELAY_MS = 1_000;

export class WarmLauncher implements WorkerLauncher {
  readonly #start: () => WorkerHandle;
  readonly #clock: Clock;
  #spare: WorkerHandle | null = null;
  #refill: Timer | null = null;
  #stopped = false;

  constructor(start: () => WorkerHandle, clock: Clock) {
    this.#start = start;
    this.#clock = clock;
  }

  /** Starts the first spare. Without it the first job pays for a cold start. */
  warm(): void {
    if (this.#stopped || this.#spare !== null) return;
    const spare = this.#start();
    this.#spare = spare;
    void spare.exited.then(() => {
      if (this.#spare === spare) this.#spare = null;
    });
  }

  launch(): WorkerHandle {
    const worker = this.#spare ?? this.#start();
    this.#spare = null;
    this.#refill?.cancel();
    // Not at once: the job that just started needs the processor more.
    if (!this.#stopped) this.#refill = this.#clock.after(SPARE_DELAY_MS, () => this.warm());
    return worker;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#refill?.cancel();
    const spare = this.#spare;
    this.#spare = null;
    spare?.kill();
    await spare?.exited;
  }
}
