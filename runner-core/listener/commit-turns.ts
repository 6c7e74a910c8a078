/**
 * Common commits: what several jobs have for the disk at nearly the same time reaches it in one flush.
 * One turn in COMMIT_EVERY_MS; the first after a pause is at once.
 */
import { isStoreBusy } from '../model/errors.ts';
import type { Clock, JobStore, Timer } from '../ports.ts';

/** Chatty jobs are committed no oftener than this. */
export const COMMIT_EVERY_MS = 100;
/** While another program holds the database, what came in waits with its job, and the worker stops reading. */
export const BUSY_RETRY_MS = 1_000;
/** Members that bring more than this together are spread over turns: one commit must stay short. */
const MAX_TURN_CHUNKS = 32;

export interface TurnMember {
  /** Chunks that wait. */
  readonly size: number;
  /** Into the open transaction; throws what the store throws, and then has changed nothing of its own. */
  write(): void;
  /** What `write` wrote is on disk. */
  written(): void;
  /** Alone, with its own answer to a refusal. Never throws. */
  flush(): void;
}

export class CommitTurns {
  readonly #clock: Clock;
  readonly #store: JobStore;
  /** In the order they came. */
  readonly #waiting = new Set<TurnMember>();
  #timer: Timer | null = null;
  #isSoon = false;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, store: JobStore) {
    this.#clock = clock;
    this.#store = store;
  }

  /** For the next turn; `soon`: that one does not wait for its time. */
  join(member: TurnMember, soon: boolean): void {
    this.#waiting.add(member);
    if (this.#timer !== null && (!soon || this.#isSoon)) return;
    const dueMs = soon ? 0 : this.#lastMs + COMMIT_EVERY_MS - this.#clock.monotonicMs();
    this.#turnIn(Math.max(0, dueMs));
    this.#isSoon = soon;
  }

  leave(member: TurnMember): void {
    if (!this.#waiting.delete(member) || this.#waiting.size > 0) return;
    this.#timer?.cancel();
    this.#timer = null;
  }

  #turnIn(delayMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(delayMs, () => this.#turn());
  }

  #turn(): void {
    this.#timer = null;
    this.#isSoon = false;
    this.#lastMs = this.#clock.monotonicMs();
    const members = this.#next();
    if (this.#waiting.size > 0) this.#turnIn(0);
    this.#together(members);
  }

  /**
   * One refusal undoes the turn; each member then finds out for itself whether it is the cause. A lock is no
   * member's fault, and each try waits for it: it is tried once for all.
   */
  #together(members: readonly TurnMember[]): void {
    try {
      this.#store.together(() => {
        for (const member of members) member.write();
      });
    } catch (error) {
      if (!isStoreBusy(error)) {
        for (const member of members) member.flush();
        return;
      }
      for (const member of members) this.#waiting.add(member);
      this.#turnIn(BUSY_RETRY_MS);
      this.#isSoon = true;
      return;
    }
    for (const member of members) member.written();
  }

  #next(): TurnMember[] {
    const members: TurnMember[] = [];
    let size = 0;
    for (const member of this.#waiting) {
      if (members.length > 0 && size + member.size > MAX_TURN_CHUNKS) break;
      size += member.size;
      members.push(member);
      this.#waiting.delete(member);
    }
    return members;
  }
}
