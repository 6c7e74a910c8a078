/** The words of the search for an engine: what is asked of the machine, and what comes out. */
import type { EngineAddress } from '../worker/protocol.ts';
import type { EngineIdentity } from '../model/leftover.ts';
import type { EngineVersion } from './docker-engine.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** What is found at an address. `detail` is short and plain. */
export type Probed =
  | {
      readonly kind: 'engine';
      readonly engine: EngineVersion;
      /** Its own id; null where it gives none that lasts. */
      readonly id: string | null;
    }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'denied' }
  /** Somebody listens, and the engine behind is not up yet. */
  | { readonly kind: 'waking' }
  | { readonly kind: 'failed'; readonly detail: string };

/** The outside world as the search sees it. Nothing here rejects. */
export interface EndpointProbe {
  /** Undefined when there is no such file or it cannot be read. */
  readText(path: string): Promise<string | undefined>;
  exists(path: string): Promise<boolean>;
  /**
   * What of a file changes when it is made anew, replaced or given other permissions; '' where there is none.
   * Connects to nothing.
   */
  stamp(path: string): Promise<string>;
  /** Asks the engine for its version, 5 s at most. */
  probe(address: EngineAddress): Promise<Probed>;
  /** Whether the engine with this id still answers there: one call, 5 s at most. */
  answers(address: EngineAddress, id: string | null): Promise<boolean>;
  /** The numeric user id; null where there is none (Windows). */
  readonly uid: number | null;
}

export type EngineFailureKind =
  'not_installed' | 'not_running' | 'no_permission' | 'waking_up' | 'too_old' | 'unreachable';

/** Why there is no engine: one plain sentence and one thing to do about it. */
export interface EngineFailure {
  readonly kind: EngineFailureKind;
  readonly reason: string;
  readonly remedy: string;
  /** What was tried, as shown to the owner; null when there was nothing to try. */
  readonly where: string | null;
}

export type EngineChoice =
  | {
      readonly ok: true;
      readonly address: EngineAddress;
      readonly engine: EngineVersion;
      readonly identity: EngineIdentity;
      /** For the owner, for example `DOCKER_HOST` or `the socket of Colima`. */
      readonly why: string;
    }
  | { readonly ok: false; readonly failure: EngineFailure };
