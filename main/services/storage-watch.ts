/**
 * What the disk and the store allow: how much is free, whether jobs may be taken, and what the owner has to
 * know of the database. Looks seldom while all is well, and often while it is not, so that it recovers by itself.
 */
import { statfs } from 'node:fs/promises';
import type { Clock, Log, Timer } from '../../runner-core/ports.ts';
import type { DiskLimits } from '../settings-schema.ts';
import type { DiskReserve } from '../store/disk-reserve.ts';
import type { SetAside } from '../store/set-aside.ts';
import type { StorageState, Staying } from './views/storage-words.ts';
import { tidyDisk, type DiskTidyDeps } from './disk-tidy.ts';

export const LOOK_EVERY_MS = 30_000;
export const LOOK_OFTEN_MS = 5_000;

export interface StorageWatchDeps extends DiskTidyDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: () => DiskLimits;
  /** Null: no limit. */
  readonly localCommandBudgetBytes: () => number | null;
  readonly reserve: DiskReserve;
  readonly setAside: SetAside | null;
  readonly laterDamage: Promise<string | null>;
  readonly changed: () => void;
  /** Bytes free to this user on the disk of `folder`; the machine's own answer when left out. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

export class StorageWatch {
  readonly #deps: StorageWatchDeps;
  #freeBytes: number | null = null;
  #usedBytes: number | null = null;
  #localCommandBytes: number | null = null;
  #staying: Staying | null = null;
  #isDamaged = false;
  #shown = '';
  #timer: Timer | null = null;
  #looking: Promise<void> | null = null;
  #isStopped = false;

  constructor(deps: StorageWatchDeps) {
    this.#deps = deps;
    deps.reserve.onFull(() => this.#turned());
    void deps.laterDamage.then((damage) => {
      this.#isDamaged = damage !== null;
      this.#tell();
    });
  }

  get state(): StorageState {
    const { limits, localCommandBudgetBytes, reserve, setAside } = this.#deps;
    const { budgetBytes, freeFloorBytes } = limits();
    return {
      freeBytes: this.#freeBytes,
      floorBytes: freeFloorBytes,
      usedBytes: this.#usedBytes,
      budgetBytes,
      localCommandBytes: this.#localCommandBytes,
      localCommandBudgetBytes: localCommandBudgetBytes(),
      staying: this.#staying,
      isFull: reserve.isShort,
      setAside,
      isDamaged: this.#isDamaged,
    };
  }

  /** Why no job may be taken; null when one may. */
  refusal(): string | null {
    const { isFull, freeBytes, floorBytes } = this.state;
    if (isFull) return 'disk full';
    return freeBytes !== null && floorBytes !== null && freeBytes < floorBytes
      ? 'below the free-space floor'
      : null;
  }

  /** Resolves after the first look; then looks on its own. Never rejects. */
  async start(): Promise<void> {
    await this.look();
  }

  /** Looks now; joins a look that is under way. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
      this.#schedule();
    });
    return this.#looking;
  }

  /** Age and budget; `held` are the ids of all held jobs. Never rejects. */
  async tidy(held: ReadonlySet<string>): Promise<void> {
    const { clock, log, limits } = this.#deps;
    try {
      const tidied = await tidyDisk(this.#deps, limits(), held, clock.nowMs());
      const { jobsRemoved, logsRemoved, workspacesRemoved } = tidied;
      if (jobsRemoved + logsRemoved + workspacesRemoved > 0) log.info('disk tidied', { ...tidied });
      this.#usedBytes = tidied.usedBytes;
      this.#localCommandBytes = tidied.localCommandBytes;
      this.#staying = tidied.staying;
      await this.look();
    } catch (error) {
      log.error('disk not tidied', { error });
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { root, reserve, log, freeBytes = freeOn } = this.#deps;
    try {
      if (reserve.isShort && reserve.fill()) log.info('disk has room again');
      this.#freeBytes = await freeBytes(root);
    } catch (error) {
      this.#freeBytes = null;
      log.warn('free space not known', { error });
    }
    this.#tell();
  }

  /** The disk was found full in between. */
  #turned(): void {
    this.#tell();
    this.#schedule();
  }

  #tell(): void {
    const { freeBytes, ...rest } = this.state;
    // Free space itself changes all the time; whether it is enough does not.
    const shown = JSON.stringify([
      rest,
      this.refusal(),
      this.refusal() === null ? null : freeBytes,
    ]);
    if (shown === this.#shown || this.#isStopped) return;
    this.#shown = shown;
    this.#deps.changed();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer?.cancel();
    const delayMs = this.refusal() === null ? LOOK_EVERY_MS : LOOK_OFTEN_MS;
    this.#timer = this.#deps.clock.after(delayMs, () => void this.look());
  }
}

async function freeOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
