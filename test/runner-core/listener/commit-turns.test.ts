/** Chunks of many jobs in common commits, and each job's own answer to a refusal. */
import { expect, test } from 'vitest';
import {
  BUSY_RETRY_MS,
  COMMIT_EVERY_MS,
  CommitTurns,
} from '../../../runner-core/listener/commit-turns.ts';
import { LogIntake } from '../../../runner-core/listener/log-intake.ts';
import { StoreUnavailableError } from '../../../runner-core/model/errors.ts';
import { chunkOf, cursorAfter, dockerSpec, jobIdOf } from '../../support/builders.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryJobStore } from '../../support/memory-job-store.ts';

function bench(jobs: number) {
  const clock = new FakeClock();
  const store = new MemoryJobStore();
  const turns = new CommitTurns(clock, store);
  const stored: string[] = [];
  const failed: number[] = [];
  const intakes = Array.from({ length: jobs }, (_, index) => {
    const number = index + 1;
    store.accept(dockerSpec(number), 0);
    return new LogIntake({
      ...{ clock, store, turns, jobId: jobIdOf(number) },
      stored: (seq) => void stored.push(`${number}:${seq}`),
      failed: () => void failed.push(number),
    });
  });
  const last = new Map<number, number>();
  const add = (number: number, count = 1): void => {
    for (let added = 0; added < count; added++) {
      const seq = (last.get(number) ?? 0) + 1;
      last.set(number, seq);
      const chunk = chunkOf(seq, [`line ${seq}`], { firstLine: seq - 1 });
      const message = { chunks: [chunk], cursor: cursorAfter(seq), markers: [] };
      intakes[number - 1]?.add({ kind: 'log', ...message });
    }
  };
  const calls = (name: string): number => store.journal.filter((call) => call === name).length;
  return { clock, store, intakes, add, stored, failed, calls };
}

test('what several jobs say within one turn is one commit, and each is told once it is on disk', async () => {
  const { clock, add, stored, calls } = bench(3);
  for (const number of [1, 2, 3]) add(number);
  expect(stored).toEqual([]);
  await clock.advance(0);
  expect(stored).toEqual(['1:1', '2:1', '3:1']);
  expect({ together: calls('together'), single: calls('appendLog') }).toEqual({
    together: 1,
    single: 3,
  });
});

test('turns keep their distance, however many jobs there are', async () => {
  const { clock, add, calls } = bench(4);
  add(1);
  await clock.advance(0);
  for (let step = 0; step < 20; step++) {
    for (const number of [1, 2, 3, 4]) add(number);
    await clock.advance(COMMIT_EVERY_MS / 4);
  }
  expect(calls('together')).toBeLessThanOrEqual(6);
});

test('many chunks do not wait, and too many for one commit are spread over the next', async () => {
  const { clock, add, stored, calls } = bench(6);
  add(6);
  await clock.advance(0);
  for (const number of [1, 2, 3, 4, 5]) add(number, 8);
  await clock.advance(0);
  expect(stored.slice(1)).toEqual(['1:8', '2:8', '3:8', '4:8', '5:8']);
  expect(calls('together')).toBe(3);
});

test('a refusal of the common commit costs only the job that is refused alone', async () => {
  const { clock, store, add, stored, failed } = bench(3);
  const appendLog = store.appendLog.bind(store);
  store.appendLog = (jobId, chunks, cursor) => {
    if (jobId === jobIdOf(2)) throw new StoreUnavailableError({ act: 'write', systemCode: 'EIO' });
    appendLog(jobId, chunks, cursor);
  };
  for (const number of [1, 2, 3]) add(number);
  await clock.advance(0);
  expect({ stored, failed }).toEqual({ stored: ['1:1', '3:1'], failed: [2] });
});

test('a job that flushes by itself is not written again in the turn, and leaves no timer', async () => {
  const { clock, intakes, add, stored, calls } = bench(2);
  add(1);
  intakes[0]?.flush();
  expect(clock.pending).toBe(0);
  add(1);
  add(2);
  intakes[0]?.close();
  await clock.advance(COMMIT_EVERY_MS);
  expect(stored).toEqual(['1:1', '1:2', '2:1']);
  expect(calls('appendLog')).toBe(3);
});

test('a lock is waited for once for all, and then everything is stored', async () => {
  const { clock, store, add, stored, failed } = bench(3);
  let tries = 0;
  const appendLog = store.appendLog.bind(store);
  store.appendLog = () => {
    tries += 1;
    throw new StoreUnavailableError({ act: 'write', systemCode: 'SQLITE_BUSY' });
  };
  for (const number of [1, 2, 3]) add(number);
  await clock.advance(0);
  for (const number of [1, 2, 3]) add(number, 8);
  await clock.advance(BUSY_RETRY_MS - 1);
  expect(tries).toBe(1);
  store.appendLog = appendLog;
  await clock.advance(BUSY_RETRY_MS);
  expect({ stored, failed }).toEqual({ stored: ['1:9', '2:9', '3:9'], failed: [] });
});
