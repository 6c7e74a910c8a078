/** What the plane's database holds of a run's executions, read beside the running plane. */
import Database from 'better-sqlite3';
import * as z from 'zod';

export interface ExecutionRecord {
  readonly id: string;
  readonly status: string;
  readonly error: string;
  /** A lease is left: the plane still waits for this host. */
  readonly isLeased: boolean;
  /** The plane was asked to stop it, and took it on. */
  readonly isStopOnRecord: boolean;
}

const recordSchema = z.array(
  z.object({
    id: z.string(),
    status: z.string(),
    error: z.string().nullable(),
    leases: z.number(),
    stop_requested_at_ms: z.number().nullable(),
  }),
);
const batchSchema = z.array(
  z.object({ first_line: z.number(), lines: z.number(), layout: z.number(), body: z.string() }),
);
const countSchema = z.object({ lines: z.number() });
const bodySchema = z.array(z.string());

export class PlaneRecords {
  readonly #database: Database.Database;

  constructor(planeDir: string) {
    this.#database = new Database(`${planeDir}/plane.db`, { readonly: true, timeout: 5_000 });
  }

  executions(ids: readonly string[]): readonly ExecutionRecord[] {
    const rows = this.#database
      .prepare(
        `SELECT id, status, error_message AS error, stop_requested_at_ms,
           (SELECT COUNT(*) FROM assignment WHERE execution_id = execution.id) AS leases
         FROM execution WHERE id IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify(ids));
    return recordSchema
      .parse(rows)
      .map(({ id, status, error, leases, stop_requested_at_ms: stop }) => ({
        id,
        status,
        error: error ?? '',
        isLeased: leases > 0,
        isStopOnRecord: stop !== null,
      }));
  }

  /** As stored, batch after batch, decoded. */
  lines(id: string): readonly string[] {
    const rows = this.#database
      .prepare(
        `SELECT first_line, lines, layout, body FROM log_batch
         WHERE execution_no = (SELECT no FROM execution WHERE id = ?) ORDER BY first_line`,
      )
      .all(id);
    return batchSchema
      .parse(rows)
      .flatMap(({ layout, body }) =>
        layout === 1 ? bodySchema.parse(JSON.parse(body)) : body.split('\n'),
      );
  }

  /** How many lines of it are stored. */
  lineCount(id: string): number {
    const row = this.#database
      .prepare(
        `SELECT first_line + lines - 1 AS lines FROM log_batch
         WHERE execution_no = (SELECT no FROM execution WHERE id = ?)
         ORDER BY first_line DESC LIMIT 1`,
      )
      .get(id);
    return row === undefined ? 0 : countSchema.parse(row).lines;
  }

  close(): void {
    this.#database.close();
  }
}
