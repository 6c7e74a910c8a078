/** Inserts and partial updates of one table, as prepared statements made on first use and kept. */
import type { Statement } from 'better-sqlite3';
import type { PlaneDatabase } from './database.ts';

type Value = string | number | null | Uint8Array;

export class TableWriter<Row extends object> {
  readonly #database: PlaneDatabase;
  readonly #table: string;
  readonly #statements = new Map<string, Statement>();

  /** `table` is ours, never input. */
  constructor(database: PlaneDatabase, table: string) {
    this.#database = database;
    this.#table = table;
  }

  insert(row: Partial<Row>): void {
    const columns = Object.keys(row);
    const sql =
      `INSERT INTO ${this.#table} (${columns.join(', ')}) ` +
      `VALUES (${columns.map(() => '?').join(', ')})`;
    this.#statement(sql).run(...Object.values(row as Record<string, Value>));
  }

  /** Writes the named columns of the row with this `id`. Returns whether there was one. */
  update(id: string, changes: Partial<Row>): boolean {
    const columns = Object.keys(changes);
    const sql =
      `UPDATE ${this.#table} SET ${columns.map((column) => `${column} = ?`).join(', ')} ` +
      'WHERE id = ?';
    const values = Object.values(changes as Record<string, Value>);
    return this.#statement(sql).run(...values, id).changes === 1;
  }

  #statement(sql: string): Statement {
    const kept = this.#statements.get(sql);
    if (kept !== undefined) return kept;
    const made = this.#database.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}
