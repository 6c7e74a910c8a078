/** All tables of the plane over one open database. */
import { AccountTable } from './account-table.ts';
import { AssignmentTable } from './assignment-table.ts';
import { CredentialTable } from './credential-table.ts';
import { openPlaneDatabase, type PlaneDatabase } from './database.ts';
import { ExecutionTable } from './execution-table.ts';
import { FlowTable } from './flow-table.ts';
import { LogTable } from './log-table.ts';
import { RunnerTable } from './runner-table.ts';

export class PlaneStore {
  readonly account: AccountTable;
  readonly runners: RunnerTable;
  readonly flows: FlowTable;
  readonly executions: ExecutionTable;
  readonly assignments: AssignmentTable;
  readonly credentials: CredentialTable;
  readonly logs: LogTable;
  readonly #database: PlaneDatabase;

  /** Throws what `openPlaneDatabase` throws. */
  constructor(file: string, nowMs: number) {
    const database = openPlaneDatabase(file);
    this.#database = database;
    this.account = new AccountTable(database, nowMs);
    this.runners = new RunnerTable(database);
    this.flows = new FlowTable(database);
    this.executions = new ExecutionTable(database);
    this.assignments = new AssignmentTable(database);
    this.credentials = new CredentialTable(database);
    this.logs = new LogTable(database);
  }

  /**
   * Runs `work` as one transaction, or as a savepoint of the one that is open: a throw undoes exactly
   * what `work` did. A disk that refuses may undo the outer transaction too; see `inTransaction`.
   */
  transaction<T>(work: () => T): T {
    return this.#database.transaction(work).immediate();
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  close(): void {
    this.#database.close();
  }
}
