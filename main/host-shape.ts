/** What a shell holds of a host: to look at, to steer, to stop. */
import type { HeldJob, Listener, StopHow } from '../runner-core/listener/listener.ts';
import type { JobId } from '../runner-core/model/ids.ts';
import type { SessionState } from '../runner-core/model/session-state.ts';
import type { EngineChoice } from '../runner-core/docker/docker-endpoint.ts';
import type { StoredJob } from '../runner-core/ports.ts';
import type { RequestHandlers } from './api/page-source.ts';
import type { OverviewView } from './contract/views.ts';
import type { EmbeddedPlane } from './embedded-plane.ts';
import type { PauseWish } from './services/owner-choice.ts';
import type { ForcedEnd } from './services/forced-end.ts';
import type { TakenBy } from './services/take-over.ts';
import type { UnexpectedEnd } from './services/unexpected.ts';
import type { StorageState } from './services/views/storage-words.ts';

/** What a shell may show; each is read anew after a change. */
export interface HostView {
  readonly session: SessionState;
  readonly engine: EngineChoice | null;
  /** Why there is no identity, and what the owner can do; null when there is one. */
  readonly enrolment: {
    readonly problem: string;
    readonly remedy: string;
    readonly retryable: boolean;
  } | null;
  /** Who took this runner over; null while nobody did, and until it is known. */
  readonly takenBy: TakenBy | null;
  /** Why settings.yaml as it is now is not in force; null when it is. */
  readonly settingsProblem: string | null;
  readonly storage: StorageState;
  /** How the host before this one ended; null where it did as it should. */
  readonly lastEnd: UnexpectedEnd | null;
  readonly intake: Listener['intake'];
  /** Read when it is asked for. */
  readonly held: readonly HeldJob[];
  readonly concurrency: number;
}

/** `health`, `events` and `profiles` change because of the others, never the other way round. */
export type ChangeKind =
  | 'session'
  | 'engine'
  | 'enrolment'
  | 'choice'
  | 'storage'
  | 'leftovers'
  | 'health'
  | 'events'
  | 'profiles';
export type HostChange =
  { readonly kind: ChangeKind } | { readonly kind: 'job'; readonly jobId: JobId };

export interface Host {
  readonly dataDir: string;
  readonly serverUrl: string;
  /** Null where a service is configured. */
  readonly plane: EmbeddedPlane | null;
  view(): HostView;
  job(jobId: JobId): StoredJob | undefined;
  watch(show: (change: HostChange) => void): void;
  readonly page: {
    /** `http://127.0.0.1:PORT`. */
    readonly origin: string;
    /** The port that was wished for, where somebody else has it. */
    readonly takenPort: number | null;
  };
  /** `http://127.0.0.1:PORT/#code=…`; the code is good once, for a minute. */
  signInUrl(): string;
  overview(): OverviewView;
  /** Shows it at once and after each change, four times a second at most. The result ends it. */
  watchOverview(show: (view: OverviewView) => void): () => void;
  /** All that the page can ask for. */
  readonly requests: RequestHandlers;
  /** As the page does it; a wish that cannot be kept is logged. */
  pause(wish?: PauseWish): void;
  resume(): void;
  goOffline(): void;
  goOnline(): void;
  /** False for a job that is not held (any more). */
  stopJob(jobId: string): boolean;
  /** After sleep: check the session now. */
  wake(): void;
  /** The shell is asked to end the host and itself; without one that listens the host ends alone. */
  onQuitAsked(quit: (how: StopHow) => void): void;
  /** Finishes what it holds and takes nothing else, ever. */
  takeNoMore(): void;
  /** Jobs held or not yet reported; once stopped, those the next start finds. */
  unsettled(): number;
  /** Logged once. After an exception, also told by the next host of this data folder. Resolves once it is on disk. */
  unexpected(kind: 'rejection' | 'exception', error: unknown): Promise<void>;
  /** Stops, and removes what it has in the engine at once: for a data folder that no other host takes up. */
  endNow(): Promise<ForcedEnd>;
  /** Idempotent; `stop` overrides a `drain` under way. */
  stop(how: StopHow): Promise<void>;
}
