import { expect, test } from 'vitest';
import type { LogRecordView } from '../../../main/contract/views.ts';
import { LineStore } from '../../../renderer/log/line-store.ts';
import {
  LogFeed,
  LOAD_WHOLE_RECORDS,
  type LogPageView,
  type LogSource,
} from '../../../renderer/log/log-feed.ts';

const record = (index: number): LogRecordView => ({
  record: index,
  line: index,
  atMs: 0,
  flags: 0,
  text: `line ${index}`,
});
const page = (from: number, count: number): LogPageView => ({
  records: Array.from({ length: count }, (_, index) => record(from + index)),
  nextRecord: from + count,
});

class Source implements LogSource {
  from = -1;
  watching = false;
  readonly asked: number[] = [];
  pages: (from: number) => Promise<LogPageView> = (from) => Promise.resolve(page(from, 1_024));
  take: (given: LogPageView & { readonly complete: boolean }) => Promise<void> = () =>
    Promise.resolve();

  watch(fromRecord: number, take: Source['take']): () => void {
    this.from = fromRecord;
    this.take = take;
    this.watching = true;
    return () => (this.watching = false);
  }

  page(fromRecord: number): Promise<LogPageView> {
    this.asked.push(fromRecord);
    return this.pages(fromRecord);
  }
}

interface Bench {
  readonly store: LineStore;
  readonly source: Source;
  readonly feed: LogFeed;
  readonly frames: (() => void)[];
  readonly rests: (() => void)[];
}

function bench(changed: () => void = () => undefined): Bench {
  const store = new LineStore();
  const source = new Source();
  const frames: (() => void)[] = [];
  const rests: (() => void)[] = [];
  const frame = (): Promise<void> => new Promise((resolve) => frames.push(resolve));
  const rest = (): Promise<void> => new Promise((resolve) => rests.push(resolve));
  const feed = new LogFeed(store, source, { frame, rest }, changed);
  return { store, source, frames, rests, feed };
}

test('a page is taken in with the next drawn frame, and only then is the next asked for', async () => {
  const { store, source, feed, frames } = bench();
  feed.start(0, 0);
  let taken = false;
  const taking = source.take({ ...page(0, 1_000), complete: false }).then(() => (taken = true));
  await Promise.resolve();
  expect([store.loaded, taken]).toEqual([0, false]);
  frames.shift()?.();
  await taking;
  expect([store.loaded, taken]).toEqual([1_000, true]);
});

test('the end of a log that is printed slowly is shown at once, and the next asked for after a rest', async () => {
  const { store, source, feed, frames, rests } = bench();
  feed.start(0, 0);
  const shown = new Promise<void>((resolve) => store.subscribe(resolve));
  let taken = false;
  const taking = source.take({ ...page(0, 3), complete: false }).then(() => (taken = true));
  frames.shift()?.();
  await shown;
  await Promise.resolve();
  expect([store.loaded, taken, rests.length]).toEqual([3, false, 1]);
  rests.shift()?.();
  await taking;
});

test('a log of which nothing is kept any more has no rows, and its lines stay known', async () => {
  const told = Promise.withResolvers<undefined>();
  const { store, source, feed, frames } = bench(() => told.resolve(undefined));
  feed.start(4_105, 4_105);
  void source.take({ records: [], nextRecord: 0, complete: true });
  frames.shift()?.();
  await told.promise;
  expect([feed.removed, store.total, store.lines]).toEqual([true, 0, 4_105]);
});

test('a log that never had a line is empty and not removed', async () => {
  const told = Promise.withResolvers<undefined>();
  const { source, feed, frames } = bench(() => told.resolve(undefined));
  feed.start(0, 0);
  void source.take({ records: [], nextRecord: 0, complete: true });
  frames.shift()?.();
  await told.promise;
  expect([feed.complete, feed.removed]).toEqual([true, false]);
});

test('a log of moderate length is followed from its start, a longer one from near its end', () => {
  const { source, feed } = bench();
  feed.start(1_000, 1_000);
  expect(source.from).toBe(0);
  feed.stop();
  feed.start(1_000_000, 1_000_000);
  expect(source.from).toBeGreaterThanOrEqual(1_000_000 - LOAD_WHOLE_RECORDS);
  expect(source.from).toBeLessThan(1_000_000 - LOAD_WHOLE_RECORDS + 512);
});

test('what is in view and not at hand is fetched from where its stretch begins', async () => {
  const { store, source, feed } = bench();
  feed.start(1_000_000, 1_000_000);
  feed.want(5_000, 5_100);
  await feed.idle();
  expect(source.asked).toEqual([4_608]);
  expect(store.row(5_050)?.text).toBe('line 5050');
});

test('wishes while one is fetched are not queued: the newest counts', async () => {
  const { source, feed } = bench();
  feed.start(1_000_000, 1_000_000);
  feed.want(0, 50);
  feed.want(100_000, 100_050);
  feed.want(300_000, 300_050);
  await feed.idle();
  expect(source.asked).toEqual([0, 299_520]);
});

test('a hole that the host cannot fill is not asked for again and again', async () => {
  const { source, feed } = bench();
  source.pages = (from) => Promise.resolve({ records: [], nextRecord: from });
  feed.start(1_000, 1_000);
  feed.want(0, 50);
  await feed.idle();
  expect(source.asked).toEqual([0]);
});

test('a fetch that fails says so, and the next one may succeed', async () => {
  const { source, feed, store } = bench();
  source.pages = () => Promise.reject(new Error('away'));
  feed.start(1_000, 1_000);
  feed.want(0, 50);
  await feed.idle();
  expect(feed.failed).toBe(true);
  source.pages = (from) => Promise.resolve(page(from, 1_000));
  feed.want(0, 50);
  await feed.idle();
  expect([feed.failed, store.loaded]).toEqual([false, 1_000]);
});

test('a stopped feed takes nothing in any more', async () => {
  const { store, source, feed, frames } = bench();
  feed.start(0, 0);
  const taking = source.take({ ...page(0, 10), complete: false });
  feed.stop();
  frames.shift()?.();
  await taking;
  expect([store.loaded, source.watching]).toEqual([0, false]);
});
