/** A database damaged in seven ways: each time the host is online again, and what could be kept is there. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { dataPaths } from '../../main/data-dir.ts';
import { MIGRATIONS } from '../../main/store/migrations/all.ts';
import { aCursor, aJobId, aSpec, ChunkMaker } from '../support/job-builders.ts';
import {
  newDataDir,
  removeDataDir,
  startHost,
  type HostUnderTest,
} from '../support/host-under-test.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { CRASH_JOB, lineText, openStoreIn } from './store-crash-log.ts';
import { linesOf } from '../support/outgoing-lines.ts';

const isLong = process.env['LONG_TESTS'] === '1';
const KILLS = isLong ? 200 : 10;
const LARGE_WAL_BYTES = isLong ? 2 * 2 ** 30 : 96 * 2 ** 20;
const LOCK_MS = isLong ? 20_000 : 4_000;
const NO_ENGINE = { DOCKER_HOST: 'unix:///nowhere/docker.sock' };
const OLD_JOB = aJobId('0d000000-0000-4000-8000-000000000001');

let pristine = '';

/** A data folder that was in use: enrolled, with one job's log that the service has acknowledged. */
beforeAll(async () => {
  pristine = await newDataDir();
  const first = await startHost({ dataDir: pristine, environment: NO_ENGINE });
  await first.until(({ session }) => session.kind === 'online');
  await first.host.stop('stop');
  const opened = openStoreIn(pristine);
  const { store } = opened;
  store.accept(aSpec({ jobId: OLD_JOB }), 1);
  store.transition(OLD_JOB, { kind: 'launched', atMs: 2 });
  const maker = new ChunkMaker();
  for (let chunk = 1; chunk <= 40; chunk++)
    store.appendLog(OLD_JOB, [maker.next(50)], aCursor(chunk * 50));
  const verdict = {
    outcome: 'succeeded',
    status: 'SUCCEEDED',
    exitCode: 0,
    error: '',
    result: null,
    evidenceUpload: null,
    reason: null,
  } as const;
  store.transition(OLD_JOB, { kind: 'ended', atMs: 3, verdict });
  store.acknowledgeBatches(OLD_JOB, 40);
  store.transition(OLD_JOB, { kind: 'acknowledged', atMs: 4 });
  opened.close();
}, 60_000);

afterAll(() => removeDataDir(pristine));

async function used(): Promise<string> {
  const dataDir = await newDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  cpSync(pristine, dataDir, { recursive: true });
  return dataDir;
}

/** Starts over in the folder; resolves once the host is online. */
async function online(dataDir: string): Promise<HostUnderTest> {
  const started = await startHost({ dataDir, environment: NO_ENGINE });
  onTestFinished(() => started.host.stop('stop'));
  await started.until(({ session }) => session.kind === 'online');
  return started;
}

function expectKept({ host }: HostUnderTest): void {
  expect(host.view().storage.setAside).toBeNull();
  expect(host.job(OLD_JOB)).toMatchObject({ lines: 2_000, linesAcknowledged: 2_000 });
  const page = host.requests['log.page']({ jobId: OLD_JOB, fromRecord: 0, limit: 5_000 });
  if (page instanceof Promise) throw new Error('not at once');
  expect(page.records.map(({ text }) => text)).toEqual(
    Array.from({ length: 2_000 }, (_, line) => `line ${line}`),
  );
}

/** The owner is told why, and finds the file and its logs as they were. */
function expectSetAside(
  { host, dataDir }: HostUnderTest,
  because: string,
  file: Buffer | null,
): void {
  const { setAside } = host.view().storage;
  expect(setAside?.because).toBe(because);
  expect(host.overview().faults.map(({ id }) => id)).toContain('store_set_aside');
  const folder = setAside?.folder ?? '';
  if (file !== null) expect(readFileSync(join(folder, 'host.db')).equals(file)).toBe(true);
  expect(readdirSync(join(folder, 'logs'))).toContain(`${OLD_JOB}.log`);
  expect(host.job(OLD_JOB)).toBeUndefined();
  expect(existsSync(join(dataDir, 'host.db'))).toBe(true);
}

test.each(isLong ? Array.from({ length: 30 }, (_, seed) => seed) : [1, 2, 3])(
  'noise in pages of the database is survived (seed %i)',
  async (seed) => {
    const dataDir = await used();
    const { database } = dataPaths(dataDir);
    const random = new SeededRandom(seed);
    const pages = statSync(database).size / 4096;
    const file = openSync(database, 'r+');
    // Never the first page: that one decides whether it is a database at all, which other tests are about.
    for (let count = 0; count < 8; count++) {
      const noise = Buffer.from(
        Array.from({ length: 1_000 }, () => Math.floor(random.fraction() * 256)),
      );
      writeSync(
        file,
        noise,
        0,
        noise.length,
        (1 + Math.floor(random.fraction() * (pages - 1))) * 4096,
      );
    }
    closeSync(file);
    const noisy = readFileSync(database);
    expectSetAside(await online(dataDir), 'damaged', noisy);
  },
);

test('an empty file is replaced', async () => {
  const dataDir = await used();
  truncateSync(dataPaths(dataDir).database, 0);
  expectSetAside(await online(dataDir), 'empty', Buffer.alloc(0));
});

test('a text in the place of the database is set aside', async () => {
  const dataDir = await used();
  const text = Buffer.from('This is my diary.\n'.repeat(1_000));
  writeFileSync(dataPaths(dataDir).database, text);
  expectSetAside(await online(dataDir), 'foreign', text);
});

test('a database of a newer version is set aside unchanged, and its way back is told', async () => {
  const dataDir = await used();
  const { database: path } = dataPaths(dataDir);
  const database = new Database(path);
  database.pragma(`user_version = ${MIGRATIONS.length + 7}`);
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  const newer = readFileSync(path);
  const started = await online(dataDir);
  expectSetAside(started, 'newer', newer);
  const why = started.host
    .overview()
    .faults.map((fault) => fault.why)
    .join();
  expect(why).toContain(`back to ${dataDir}, and start the newer version`);
});

test('a database that another program has locked is waited for, and nothing of it is missing', async () => {
  const dataDir = await used();
  const child = fork(join(import.meta.dirname, 'store-damage-child.ts'), [
    dataPaths(dataDir).database,
  ]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  const starting = online(dataDir);
  setTimeout(() => child.send('let go'), LOCK_MS);
  expectKept(await starting);
}, 120_000);

test('a large WAL file is written back, and nothing of it is missing', async () => {
  const dataDir = await used();
  const { database: path } = dataPaths(dataDir);
  const database = new Database(path);
  database.pragma('wal_autocheckpoint = 0');
  database.pragma('synchronous = OFF');
  database.exec('CREATE TABLE filler (body BLOB)');
  const write = database.prepare('INSERT INTO filler VALUES (zeroblob(1000000))');
  const walBytes = (): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  while (walBytes() < LARGE_WAL_BYTES) write.run();
  // As a crash leaves it: taken while the other still has it open.
  const crashed = await newDataDir();
  onTestFinished(() => removeDataDir(crashed));
  cpSync(dataDir, crashed, { recursive: true });
  database.close();
  expect(statSync(`${dataPaths(crashed).database}-wal`).size).toBeGreaterThanOrEqual(
    LARGE_WAL_BYTES,
  );
  const started = await online(crashed);
  expectKept(started);
  expect(statSync(`${dataPaths(crashed).database}-wal`).size).toBeLessThan(16 * 2 ** 20);
}, 300_000);

test(
  `after a kill within a batch, ${KILLS} times, what was acknowledged is there`,
  { timeout: 60_000 + KILLS * 5_000 },
  async () => {
    const dataDir = await newDataDir();
    onTestFinished(() => removeDataDir(dataDir));
    mkdirSync(dataPaths(dataDir).logsDir);
    const random = new SeededRandom(6);
    let acknowledged = 0;
    for (let round = 0; round < KILLS; round++) {
      const child = fork(join(import.meta.dirname, 'store-crash-child.ts'), [dataDir]);
      onTestFinished(() => void child.kill('SIGKILL'));
      const receipts = 1 + Math.floor(random.fraction() * 8);
      let seen = 0;
      child.on('message', ({ stored }: { stored: number }) => {
        // What is told here is what the service would be sent, and would acknowledge.
        acknowledged = stored;
        seen += 1;
        if (seen === receipts) child.kill('SIGKILL');
      });
      await once(child, 'close');
      const opened = openStoreIn(dataDir);
      const { store } = opened;
      const job = store.job(CRASH_JOB);
      expect(job?.chunks).toBeGreaterThanOrEqual(acknowledged);
      const from = Math.max(0, (job?.batches ?? 0) - 20);
      const lines = store.outgoing(CRASH_JOB, from, 100).flatMap((batch) => linesOf(batch.lines));
      const first = (job?.lines ?? 0) - lines.length;
      expect(lines).toEqual(lines.map((_, place) => lineText(first + place)));
      opened.close();
    }
  },
);
