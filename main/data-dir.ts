/** Paths under the data folder, its permissions, and the lock that keeps a second host out. */
import { chmodSync, mkdirSync, readdirSync, statSync, type Stats } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import Database from 'better-sqlite3';
import { RunnerError } from '../runner-core/model/errors.ts';
import type { JobId } from '../runner-core/model/ids.ts';

const FOLDER_NAME = 'preloop-runner-host';
/** One of these in a folder that is not empty shows that it is a data folder of ours. */
const OUR_FILES: readonly string[] = [
  'lock.db',
  'host.db',
  'settings.yaml',
  'credentials',
  'desktop',
];

/** A database that nothing refers to is closed by the garbage collector, and its lock with it. */
const heldLocks = new Set<Database.Database>();

/** Absolute paths under one data folder. Naming them does not make them. */
export interface DataPaths {
  readonly root: string;
  readonly database: string;
  readonly lock: string;
  readonly logsDir: string;
  readonly workspacesDir: string;
  /** Directories of local commands whose profile has no root of its own. */
  readonly hostWorkspacesDir: string;
  /** Of commands that are only tried. */
  readonly scratchDir: string;
  /** The embedded plane's own data. */
  readonly planeDir: string;
  readonly diagnosticsDir: string;
  readonly hostLog: string;
  /** What the desktop shell's window keeps. Made by that shell, before there is a host. */
  readonly desktopDir: string;
  /** Sealed tokens, and the key that opens them. */
  readonly credentials: string;
  /** Of the seal on `credentials`; mode 0600. */
  readonly sealKey: string;
  readonly settings: string;
  /** The host's own id, as the database has it. */
  readonly instance: string;
}

/** A data folder held by this process. */
export interface DataDir extends DataPaths {
  /** Lets the next host in. Idempotent; any death of the process does the same. */
  release(): void;
}

/** Another host has this data folder. */
export class AlreadyRunningError extends RunnerError {
  readonly code = 'already_running';
  readonly facts: { readonly folder: string };
  constructor(facts: AlreadyRunningError['facts'], options?: ErrorOptions) {
    super(
      `Another runner host already uses ${facts.folder}. Stop it first, or start this one with a data folder of its own.`,
      options,
    );
    this.facts = facts;
  }
}

/** The folder cannot serve as data folder; the message says what to change. */
export class DataDirUnusableError extends RunnerError {
  readonly code = 'data_dir_unusable';
  readonly facts: { readonly folder: string; readonly problem: string; readonly remedy: string };
  constructor(facts: DataDirUnusableError['facts'], options?: ErrorOptions) {
    super(`The data folder ${facts.folder} ${facts.problem}. ${facts.remedy}`, options);
    this.facts = facts;
  }
}

export function dataPaths(root: string): DataPaths {
  const diagnosticsDir = join(root, 'diagnostics');
  return {
    root,
    database: join(root, 'host.db'),
    lock: join(root, 'lock.db'),
    logsDir: join(root, 'logs'),
    workspacesDir: join(root, 'workspaces'),
    hostWorkspacesDir: join(root, 'host-workspaces'),
    scratchDir: join(root, 'tried-commands'),
    planeDir: join(root, 'plane'),
    diagnosticsDir,
    hostLog: join(diagnosticsDir, 'host.log'),
    desktopDir: join(root, 'desktop'),
    credentials: join(root, 'credentials'),
    sealKey: join(root, 'seal.key'),
    settings: join(root, 'settings.yaml'),
    instance: join(root, 'instance'),
  };
}

/** The file of one job's output. A JobId is safe to name a file by construction. */
export function jobLogFile(logsDir: string, jobId: JobId): string {
  return join(logsDir, `${jobId}.log`);
}

/**
 * Where the data folder is when nobody says otherwise: the per-user application data folder of the OS.
 *
 * @param environment read for XDG_DATA_HOME (ignored unless absolute, as its specification asks) and LOCALAPPDATA
 */
export function defaultDataDir(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
  homeDir: string,
): string {
  if (platform === 'darwin') return join(homeDir, 'Library', 'Application Support', FOLDER_NAME);
  if (platform === 'win32')
    return join(environment['LOCALAPPDATA'] ?? join(homeDir, 'AppData', 'Local'), FOLDER_NAME);
  const dataHome = environment['XDG_DATA_HOME'] ?? '';
  return join(isAbsolute(dataHome) ? dataHome : join(homeDir, '.local', 'share'), FOLDER_NAME);
}

/**
 * Makes the folder ready and takes its lock. Throws AlreadyRunningError while another process (or
 * this one) holds it, DataDirUnusableError for everything the owner has to put right.
 *
 * @param selfUid the user this process runs as; undefined where the OS has no such numbers
 */
export function openDataDir(root: string, selfUid = process.getuid?.()): DataDir {
  const paths = dataPaths(root);
  prepareRoot(root, selfUid);
  for (const folder of [paths.logsDir, paths.workspacesDir, paths.planeDir, paths.diagnosticsDir]) {
    makeFolder(root, folder);
  }
  const lock = takeLock(paths);
  heldLocks.add(lock);
  return {
    ...paths,
    release() {
      lock.close();
      heldLocks.delete(lock);
    },
  };
}

/** A folder within the data folder, for a shell that needs one before the rest. Throws DataDirUnusableError. */
export function makeFolder(root: string, folder: string): void {
  attempt(root, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
}

function prepareRoot(root: string, selfUid: number | undefined): void {
  if (!isAbsolute(root))
    throw new DataDirUnusableError({
      folder: root,
      problem: 'is not an absolute path',
      remedy: 'Give the whole path.',
    });
  const found = attempt(root, () => statSync(root, { throwIfNoEntry: false }));
  if (found === undefined) {
    attempt(root, () => mkdirSync(root, { recursive: true, mode: 0o700 }));
    return;
  }
  requireOurs(root, found, selfUid);
  // Made by hand or by an installer: the secrets in it are for its owner alone.
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    attempt(root, () => chmodSync(root, 0o700));
}

function requireOurs(root: string, found: Stats, selfUid: number | undefined): void {
  if (!found.isDirectory())
    throw new DataDirUnusableError({
      folder: root,
      problem: 'is a file',
      remedy: 'Move it away, or choose another data folder.',
    });
  if (selfUid !== undefined && found.uid !== selfUid)
    throw new DataDirUnusableError({
      folder: root,
      problem: `belongs to user ${found.uid}, and this host runs as user ${selfUid}`,
      remedy: 'Start the host as that user, or choose another data folder.',
    });
  const entries = attempt(root, () => readdirSync(root));
  if (entries.length > 0 && !entries.some((name) => OUR_FILES.includes(name)))
    throw new DataDirUnusableError({
      folder: root,
      problem: 'holds other files',
      remedy: 'Choose an empty or a new folder.',
    });
}

/**
 * Held as an open exclusive transaction: the OS frees a file lock on any death, unlike a pid file.
 * Nothing else in this process may open lock.db: POSIX drops the lock when any descriptor of the file is closed.
 */
function takeLock(paths: DataPaths): Database.Database {
  let lock: Database.Database | undefined;
  try {
    lock = new Database(paths.lock, { timeout: 0 });
    // The transaction never ends, so nothing of it has to be written: a full disk is no hindrance.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    if (systemCode(error).startsWith('SQLITE_BUSY'))
      throw new AlreadyRunningError({ folder: paths.root }, { cause: error });
    throw new DataDirUnusableError(
      {
        folder: paths.root,
        problem: `cannot be locked (${systemCode(error)} on lock.db)`,
        remedy: 'Check that the disk is writable, or delete lock.db while no host runs.',
      },
      { cause: error },
    );
  }
}

function attempt<T>(root: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new DataDirUnusableError(
      {
        folder: root,
        problem: `cannot be used (${systemCode(error)})`,
        remedy: 'Check its permissions and the disk, or choose another data folder.',
      },
      { cause: error },
    );
  }
}

function systemCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'unknown error';
}
