import { expect, test } from 'vitest';
import {
  BUSY_RETRY_MS,
  COMMIT_EVERY_MS,
  CommitTurns,
} from '../../../runner-core/listener/commit-turns.ts';
import { LogIntake } from '../../../runner-core/listener/log-intake.ts';
import { chunkOf, cursorAfter, dockerSpec, jobIdOf } from '../../support/builders.ts';
import { StoreUnavailableError } from '../../../runner-core/model/errors.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryJobStore } from '../../support/memory-job-store.ts';

function bench() {
  const clock = new FakeClock();
  const store = new MemoryJobStore();
  store.accept(dockerSpec(1), 0);
  const stored: number[] = [];
  const intake = new LogIntake({
    clock,
    store,
    turns: new CommitTurns(clock, store),
    jobId: jobIdOf(1),
    stored: (seq) => void stored.push(seq),
    failed: (error) => {
      throw error;
    },
  });
  let seq = 0;
  const add = (): void => {
    seq += 1;
    const chunk = chunkOf(seq, [`line ${seq}`], { firstLine: seq - 1 });
    intake.add({ kind: 'log', chunks: [chunk], cursor: cursorAfter(seq), markers: [] });
  };
  const commits = (): number => store.journal.filter((call) => call === 'appendLog').length;
  return { clock, store, add, stored, commits };
}

test('the first message after a pause is committed at once, what follows closely together', async () => {
  const { clock, add, stored, commits } = bench();
  add();
  await clock.advance(0);
  expect(stored).toEqual([1]);
  add();
  await clock.advance(COMMIT_EVERY_MS - 1);
  add();
  expect(stored).toEqual([1]);
  await clock.advance(1);
  expect(stored).toEqual([1, 3]);
  expect(commits()).toBe(2);
});

test('many chunks do not wait, so that one commit stays short', async () => {
  const { clock, add, stored, commits } = bench();
  add();
  await clock.advance(0);
  for (let count = 0; count < 8; count++) add();
  await clock.advance(0);
  expect(stored).toEqual([1, 9]);
  expect(commits()).toBe(2);
  expect(clock.pending).toBe(0);
});

test('while another program holds the database nothing is lost: it waits here, and is stored once in order', async () => {
  const { clock, store, add, stored } = bench();
  const appendLog = store.appendLog.bind(store);
  store.appendLog = () => {
    throw new StoreUnavailableError({ act: 'write', systemCode: 'SQLITE_BUSY' });
  };
  add();
  await clock.advance(0);
  add();
  await clock.advance(BUSY_RETRY_MS);
  expect(stored).toEqual([]);
  store.appendLog = appendLog;
  await clock.advance(BUSY_RETRY_MS);
  expect(stored).toEqual([2]);
  expect(store.job(jobIdOf(1))?.lines).toBe(2);
});
