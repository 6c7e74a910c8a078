/** Chance that can be repeated: the same seed gives the same numbers. */
import type { RandomSource } from '../../runner-core/ports.ts';

/** Source: T. Ettinger, the generator called mulberry32. */
export class SeededRandom implements RandomSource {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer, `from` and `to` among them. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.fraction() * (to - from + 1));
  }
}
