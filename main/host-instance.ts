/**
 * The id of this data folder's host, which is a label of all that it makes. Kept beside the database as well: what
 * was made before that was lost stays ours.
 */
import { readFileSync } from 'node:fs';
import type { Log } from '../runner-core/ports.ts';
import { replaceFile } from './atomic-file.ts';
import type { SettingsStore } from './store/settings-store.ts';

const INSTANCE = /^[0-9a-f-]{36}$/;

/** The database's, or where it has none the file's, else a new one; the file is then made to agree. */
export function keptInstance(
  facts: Pick<SettingsStore, 'hostInstance'>,
  path: string,
  newId: () => string,
  log: Log,
): string {
  const inFile = readInstance(path);
  const instance = facts.hostInstance(() => inFile ?? newId());
  if (inFile !== instance) keep(path, instance, log);
  return instance;
}

function readInstance(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return INSTANCE.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** The next start tries again. */
function keep(path: string, instance: string, log: Log): void {
  try {
    replaceFile(path, Buffer.from(instance), 0o600);
  } catch (error) {
    log.warn('host instance not kept beside the database', { error });
  }
}
