/** What this runner takes of the disk, in numbers. Pure; the words for it are in `storage-words.ts`. */
import type { StorageView } from '../../contract/views.ts';
import type { StoredJob } from '../../../runner-core/ports.ts';
import type { StorageState } from './storage-words.ts';

/** The engine writes each line as JSON, with its time and its source. */
const ENGINE_BYTES_A_LINE = 75;

export function storageView(
  storage: StorageState,
  held: readonly {
    readonly held: { readonly job: Pick<StoredJob, 'spec' | 'bytes' | 'lines'> };
  }[],
): StorageView {
  const engineLogBytes = held
    .filter(({ held: { job } }) => job.spec.kind === 'docker_launch')
    .reduce((sum, { held: { job } }) => sum + job.bytes + job.lines * ENGINE_BYTES_A_LINE, 0);
  const { usedBytes, budgetBytes, localCommandBytes, localCommandBudgetBytes } = storage;
  const { freeBytes, floorBytes } = storage;
  const ofCommands = { localCommandBytes, localCommandBudgetBytes };
  return { usedBytes, budgetBytes, ...ofCommands, freeBytes, floorBytes, engineLogBytes };
}
