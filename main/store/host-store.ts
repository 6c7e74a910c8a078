/**
 * Opens the store of a data folder whatever state its database is in: waits for a lock, begins anew where the
 * file cannot be used, and goes on checking it once the host runs.
 */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isStoreBusy } from '../../runner-core/model/errors.ts';
import type { Clock, Log } from '../../runner-core/ports.ts';
import { checkDatabase, type CheckVerdict, type DatabaseCheck } from './database-check.ts';
import { openDatabase, type HostDatabase } from './database.ts';
import { DiskReserve, isDiskFull } from './disk-reserve.ts';
import { damageMark, setAside, unusableBecause, type SetAside } from './set-aside.ts';
import { SettingsStore } from './settings-store.ts';
import { openJobStore, type SqliteJobStore } from './sqlite-job-store.ts';

/** Checked within a moment and waited for; a larger one is opened after this long, and checked meanwhile. */
const SMALL_DATABASE_BYTES = 32 * 2 ** 20;
const CHECK_WAIT_MS = 400;
/** Written back in the check's thread: reading it through would hold the start up. */
const LARGE_WAL_BYTES = 64 * 2 ** 20;
const BUSY_RETRY_MS = 500;
/** Another program's lock is waited for this long. */
export const BUSY_LIMIT_MS = 120_000;

export interface HostStoreDeps {
  readonly paths: {
    readonly root: string;
    readonly database: string;
    readonly logsDir: string;
    readonly setAsideDir: string;
    readonly reserve: string;
  };
  readonly clock: Clock;
  readonly log: Log;
}

export interface HostStore {
  readonly database: HostDatabase;
  readonly store: SqliteJobStore;
  readonly facts: SettingsStore;
  readonly reserve: DiskReserve;
  /** The database that was found could not be used. */
  readonly setAside: SetAside | null;
  /** Damage that the check found only after the store was opened; null without. Never rejects. */
  readonly laterDamage: Promise<string | null>;
  close(): Promise<void>;
}

/** Throws what is not the file's fault: StoreUnavailableError. */
export async function openHostStore(deps: HostStoreDeps): Promise<HostStore> {
  const { paths, clock, log } = deps;
  const found: { aside: SetAside | null } = { aside: null };
  const putAside = (because: SetAside['because'], detail: unknown): void => {
    found.aside = setAside(because, paths, clock.nowMs());
    log.error('database set aside', { ...found.aside, detail });
  };
  const because = unusableAtSight(paths.database);
  if (because !== null) putAside(because, null);
  const check = because === null && existsSync(paths.database) ? await begunCheck(deps) : null;
  if (check?.early?.kind === 'damaged') putAside('damaged', check.early.detail);
  const reserve = new DiskReserve(paths.reserve, dirname(paths.reserve));
  reserve.fill();
  const startedMs = clock.monotonicMs();
  for (;;) {
    try {
      const opened = open(deps, reserve);
      return {
        ...opened,
        reserve,
        setAside: found.aside,
        laterDamage:
          found.aside === null && check !== null ? later(deps, check) : Promise.resolve(null),
        close: async () => {
          await check?.stop();
          opened.store.close();
          opened.database.close();
        },
      };
    } catch (error) {
      const fault = found.aside === null ? unusableBecause(error) : null;
      if (fault !== null) {
        await check?.stop();
        putAside(fault, error);
      } else if (isStoreBusy(error) && clock.monotonicMs() - startedMs < BUSY_LIMIT_MS) {
        log.warn('database locked by another program', { error });
        await clock.wait(BUSY_RETRY_MS);
      } else if (isDiskFull(error) && reserve.release()) {
        // The small files that SQLite lays beside the database find room in what was kept back.
        log.warn('database opened from the reserve', { error });
      } else {
        await check?.stop();
        throw error;
      }
    }
  }
}

/** What the engine reads at its start is read here already: a hole in it must show before there is an engine. */
function open(
  { paths, log, clock }: HostStoreDeps,
  reserve: DiskReserve,
): { database: HostDatabase; store: SqliteJobStore; facts: SettingsStore } {
  const database = openDatabase(paths.database);
  try {
    const store = openJobStore(database, { logsDir: paths.logsDir, log, reserve }, clock.nowMs());
    const facts = new SettingsStore(database, reserve);
    facts.servers();
    for (const { spec } of store.unsettled()) store.leftovers(spec.jobId);
    return { database, store, facts };
  } catch (error) {
    database.close();
    throw error;
  }
}

function unusableAtSight(path: string): 'damaged' | 'empty' | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (existsSync(damageMark(path))) return 'damaged';
  return found.size === 0 ? 'empty' : null;
}

interface BegunCheck extends DatabaseCheck {
  /** Null where it takes longer than a start may. */
  readonly early: CheckVerdict | null;
}

async function begunCheck({ paths, clock, log }: HostStoreDeps): Promise<BegunCheck> {
  const walBytes = statSync(`${paths.database}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const isLarge = walBytes > LARGE_WAL_BYTES;
  if (isLarge) log.warn('large wal found', { walBytes });
  const check = checkDatabase(paths.database, isLarge);
  const done = new AbortController();
  const patience = clock.wait(CHECK_WAIT_MS, done.signal).then(
    () => null,
    () => null,
  );
  const isSmall = statSync(paths.database).size <= SMALL_DATABASE_BYTES;
  const early =
    isLarge || isSmall ? await check.verdict : await Promise.race([check.verdict, patience]);
  done.abort(new Error('no longer waited for'));
  return { ...check, early };
}

async function later({ paths, log }: HostStoreDeps, check: BegunCheck): Promise<string | null> {
  const verdict = await check.verdict;
  if (verdict.kind !== 'damaged') return null;
  log.error('database damaged', { detail: verdict.detail });
  try {
    writeFileSync(damageMark(paths.database), '', { mode: 0o600 });
  } catch (error) {
    log.error('damage not marked', { error });
  }
  return verdict.detail;
}

/** Where in the data folder these lie. */
export function storePaths<Paths extends { readonly root: string }>(
  paths: Paths,
): Paths & { readonly setAsideDir: string; readonly reserve: string } {
  return {
    ...paths,
    setAsideDir: join(paths.root, 'set-aside'),
    reserve: join(paths.root, 'reserve'),
  };
}
