/** A few facts of a host.db that nobody has open, read without changing it. Whatever cannot be read is not known. */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';

export interface StoredFacts {
  setting(name: string): string | undefined;
  /** Null where that is not known. */
  jobs(): number | null;
  /** Of the newest job that named one. */
  lastImage(): string | null;
  close(): void;
}

export function readFacts(path: string): StoredFacts {
  const database = opened(path);
  const read = (sql: string, ...values: readonly string[]): unknown => {
    try {
      return database
        ?.prepare<string[]>(sql)
        .pluck()
        .get(...values);
    } catch {
      return undefined;
    }
  };
  const text = (found: unknown): string | undefined =>
    typeof found === 'string' ? found : undefined;
  return {
    setting: (name) => text(read('SELECT value FROM setting WHERE name = ?', name)),
    jobs: () => {
      const found = read('SELECT count(*) FROM job');
      return typeof found === 'number' ? found : null;
    },
    lastImage: () =>
      text(
        read(
          `SELECT json_extract(spec, '$.image') FROM job
         WHERE json_extract(spec, '$.image') IS NOT NULL ORDER BY n DESC LIMIT 1`,
        ),
      ) ?? null,
    close: () => void database?.close(),
  };
}

function opened(path: string): Database.Database | null {
  if (!existsSync(path)) return null;
  try {
    return new Database(path, { readonly: true, fileMustExist: true, timeout: 1_000 });
  } catch {
    return null;
  }
}
