/**
 * Draws that a seed decides. Each draw has a name of its own, so that what one part draws does not shift what
 * another gets: a seed means the same run although the plan learnt to draw more.
 */
import { createHash } from 'node:crypto';

const FRACTION_BYTES = 6;

export class Chance {
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** From 0 up to, and without, 1. */
  fraction(name: string): number {
    const digest = createHash('sha256').update(`${this.#seed}/${name}`).digest();
    return digest.readUIntBE(0, FRACTION_BYTES) / 2 ** (8 * FRACTION_BYTES);
  }

  /** `from` and `to` among them. */
  integer(name: string, from: number, to: number): number {
    return from + Math.floor(this.fraction(name) * (to - from + 1));
  }

  happens(name: string, share: number): boolean {
    return this.fraction(name) < share;
  }

  /** One of `choices`, each as often as its weight says. */
  pick<T>(name: string, choices: readonly (readonly [T, number])[]): T {
    const sum = choices.reduce((total, [, weight]) => total + weight, 0);
    let left = this.fraction(name) * sum;
    for (const [choice, weight] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    throw new RangeError(`nothing to pick for ${name}`);
  }
}
