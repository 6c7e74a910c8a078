/**
 * Looks at a database in a thread of its own before and while the host uses it: SQLite's quick check, and a
 * WAL file that has grown out of proportion is written back there, not in the thread that serves jobs.
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';

const verdictSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('sound') }),
  z.object({ kind: z.literal('damaged'), detail: z.string() }),
  /** Nothing can be said: it is locked, or the disk refuses. */
  z.object({ kind: z.literal('unknown'), detail: z.string() }),
]);
export type CheckVerdict = z.infer<typeof verdictSchema>;

export interface DatabaseCheck {
  /** Never rejects. */
  readonly verdict: Promise<CheckVerdict>;
  stop(): Promise<void>;
}

/** A text, not a file of its own: the bundle then holds it, and no second entry has to be found on disk. */
const PROGRAM = /* js */ `
const { parentPort, workerData } = require('node:worker_threads');
const { path, driver, writeBack } = workerData;
const Database = require(driver);
let database;
let said;
try {
  database = new Database(path, { fileMustExist: true, readonly: !writeBack, timeout: 1000 });
  if (writeBack) database.pragma('wal_checkpoint(TRUNCATE)');
  const found = database.pragma('quick_check(1)', { simple: true });
  said = found === 'ok' ? { kind: 'sound' } : { kind: 'damaged', detail: String(found) };
} catch (error) {
  const code = String(error.code);
  const kind = /^SQLITE_CORRUPT/.test(code) ? 'damaged' : 'unknown';
  said = { kind, detail: code };
}
try { database?.close(); } catch {}
parentPort.postMessage(said);
`;

/** @param writeBack also writes the WAL file back and shortens it to nothing */
export function checkDatabase(path: string, writeBack: boolean): DatabaseCheck {
  const driver = createRequire(import.meta.url).resolve('better-sqlite3');
  const worker = new Worker(PROGRAM, { eval: true, workerData: { path, driver, writeBack } });
  const verdict = new Promise<CheckVerdict>((resolve) => {
    worker.once('message', (said: unknown) => {
      const parsed = verdictSchema.safeParse(said);
      resolve(parsed.success ? parsed.data : { kind: 'unknown', detail: 'unreadable' });
    });
    worker.once('error', (error) => resolve({ kind: 'unknown', detail: String(error) }));
    worker.once('exit', () => resolve({ kind: 'unknown', detail: 'it ended early' }));
  });
  return {
    verdict,
    stop: async () => {
      await worker.terminate();
    },
  };
}
