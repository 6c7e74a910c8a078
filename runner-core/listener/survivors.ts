/**
 * Containers, and what belongs to them, with this runner's labels that the store does not hold: of a lost database,
 * or of a job that ended while its container could not be removed. They stay until a `hello` has said whether
 * their job is still leased here; what it lists is adopted by the dispatcher, the rest is removed.
 */
import type {
  Clock,
  JobStore,
  KeptContainers,
  LabelledContainer,
  LabelledThing,
  LeftoverRemover,
  Log,
  Timer,
} from '../ports.ts';
import type { JobId, RunnerId } from '../model/ids.ts';
import { occupiesSlot } from '../model/job-machine.ts';
import type { Leftover } from '../model/leftover.ts';
import { settledWithin } from './settled-within.ts';

export const LOOK_UP_LIMIT_MS = 10_000;
export const SURVIVORS_RETRY_MS = 30_000;
/** By then an engine has carried out what a worker asked of it before it died. */
export const LATE_LOOK_MS = 10_000;

export interface SurvivorsDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: JobStore;
  readonly remover: LeftoverRemover;
  readonly kept?: KeptContainers;
  readonly runnerId: () => RunnerId | null;
  /** The engine is believed to be there. */
  readonly hasEngine: () => boolean;
  /** They were listed, and nothing is removed yet. */
  readonly known: () => void;
}

type Thing = LabelledContainer | LabelledThing;

export class Survivors {
  readonly #deps: SurvivorsDeps;
  /** Containers and compose projects, by their job. */
  #found: Map<JobId, Thing[]> | null = null;
  /** Used by other jobs than their maker's, too. */
  #networks: Thing[] = [];
  #listed: ReadonlySet<JobId> | null = null;
  #looking: Promise<void> | null = null;
  #retry: Timer | null = null;
  readonly #lateLooks = new Set<Timer>();
  /** Jobs whose late look met no engine: it is made when there is one. */
  readonly #unlooked = new Set<JobId>();
  #isStopped = false;

  constructor(deps: SurvivorsDeps) {
    this.#deps = deps;
  }

  /**
   * False while nobody could look: until then no unknown Docker job may be started. Without an
   * identity there is nothing of ours to look for.
   */
  get isKnown(): boolean {
    return this.#found !== null || this.#deps.runnerId() === null;
  }

  /**
   * Looks once, within LOOK_UP_LIMIT_MS, and again every SURVIVORS_RETRY_MS while that fails; for late containers
   * also after that. Never rejects.
   */
  lookUp(): Promise<void> {
    this.#lookAgain();
    if (this.#found !== null || this.#isStopped) return Promise.resolve();
    this.#looking ??= this.#lookOnce().finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    this.#retry?.cancel();
    this.#retry = null;
    const runnerId = this.#deps.runnerId();
    if (runnerId !== null && this.#deps.hasEngine())
      await settledWithin(this.#deps.clock, LOOK_UP_LIMIT_MS, this.#look(runnerId));
    this.#lookedUp();
  }

  #lookedUp(): void {
    if (this.#found === null) {
      this.#tryLater(() => void this.lookUp());
      return;
    }
    this.#deps.known();
    this.#removeUnlisted();
  }

  /** Jobs with a container here; null while nobody can tell, nor has a `hello` said which to ask about. */
  mayHold(): readonly JobId[] | null {
    if (!this.isKnown && this.#listed === null) return null;
    return [...(this.#found?.keys() ?? [])].filter((jobId) => this.has(jobId));
  }

  has(jobId: JobId): boolean {
    return this.#found?.get(jobId)?.some(({ leftover }) => leftover.kind === 'container') === true;
  }

  /**
   * What one job made; it is the caller's from now on. The container to go on with is the last of them.
   *
   * @param network the one it names, which another job may have made
   */
  take(jobId: JobId, network: string | null = null): readonly Leftover[] {
    const things = this.#found?.get(jobId) ?? [];
    this.#found?.delete(jobId);
    const containers = things.filter((thing) => 'running' in thing);
    const networks = this.#networks.filter(
      ({ jobId: maker, leftover }) => maker === jobId || leftover.name === network,
    );
    const others = things.filter((thing) => !('running' in thing));
    const idle = containers.filter(({ running }) => !running);
    const running = containers.filter((container) => container.running);
    return [...networks, ...others, ...idle.reverse(), ...running.reverse()].map(
      ({ leftover }) => leftover,
    );
  }

  /** A `hello` came: these jobs, and no others, are leased to this runner. */
  greeted(listed: ReadonlySet<JobId>): void {
    this.#listed = listed;
    if (this.#found === null) void this.lookUp();
    else this.#removeUnlisted();
  }

  stop(): void {
    this.#isStopped = true;
    this.#retry?.cancel();
    for (const timer of this.#lateLooks) timer.cancel();
    this.#lateLooks.clear();
  }

  /**
   * The job is over, and a worker of it died before it had noted a container: one may come to be yet, and is
   * removed. It was never started.
   */
  lookLater(jobId: JobId): void {
    this.#after(LATE_LOOK_MS, () => void this.#removeLate(jobId));
  }

  #after(delayMs: number, act: () => void): void {
    if (this.#isStopped) return;
    const timer = this.#deps.clock.after(delayMs, () => {
      this.#lateLooks.delete(timer);
      act();
    });
    this.#lateLooks.add(timer);
  }

  async #removeLate(jobId: JobId): Promise<void> {
    const { remover, runnerId, hasEngine, kept, log } = this.#deps;
    const runner = runnerId();
    if (runner === null) return;
    if (!hasEngine()) {
      this.#unlooked.add(jobId);
      return;
    }
    try {
      for (const { leftover, jobId: owner } of await remover.labelled(runner)) {
        if (owner !== jobId || leftover.kind !== 'container') continue;
        if (kept?.isKept(leftover.id) === true) continue;
        await remover.remove(leftover);
        log.info('late container removed', { jobId, name: leftover.name });
      }
    } catch (error) {
      log.warn('late containers not looked for', { jobId, error });
      this.#after(SURVIVORS_RETRY_MS, () => void this.#removeLate(jobId));
    }
  }

  #lookAgain(): void {
    if (this.#isStopped || !this.#deps.hasEngine()) return;
    const jobIds = [...this.#unlooked];
    this.#unlooked.clear();
    for (const jobId of jobIds) void this.#removeLate(jobId);
  }

  async #look(runnerId: RunnerId): Promise<void> {
    try {
      const found = await this.#deps.remover.labelled(runnerId);
      // An answer that came after the limit, when another look had succeeded already.
      if (this.#found !== null) return;
      const byJob = new Map<JobId, Thing[]>();
      for (const thing of found) {
        const { jobId, leftover } = thing;
        if (leftover.kind === 'container' && this.#deps.kept?.isKept(leftover.id) === true)
          continue;
        if (leftover.kind !== 'network') byJob.set(jobId, [...(byJob.get(jobId) ?? []), thing]);
      }
      this.#networks = found.filter(({ leftover }) => leftover.kind === 'network');
      this.#found = byJob;
    } catch (error) {
      this.#deps.log.warn('labelled containers not listed', { error });
    }
  }

  /** Never throws: what cannot be judged now, since the store does not answer, is looked at again. */
  #removeUnlisted(): void {
    try {
      this.#removeJudged();
    } catch (error) {
      this.#deps.log.error('unknown containers not judged', { error });
      this.#tryLater(() => this.#removeUnlisted());
    }
  }

  #removeJudged(): void {
    const removals: Promise<void>[] = [];
    for (const jobId of this.#found?.keys() ?? []) {
      const state = this.#deps.store.job(jobId)?.state;
      if (state !== undefined && occupiesSlot(state)) continue;
      if (state !== undefined || this.#listed?.has(jobId) === false)
        removals.push(this.#remove(jobId));
    }
    if (this.#listed === null || this.#networks.length === 0) return;
    const used = this.#notedIds();
    const unused = this.#networks.filter(
      ({ leftover }) => !('id' in leftover) || !used.has(leftover.id),
    );
    this.#networks = this.#networks.filter((network) => !unused.includes(network));
    // A network goes only when no container uses it.
    void Promise.all(removals).then(() => this.#removeNetworks(unused));
  }

  #notedIds(): ReadonlySet<string> {
    const { store } = this.#deps;
    const noted = store.unsettled().flatMap(({ spec }) => store.leftovers(spec.jobId));
    return new Set(noted.flatMap((leftover) => ('id' in leftover ? [leftover.id] : [])));
  }

  async #remove(jobId: JobId): Promise<void> {
    const things = this.#found?.get(jobId) ?? [];
    this.#found?.delete(jobId);
    for (const thing of things) {
      try {
        await this.#deps.remover.remove(thing.leftover);
        this.#removed(thing);
      } catch (error) {
        this.#deps.log.warn('unknown container not removed', { jobId, error });
        this.#found?.set(jobId, [...(this.#found.get(jobId) ?? []), thing]);
        this.#tryLater(() => this.#removeUnlisted());
      }
    }
  }

  /** One in use stays, for the host's own search for what nobody owns. Never rejects. */
  async #removeNetworks(networks: readonly Thing[]): Promise<void> {
    const { remover, runnerId, log } = this.#deps;
    const runner = runnerId();
    if (networks.length === 0 || runner === null) return;
    try {
      for (const { leftover } of networks) await remover.remove(leftover);
      const left = new Set((await remover.labelled(runner)).map(({ leftover }) => leftover.name));
      for (const network of networks) if (!left.has(network.leftover.name)) this.#removed(network);
    } catch (error) {
      log.warn('unknown networks not removed', { error });
      this.#networks = [...this.#networks, ...networks];
      this.#tryLater(() => this.#removeUnlisted());
    }
  }

  #removed({ leftover, jobId }: Thing): void {
    const { log, kept } = this.#deps;
    log.info('unknown leftover removed', { jobId, kind: leftover.kind, name: leftover.name });
    try {
      kept?.noteUnclaimed?.(jobId, leftover);
    } catch (error) {
      log.warn('removal not listed', { jobId, error });
    }
  }

  #tryLater(act: () => void): void {
    if (this.#isStopped) return;
    this.#retry?.cancel();
    this.#retry = this.#deps.clock.after(SURVIVORS_RETRY_MS, act);
  }
}
