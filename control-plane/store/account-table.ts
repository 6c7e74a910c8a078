/** The one account of a plane, made at its first start, and its kill switch. */
import { newId } from '../../runner-core/system.ts';
import type { PlaneDatabase } from './database.ts';

export interface AccountRow {
  readonly id: string;
  readonly user_id: string;
  readonly organization_name: string;
  readonly default_runner_pool: string | null;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
}

export const KILL_SCOPES = ['gateway', 'tools', 'flows'] as const;
export type KillScope = (typeof KILL_SCOPES)[number];

export interface KillSwitchRow {
  readonly scope: KillScope;
  readonly reason: string | null;
  readonly activated_at_ms: number;
}

export class AccountTable {
  readonly #get;
  readonly #update;
  readonly #switches;
  readonly #activate;
  readonly #deactivate;

  constructor(database: PlaneDatabase, nowMs: number) {
    database
      .prepare<[string, string, number, number]>(
        `INSERT INTO account (id, user_id, organization_name, created_at_ms, updated_at_ms)
         SELECT ?, ?, 'This machine', ?, ? WHERE NOT EXISTS (SELECT 1 FROM account)`,
      )
      .run(newId(), newId(), nowMs, nowMs);
    this.#get = database.prepare<[], AccountRow>('SELECT * FROM account');
    this.#update = database.prepare<[string, string | null, number]>(
      'UPDATE account SET organization_name = ?, default_runner_pool = ?, updated_at_ms = ?',
    );
    this.#switches = database.prepare<[], KillSwitchRow>('SELECT * FROM kill_switch');
    this.#activate = database.prepare<[string, string | null, number]>(
      `INSERT INTO kill_switch (scope, reason, activated_at_ms) VALUES (?, ?, ?)
       ON CONFLICT (scope) DO UPDATE SET reason = excluded.reason`,
    );
    this.#deactivate = database.prepare<[string]>('DELETE FROM kill_switch WHERE scope = ?');
  }

  get(): AccountRow {
    const row = this.#get.get();
    if (row === undefined) throw new Error('the account row is missing');
    return row;
  }

  update(organizationName: string, defaultPool: string | null, nowMs: number): void {
    this.#update.run(organizationName, defaultPool, nowMs);
  }

  activeSwitches(): readonly KillSwitchRow[] {
    return this.#switches.all();
  }

  isKilled(scope: KillScope): boolean {
    return this.activeSwitches().some((row) => row.scope === scope);
  }

  activate(scope: KillScope, reason: string | null, nowMs: number): void {
    this.#activate.run(scope, reason, nowMs);
  }

  deactivate(scope: KillScope): void {
    this.#deactivate.run(scope);
  }
}
