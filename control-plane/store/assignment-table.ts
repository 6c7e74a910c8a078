/** Rows of leases: one execution on one slot of one runner. Owns their reading and writing. */
import type { PlaneDatabase } from './database.ts';
import { TableWriter } from './table-writer.ts';

/** `pending_job` is JSON text and holds nothing of what its definition keeps sealed, no launch and no token. */
export interface AssignmentRow {
  readonly no: number;
  readonly id: string;
  readonly runner_id: string;
  readonly execution_id: string;
  readonly pending_job: string;
  readonly assigned_at_ms: number;
  readonly halt_requested_at_ms: number | null;
  readonly reported_status: string | null;
  /** When it was first handed to a socket; null while no runner can have seen it. */
  readonly delivered_at_ms: number | null;
}

/** What log ingestion needs of a lease. */
export interface LogTarget {
  readonly no: number;
  readonly lines_stored: number;
}

export class AssignmentTable {
  readonly #writer: TableWriter<AssignmentRow>;
  readonly #ofRunner;
  readonly #ofExecution;
  readonly #logTarget;
  readonly #count;
  readonly #unstarted;
  readonly #delete;

  constructor(database: PlaneDatabase) {
    this.#writer = new TableWriter(database, 'assignment');
    this.#ofRunner = database.prepare<[string], AssignmentRow>(
      'SELECT * FROM assignment WHERE runner_id = ? ORDER BY assigned_at_ms, no',
    );
    this.#ofExecution = database.prepare<[string], AssignmentRow>(
      'SELECT * FROM assignment WHERE execution_id = ?',
    );
    this.#logTarget = database.prepare<[string, string], LogTarget>(
      `SELECT execution.no, execution.lines_stored FROM assignment
       JOIN execution ON execution.id = assignment.execution_id
       WHERE assignment.execution_id = ? AND assignment.runner_id = ?`,
    );
    this.#count = database.prepare<[string], { leases: number }>(
      'SELECT COUNT(*) AS leases FROM assignment WHERE runner_id = ?',
    );
    this.#unstarted = database.prepare<[], AssignmentRow>(
      `SELECT * FROM assignment WHERE reported_status IS NULL OR reported_status = 'PENDING'
       ORDER BY assigned_at_ms, no`,
    );
    this.#delete = database.prepare<[string]>('DELETE FROM assignment WHERE id = ?');
  }

  /** Oldest first. */
  ofRunner(runnerId: string): readonly AssignmentRow[] {
    return this.#ofRunner.all(runnerId);
  }

  ofExecution(executionId: string): AssignmentRow | undefined {
    return this.#ofExecution.get(executionId);
  }

  logTarget(executionId: string, runnerId: string): LogTarget | undefined {
    return this.#logTarget.get(executionId, runnerId);
  }

  count(runnerId: string): number {
    return this.#count.get(runnerId)?.leases ?? 0;
  }

  /** Leases that never got past PENDING, of every runner. */
  unstarted(): readonly AssignmentRow[] {
    return this.#unstarted.all();
  }

  /** Throws the driver's constraint error when the execution is leased already. */
  insert(row: Omit<AssignmentRow, 'no'>): void {
    this.#writer.insert(row);
  }

  update(id: string, changes: Partial<AssignmentRow>): void {
    this.#writer.update(id, changes);
  }

  delete(id: string): void {
    this.#delete.run(id);
  }
}

/** The runner has said nothing, or only PENDING, about this lease. */
export function isUnstarted(assignment: AssignmentRow): boolean {
  return assignment.reported_status === null || assignment.reported_status === 'PENDING';
}
