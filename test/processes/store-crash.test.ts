import { linesOf } from '../support/outgoing-lines.ts';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { AlreadyRunningError, dataPaths, jobLogFile, openDataDir } from '../../main/data-dir.ts';
import { aCursor } from '../support/job-builders.ts';
import { tempDir } from '../support/temp-dir.ts';
import { CRASH_JOB, lineText, openStoreIn } from './store-crash-log.ts';

function start(script: string, dataDir: string): ChildProcess {
  const child = fork(join(import.meta.dirname, script), [dataDir], { execArgv: ['--expose-gc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Kills the child once it told of `receipts` appends, while it is at the next; resolves to the last it told of. */
async function killAfter(child: ChildProcess, receipts: number): Promise<number> {
  let last = 0;
  let seen = 0;
  child.on('message', (message: { stored: number }) => {
    last = message.stored;
    seen += 1;
    if (seen === receipts) child.kill('SIGKILL');
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' });
  return last;
}

/** A small linear congruential generator (Numerical Recipes' constants): the same rounds in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test(
  'whatever the moment of a kill -9, each stored chunk is there whole, and appending goes on',
  { timeout: 180_000 },
  async () => {
    const dataDir = tempDir();
    const below = seeded(20_260_101);
    mkdirSync(dataPaths(dataDir).logsDir);
    let linesBefore = 0;
    for (let round = 0; round < 20; round++) {
      const told = await killAfter(start('store-crash-child.ts', dataDir), 1 + below(12));
      const file = jobLogFile(dataPaths(dataDir).logsDir, CRASH_JOB);
      // What a body that was being written leaves behind; a kill rarely comes inside a single write.
      if (below(2) === 0) appendFileSync(file, Buffer.alloc(1 + below(50_000), below(256)));

      const opened = openStoreIn(dataDir);
      const { store, log } = opened;
      const job = store.job(CRASH_JOB);
      expect(job?.chunks).toBeGreaterThanOrEqual(told);
      expect(job?.lines).toBeGreaterThan(linesBefore);
      expect(job?.lines).toBe(((job?.chunks ?? 0) / 2) * 70);
      expect(job?.cursor).toEqual(aCursor(job?.lines ?? 0));
      const lines = store
        .outgoing(CRASH_JOB, 0, 1_000_000)
        .flatMap((batch) => linesOf(batch.lines));
      expect(lines.length).toBe(job?.lines);
      expect(lines.findIndex((line, number) => line !== lineText(number))).toBe(-1);
      expect(statSync(file).size).toBe(store.kept.logBytesOnDisk());
      expect(log.events()).toEqual([]);
      linesBefore = job?.lines ?? 0;
      opened.close();
    }
  },
);

test('a data folder held by another process is refused, and free as soon as that one is killed', async () => {
  const dataDir = tempDir();
  const child = start('data-dir-child.ts', dataDir);
  await once(child, 'message');
  expect(() => openDataDir(dataDir)).toThrow(AlreadyRunningError);

  child.kill('SIGKILL');
  await once(child, 'exit');

  openDataDir(dataDir).release();
});
