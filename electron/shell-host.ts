/** What the desktop shell uses of a host. */
import type { OverviewView } from '../main/contract/views.ts';
import type { PauseWish } from '../main/services/owner-choice.ts';
import type { StopHow } from '../runner-core/listener/listener.ts';

export interface ShellHost {
  /** `http://127.0.0.1:PORT/#code=…`; the code is good for one sign-in. */
  signInUrl(): string;
  overview(): OverviewView;
  /** Shows it at once and after each change. The result ends it. */
  watchOverview(show: (view: OverviewView) => void): () => void;
  pause(wish?: PauseWish): void;
  resume(): void;
  goOffline(): void;
  goOnline(): void;
  /** Nothing happens where the job has ended meanwhile. */
  stopJob(jobId: string): unknown;
  /** After sleep: check the session now. */
  wake(): void;
  /** The page or the command line asks for the end of the app. */
  onQuitAsked(quit: (how: StopHow) => void): void;
  unexpected(kind: 'rejection' | 'exception', error: unknown): Promise<void>;
  stop(how: StopHow): Promise<void>;
}
