/** Rows of executions. Owns their reading and writing; which change is allowed is for others. */
import type { PlaneDatabase } from './database.ts';
import { TableWriter } from './table-writer.ts';

/** As stored; `result`, `cli_session` and `evidence_receipt` hold JSON text. */
export interface ExecutionRow {
  readonly no: number;
  readonly id: string;
  readonly flow_id: string;
  readonly flow_revision: number;
  readonly definition_id: string;
  readonly pool: string;
  readonly resume_from: string | null;
  readonly status: string;
  readonly runner_id: string | null;
  readonly agent_session_reference: string | null;
  readonly start_time_ms: number;
  readonly end_time_ms: number | null;
  readonly error_message: string | null;
  readonly failure_category: string | null;
  readonly result: string | null;
  readonly cli_session: string | null;
  readonly evidence_receipt: string | null;
  readonly setup_failed: number;
  readonly launch_requested_at_ms: number | null;
  readonly stop_requested_at_ms: number | null;
  readonly stop_reason: string | null;
  readonly stop_source: string | null;
  readonly stop_confirmed_at_ms: number | null;
  readonly queued_reason: string | null;
  readonly queued_at_ms: number | null;
  readonly leased_at_ms: number | null;
  readonly timeout_seconds: number;
  readonly lines_stored: number;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
}

/** An execution with the name of its flow and its definition's public part, as lists show it. */
export interface ListedExecution extends ExecutionRow {
  readonly flow_name: string;
  readonly definition_body: string;
}

export class ExecutionTable {
  readonly #writer: TableWriter<ExecutionRow>;
  readonly #byId;
  readonly #listed;
  readonly #page;
  readonly #queued;
  readonly #leasedBefore;
  readonly #open;
  readonly #addLines;

  constructor(database: PlaneDatabase) {
    this.#writer = new TableWriter(database, 'execution');
    this.#byId = database.prepare<[string], ExecutionRow>('SELECT * FROM execution WHERE id = ?');
    const listed = `SELECT execution.*, flow.name AS flow_name, definition.body AS definition_body
      FROM execution JOIN flow ON flow.id = execution.flow_id
      JOIN definition ON definition.id = execution.definition_id`;
    this.#listed = database.prepare<[string], ListedExecution>(`${listed} WHERE execution.id = ?`);
    this.#page = database.prepare<[number, number], ListedExecution>(
      `${listed} ORDER BY execution.no DESC LIMIT ? OFFSET ?`,
    );
    this.#queued = database.prepare<[], ExecutionRow>(
      'SELECT * FROM execution WHERE queued_at_ms IS NOT NULL ORDER BY queued_at_ms, no',
    );
    this.#leasedBefore = database.prepare<[number], ExecutionRow>(
      `SELECT * FROM execution WHERE end_time_ms IS NULL AND queued_at_ms IS NULL
       AND leased_at_ms + timeout_seconds * 1000 <= ? ORDER BY no`,
    );
    this.#open = database.prepare<[], ExecutionRow>(
      'SELECT * FROM execution WHERE end_time_ms IS NULL ORDER BY no',
    );
    this.#addLines = database.prepare<[number, number]>(
      'UPDATE execution SET lines_stored = lines_stored + ? WHERE no = ?',
    );
  }

  get(id: string): ExecutionRow | undefined {
    return this.#byId.get(id);
  }

  listed(id: string): ListedExecution | undefined {
    return this.#listed.get(id);
  }

  /** Newest first. */
  page(skip: number, limit: number): readonly ListedExecution[] {
    return this.#page.all(limit, skip);
  }

  /** Those that wait for a runner, longest first. */
  queued(): readonly ExecutionRow[] {
    return this.#queued.all();
  }

  /** Unended ones whose wall-clock budget is used up at `nowMs`. */
  overBudget(nowMs: number): readonly ExecutionRow[] {
    return this.#leasedBefore.all(nowMs);
  }

  open(): readonly ExecutionRow[] {
    return this.#open.all();
  }

  insert(row: Omit<ExecutionRow, 'no'>): void {
    this.#writer.insert(row);
  }

  update(id: string, changes: Partial<ExecutionRow>): void {
    this.#writer.update(id, changes);
  }

  addLines(no: number, lines: number): void {
    this.#addLines.run(lines, no);
  }
}
