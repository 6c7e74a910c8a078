/** Puts a database that cannot be used away, whole and with its logs, so that a fresh one can take its place. */
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { StoreUnavailableError } from '../../runner-core/model/errors.ts';
import {
  ForeignDatabaseError,
  NewerDatabaseError,
  orUnavailable,
  StoredJobDamagedError,
} from './errors.ts';
import { JOURNAL_SUFFIX, journalsDir } from './job-journal.ts';

export type UnusableBecause = 'damaged' | 'empty' | 'foreign' | 'newer';

export interface SetAside {
  readonly because: UnusableBecause;
  /** Holds all that was put away. */
  readonly folder: string;
}

/** Files SQLite keeps beside a database. */
const COMPANIONS = ['', '-wal', '-shm', '-journal'];

/** Left beside a database in which a check under way found damage: the next start begins anew. */
export function damageMark(databasePath: string): string {
  return `${databasePath}.damaged`;
}

/** Why the file itself is to blame; null for a failure of another kind. */
export function unusableBecause(error: unknown): UnusableBecause | null {
  if (error instanceof NewerDatabaseError) return 'newer';
  if (error instanceof ForeignDatabaseError) return 'foreign';
  if (error instanceof StoredJobDamagedError) return 'damaged';
  if (!(error instanceof StoreUnavailableError)) return null;
  return /^SQLITE_(CORRUPT|NOTADB)/.test(error.facts.systemCode) ? 'damaged' : null;
}

/**
 * Moves the database and its logs to a folder of their own, and makes the log folder anew. The logs of jobs that
 * have a journal stay, since a fresh database goes on with them; not those of a newer version, which it cannot read.
 *
 * @throws StoreUnavailableError
 */
export function setAside(
  because: UnusableBecause,
  paths: { readonly database: string; readonly logsDir: string; readonly setAsideDir: string },
  atMs: number,
): SetAside {
  return orUnavailable('set its database aside', () => {
    const stamp = new Date(atMs).toISOString().replace(/[:.]/g, '-');
    const folder = freeFolder(join(paths.setAsideDir, `${stamp} ${because}`));
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    // The main file goes last: where this is cut short, the next start does it again.
    for (const suffix of [...COMPANIONS.slice(1), ''])
      moveIfThere(
        `${paths.database}${suffix}`,
        join(folder, `${basename(paths.database)}${suffix}`),
      );
    const logsAside = join(folder, basename(paths.logsDir));
    moveIfThere(paths.logsDir, logsAside);
    fs.mkdirSync(paths.logsDir, { recursive: true, mode: 0o700 });
    const journals = journalsDir(paths.logsDir);
    if (because === 'newer') moveIfThere(journals, join(folder, basename(journals)));
    for (const name of journalledLogs(journals))
      moveIfThere(join(logsAside, name), join(paths.logsDir, name));
    removeIfThere(damageMark(paths.database));
    return { because, folder };
  });
}

function freeFolder(wanted: string): string {
  for (let place = 1; ; place++) {
    const folder = place === 1 ? wanted : `${wanted} ${place}`;
    if (!fs.existsSync(folder)) return folder;
  }
}

/** Names of the log files of jobs that have a journal. */
function journalledLogs(journals: string): readonly string[] {
  if (!fs.existsSync(journals)) return [];
  return fs
    .readdirSync(journals)
    .filter((name) => name.endsWith(JOURNAL_SUFFIX))
    .map((name) => `${basename(name, JOURNAL_SUFFIX)}.log`);
}

function moveIfThere(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function removeIfThere(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

const STATES: Readonly<Record<UnusableBecause, string>> = {
  damaged: 'The database was damaged.',
  empty: 'The database was empty.',
  foreign: 'host.db was no database of this program.',
  newer: 'The database was written by a newer version of this program.',
};

/** For the owner: what happened, what follows, what can be done. */
export function setAsideWords({ because, folder }: SetAside): {
  readonly state: string;
  readonly consequence: string;
  readonly remedy: string;
} {
  return {
    state: STATES[because],
    consequence: `It was set aside with its logs, and this runner began a new one. Earlier jobs are not listed.`,
    remedy:
      because === 'newer'
        ? `Stop this runner, move the files in ${folder} back to ${dirname(dirname(folder))}, and start the newer version`
        : `Keep or delete ${folder}`,
  };
}
