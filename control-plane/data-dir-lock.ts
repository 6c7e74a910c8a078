/** Keeps a second plane out of a data folder. The system frees the lock on any death of its holder. */
import Database from 'better-sqlite3';
import { RunnerError } from '../runner-core/model/errors.ts';

/** Another plane uses this data folder. */
export class PlaneAlreadyRunningError extends RunnerError {
  readonly code = 'plane_already_running';
  readonly facts: { readonly dataDir: string };
  constructor(facts: PlaneAlreadyRunningError['facts'], options?: ErrorOptions) {
    super(`Another plane already uses ${facts.dataDir}`, options);
    this.facts = facts;
  }
}

/**
 * Takes the lock and returns what frees it. An exclusive lock of SQLite on a file of its own.
 *
 * @throws PlaneAlreadyRunningError when it is taken
 */
export function lockDataDir(file: string, dataDir: string): () => void {
  const database = new Database(file, { timeout: 0 });
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
    return () => void database.close();
  } catch (error) {
    database.close();
    const isTaken = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
    if (!isTaken) throw error;
    throw new PlaneAlreadyRunningError({ dataDir }, { cause: error });
  }
}
