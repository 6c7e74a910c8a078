/** Holds the write lock of a database, so that nobody else can open it for writing, until it is told to end. */
import Database from 'better-sqlite3';

const database = new Database(process.argv[2] ?? '');
database.pragma('locking_mode = EXCLUSIVE');
database.exec('BEGIN EXCLUSIVE');
process.send?.('locked');
process.on('message', () => {
  database.exec('ROLLBACK');
  database.close();
  process.exit(0);
});
