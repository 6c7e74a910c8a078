/** A SqliteJobStore over a data folder of the test's own, which can be closed and opened again. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { DiskReserve } from '../../main/store/disk-reserve.ts';
import { openDatabase, type HostDatabase } from '../../main/store/database.ts';
import type { LogFileSystem } from '../../main/store/log-files.ts';
import { openJobStore, type SqliteJobStore } from '../../main/store/sqlite-job-store.ts';
import { jobLogFile } from '../../main/data-dir.ts';
import type { JobId } from '../../runner-core/model/ids.ts';
import { RecordedLog } from './recorded-log.ts';
import { tempDir } from './temp-dir.ts';

/** Instant given to every opening. */
export const OPENED_AT_MS = 5_000_000;

export class StoreBench {
  readonly dir: string;
  readonly logsDir: string;
  readonly databasePath: string;
  readonly log = new RecordedLog();
  readonly #fileSystem: LogFileSystem | undefined;
  readonly #reserve: DiskReserve | undefined;
  #database: HostDatabase | undefined;
  #store: SqliteJobStore | undefined;

  constructor(fileSystem?: LogFileSystem, dir = tempDir(), reserve?: DiskReserve) {
    this.#reserve = reserve;
    this.dir = dir;
    this.logsDir = join(this.dir, 'logs');
    this.databasePath = join(this.dir, 'host.db');
    this.#fileSystem = fileSystem;
    mkdirSync(this.logsDir, { recursive: true });
    this.open();
    onTestFinished(() => this.close());
  }

  get store(): SqliteJobStore {
    if (this.#store === undefined) throw new Error('the bench is closed');
    return this.#store;
  }

  get database(): HostDatabase {
    if (this.#database === undefined) throw new Error('the bench is closed');
    return this.#database;
  }

  open(): void {
    this.#database = openDatabase(this.databasePath);
    const fileSystem = this.#fileSystem;
    const reserve = this.#reserve;
    const options = {
      logsDir: this.logsDir,
      log: this.log,
      ...(fileSystem && { fileSystem }),
      ...(reserve && { reserve }),
    };
    this.#store = openJobStore(this.#database, options, OPENED_AT_MS);
  }

  close(): void {
    this.#store?.close();
    this.#database?.close();
    this.#store = undefined;
    this.#database = undefined;
  }

  /** As after the end of the process; `between` is what happened to the files meanwhile. */
  reopen(between: () => void = () => undefined): SqliteJobStore {
    this.close();
    between();
    this.open();
    return this.store;
  }

  logFile(jobId: JobId): string {
    return jobLogFile(this.logsDir, jobId);
  }
}
