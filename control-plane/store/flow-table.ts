/** Rows of flows and of the frozen definitions they and their executions point to. */
import type { PlaneDatabase } from './database.ts';
import { TableWriter } from './table-writer.ts';

export interface FlowRow {
  readonly id: string;
  readonly name: string;
  /** Counts edits of the flow itself; executions made before the newest one follow it. */
  readonly revision: number;
  readonly definition_id: string;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
}

/** `body` is JSON text without secrets, `sealed` the rest. Its meaning never changes once written. */
export interface DefinitionRow {
  readonly id: string;
  readonly body: string;
  readonly sealed: Uint8Array;
  readonly fingerprint: string;
}

export class FlowTable {
  readonly #flows: TableWriter<FlowRow>;
  readonly #definitions: TableWriter<DefinitionRow>;
  readonly #byId;
  readonly #definition;
  readonly #toSeal;

  constructor(database: PlaneDatabase) {
    this.#flows = new TableWriter(database, 'flow');
    this.#definitions = new TableWriter(database, 'definition');
    this.#byId = database.prepare<[string], FlowRow>('SELECT * FROM flow WHERE id = ?');
    this.#definition = database.prepare<[string], DefinitionRow>(
      'SELECT * FROM definition WHERE id = ?',
    );
    this.#toSeal = database.prepare<[], DefinitionRow>(
      `SELECT * FROM definition WHERE json_type(body, '$.agent_config') IS NOT NULL`,
    );
  }

  get(id: string): FlowRow | undefined {
    return this.#byId.get(id);
  }

  insert(row: FlowRow): void {
    this.#flows.insert(row);
  }

  update(id: string, changes: Partial<FlowRow>): void {
    this.#flows.update(id, changes);
  }

  definition(id: string): DefinitionRow | undefined {
    return this.#definition.get(id);
  }

  /** Those from before configurations were sealed. */
  definitionsToSeal(): readonly DefinitionRow[] {
    return this.#toSeal.all();
  }

  replaceDefinition({ id, body, sealed }: DefinitionRow): void {
    this.#definitions.update(id, { body, sealed });
  }

  insertDefinition(row: DefinitionRow): void {
    this.#definitions.insert(row);
  }
}
