/** The jobs this host holds: accepted and not yet ended. Each occupies a slot. */
import type { JobId } from '../model/ids.ts';
import type { JobRun } from './job-run.ts';

export class HeldJobs {
  readonly #runs = new Map<JobId, JobRun>();
  readonly #changed: (jobId: JobId) => void;
  #emptyWaiters: (() => void)[] = [];

  /** `ended` is called once for each job, when it is no longer in the list. */
  constructor(ended: (jobId: JobId) => void) {
    this.#changed = ended;
  }

  get count(): number {
    return this.#runs.size;
  }

  all(): readonly JobRun[] {
    return [...this.#runs.values()];
  }

  get(jobId: JobId): JobRun | undefined {
    return this.#runs.get(jobId);
  }

  /** Holds `run` until it is over. */
  add(run: JobRun): void {
    this.#runs.set(run.jobId, run);
    void run.over.then(() => {
      this.#runs.delete(run.jobId);
      this.#changed(run.jobId);
      if (this.#runs.size === 0) for (const resolve of this.#emptyWaiters.splice(0)) resolve();
    });
  }

  /** Resolves when nothing is held. */
  empty(): Promise<void> {
    if (this.#runs.size === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#emptyWaiters.push(resolve));
  }
}
