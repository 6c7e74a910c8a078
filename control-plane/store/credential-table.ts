/** Runtime credentials of executions, as hashes. A key works while it is active and not yet expired. */
import type { PlaneDatabase } from './database.ts';

export interface CredentialRow {
  readonly token_hash: string;
  readonly execution_id: string;
  readonly active: number;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
}

export class CredentialTable {
  readonly #insert;
  readonly #deactivate;
  readonly #ofExecution;

  constructor(database: PlaneDatabase) {
    this.#insert = database.prepare<[string, string, number, number]>(
      `INSERT INTO runtime_credential
         (token_hash, execution_id, active, created_at_ms, expires_at_ms) VALUES (?, ?, 1, ?, ?)`,
    );
    this.#deactivate = database.prepare<[string]>(
      'UPDATE runtime_credential SET active = 0 WHERE execution_id = ?',
    );
    this.#ofExecution = database.prepare<[string], CredentialRow>(
      'SELECT * FROM runtime_credential WHERE execution_id = ? ORDER BY created_at_ms, rowid',
    );
  }

  insert(tokenHash: string, executionId: string, nowMs: number, expiresAtMs: number): void {
    this.#insert.run(tokenHash, executionId, nowMs, expiresAtMs);
  }

  deactivate(executionId: string): void {
    this.#deactivate.run(executionId);
  }

  ofExecution(executionId: string): readonly CredentialRow[] {
    return this.#ofExecution.all(executionId);
  }
}
