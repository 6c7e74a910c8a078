/** Rows of registered runners. Owns their reading and writing; what a status means is for others. */
import type { PlaneDatabase } from './database.ts';
import { TableWriter } from './table-writer.ts';

export type RunnerStatus = 'online' | 'busy' | 'offline';

/** As stored: 0 and 1 for flags, JSON text in `labels`, `publication_readiness` and `capabilities`. */
export interface RunnerRow {
  readonly id: string;
  readonly instance_id: string | null;
  readonly name: string;
  readonly hostname: string | null;
  readonly os: string | null;
  readonly arch: string | null;
  readonly labels: string;
  readonly ephemeral: number;
  readonly status: RunnerStatus;
  readonly last_heartbeat_ms: number | null;
  /** The owner's ceiling. */
  readonly concurrency: number;
  readonly reported_concurrency: number | null;
  readonly token_hash: string;
  /** Of the socket that speaks for this runner now. */
  readonly connection_id: string | null;
  readonly publication_readiness: string | null;
  readonly capabilities: string;
  /** It once listed the executions it holds, so their absence from a later list means something. */
  readonly reports_held: number;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
}

/** What every inbound frame is checked against. */
export interface RunnerKeys {
  readonly token_hash: string;
  readonly connection_id: string | null;
}

export class RunnerTable {
  readonly #writer: TableWriter<RunnerRow>;
  readonly #byId;
  readonly #keys;
  readonly #page;
  readonly #all;
  readonly #changeFrom;
  readonly #lapsed;
  readonly #delete;
  readonly #allOffline;

  constructor(database: PlaneDatabase) {
    this.#writer = new TableWriter(database, 'runner');
    this.#byId = database.prepare<[string], RunnerRow>('SELECT * FROM runner WHERE id = ?');
    this.#keys = database.prepare<[string], RunnerKeys>(
      'SELECT token_hash, connection_id FROM runner WHERE id = ?',
    );
    this.#page = database.prepare<[number, number], RunnerRow>(
      'SELECT * FROM runner ORDER BY last_heartbeat_ms DESC NULLS LAST, id LIMIT ? OFFSET ?',
    );
    this.#all = database.prepare<[], RunnerRow>('SELECT * FROM runner ORDER BY id');
    this.#changeFrom = database.prepare<[string | null, string, string]>(
      'UPDATE runner SET publication_readiness = ? WHERE id = ? AND connection_id = ?',
    );
    this.#lapsed = database.prepare<[number], { id: string }>(
      `SELECT id FROM runner WHERE ephemeral = 1 AND COALESCE(last_heartbeat_ms, created_at_ms) < ?
       AND NOT EXISTS (SELECT 1 FROM assignment WHERE runner_id = runner.id)`,
    );
    this.#delete = database.prepare<[string]>('DELETE FROM runner WHERE id = ?');
    this.#allOffline = database.prepare(
      "UPDATE runner SET status = 'offline', connection_id = NULL, publication_readiness = NULL WHERE connection_id IS NOT NULL",
    );
  }

  get(id: string): RunnerRow | undefined {
    return this.#byId.get(id);
  }

  keys(id: string): RunnerKeys | undefined {
    return this.#keys.get(id);
  }

  page(skip: number, limit: number): readonly RunnerRow[] {
    return this.#page.all(limit, skip);
  }

  all(): readonly RunnerRow[] {
    return this.#all.all();
  }

  insert(row: RunnerRow): void {
    this.#writer.insert(row);
  }

  update(id: string, changes: Partial<RunnerRow>): void {
    this.#writer.update(id, changes);
  }

  /** Returns false, changing nothing, when another connection speaks for the runner now. */
  announceReadiness(id: string, connectionId: string, readiness: string | null): boolean {
    return this.#changeFrom.run(readiness, id, connectionId).changes === 1;
  }

  /** Ephemeral runners without a lease that were not heard of since `sinceMs`. */
  lapsedEphemeral(sinceMs: number): readonly string[] {
    return this.#lapsed.all(sinceMs).map((row) => row.id);
  }

  /** Its assignments go with it. */
  delete(id: string): void {
    this.#delete.run(id);
  }

  /** After a start no socket speaks for anybody. */
  forgetConnections(): void {
    this.#allOffline.run();
  }
}
