/** What the owner is told of disk and store. Pure. */
import type { SentenceView } from '../../contract/views.ts';
import { setAsideWords, type SetAside } from '../../store/set-aside.ts';

/** What cannot give way to the budget, in bytes. */
export interface Staying {
  /** Logs of pinned and of unfinished jobs. */
  readonly logBytes: number;
  /** In use, or not to be removed. */
  readonly workspaceBytes: number;
  /** The database above all. */
  readonly otherBytes: number;
}

export interface StorageState {
  /** Null while unknown. */
  readonly freeBytes: number | null;
  /** Null: the owner set none. */
  readonly floorBytes: number | null;
  /** By our folders, as of the last tidying; null before it. */
  readonly usedBytes: number | null;
  readonly budgetBytes: number | null;
  /** By directories of local commands, which the budget does not count; as `usedBytes`. */
  readonly localCommandBytes: number | null;
  /** Of those; null: the owner set none. */
  readonly localCommandBudgetBytes: number | null;
  /** Why the budget cannot be kept, as of the last tidying; null where it is. */
  readonly staying: Staying | null;
  /** The disk refused a write and has had no room since. */
  readonly isFull: boolean;
  /** The database found at the start could not be used. */
  readonly setAside: SetAside | null;
  /** The database in use is damaged. */
  readonly isDamaged: boolean;
}

export const SOUND_STORAGE: StorageState = {
  freeBytes: null,
  floorBytes: null,
  usedBytes: null,
  budgetBytes: null,
  localCommandBytes: null,
  localCommandBudgetBytes: null,
  staying: null,
  isFull: false,
  setAside: null,
  isDamaged: false,
};

export interface FaultView {
  readonly id: string;
  readonly what: string;
  readonly why: string;
}

/** Why no job is taken; null where disk and store do not stand in the way. */
export function storageSentence(storage: StorageState): SentenceView | null {
  const { isFull, freeBytes, floorBytes } = storage;
  if (isFull)
    return {
      tone: 'attention',
      state: 'Not taking jobs: the disk is full.',
      consequence: 'Running jobs go on; output that finds no room is left out.',
      remedy: { action: 'none', label: 'Free space on this disk' },
    };
  if (freeBytes === null || floorBytes === null || freeBytes >= floorBytes) return null;
  return {
    tone: 'attention',
    state: `Not taking jobs: ${sizeText(freeBytes)} free, the floor is ${sizeText(floorBytes)}.`,
    consequence: 'Running jobs go on.',
    remedy: { action: 'none', label: 'Free space, or lower free_floor in settings.yaml' },
  };
}

/** What else needs a person, worst first. */
export function storageFaults(storage: StorageState): FaultView[] {
  const faults: FaultView[] = [];
  if (storage.isDamaged)
    faults.push({
      id: 'store_damaged',
      what: 'The database is damaged.',
      why: 'Jobs go on; the next start sets it aside and begins a new one. Restart this runner once its jobs are done.',
    });
  if (storage.setAside !== null) {
    const { state, consequence, remedy } = setAsideWords(storage.setAside);
    faults.push({ id: 'store_set_aside', what: state, why: `${consequence} ${remedy}.` });
  }
  const { usedBytes, budgetBytes, staying } = storage;
  if (usedBytes !== null && budgetBytes !== null && usedBytes > budgetBytes)
    faults.push({
      id: 'disk_over_budget',
      what: `This runner takes ${sizeText(usedBytes)}, the budget is ${sizeText(budgetBytes)}.`,
      why: `${stayingWords(staying)} Unpin jobs, or raise budget in settings.yaml.`,
    });
  return faults;
}

function stayingWords(staying: Staying | null): string {
  if (staying === null) return 'What is left belongs to pinned or unfinished jobs and workspaces.';
  const { logBytes, workspaceBytes, otherBytes } = staying;
  const parts = [
    [workspaceBytes, 'workspaces in use'],
    [logBytes, 'logs of pinned or unfinished jobs'],
    [otherBytes, 'the database and the rest of the data folder'],
  ] as const;
  const said = parts.filter(([bytes]) => bytes > 0).toSorted(([a], [b]) => b - a);
  const list = said.map(([bytes, what]) => `${sizeText(bytes)} of ${what}`).join(', ');
  return `These stay: ${list}. Other logs are left, since removing them would not be enough.`;
}

/** `820 MiB`, `3.1 GiB`. */
export function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const text =
    unit > 1 && value < 10 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.floor(value));
  return `${text} ${units[unit] ?? 'B'}`;
}
