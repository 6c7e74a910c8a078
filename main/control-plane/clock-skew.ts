/**
 * How far this machine's clock is from the service's, measured from the `Date` of its answers. Owns the last
 * measurement and its uncertainty. Only for showing: nothing here is timed by the service's clock.
 */
import type { Clock } from '../../runner-core/ports.ts';

/** Told to the owner from here on. */
export const SHOWN_SKEW_MS = 30_000;
/** The header counts whole seconds and leaves the rest away. */
const HALF_SECOND_MS = 500;
/** An answer this slow says little about the time. */
const SLOWEST_ANSWER_MS = 20_000;

export interface Skew {
  /** The service's clock minus ours: positive where this machine is behind. */
  readonly offsetMs: number;
  /** The true offset is this close to it, either way. */
  readonly uncertaintyMs: number;
  readonly measuredAtMs: number;
}

export class ClockSkew {
  readonly #clock: Clock;
  readonly #changed: () => void;
  #skew: Skew | null = null;

  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Null until the service has told its time. */
  get current(): Skew | null {
    return this.#skew;
  }

  /** `askedAtMs` is monotonic: when what is answered was asked for, at the earliest. */
  answered(date: string | undefined, askedAtMs: number): void {
    const toldMs = date === undefined ? Number.NaN : Date.parse(date);
    const tookMs = this.#clock.monotonicMs() - askedAtMs;
    if (Number.isNaN(toldMs) || tookMs > SLOWEST_ANSWER_MS) return;
    const nowMs = this.#clock.nowMs();
    const before = shownSkewMs(this.#skew);
    this.#skew = {
      // Written at some instant of the told second, between asking and answer.
      offsetMs: Math.round(toldMs + HALF_SECOND_MS - (nowMs - tookMs / 2)),
      uncertaintyMs: Math.ceil(HALF_SECOND_MS + tookMs / 2),
      measuredAtMs: nowMs,
    };
    if (shownSkewMs(this.#skew) !== before) this.#changed();
  }
}

/** What the owner is told: the offset to the second, and null where it is small or may be. */
export function shownSkewMs(skew: Skew | null): number | null {
  if (skew === null || Math.abs(skew.offsetMs) - skew.uncertaintyMs <= SHOWN_SKEW_MS) return null;
  return Math.round(skew.offsetMs / 1_000) * 1_000;
}
