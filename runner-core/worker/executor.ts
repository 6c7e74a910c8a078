/** What carries out one kind of job inside a worker, and what it may say to the listener meanwhile. */
import type { Leftover } from '../model/leftover.ts';
import type { Verdict } from '../model/outcome.ts';
import type { Phase, RunFacts, ToWorker } from './protocol.ts';

export type RunOrder = ToWorker & { readonly kind: 'run' };
export type AdoptOrder = ToWorker & { readonly kind: 'adopt' };
export type HostOrder = ToWorker & { readonly kind: 'run_host' };

/** The end of a job; what it made is still there. */
export interface Ending {
  readonly verdict: Verdict;
  readonly facts: RunFacts;
}

/** `run` and `adopt` resolve with the ending of every job, good or bad; a rejection is a bug of ours. */
export interface Executor {
  run(order: RunOrder): Promise<Ending>;
  adopt(order: AdoptOrder): Promise<Ending>;
  /**
   * Removes what the job made, once its ending is on disk; its container stays where it is to be kept. Never
   * rejects: what stays is left to the listener.
   */
  clear(keepContainer: boolean): Promise<void>;
}

/** The executor's side of the line to the listener. */
export interface JobReport {
  phase(phase: Phase, progress?: string | null): void;
  /** What is known of the run so far; its phases are added here. */
  facts(facts: RunFacts): void;
  /** The engine of a running container gave no answer. */
  engineMissed(): void;
  /** Tells of something made; resolves when the listener has it on disk, rejects after 10 s without. */
  made(leftover: Leftover): Promise<void>;
  /** Resolves when no other local command is starting; what it gives says that this one is over. Idempotent. */
  turnToStart(): Promise<() => void>;
}
