/**
 * The timeline on disk: the newest events, and no more of them than a fixed number. One that happens again and
 * again is one row that counts.
 */
import { eventKindSchema, type EventKind } from '../contract/views.ts';
import type { HostDatabase } from './database.ts';
import { orUnavailable } from './errors.ts';

export const MOST_EVENTS = 1_000;
/** The same again within this long is no event of its own: a connection that comes and goes takes two rows. */
export const SAME_WITHIN_MS = 15 * 60_000;

export interface NewEvent {
  readonly kind: EventKind;
  /** Plain, short, without secrets. What repeats has to read alike. */
  readonly detail: string;
}

export interface StoredEvent extends NewEvent {
  readonly id: number;
  readonly atMs: number;
  readonly lastAtMs: number;
  readonly times: number;
}

interface EventRow {
  readonly id: number;
  readonly kind: string;
  readonly detail: string;
  readonly at_ms: number;
  readonly last_at_ms: number;
  readonly times: number;
}

/** Synchronous; throws StoreUnavailableError where the disk refuses. */
export class EventTable {
  readonly #statements: ReturnType<typeof prepare>;
  readonly #add: (event: NewEvent, atMs: number) => void;

  constructor(database: HostDatabase) {
    const statements = prepare(database);
    this.#statements = statements;
    const add = database.transaction(({ kind, detail }: NewEvent, atMs: number) => {
      const same = statements.newestOf.get(kind, detail);
      // Either way: the clock may have been set back in between.
      const isAgain = same !== undefined && Math.abs(atMs - same.last_at_ms) <= SAME_WITHIN_MS;
      if (isAgain) statements.remove.run(same.id);
      statements.insert.run(
        kind,
        detail,
        isAgain ? same.at_ms : atMs,
        atMs,
        isAgain ? same.times + 1 : 1,
      );
      statements.trim.run(MOST_EVENTS);
    });
    this.#add = (event, atMs) => add.immediate(event, atMs);
  }

  add(event: NewEvent, atMs: number): void {
    orUnavailable('write its events', () => this.#add(event, atMs));
  }

  /** Newest first. */
  newest(limit: number): readonly StoredEvent[] {
    const rows = orUnavailable('read its events', () => this.#statements.newest.all(limit));
    return rows.flatMap(eventOf);
  }

  total(): number {
    return orUnavailable('read its events', () => this.#statements.total.get()?.total ?? 0);
  }
}

/** A kind of a newer version is left out. */
function eventOf(row: EventRow): readonly StoredEvent[] {
  const kind = eventKindSchema.safeParse(row.kind).data;
  const { id, detail, at_ms: atMs, last_at_ms: lastAtMs, times } = row;
  return kind === undefined ? [] : [{ id, kind, detail, atMs, lastAtMs, times }];
}

function prepare(db: HostDatabase) {
  return {
    newestOf: db.prepare<[string, string], EventRow>(
      'SELECT * FROM event WHERE kind = ? AND detail = ? ORDER BY id DESC LIMIT 1',
    ),
    insert: db.prepare<[string, string, number, number, number]>(
      'INSERT INTO event (kind, detail, at_ms, last_at_ms, times) VALUES (?, ?, ?, ?, ?)',
    ),
    remove: db.prepare<[number]>('DELETE FROM event WHERE id = ?'),
    trim: db.prepare<[number]>(
      'DELETE FROM event WHERE id IN (SELECT id FROM event ORDER BY id DESC LIMIT -1 OFFSET ?)',
    ),
    newest: db.prepare<[number], EventRow>('SELECT * FROM event ORDER BY id DESC LIMIT ?'),
    total: db.prepare<[], { total: number }>('SELECT count(*) AS total FROM event'),
  };
}
