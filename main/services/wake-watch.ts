/**
 * Notices that this machine slept or this process was halted: a shell says so, or the wall clock went on by more
 * than the time a timer took. Owns nothing but that; what is done about it is the caller's.
 *
 * The clock is for where nobody tells: a paused virtual machine or container, a headless host on macOS or Windows.
 * It finds a waking within the time of one check, 2.5 s in the median. Sooner would take a timer that fires
 * oftener, and an idle host has none oftener than every 5 s; so what has to be quick is told (the desktop's power
 * events, logind, SIGCONT), at the cost of no timer at all.
 */
import type { Clock, Log, Timer } from '../../runner-core/ports.ts';

/** The only timer of an idle host that is this short. */
export const WAKE_CHECK_MS = 5_000;
/** Less is a busy machine or a clock being set right. */
export const WAKE_JUMP_MS = 5_000;
/** A shell and the clock tell of the same waking, each in its own time. */
const SAME_WAKING_MS = 2_000;

export interface WakeWatchDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly woke: () => void;
}

export class WakeWatch {
  readonly #deps: WakeWatchDeps;
  #timer: Timer | null = null;
  #expectedMs = 0;
  #wokeAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: WakeWatchDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** A shell heard of it from the operating system. */
  told(): void {
    this.#wake('told by the system');
  }

  /**
   * Against the wall clock alone: whether the monotonic one goes on while a machine sleeps differs from system to
   * system, and a timer that fires late tells the same. A clock set forward costs one needless dial.
   */
  #arm(): void {
    this.#timer?.cancel();
    const { clock } = this.#deps;
    this.#expectedMs = clock.nowMs() + WAKE_CHECK_MS;
    this.#timer = clock.after(WAKE_CHECK_MS, () => {
      const jumpMs = clock.nowMs() - this.#expectedMs;
      this.#arm();
      if (jumpMs >= WAKE_JUMP_MS) this.#wake('the clock jumped', jumpMs);
    });
  }

  #wake(sign: string, jumpMs?: number): void {
    const { clock, log, woke } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#wokeAtMs < SAME_WAKING_MS) return;
    this.#wokeAtMs = nowMs;
    // What was slept through is counted once.
    this.#arm();
    log.info('woke', { sign, ...(jumpMs === undefined ? {} : { jumpMs }) });
    woke();
  }
}
