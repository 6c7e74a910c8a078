/**
 * A host for one job (`--once`) or one stay (`--ephemeral`): when it has done its work, and what its exit code says.
 * Owns no process: the shell stops the host once `over` has resolved.
 */
import type { JobId } from '../runner-core/model/ids.ts';
import type { Clock, StoredJob, Timer } from '../runner-core/ports.ts';
import type { HostChange, HostView } from './host-shape.ts';

/** Exit codes that scripts rely on. */
export const ONE_SHOT_EXIT = {
  /** The job succeeded; without `--once`: ended when asked. */
  succeeded: 0,
  /** It ended otherwise, or the host was stopped before it had; or the service refused this runner. */
  notSucceeded: 1,
  /** No job came in the time given. */
  nothingLeased: 2,
} as const;
export type OneShotExit = (typeof ONE_SHOT_EXIT)[keyof typeof ONE_SHOT_EXIT];

export interface OneShotHost {
  view(): Pick<HostView, 'session' | 'enrolment' | 'held'>;
  job(jobId: JobId): StoredJob | undefined;
  watch(show: (change: HostChange) => void): void;
  /** Takes no other job. */
  takeNoMore(): void;
}

export interface OneShotOptions {
  readonly once: boolean;
  /** For a first job, counted anew once there is an identity; only with `once`. */
  readonly waitMs: number;
  readonly clock: Clock;
  /** Called for the first job, once. */
  readonly leased: (jobId: JobId) => void;
}

export class OneShot {
  /** Resolves with the exit code when there is nothing more to wait for. A shell may be told to end before. */
  readonly over: Promise<OneShotExit>;
  readonly #host: OneShotHost;
  readonly #options: OneShotOptions;
  readonly #end: (exit: OneShotExit) => void;
  #jobId: JobId | null = null;
  #wait: Timer | null = null;
  #isEnrolled = false;

  /** Watches from the moment it is made: make it right after the host. */
  constructor(host: OneShotHost, options: OneShotOptions) {
    this.#host = host;
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<OneShotExit>();
    this.over = promise;
    this.#end = (exit) => {
      this.#wait?.cancel();
      resolve(exit);
    };
    if (options.once) this.#waitForJob();
    host.watch((change) => this.#look(change));
    this.#look({ kind: 'session' });
    for (const { job } of host.view().held) this.#sawJob(job.spec.jobId);
  }

  /** What a host that is told to end before it is over should exit with. */
  get early(): OneShotExit {
    const { once } = this.#options;
    if (!once) return ONE_SHOT_EXIT.succeeded;
    if (this.#jobId === null) return ONE_SHOT_EXIT.nothingLeased;
    return this.#verdict(this.#jobId) ?? ONE_SHOT_EXIT.notSucceeded;
  }

  #look(change: HostChange): void {
    const { session, enrolment } = this.#host.view();
    const mayHeal = enrolment === null || enrolment.retryable;
    if (session.kind === 'refused' || !mayHeal) {
      this.#end(ONE_SHOT_EXIT.notSucceeded);
      return;
    }
    if (!this.#isEnrolled && session.kind !== 'signed_out' && session.kind !== 'closed') {
      this.#isEnrolled = true;
      if (this.#wait !== null) this.#waitForJob();
    }
    if (change.kind === 'job') this.#sawJob(change.jobId);
  }

  #waitForJob(): void {
    this.#wait?.cancel();
    this.#wait = this.#options.clock.after(this.#options.waitMs, () =>
      // Nobody to lease anything to is a failure, not a quiet hour.
      this.#end(this.#isEnrolled ? ONE_SHOT_EXIT.nothingLeased : ONE_SHOT_EXIT.notSucceeded),
    );
  }

  #sawJob(jobId: JobId): void {
    if (!this.#options.once) return;
    const state = this.#host.job(jobId)?.state.kind;
    if (state === undefined) return;
    // A verdict that an earlier start left is reported, and says nothing of this one.
    if (this.#jobId === null && state !== 'settled') this.#first(jobId);
    if (jobId !== this.#jobId || state !== 'settled') return;
    const exit = this.#verdict(jobId);
    if (exit !== null) this.#end(exit);
  }

  #first(jobId: JobId): void {
    this.#jobId = jobId;
    this.#wait?.cancel();
    this.#wait = null;
    this.#host.takeNoMore();
    this.#options.leased(jobId);
  }

  #verdict(jobId: JobId): OneShotExit | null {
    const state = this.#host.job(jobId)?.state;
    if (state?.kind !== 'reporting' && state?.kind !== 'settled') return null;
    return state.verdict.status === 'SUCCEEDED'
      ? ONE_SHOT_EXIT.succeeded
      : ONE_SHOT_EXIT.notSucceeded;
  }
}
