/** Stops the process of an engine that is ours alone, and lets it go on. Owns that it never stays stopped. */
import type { EnginePause } from './ground.ts';

export class EngineProcessPause implements EnginePause {
  readonly #soleProcess: () => Promise<number | undefined>;
  #paused: number | null = null;
  #depth = 0;

  /** @param soleProcess asked at each pause, as another command may have joined */
  constructor(soleProcess: () => Promise<number | undefined>) {
    this.#soleProcess = soleProcess;
    process.once('exit', () => this.#goOn());
  }

  async pause(): Promise<boolean> {
    const pid = await this.#soleProcess();
    if (pid === undefined) return false;
    if (this.#depth === 0) process.kill(pid, 'SIGSTOP');
    this.#depth += 1;
    this.#paused = pid;
    return true;
  }

  resume(): void {
    this.#depth -= 1;
    if (this.#depth === 0) this.#goOn();
  }

  #goOn(): void {
    if (this.#paused !== null) process.kill(this.#paused, 'SIGCONT');
    this.#paused = null;
  }
}
