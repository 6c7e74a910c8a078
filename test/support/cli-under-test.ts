/** The `preloop-host` command as a process, and a data folder with jobs for it to tell of. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { dataPaths } from '../../main/data-dir.ts';
import { openDatabase } from '../../main/store/database.ts';
import { openJobStore, type SqliteJobStore } from '../../main/store/sqlite-job-store.ts';
import { RecordedLog } from './recorded-log.ts';

const entry = fileURLToPath(new URL('../../main/cli/preloop-host.ts', import.meta.url));

export interface CliEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `preloop-host WORDS` for the host of `dataDir`. */
export async function cli(dataDir: string, ...words: readonly string[]): Promise<CliEnd> {
  const end = await execa(process.execPath, [entry, ...words, '--data-dir', dataDir], {
    reject: false,
    env: { CI: '1', TZ: 'UTC' },
  });
  return { exitCode: end.exitCode ?? -1, stdout: end.stdout, stderr: end.stderr };
}

/** Puts jobs into a data folder that no host uses yet. */
export function seed(dataDir: string, fill: (store: SqliteJobStore) => void): void {
  const paths = dataPaths(dataDir);
  mkdirSync(paths.logsDir, { recursive: true });
  const database = openDatabase(paths.database);
  const store = openJobStore(database, { logsDir: paths.logsDir, log: new RecordedLog() }, 0);
  try {
    fill(store);
  } finally {
    store.close();
    database.close();
  }
}
