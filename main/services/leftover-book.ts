/**
 * The book of what jobs left in the engine: containers kept for a look until their time is over, and what was
 * removed, newest first. Owns both lists on disk, nothing in the engine.
 */
import * as z from 'zod';
import { leftoversViewSchema, type LeftoversView } from '../contract/views.ts';
import type { SettingsStore } from '../store/settings-store.ts';

const KEPT = 'kept_containers';
const REMOVED = 'removed_leftovers';
const MOST_REMOVED = 50;

export type KeptContainer = LeftoversView['kept'][number];
export type RemovedLeftover = LeftoversView['removed'][number];

/** Throws StoreUnavailableError where the disk refuses. */
export class LeftoverBook {
  readonly #settings: Pick<SettingsStore, 'get' | 'set'>;
  #kept: readonly KeptContainer[];
  #removed: readonly RemovedLeftover[];

  constructor(settings: Pick<SettingsStore, 'get' | 'set'>) {
    this.#settings = settings;
    this.#kept = read(settings.get(KEPT), leftoversViewSchema.shape.kept);
    this.#removed = read(settings.get(REMOVED), leftoversViewSchema.shape.removed);
  }

  get kept(): readonly KeptContainer[] {
    return this.#kept;
  }

  /** Newest first. */
  get removed(): readonly RemovedLeftover[] {
    return this.#removed;
  }

  keep(container: KeptContainer): void {
    this.#setKept([...this.#kept.filter(({ id }) => id !== container.id), container]);
  }

  /** No longer kept: removed, or gone by itself. */
  forget(id: string): void {
    if (this.#kept.some((kept) => kept.id === id))
      this.#setKept(this.#kept.filter((kept) => kept.id !== id));
  }

  noteRemoved(entry: RemovedLeftover): void {
    const removed = [entry, ...this.#removed].slice(0, MOST_REMOVED);
    this.#settings.set(REMOVED, JSON.stringify(removed));
    this.#removed = removed;
  }

  #setKept(kept: readonly KeptContainer[]): void {
    this.#settings.set(KEPT, JSON.stringify(kept));
    this.#kept = kept;
  }
}

/** An entry that does not read is none: what it named is found again by its labels. */
function read<T>(text: string | undefined, schema: z.ZodType<readonly T[]>): readonly T[] {
  try {
    return schema.parse(JSON.parse(text ?? '[]'));
  } catch {
    return [];
  }
}
