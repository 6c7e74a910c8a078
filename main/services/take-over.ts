/**
 * Remembers, across restarts, that another process took over this runner. Without it each start under a
 * service manager would take the runner back, the other would do the same, and neither would get far.
 * Asks the service's record once where the other one runs.
 */
import * as z from 'zod';
import type { Refusal, SessionState } from '../../runner-core/model/session-state.ts';
import type { Log } from '../../runner-core/ports.ts';
import type { SettingsStore } from '../store/settings-store.ts';
import { shownText } from './views/shown-text.ts';

const MOST_CHARACTERS = 64;

/** `here`: the record has the name of this machine. `unknown`: it cannot be told. */
export type TakenBy =
  | { readonly kind: 'here' }
  | { readonly kind: 'elsewhere'; readonly hostname: string }
  | { readonly kind: 'unknown' };

export interface TakeOverDeps {
  readonly facts: Pick<SettingsStore, 'get' | 'set' | 'delete'>;
  readonly serverKey: string;
  readonly log: Log;
  /** What this machine registers as. */
  readonly ownHostname: string;
  /** The host name in the service's record; null where it shows none. May reject. */
  readonly ask: () => Promise<string | null>;
  /** What is known of the other process is another. */
  readonly changed: () => void;
}

/** Of a take-over whose place is known. */
const keptSchema = z.object({ hostname: z.string() });

export class TakeOver {
  readonly #deps: TakeOverDeps;
  readonly #name: string;
  #isTaken: boolean;
  #by: TakenBy | null = null;
  #isAsking = false;

  constructor(deps: TakeOverDeps) {
    this.#deps = deps;
    this.#name = `taken over ${deps.serverKey}`;
    const kept = deps.facts.get(this.#name);
    this.#isTaken = kept !== undefined;
    const hostname = keptIn(kept);
    if (hostname !== null) this.#by = this.#named(hostname);
  }

  /** What a start has to stand by; null where it may dial. */
  get refusal(): Refusal | null {
    return this.#isTaken ? 'replaced' : null;
  }

  /** Who has this runner now; null while nobody took it over, and until the service has answered. */
  get by(): TakenBy | null {
    return this.#by;
  }

  /** Of each state of the session: a refusal is kept, the next session that stands ends it. */
  saw(state: SessionState): void {
    const isTaken = state.kind === 'refused' && state.refusal === 'replaced';
    if (this.#isTaken ? state.kind === 'online' : isTaken) {
      this.#by = null;
      if (isTaken) this.#deps.facts.set(this.#name, '1');
      else this.#deps.facts.delete(this.#name);
      // After it: what the disk refused is tried again with the next state.
      this.#isTaken = isTaken;
    }
    if (isTaken && this.#by === null && !this.#isAsking) void this.#look();
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const { ask, log, facts, changed } = this.#deps;
    this.#isAsking = true;
    try {
      const hostname = shownText((await ask()) ?? '').slice(0, MOST_CHARACTERS);
      // Taken back in the meantime.
      if (!this.#isTaken) return;
      this.#by = hostname === '' ? { kind: 'unknown' } : this.#named(hostname);
      if (hostname !== '') facts.set(this.#name, JSON.stringify({ hostname }));
    } catch (error) {
      log.warn('other process not looked up', { error });
      if (this.#isTaken) this.#by ??= { kind: 'unknown' };
    } finally {
      this.#isAsking = false;
      changed();
    }
  }

  #named(hostname: string): TakenBy {
    const isOwn = hostname === shownText(this.#deps.ownHostname).slice(0, MOST_CHARACTERS);
    return isOwn ? { kind: 'here' } : { kind: 'elsewhere', hostname };
  }
}

/** Null for a take-over of which the place was not told. */
function keptIn(text: string | undefined): string | null {
  try {
    return keptSchema.parse(JSON.parse(text ?? '')).hostname;
  } catch {
    return null;
  }
}
