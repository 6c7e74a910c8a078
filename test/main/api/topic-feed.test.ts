import { expect, test } from 'vitest';
import { LogFeed, ValueFeed, VALUE_INTERVAL_MS } from '../../../main/api/topic-feed.ts';
import type { TopicView } from '../../../main/contract/topics.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

/** A value that counts up, and a socket that takes what it is sent, at once or when it is told to. */
function valueBench({ takesAtOnce = true } = {}) {
  const clock = new FakeClock();
  const sent: { readonly atMs: number; readonly value: unknown }[] = [];
  const failures: unknown[] = [];
  const unwritten: (() => void)[] = [];
  const state = { value: 0, reads: 0 };
  const feed = new ValueFeed({
    clock,
    intervalMs: VALUE_INTERVAL_MS,
    read: () => {
      state.reads += 1;
      return state.value;
    },
    send: (value) => {
      sent.push({ atMs: clock.monotonicMs(), value });
      return takesAtOnce
        ? Promise.resolve()
        : new Promise((resolve) => void unwritten.push(resolve));
    },
    failed: (error) => failures.push(error),
  });
  const set = (value: number): void => {
    state.value = value;
    feed.changed();
  };
  return { clock, sent, failures, unwritten, state, feed, set };
}

test('a watch is answered at once', () => {
  expect(valueBench().sent).toEqual([{ atMs: 0, value: 0 }]);
});

test('a thousand changes a second are ten values a second, the newest each', async () => {
  const { clock, sent, set } = valueBench();
  for (let change = 1; change <= 1_000; change++) {
    set(change);
    await clock.advance(1);
  }
  expect(sent.length).toBe(11);
  for (const [place, { atMs }] of sent.entries()) expect(atMs).toBe(place * VALUE_INTERVAL_MS);
  await clock.advance(VALUE_INTERVAL_MS);
  expect(sent.at(-1)?.value).toBe(1_000);
  expect(clock.pending).toBe(0);
});

test('the first change after a quiet time is not held back', async () => {
  const { clock, sent, set } = valueBench();
  await clock.advance(5_000);
  set(1);
  expect(sent.at(-1)).toEqual({ atMs: 5_000, value: 1 });
});

test('a change that changes nothing is not sent', async () => {
  const { clock, sent, feed } = valueBench();
  feed.changed();
  await clock.advance(1_000);
  expect(sent.length).toBe(1);
});

test('a page that takes nothing has one value in flight, and then gets the newest alone', async () => {
  const { clock, sent, unwritten, set, state } = valueBench({ takesAtOnce: false });
  for (let change = 1; change <= 500; change++) {
    set(change);
    await clock.advance(10);
  }
  expect([sent.length, state.reads]).toEqual([1, 1]);
  unwritten[0]?.();
  await settle();
  expect(sent.map(({ value }) => value)).toEqual([0, 500]);
});

test('a watch that is over is never sent again', async () => {
  const { clock, sent, feed, set } = valueBench();
  set(1);
  feed.stop();
  await clock.advance(1_000);
  set(2);
  expect([sent.length, clock.pending]).toEqual([1, 0]);
});

test('a value that cannot be read ends the watch with its reason', async () => {
  const clock = new FakeClock();
  const failures: unknown[] = [];
  const broken = new Error('disk');
  const feed = new ValueFeed({
    clock,
    intervalMs: 100,
    read: () => {
      throw broken;
    },
    send: () => Promise.resolve(),
    failed: (error) => failures.push(error),
  });
  feed.changed();
  await clock.advance(1_000);
  expect(failures).toEqual([broken]);
});

type Stretch = TopicView<'job_log'>;

/** A log of numbered records in a store, read a few at a time. */
function logBench({ stored = 0, pageSize = 100, fromRecord = 0 } = {}) {
  const clock = new FakeClock();
  const sent: Stretch[] = [];
  const state = { stored, isOver: false, reads: 0 };
  const feed = new LogFeed({
    clock,
    fromRecord,
    read: (from) => {
      state.reads += 1;
      const until = Math.min(state.stored, from + pageSize);
      const records = Array.from({ length: Math.max(0, until - from) }, (_, place) => ({
        record: from + place,
        line: from + place,
        atMs: 0,
        flags: 0,
        text: `line ${from + place}`,
      }));
      const nextRecord = Math.max(from, until);
      const more = nextRecord < state.stored;
      return { view: { records, nextRecord, complete: state.isOver && !more }, more };
    },
    send: (stretch) => void sent.push(stretch),
    failed: (error) => {
      throw error;
    },
  });
  const store = (count: number): void => {
    state.stored += count;
    feed.changed();
  };
  const records = (): number[] => sent.flatMap((each) => each.records.map(({ record }) => record));
  return { clock, sent, state, feed, store, records };
}

test('a log that has nothing yet says so at once', () => {
  expect(logBench().sent).toEqual([{ records: [], nextRecord: 0, complete: false }]);
});

test('a slow page gets one stretch, and the rest stays in the store until it has taken that', async () => {
  const { clock, sent, state, feed, store } = logBench({ stored: 1_000 });
  for (let turn = 0; turn < 200; turn++) {
    store(5_000);
    await clock.advance(50);
  }
  expect([sent.length, state.reads]).toEqual([1, 1]);
  feed.taken();
  expect(sent.map(({ nextRecord }) => nextRecord)).toEqual([100, 200]);
  feed.stop();
});

test('what is stored goes as fast as the page takes it, in order and without a gap', () => {
  const { clock, feed, sent, records } = logBench({ stored: 950 });
  for (let turn = 0; turn < 9; turn++) feed.taken();
  expect(clock.monotonicMs()).toBe(0);
  expect(sent.length).toBe(10);
  expect(records()).toEqual(Array.from({ length: 950 }, (_, place) => place));
});

test('a log that grows is sent ten times a second at most', async () => {
  const { clock, feed, sent, store, records } = logBench();
  feed.taken();
  for (let turn = 0; turn < 1_000; turn++) {
    store(1);
    await clock.advance(1);
    feed.taken();
  }
  expect(sent.length).toBe(11);
  await clock.advance(100);
  expect(records()).toEqual(Array.from({ length: 1_000 }, (_, place) => place));
});

test('a reader that comes back goes on where it was', () => {
  const { records } = logBench({ stored: 120, fromRecord: 100 });
  expect(records()[0]).toBe(100);
});

test('the last stretch of an ended job says that it is the last, and nothing follows', async () => {
  const { clock, feed, sent, state, store } = logBench({ stored: 150 });
  state.isOver = true;
  feed.taken();
  expect(sent.map(({ complete }) => complete)).toEqual([false, true]);
  feed.taken();
  store(1);
  await clock.advance(1_000);
  expect(sent.length).toBe(2);
});

test('a job that ends without another line is told to be complete', async () => {
  const { clock, feed, sent, state } = logBench({ stored: 10 });
  feed.taken();
  await clock.advance(1_000);
  state.isOver = true;
  feed.changed();
  expect(sent.at(-1)).toEqual({ records: [], nextRecord: 10, complete: true });
});
