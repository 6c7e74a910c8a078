/** The log that the crash tests write and check: what line and chunk a number has is computed, not kept. */
import { createHash } from 'node:crypto';
import { dataPaths } from '../../main/data-dir.ts';
import { openDatabase } from '../../main/store/database.ts';
import { openJobStore, type SqliteJobStore } from '../../main/store/sqlite-job-store.ts';
import type { LogChunk } from '../../runner-core/model/log-chunk.ts';
import { aCursor, aJobId, aSpec, ChunkMaker } from '../support/job-builders.ts';
import { RecordedLog } from '../support/recorded-log.ts';

export const CRASH_JOB = aJobId();

export interface OpenedStore {
  readonly store: SqliteJobStore;
  readonly log: RecordedLog;
  close(): void;
}

export function openStoreIn(dataDir: string): OpenedStore {
  const paths = dataPaths(dataDir);
  const log = new RecordedLog();
  const database = openDatabase(paths.database);
  const store = openJobStore(database, { logsDir: paths.logsDir, log }, 0);
  const close = (): void => {
    store.close();
    database.close();
  };
  return { store, log, close };
}

/** Two chunks an append, of about 100 KB that hardly compress; never resolves. */
export async function appendForever(
  dataDir: string,
  stored: (seq: number) => Promise<void>,
): Promise<void> {
  const { store } = openStoreIn(dataDir);
  if (store.job(CRASH_JOB) === undefined) store.accept(aSpec(), 1);
  const job = store.job(CRASH_JOB);
  if (job === undefined) throw new Error('the job is gone');
  const maker = new ChunkMaker(job);
  for (let line = job.lines; ;) {
    const chunks = [chunkOfLines(maker, line, 40), chunkOfLines(maker, line + 40, 30)];
    line += 70;
    store.appendLog(CRASH_JOB, chunks, aCursor(line));
    await stored(chunks[1]?.seq ?? 0);
  }
}

export function lineText(number: number): string {
  const digest = createHash('sha512').update(String(number)).digest('base64');
  return `${number} ${digest}${createHash('sha512').update(digest).digest('base64').repeat(10)}`;
}

function chunkOfLines(maker: ChunkMaker, from: number, count: number): LogChunk {
  return maker.of(
    Array.from({ length: count }, (_, place) => ({
      atMs: from + place,
      flags: 0,
      text: lineText(from + place),
    })),
  );
}
