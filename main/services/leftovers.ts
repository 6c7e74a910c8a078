/**
 * Nothing is left behind: what this host made in the engine and nobody owns is removed and listed, soon after the
 * start and every few minutes while jobs come and go; a failed container is kept for a look where the owner
 * wants that. Touches only what carries this host's labels or is noted in its store.
 */
import type { Owned, OwnedThing } from '../../runner-core/docker/leftover-remover.ts';
import { toJobId, type JobId } from '../../runner-core/model/ids.ts';
import {
  engineOf,
  isHere,
  type EngineIdentity,
  type Leftover,
} from '../../runner-core/model/leftover.ts';
import type { Verdict } from '../../runner-core/model/outcome.ts';
import type {
  Clock,
  ContainerLeftover,
  JobStore,
  KeptContainers,
  LeftoverRemover,
  Log,
  Timer,
} from '../../runner-core/ports.ts';
import type { LeftoversView } from '../contract/views.ts';
import { ProblemError } from '../problem.ts';
import type { NotedLeftover } from '../store/noted-leftovers.ts';
import type { LeftoverBook, RemovedLeftover } from './leftover-book.ts';

/** By then the session has said what is leased here. */
export const FIRST_SWEEP_MS = 30_000;
export const SWEEP_EVERY_MS = 300_000;
/** How many of the removed are shown. */
const MOST_SHOWN = 20;

export interface LeftoversDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly book: LeftoverBook;
  readonly store: Pick<JobStore, 'forgetLeftover' | 'leftovers'>;
  /** What is still noted of jobs that have ended. */
  readonly noted: () => readonly NotedLeftover[];
  readonly engine: Pick<LeftoverRemover, 'remove'> & {
    /** Null while there is no engine. */
    ofHost(hostInstance: string): Promise<Owned | null>;
  };
  readonly hostInstance: string;
  readonly held: () => ReadonlySet<JobId>;
  /** How long a failed container is kept; null: not at all. Read for each job. */
  readonly keepFailedMs: () => number | null;
  readonly changed: () => void;
}

export class Leftovers implements KeptContainers {
  readonly #deps: LeftoversDeps;
  #timer: Timer | null = null;
  #sweep: Promise<void> | null = null;
  /** Jobs came or went since the last sweep: only then is the engine asked. */
  #isDue = true;
  #stopped = false;

  constructor(deps: LeftoversDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#schedule(FIRST_SWEEP_MS);
  }

  /** Resolves when a sweep under way is over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#sweep;
  }

  /** A job changed: the engine may hold something new of ours. */
  jobChanged(): void {
    this.#isDue = true;
  }

  keep(jobId: JobId, container: ContainerLeftover, { outcome, reason }: Verdict): boolean {
    const { id, name, engine } = container;
    const { book, keepFailedMs, clock, log } = this.#deps;
    if (this.isKept(id)) return true;
    const keepMs = keepFailedMs();
    if (keepMs === null || (outcome !== 'failed' && outcome !== 'timed_out')) return false;
    // Out of sight is not ended: it may be working still.
    if (reason?.code === 'docker_unavailable') return false;
    const sinceMs = clock.nowMs();
    book.keep({ id, name, engine, jobId, sinceMs, untilMs: sinceMs + keepMs });
    log.info('failed container kept', { jobId, name, keepMs });
    this.#deps.changed();
    return true;
  }

  noteUnclaimed(jobId: JobId, { kind, name }: Leftover): void {
    const { book, clock, changed } = this.#deps;
    book.noteRemoved({ atMs: clock.nowMs(), kind, name, jobId, why: 'unowned' });
    changed();
  }

  isKept(containerId: string): boolean {
    return this.#deps.book.kept.some(({ id }) => id === containerId);
  }

  view(): LeftoversView {
    const { kept, removed } = this.#deps.book;
    return { kept: [...kept], waiting: this.#waiting(), removed: removed.slice(0, MOST_SHOWN) };
  }

  /** What ended jobs left and nobody could remove yet, since its engine is away or another is in use. */
  #waiting(): LeftoversView['waiting'] {
    const noted = this.#deps.noted().filter(({ leftover }) => {
      return leftover.kind !== 'container' || !this.isKept(leftover.id);
    });
    return noted.slice(0, MOST_SHOWN).map(({ jobId, leftover }) => {
      const { kind, name } = leftover;
      return { kind, name, jobId, at: engineOf(leftover)?.at ?? null };
    });
  }

  /** Removes a kept container before its time. Throws ProblemError. */
  async removeKept(wanted: string): Promise<void> {
    const found = this.#deps.book.kept.filter(
      ({ id, jobId, name }) =>
        wanted !== '' && (id.startsWith(wanted) || jobId.startsWith(wanted) || name === wanted),
    );
    const [kept, another] = found;
    if (kept === undefined)
      throw new ProblemError('not_kept', 'No container of this name is kept here.');
    if (another !== undefined)
      throw new ProblemError(
        'ambiguous',
        'More than one kept container begins so.',
        'Write more of it.',
      );
    if (!(await this.#remove(containerOf(kept), jobIdOf(kept), 'owner')))
      throw new ProblemError(
        'not_removed',
        'Docker did not remove the container.',
        'Check that Docker runs, then try again.',
      );
  }

  /** Looks once, now. Never rejects. */
  sweep(): Promise<void> {
    this.#sweep ??= this.#sweepOnce().finally(() => (this.#sweep = null));
    return this.#sweep;
  }

  #schedule(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer = this.#deps.clock.after(delayMs, () => {
      const isDue = this.#isDue || this.#overdue().length > 0;
      void (isDue ? this.sweep() : Promise.resolve()).finally(() => this.#schedule(SWEEP_EVERY_MS));
    });
  }

  #overdue(): LeftoversView['kept'] {
    const nowMs = this.#deps.clock.nowMs();
    return this.#deps.book.kept.filter(({ untilMs }) => untilMs <= nowMs);
  }

  async #sweepOnce(): Promise<void> {
    const { engine, hostInstance, noted, log } = this.#deps;
    try {
      const found = await engine.ofHost(hostInstance);
      if (found === null) return;
      const { engine: here, things: owned } = found;
      // What is in another engine is left to the sweep of that one.
      const mayBeHere = (made: EngineIdentity | undefined): boolean =>
        here === null || isHere(made, here);
      // What changes from here on is for the next sweep.
      this.#isDue = false;
      this.#forgetGone(owned, mayBeHere);
      const overdue = this.#overdue().filter((kept) => mayBeHere(kept.engine));
      for (const kept of overdue) await this.#remove(containerOf(kept), jobIdOf(kept), 'kept_over');
      // Read after the list was made: what a new job made since is not in it, and what it uses is its own.
      const held = this.#deps.held();
      const handled = new Set([...this.#usedBy(held), ...overdue.map(({ id }) => id)]);
      const ownedByNobody = owned.filter(
        ({ jobId, leftover }) =>
          (jobId === null || !held.has(jobId)) &&
          !handled.has(leftover.id) &&
          !this.isKept(leftover.id),
      );
      for (const { leftover, jobId } of ownedByNobody)
        await this.#remove(leftover, jobId, 'unowned');
      for (const { leftover, jobId } of noted())
        if (leftover.kind !== 'container' || !this.isKept(leftover.id))
          if (!held.has(jobId) && mayBeHere(engineOf(leftover)))
            await this.#remove(leftover, jobId, 'unowned');
    } catch (error) {
      this.#isDue = true;
      log.warn('leftovers not swept', { error });
    }
  }

  /** Somebody removed it by hand. */
  #forgetGone(
    owned: readonly OwnedThing[],
    mayBeHere: (made: EngineIdentity | undefined) => boolean,
  ): void {
    const there = new Set(owned.map(({ leftover }) => leftover.id));
    for (const kept of this.#deps.book.kept) {
      if (there.has(kept.id) || !mayBeHere(kept.engine)) continue;
      this.#deps.book.forget(kept.id);
      this.#deps.changed();
    }
  }

  async #isThere(id: string): Promise<boolean> {
    const owned = await this.#deps.engine.ofHost(this.#deps.hostInstance);
    return owned?.things.some(({ leftover }) => leftover.id === id) === true;
  }

  /** Ids of what held jobs noted, such as a network that another job made first. */
  #usedBy(held: ReadonlySet<JobId>): ReadonlySet<string> {
    const leftovers = [...held].flatMap((jobId) => this.#deps.store.leftovers(jobId));
    return new Set(leftovers.flatMap((leftover) => ('id' in leftover ? [leftover.id] : [])));
  }

  /** False where the engine did not let it go: it stays in the list, and is tried again with the next sweep. */
  async #remove(
    leftover: Leftover,
    jobId: JobId | null,
    why: RemovedLeftover['why'],
  ): Promise<boolean> {
    const { engine, book, clock, log, store, changed } = this.#deps;
    const { kind, name } = leftover;
    try {
      await engine.remove(leftover);
      // A network that somebody else's container is on stays where it is.
      if (leftover.kind === 'network' && (await this.#isThere(leftover.id))) return false;
      if (leftover.kind === 'container') book.forget(leftover.id);
      if (jobId !== null) forget(store, jobId, leftover);
      book.noteRemoved({ atMs: clock.nowMs(), kind, name, jobId, why });
      log.info('leftover removed', { kind, name, jobId, why });
      changed();
      return true;
    } catch (error) {
      this.#isDue = true;
      log.warn('leftover not removed', { kind, name, error });
      return false;
    }
  }
}

function jobIdOf(kept: LeftoversView['kept'][number]): JobId | null {
  return toJobId(kept.jobId) ?? null;
}

function containerOf({ id, name, engine }: LeftoversView['kept'][number]): ContainerLeftover {
  return { kind: 'container', id, name, engine };
}

/** All notes of it: an older one names no engine. The store may have forgotten the job. */
function forget(store: LeftoversDeps['store'], jobId: JobId, gone: Leftover): void {
  for (const noted of store.leftovers(jobId))
    if (noted.kind === gone.kind && keyOf(noted) === keyOf(gone))
      store.forgetLeftover(jobId, noted);
}

function keyOf(leftover: Leftover): string {
  return 'id' in leftover ? leftover.id : leftover.name;
}
