/** Stored log lines, one row a batch. Owns writing such rows and reading lines back. */
import type { PlaneDatabase } from './database.ts';

export interface StoredLine {
  /** Counts from 1 within the execution. */
  readonly seq: number;
  readonly batchId: string;
  /** Position within its batch, from 0. */
  readonly index: number;
  readonly storedAtMs: number;
  readonly text: string;
}

interface BatchRow {
  readonly batch_id: string;
  readonly first_line: number;
  readonly lines: number;
  readonly stored_at_ms: number;
  readonly layout: number;
  readonly body: string;
}

/** joined: by line feeds, where no line holds one. json: the JSON text of the array. */
export const LAYOUT = { joined: 0, json: 1 } as const;
export type Layout = (typeof LAYOUT)[keyof typeof LAYOUT];

export interface BatchBody {
  readonly lines: number;
  readonly layout: Layout;
  readonly body: string;
}

export interface NewBatch extends BatchBody {
  readonly executionNo: number;
  readonly batchId: string;
  readonly firstLine: number;
  readonly storedAtMs: number;
}

export class LogTable {
  readonly #insert;
  readonly #batchWith;
  readonly #from;

  constructor(database: PlaneDatabase) {
    this.#insert = database.prepare<[number, string, number, number, number, number, string]>(
      `INSERT INTO log_batch
         (execution_no, batch_id, first_line, lines, stored_at_ms, layout, body)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (execution_no, batch_id) DO NOTHING`,
    );
    this.#batchWith = database.prepare<[number, number], { first: number | null }>(
      'SELECT MAX(first_line) AS first FROM log_batch WHERE execution_no = ? AND first_line <= ?',
    );
    this.#from = database.prepare<[number, number], BatchRow>(
      'SELECT * FROM log_batch WHERE execution_no = ? AND first_line >= ? ORDER BY first_line',
    );
  }

  /** False, storing nothing, when the execution already has a batch of this id. */
  insert(batch: NewBatch): boolean {
    const done = this.#insert.run(
      batch.executionNo,
      batch.batchId,
      batch.firstLine,
      batch.lines,
      batch.storedAtMs,
      batch.layout,
      batch.body,
    );
    return done.changes === 1;
  }

  /** At most `limit` lines with a number above `afterSeq`, in order. */
  lines(executionNo: number, afterSeq: number, limit: number): readonly StoredLine[] {
    const found: StoredLine[] = [];
    const start = this.#batchWith.get(executionNo, afterSeq + 1)?.first ?? 1;
    for (const row of this.#from.iterate(executionNo, start)) {
      linesOf(row).forEach((text, index) => {
        const seq = row.first_line + index;
        if (seq <= afterSeq || found.length >= limit) return;
        found.push({ seq, batchId: row.batch_id, index, storedAtMs: row.stored_at_ms, text });
      });
      if (found.length >= limit) break;
    }
    return found;
  }
}

function linesOf(row: BatchRow): readonly string[] {
  return row.layout === LAYOUT.json ? (JSON.parse(row.body) as string[]) : row.body.split('\n');
}
