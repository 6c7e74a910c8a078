/**
 * Facts of this host that the host itself writes: who it is, and who it is on each server. What the
 * owner writes is in `settings-file.ts`; tokens are in the credential vault and never here.
 */
import * as z from 'zod';
import { toRunnerId, type RunnerId } from '../../runner-core/model/ids.ts';
import type { HostDatabase } from './database.ts';
import type { DiskReserve } from './disk-reserve.ts';
import { orUnavailable } from './errors.ts';
import { withReserve } from './with-reserve.ts';

/** Who this host is on one server, without the token. */
export interface KnownIdentity {
  readonly runnerId: RunnerId;
  readonly name: string;
  /** Of the labels that were registered, to notice a change; what is hashed is the enrolment's business. */
  readonly labelsHash: string;
}

const HOST_INSTANCE = 'host_instance';
const IDENTITY_PREFIX = 'identity ';
const identitySchema = z.object({ runnerId: z.string(), name: z.string(), labelsHash: z.string() });

/** Synchronous; throws StoreUnavailableError where the disk refuses. The last write of a name wins. */
export class SettingsStore {
  readonly #database: HostDatabase;
  readonly #reserve: DiskReserve | undefined;
  readonly #statements: ReturnType<typeof prepare>;

  /** @param reserve what a write takes its room from on a full disk; without it the write fails there */
  constructor(database: HostDatabase, reserve?: DiskReserve) {
    this.#database = database;
    this.#reserve = reserve;
    this.#statements = prepare(database);
  }

  get(name: string): string | undefined {
    return orUnavailable('read its settings', () => this.#statements.get.get(name)?.value);
  }

  set(name: string, value: string): void {
    this.#write(() => this.#statements.set.run(name, value));
  }

  delete(name: string): void {
    this.#write(() => this.#statements.delete.run(name));
  }

  #write(statement: () => unknown): void {
    const commit = (): unknown => orUnavailable('write its settings', statement);
    if (this.#reserve === undefined) commit();
    else withReserve(this.#reserve, this.#database, commit);
  }

  /** The id of this data folder's host: made once with `newId`, the same ever after. */
  hostInstance(newId: () => string): string {
    const known = this.get(HOST_INSTANCE);
    if (known !== undefined) return known;
    const fresh = newId();
    this.set(HOST_INSTANCE, fresh);
    return fresh;
  }

  /** Undefined for a server this host is not enrolled at, and for an entry that does not read. */
  identity(serverUrl: string): KnownIdentity | undefined {
    const text = this.get(identityName(serverUrl));
    return text === undefined ? undefined : readIdentity(text);
  }

  keepIdentity(serverUrl: string, identity: KnownIdentity): void {
    const { runnerId, name, labelsHash } = identity;
    this.set(identityName(serverUrl), JSON.stringify({ runnerId, name, labelsHash }));
  }

  forgetIdentity(serverUrl: string): void {
    this.delete(identityName(serverUrl));
  }

  /** Every server this host is enrolled at. */
  servers(): readonly string[] {
    const names = orUnavailable('read its settings', () => this.#statements.names.all());
    return names
      .map((row) => row.name)
      .filter((name) => name.startsWith(IDENTITY_PREFIX))
      .map((name) => name.slice(IDENTITY_PREFIX.length));
  }
}

/** `https://host/` and `https://host` are one server. */
function identityName(serverUrl: string): string {
  return `${IDENTITY_PREFIX}${serverUrl.replace(/\/+$/, '')}`;
}

function readIdentity(text: string): KnownIdentity | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = identitySchema.safeParse(value);
  const runnerId = parsed.success ? toRunnerId(parsed.data.runnerId) : undefined;
  return parsed.success && runnerId !== undefined ? { ...parsed.data, runnerId } : undefined;
}

function prepare(db: HostDatabase) {
  return {
    get: db.prepare<[string], { value: string }>('SELECT value FROM setting WHERE name = ?'),
    set: db.prepare<[string, string]>(
      'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    ),
    delete: db.prepare<[string]>('DELETE FROM setting WHERE name = ?'),
    names: db.prepare<[], { name: string }>('SELECT name FROM setting ORDER BY name'),
  };
}
