/** Opens the plane's database: durable at every commit, owner-only, migrated forward. */
import Database from 'better-sqlite3';
import { chmodSync } from 'node:fs';
import { RunnerError } from '../../runner-core/model/errors.ts';
import { MIGRATIONS } from './migrations.ts';

export type PlaneDatabase = Database.Database;

/** The file was written by a newer plane; opening it could lose what that one knows. */
export class NewerDatabaseError extends RunnerError {
  readonly code = 'plane_database_newer';
  readonly facts: { readonly file: string; readonly version: number; readonly known: number };
  constructor(facts: NewerDatabaseError['facts']) {
    super(`${facts.file} has schema ${facts.version}; this plane knows up to ${facts.known}`);
    this.facts = facts;
  }
}

/**
 * Write-ahead log with synchronous FULL: a commit that returned survives a power cut, which is what a
 * log acknowledgement promises.
 *
 * @throws NewerDatabaseError, or the driver's error when the file cannot be used
 */
export function openPlaneDatabase(file: string): PlaneDatabase {
  const database = new Database(file);
  try {
    chmodSync(file, 0o600);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    // What is sealed or deleted later is not left readable in the file's free space.
    database.pragma('secure_delete = ON');
    // 16 MiB of log before it is folded into the file: fewer, longer pauses cost less under a flood.
    database.pragma('wal_autocheckpoint = 4000');
    migrate(database, file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function migrate(database: PlaneDatabase, file: string): void {
  const version = database.pragma('user_version', { simple: true }) as number;
  if (version > MIGRATIONS.length) {
    throw new NewerDatabaseError({ file, version, known: MIGRATIONS.length });
  }
  MIGRATIONS.slice(version).forEach((sql, index) => {
    database.transaction(() => {
      database.exec(sql);
      database.pragma(`user_version = ${version + index + 1}`);
    })();
  });
}
