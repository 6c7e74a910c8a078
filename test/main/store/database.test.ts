import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../main/store/database.ts';
import { ForeignDatabaseError, NewerDatabaseError } from '../../../main/store/errors.ts';
import { MIGRATIONS } from '../../../main/store/migrations/all.ts';
import { StoreUnavailableError } from '../../../runner-core/model/errors.ts';
import { tempDir } from '../../support/temp-dir.ts';

const pathOf = (): string => join(tempDir(), 'host.db');

test('a new database commits to disk, checks references, and is for its owner alone', () => {
  const path = pathOf();
  const database = openDatabase(path);
  const pragma = (name: string): unknown => database.pragma(name, { simple: true });
  expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual([
    'wal',
    2,
    1,
  ]);
  expect(pragma('busy_timeout')).toBe(2_000);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  database.close();
});

test('every table is strict', () => {
  const database = openDatabase(pathOf());
  const loose = database.prepare(`SELECT name FROM pragma_table_list WHERE schema = 'main'
    AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'`);
  expect(loose.all()).toEqual([]);
  database.close();
});

test('an older database goes through the missing steps only, and keeps its rows', () => {
  const path = pathOf();
  const first = 'CREATE TABLE a (x INTEGER) STRICT';
  openDatabase(path, [first]).exec('INSERT INTO a VALUES (1)').close();
  const database = openDatabase(path, [first, 'ALTER TABLE a ADD COLUMN y INTEGER']);
  expect(database.prepare('SELECT * FROM a').all()).toEqual([{ x: 1, y: null }]);
  expect(database.pragma('user_version', { simple: true })).toBe(2);
  database.close();
});

test('a step that fails leaves the version before it', () => {
  const path = pathOf();
  const first = 'CREATE TABLE a (x INTEGER) STRICT';
  openDatabase(path, [first]).close();
  expect(() => openDatabase(path, [first, 'CREATE TABLE b (y INTEGER); SELECT nothing'])).toThrow();
  const database = openDatabase(path, [first]);
  expect(database.pragma('user_version', { simple: true })).toBe(1);
  expect(database.prepare(`SELECT name FROM sqlite_schema`).pluck().all()).toEqual(['a']);
  database.close();
});

test('a newer database is refused and stays as it is', () => {
  const path = pathOf();
  openDatabase(path, [...MIGRATIONS, 'SELECT 1', 'SELECT 1']).close();
  const before = readFileSync(path);
  expect(() => openDatabase(path)).toThrow(NewerDatabaseError);
  expect(() => openDatabase(path)).toThrow(
    new RegExp(
      `has version ${MIGRATIONS.length + 2}; this program knows versions up to ${MIGRATIONS.length}`,
    ),
  );
  expect(readFileSync(path)).toEqual(before);
});

test("another program's database is refused and stays as it is", () => {
  const path = pathOf();
  new Database(path).exec('CREATE TABLE theirs (x)').close();
  const before = readFileSync(path);
  expect(() => openDatabase(path)).toThrow(ForeignDatabaseError);
  expect(readFileSync(path)).toEqual(before);
});

test('a file that is no database is refused and stays as it is', () => {
  const path = pathOf();
  writeFileSync(path, 'something else altogether, and long enough to have a header\n'.repeat(20));
  const before = readFileSync(path);
  expect(() => openDatabase(path)).toThrow(ForeignDatabaseError);
  expect(readFileSync(path)).toEqual(before);
});

test('a folder that is not there is a store that cannot be opened', () => {
  expect(() => openDatabase(join(tempDir(), 'none', 'host.db'))).toThrow();
  expect(() => openDatabase(tempDir())).toThrow(StoreUnavailableError);
});

test('the copy before a migration has what another program committed and left in its journal, and a broken-off one is no hindrance', () => {
  const path = pathOf();
  openDatabase(path, ['CREATE TABLE a (x INTEGER)']).close();
  const other = new Database(path);
  other.pragma('journal_mode = WAL');
  const reader = new Database(path);
  reader.exec('BEGIN; SELECT * FROM a');
  other.exec('INSERT INTO a VALUES (41)');
  writeFileSync(`${path}.version-1.part`, 'half of a copy');
  openDatabase(path, ['CREATE TABLE a (x INTEGER)', 'CREATE TABLE b (y INTEGER)']).close();
  const copy = new Database(`${path}.version-1`);
  expect(copy.prepare('SELECT * FROM a').all()).toEqual([{ x: 41 }]);
  for (const each of [copy, reader, other]) each.close();
});

test('before a migration the database is copied as it was, and only the last copy stays', () => {
  const path = pathOf();
  const steps = [
    'CREATE TABLE a (x INTEGER)',
    'ALTER TABLE a ADD COLUMN y INTEGER',
    'DROP TABLE a',
  ];
  openDatabase(path, steps.slice(0, 1)).exec('INSERT INTO a VALUES (41)').close();
  openDatabase(path, steps.slice(0, 1)).close();
  expect(existsSync(`${path}.version-1`)).toBe(false);
  openDatabase(path, steps.slice(0, 2)).close();
  const copy = new Database(`${path}.version-1`);
  expect(copy.prepare('SELECT * FROM a').all()).toEqual([{ x: 41 }]);
  copy.close();
  openDatabase(path, steps).close();
  expect(existsSync(`${path}.version-1`)).toBe(false);
  expect(existsSync(`${path}.version-2`)).toBe(true);
});
