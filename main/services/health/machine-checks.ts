/** This machine, step by step: Docker, images, disk, store. What there is to see comes through `MachineSources`. */
import type { DockerEngine } from '../../../runner-core/docker/docker-engine.ts';
import type { EngineChoice } from '../../../runner-core/docker/engine-choice.ts';
import { counted } from '../views/plain-text.ts';
import {
  sizeText,
  storageFaults,
  storageSentence,
  type StorageState,
} from '../views/storage-words.ts';
import {
  failed,
  fine,
  notApplicable,
  warning,
  type Checks,
  type Finding,
  type LookOptions,
} from './check.ts';

export type MachineChecks = Pick<Checks, 'docker' | 'images' | 'disk' | 'store'>;

/** What a look at the database itself says. */
export type StoreVerdict =
  | { readonly kind: 'sound' }
  /** Not looked at now; it was at the start, and is in use since. */
  | { readonly kind: 'in_use' }
  | { readonly kind: 'damaged'; readonly detail: string }
  /** Locked, or the disk refuses. */
  | { readonly kind: 'unknown'; readonly detail: string }
  /** There is none yet: the first start makes it. */
  | { readonly kind: 'absent' };

export interface MachineSources {
  engine(options: LookOptions): Promise<EngineChoice>;
  /** Opens the engine that was found; the caller closes it. */
  open(choice: EngineChoice): DockerEngine | null;
  /** Of the newest job that named one; null for none. */
  lastImage(): string | null;
  /** Of a first job; null where it comes from the service. */
  defaultImage(): string | null;
  storage(options: LookOptions): Promise<StorageState>;
  store(options: LookOptions): Promise<StoreVerdict>;
  /** Null where that is not known. */
  jobs(): number | null;
  /** Profiles of local commands that are offered: their jobs need no Docker. */
  localCommands(): Promise<number>;
}

const UNNEEDED = notApplicable('Docker is not installed. Local commands do without.');

export function machineChecks(sources: MachineSources): MachineChecks {
  let found: EngineChoice | null = null;
  const unneeded = async (choice: EngineChoice): Promise<Finding | null> => {
    if (choice.ok || choice.failure.kind !== 'not_installed') return null;
    return (await sources.localCommands()) === 0 ? null : UNNEEDED;
  };
  return {
    docker: async (options) => {
      found = await sources.engine(options);
      return (await unneeded(found)) ?? engineFinding(found);
    },
    images: async (options) => {
      const choice = found ?? (await sources.engine({ ...options, isAsked: false }));
      return (await unneeded(choice)) ?? imagesFinding(sources, choice);
    },
    disk: async (options) => diskFinding(await sources.storage(options)),
    store: async (options) =>
      storeFinding(
        await sources.store(options),
        await sources.storage({ ...options, isAsked: false }),
        sources.jobs(),
      ),
  };
}

export function engineFinding(choice: EngineChoice): Finding {
  if (choice.ok) return fine(`${choice.engine.version}, found by ${choice.why}.`);
  const { kind, reason, remedy } = choice.failure;
  // It heals by itself.
  return kind === 'waking_up' ? warning(reason, remedy) : failed(reason, remedy);
}

/** Only asks what is there: nothing is ever fetched by a check. */
async function imagesFinding(sources: MachineSources, choice: EngineChoice): Promise<Finding> {
  const last = sources.lastImage();
  const image = last ?? sources.defaultImage();
  if (image === null) return notApplicable('No job has named an image yet.');
  const engine = sources.open(choice);
  if (engine === null) return failed('There is no Docker to ask for images.', null);
  try {
    if ((await engine.image(image)) !== undefined)
      return fine(
        last === null ? `${image} is here, for a first job.` : `${image}, used last, is here.`,
      );
  } catch {
    return failed(`Docker did not say whether ${image} is here.`, 'Check that Docker runs.');
  } finally {
    engine.close();
  }
  // A first job fetches it; one that ran before is missed.
  return last === null
    ? fine(`${image} is not here yet; a first job fetches it.`)
    : warning(
        `${image}, used last, is not here any more; the next job fetches it.`,
        `To have it at once: docker pull ${image}`,
      );
}

export function diskFinding(storage: StorageState): Finding {
  const { freeBytes, floorBytes, usedBytes, budgetBytes } = storage;
  const sentence = storageSentence(storage);
  if (sentence !== null) return failed(sentence.state, `${sentence.remedy?.label ?? ''}.`);
  const fault = storageFaults(storage).find(({ id }) => id === 'disk_over_budget');
  if (fault !== undefined) return warning(fault.what, fault.why);
  if (freeBytes === null)
    return warning(
      'How much is free cannot be read.',
      'Check that the data folder is on this machine.',
    );
  const floor = floorBytes === null ? 'no floor is set' : `the floor is ${sizeText(floorBytes)}`;
  const used =
    usedBytes === null || budgetBytes === null
      ? ''
      : `; ${sizeText(usedBytes)} of ${sizeText(budgetBytes)} in use by this runner`;
  return fine(`${sizeText(freeBytes)} free, ${floor}${used}${commandsText(storage)}.`);
}

function commandsText({ localCommandBytes, localCommandBudgetBytes }: StorageState): string {
  if (localCommandBytes === null || localCommandBytes === 0) return '';
  const of = localCommandBudgetBytes === null ? '' : ` of ${sizeText(localCommandBudgetBytes)}`;
  return `; ${sizeText(localCommandBytes)}${of} kept of local commands`;
}

export function storeFinding(
  verdict: StoreVerdict,
  storage: StorageState,
  jobs: number | null,
): Finding {
  const isDamaged = storage.isDamaged || verdict.kind === 'damaged';
  const faults = storageFaults({ ...storage, isDamaged });
  const damage = faults.find(({ id }) => id === 'store_damaged');
  if (damage !== undefined) return failed(damage.what, damage.why);
  const aside = faults.find(({ id }) => id === 'store_set_aside');
  if (aside !== undefined) return warning(aside.what, aside.why);
  switch (verdict.kind) {
    case 'absent':
      return notApplicable('There is no database yet; the first start makes it.');
    case 'unknown':
      return warning(
        `The database could not be looked at (${verdict.detail}).`,
        'Close other programs that use it, then check again.',
      );
    case 'in_use':
      return fine(`${jobs === null ? 'In use' : `${counted(jobs, 'job')}, in use`}.`);
    case 'sound':
    case 'damaged':
      return fine(`${jobs === null ? 'Q' : `${counted(jobs, 'job')}, q`}uick check passed.`);
  }
}
