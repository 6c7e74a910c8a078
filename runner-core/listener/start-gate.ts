/**
 * Lets one program start at a time, in the order asked: Cursor writes its configuration at each start, and starts
 * that overlap break each other. One a host; its workers ask through the listener.
 */
import type { Clock, Timer } from '../ports.ts';

/** A worker says when its start is over, after seconds at most; this is for one that does not. */
export const START_TURN_LIMIT_MS = 20_000;

interface Turn {
  readonly granted: () => void;
}

export class StartGate {
  readonly #clock: Clock;
  readonly #waiting: Turn[] = [];
  #holder: Turn | null = null;
  #limit: Timer | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `granted` when it is this one's turn. What is returned ends the turn, or the waiting; idempotent. */
  enter(granted: () => void): () => void {
    const turn: Turn = { granted };
    this.#waiting.push(turn);
    this.#next();
    return () => this.#leave(turn);
  }

  #leave(turn: Turn): void {
    const at = this.#waiting.indexOf(turn);
    if (at !== -1) this.#waiting.splice(at, 1);
    if (this.#holder !== turn) return;
    this.#holder = null;
    this.#limit?.cancel();
    this.#next();
  }

  #next(): void {
    if (this.#holder !== null) return;
    const turn = this.#waiting.shift();
    if (turn === undefined) return;
    this.#holder = turn;
    this.#limit = this.#clock.after(START_TURN_LIMIT_MS, () => this.#leave(turn));
    turn.granted();
  }
}
