/** What is to happen once a transaction is on disk: replies, pushes, closed sockets. Store, then tell. */
import type { Log } from '../runner-core/ports.ts';

export class Effects {
  #acts: (() => void)[] = [];

  add(act: () => void): void {
    this.#acts.push(act);
  }

  /** Appends what `other` collected; for work that may be undone on its own. */
  absorb(other: Effects): void {
    this.#acts.push(...other.#acts);
    other.#acts = [];
  }

  /** Runs everything in order. One that fails is logged and keeps none of the others from running. */
  run(log: Log): void {
    const acts = this.#acts;
    this.#acts = [];
    for (const act of acts) {
      try {
        act();
      } catch (error) {
        log.error('telling failed', { problem: String(error) });
      }
    }
  }
}
