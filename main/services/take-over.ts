/**
 * Remembers, across restarts, that another process took over this runner. Without it each start under a
 * service manager would take the runner back, the other would do the same, and neither would get far.
 */
import type { Refusal, SessionState } from '../../runner-core/model/session-state.ts';
import type { SettingsStore } from '../store/settings-store.ts';

type Facts = Pick<SettingsStore, 'get' | 'set' | 'delete'>;

export class TakeOver {
  readonly #facts: Facts;
  readonly #name: string;
  #isTaken: boolean;

  constructor(facts: Facts, serverKey: string) {
    this.#facts = facts;
    this.#name = `taken over ${serverKey}`;
    this.#isTaken = facts.get(this.#name) !== undefined;
  }

  /** What a start has to stand by; null where it may dial. */
  get refusal(): Refusal | null {
    return this.#isTaken ? 'replaced' : null;
  }

  /** Of each state of the session: a refusal is kept, the next session that stands ends it. */
  saw(state: SessionState): void {
    const isTaken = state.kind === 'refused' && state.refusal === 'replaced';
    const changes = this.#isTaken ? state.kind === 'online' : isTaken;
    if (!changes) return;
    if (isTaken) this.#facts.set(this.#name, '1');
    else this.#facts.delete(this.#name);
    // After it: what the disk refused is tried again with the next state.
    this.#isTaken = isTaken;
  }
}
