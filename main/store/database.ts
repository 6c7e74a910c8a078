/** Opens host.db: durability settings, version check, migrations. Knows no table but through the migrations. */
import { chmodSync, existsSync, readdirSync, renameSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../../runner-core/model/errors.ts';
import { ForeignDatabaseError, NewerDatabaseError, orUnavailable } from './errors.ts';
import { MIGRATIONS } from './migrations/all.ts';

export type HostDatabase = Database.Database;

/** 'PRHs' in ASCII; SQLite keeps it in the file's header to tell programs apart. */
export const APPLICATION_ID = 0x50524873;
/** How long a commit waits for another reader's or writer's lock, for example a copy being made for diagnostics. */
const BUSY_TIMEOUT_MS = 2_000;

const WAL_KEPT_BYTES = 8 * 2 ** 20;

/**
 * Opens or makes the database and brings it to the newest version. A commit that returned survives a
 * power cut (WAL with synchronous FULL).
 *
 * @throws ForeignDatabaseError, NewerDatabaseError before anything in the file was changed;
 *   StoreUnavailableError where the disk refuses
 */
export function openDatabase(
  path: string,
  migrations: readonly string[] = MIGRATIONS,
): HostDatabase {
  const database = orUnavailable(
    'open its database',
    () => new Database(path, { timeout: BUSY_TIMEOUT_MS }),
  );
  try {
    const version = versionOf(database, path, migrations.length);
    orUnavailable('open its database', () => {
      if (process.platform !== 'win32') chmodSync(path, 0o600);
      database.pragma('journal_mode = WAL');
      database.pragma('synchronous = FULL');
      // What a burst made it grow to is given back at the next checkpoint.
      database.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`);
      // A full disk must not be asked for room to work in.
      database.pragma('temp_store = MEMORY');
      database.pragma('foreign_keys = ON');
      if (version > 0 && version < migrations.length) backUp(database, path, version);
      migrate(database, version, migrations);
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function versionOf(database: HostDatabase, path: string, known: number): number {
  const { applicationId, tables } = readHeader(database, path);
  if (applicationId === 0 && tables === 0) return 0;
  if (applicationId !== APPLICATION_ID) throw new ForeignDatabaseError({ path });
  const found = Number(database.pragma('user_version', { simple: true }));
  if (found > known) throw new NewerDatabaseError({ path, found, known });
  return found;
}

function readHeader(
  database: HostDatabase,
  path: string,
): { readonly applicationId: unknown; readonly tables: unknown } {
  try {
    return orUnavailable('read its database', () => ({
      applicationId: database.pragma('application_id', { simple: true }),
      tables: database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get(),
    }));
  } catch (error) {
    const notOne =
      error instanceof StoreUnavailableError && error.facts.systemCode === 'SQLITE_NOTADB';
    throw notOne ? new ForeignDatabaseError({ path }, { cause: error }) : error;
  }
}

/** Beside the database, as it was before a newer program changed its shape; one is kept. */
function backUp(database: HostDatabase, path: string, version: number): void {
  const name = `${basename(path)}.version-${version}`;
  const target = join(dirname(path), name);
  const part = `${target}.part`;
  if (existsSync(part)) unlinkSync(part);
  // By SQLite itself: a copy of the file could miss what another program has just committed.
  database.prepare('VACUUM INTO ?').run(part);
  if (process.platform !== 'win32') chmodSync(part, 0o600);
  // Whole under its name, or not there.
  renameSync(part, target);
  for (const other of readdirSync(dirname(path)))
    if (other.startsWith(`${basename(path)}.version-`) && other !== name)
      unlinkSync(join(dirname(path), other));
}

/** Each step in a transaction of its own, together with the version it leads to. */
function migrate(database: HostDatabase, version: number, migrations: readonly string[]): void {
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue;
    database
      .transaction(() => {
        database.exec(sql);
        database.pragma(`application_id = ${APPLICATION_ID}`);
        database.pragma(`user_version = ${index + 1}`);
      })
      .immediate();
  }
}
