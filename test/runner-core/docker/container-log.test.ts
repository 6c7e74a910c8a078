import { expect, test } from 'vitest';
import { ContainerLog } from '../../../runner-core/docker/container-log.ts';
import {
  containerLogBench as bench,
  cursorAfter,
  numberedLines as lines,
  writeLines as write,
} from '../../support/container-log-bench.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';
import { FakeLogSource, trimmed, type FakeLogOptions } from '../../support/fake-log-source.ts';

test('records of both sources come in the order of the log, as they are written', async () => {
  const { source, seen, follow } = bench();
  const end = follow();
  source.write(0, 'a\n');
  source.write(1, 'b\n');
  await settle();
  expect(seen).toEqual(['a', '!b']);
  source.write(0, 'c\n');
  source.exit();
  await end;
  expect(seen).toEqual(['a', '!b', 'c']);
});

test('what the end of the stream left out is fetched after the exit, from the newest records only', async () => {
  const { source, seen, follow } = bench();
  const end = follow();
  write(source, lines(0, 20_000));
  source.write(1, 'last words');
  await settle();
  source.exit(2);
  await end;
  expect(seen).toEqual([...lines(0, 20_000), '!last words']);
  expect(source.opens).toEqual([
    { since: null, tail: undefined },
    { since: null, tail: 1_000 },
  ]);
});

test('a clock that was set back hides nothing from the pass after the exit', async () => {
  const { source, seen, follow } = bench();
  const end = follow();
  write(source, lines(0, 2_000));
  await settle();
  source.setClockBack(3_600);
  source.write(0, 'late');
  source.exit();
  await end;
  expect(seen).toEqual([...lines(0, 2_000), 'late']);
});

test('a last record that is not among the newest is looked for from the start', async () => {
  const { source, seen, follow } = bench();
  const end = follow();
  write(source, lines(0, 3_000));
  await settle();
  source.breakStreams();
  await settle();
  write(source, lines(3_000, 5_000));
  source.exit(2_000);
  await end;
  expect(seen).toEqual(lines(0, 5_000));
  expect(source.opens.map(({ tail }) => tail)).toEqual([undefined, 1_000, undefined]);
});

test('a line in more pieces than the newest records is not mistaken for its own beginning', async () => {
  const { source, seen, follow } = bench();
  const end = follow();
  write(source, lines(0, 10));
  source.write(0, 'x'.repeat(16_384 * 1_200));
  await settle();
  source.write(0, 'y'.repeat(16_384 * 3));
  source.exit(3);
  await end;
  expect(seen).toHaveLength(10 + 1_200 + 3);
  expect(seen.slice(-4).map((text) => text[0])).toEqual(['x', 'y', 'y', 'y']);
});

test('pieces of an open line that were missed are all found, however many', async () => {
  const { source, seen, follow } = bench();
  const end = follow();
  write(source, lines(0, 2_000));
  source.write(0, 'x'.repeat(16_384));
  await settle();
  source.write(0, 'y'.repeat(16_384 * 1_100));
  source.exit(1_100);
  source.breakStreams();
  await end;
  expect(seen).toHaveLength(2_000 + 1 + 1_100);
});

test('a stream that breaks is opened again after a pause, and gives no record twice', async () => {
  const { source, clock, seen, follow } = bench();
  const end = follow();
  write(source, lines(0, 3));
  await settle();
  source.breakStreams();
  await settle();
  write(source, lines(3, 5));
  expect(source.opens).toHaveLength(1);
  await clock.advance(500);
  expect(seen).toEqual(lines(0, 5));
  source.refusals.push(new Error('engine away'), new Error('engine away'));
  source.breakStreams();
  await clock.advance(500 + 1_000 + 2_000);
  write(source, lines(5, 6));
  source.exit();
  await end;
  expect(seen).toEqual(lines(0, 6));
  expect(clock.pending).toBe(0);
});

test('a cursor is taken up where it was: what is before it is only shown, once', async () => {
  const source = new FakeLogSource();
  write(source, lines(0, 2));
  source.write(1, 'e0\n');
  const cursor = await cursorAfter(source);
  expect(cursor.stdout).toMatchObject({ takenAtNewest: 1, taken: 2, open: null });
  const { seen, clock, follow } = bench(source, cursor);
  const end = follow();
  write(source, lines(2, 3));
  await settle();
  source.breakStreams();
  await clock.advance(500);
  source.exit();
  await end;
  expect(seen).toEqual(['?line 0', '?line 1', '?!e0', 'line 2']);
});

test('a worker that takes over a long log after the exit reads it once, and the newest records again', async () => {
  const source = new FakeLogSource();
  write(source, lines(0, 3_000));
  const cursor = await cursorAfter(source);
  source.exit();
  source.opens.length = 0;
  const { seen, follow } = bench(source, cursor);
  await follow();
  expect(seen).toHaveLength(3_000);
  expect(source.opens.map(({ tail }) => tail)).toEqual([undefined, 1_000]);
});

test('a review that broke off before the exit is not cut short by the pass after it', async () => {
  let chunks = 0;
  const options: FakeLogOptions = {
    chunkBytes: () => 6_000,
    beforeChunk: () => {
      chunks += 1;
      return chunks === 20 ? Promise.reject(new Error('broken')) : Promise.resolve();
    },
  };
  const source = new FakeLogSource(options);
  write(source, lines(0, 2_000));
  chunks = 1_000;
  const cursor = await cursorAfter(source);
  chunks = 0;
  source.exit();
  const { seen, clock, follow } = bench(source, cursor);
  const end = follow();
  await clock.advance(500);
  await end;
  expect(seen).toEqual(lines(0, 2_000).map((text) => `?${text}`));
});

test('a review that breaks off goes on where it was', async () => {
  const source = new FakeLogSource({ chunkBytes: () => 60 });
  write(source, lines(0, 40));
  const cursor = await cursorAfter(source);
  const bytes = source.readBytes;
  let chunks = 0;
  const again = new FakeLogSource({
    chunkBytes: () => 60,
    beforeChunk: () => {
      chunks += 1;
      if (chunks === 10) return Promise.reject(new Error('broken'));
      return Promise.resolve();
    },
  });
  write(again, lines(0, 41));
  again.exit();
  const { seen, clock, follow } = bench(again, cursor);
  const end = follow();
  await clock.advance(500);
  await end;
  expect(bytes).toBeGreaterThan(600);
  expect(seen).toEqual([...lines(0, 40).map((text) => `?${text}`), 'line 40']);
});

test.each<[string, FakeLogOptions]>([
  ['fixed width', {}],
  ['without zeros at the end', { format: trimmed }],
])(
  'a clock set back before a restart loses and doubles nothing, instants %s',
  async (_name, options) => {
    const source = new FakeLogSource(options);
    write(source, lines(0, 5));
    const cursor = await cursorAfter(source);
    source.setClockBack(60);
    write(source, lines(5, 8));
    const second = await cursorAfter(source);
    const { seen, follow } = bench(source, cursor);
    source.write(0, 'end');
    source.exit();
    await follow();
    expect(seen).toEqual([...lines(0, 5).map((text) => `?${text}`), ...lines(5, 8), 'end']);
    const next = bench(source, second);
    await next.follow();
    expect(next.seen.filter((text) => !text.startsWith('?'))).toEqual(['end']);
  },
);

test('records that went with a rotated file do not hide new ones', async () => {
  const source = new FakeLogSource();
  write(source, lines(0, 10));
  const cursor = await cursorAfter(source);
  source.dropOldest(9);
  write(source, lines(10, 12));
  source.exit();
  const { seen, follow } = bench(source, cursor);
  await follow();
  expect(seen.filter((text) => !text.startsWith('?'))).toEqual(lines(10, 12));
});

test('a rotated file does not hide the rest of an open line', async () => {
  const { source, clock, seen, follow } = bench();
  const end = follow();
  write(source, lines(0, 10));
  source.write(0, 'x'.repeat(16_384 * 2));
  await settle();
  source.breakStreams();
  source.dropOldest(10);
  source.write(0, 'the rest\n');
  await clock.advance(500);
  expect(seen.slice(10).map((text) => text.slice(0, 8))).toEqual([
    'xxxxxxxx',
    'xxxxxxxx',
    'the rest',
  ]);
  source.exit();
  await end;
});

test('the cursor stays at the start of an open line and says since when it is open', async () => {
  const source = new FakeLogSource();
  write(source, ['whole']);
  source.write(0, 'x'.repeat(16_384 * 2));
  const cursor = await cursorAfter(source);
  expect(cursor.stdout).toMatchObject({ taken: 1, takenAtNewest: 1 });
  expect(cursor.stdout.newest < (cursor.stdout.open?.since ?? '')).toBe(true);
  const { seen, log, follow } = bench(source, cursor);
  source.exit();
  await follow();
  expect(seen.map((text) => text.slice(0, 2))).toEqual(['?w', 'xx', 'xx']);
  expect(log.cursor([7, 0]).stdout).toMatchObject({ taken: 1, open: { emittedBytes: 7 } });
  log.closeLines();
  expect(log.cursor([7, 0]).stdout).toMatchObject({ taken: 3, open: null });
});

test('a cursor with an open line keeps it until the line was read again', async () => {
  const source = new FakeLogSource();
  source.write(0, 'x'.repeat(16_384 * 2));
  const cursor = await cursorAfter(source);
  expect(bench(source, cursor).log.cursor([9, 0]).stdout.open).toEqual({
    since: cursor.stdout.open?.since,
    emittedBytes: 9,
  });
});

test('with no room the source is not read on, however much it has', async () => {
  const made = bench(new FakeLogSource({ chunkBytes: () => 1_000_000 }));
  write(made.source, lines(0, 100_000));
  made.source.exit();
  made.full = Promise.withResolvers();
  const end = made.follow();
  await settle();
  const held = made.seen.length;
  expect(held).toBeLessThan(2_500);
  // Waiting for room is no silence.
  await made.clock.advance(60_000);
  expect(made.seen).toHaveLength(held);
  const { full } = made;
  made.full = null;
  full.resolve(undefined);
  await end;
  expect(made.source.opens).toHaveLength(2);
  expect(made.seen).toHaveLength(100_000);
});

test('a stream that says nothing after the exit is given up, and the rest is still read', async () => {
  const hanging = new FakeLogSource();
  const { clock, seen, log } = bench(hanging);
  write(hanging, lines(0, 2));
  const exited = Promise.withResolvers<number>();
  const end = log.follow(exited.promise, new AbortController().signal);
  await settle();
  exited.resolve(0);
  // The first stream and the pass after it, which hangs as well.
  await clock.advance(10_000);
  await clock.advance(20_000);
  await end;
  expect(seen).toEqual(lines(0, 2));
  expect(hanging.openStreams).toBe(0);
  expect(clock.pending).toBe(0);
});

test('an engine that stays away after the exit is a failure, with its own error', async () => {
  const { source, clock, follow } = bench();
  for (let call = 0; call < 10; call++) source.refusals.push(new Error(`away ${call}`));
  source.exit();
  const end = expect(follow()).rejects.toThrow('away 6');
  await clock.advance(60_000);
  await end;
});

test('a failure of the sink is a failure of following, not of the stream', async () => {
  const source = new FakeLogSource();
  write(source, ['a']);
  source.exit();
  const log = new ContainerLog({
    clock: new FakeClock(),
    source,
    containerId: 'c1',
    cursor: null,
    sink: {
      record: () => {
        throw new Error('a bug of ours');
      },
      room: () => undefined,
    },
  });
  await expect(log.follow(source.exited, new AbortController().signal)).rejects.toThrow(
    'a bug of ours',
  );
  expect(source.opens).toHaveLength(1);
});

test('an abort ends following with its reason, while reading and while waiting to open again', async () => {
  for (const broken of [false, true]) {
    const { source, clock, follow } = bench();
    const abort = new AbortController();
    const end = follow(abort.signal);
    write(source, ['a']);
    await settle();
    if (broken) source.breakStreams();
    await settle();
    abort.abort(new Error('stop'));
    await expect(end).rejects.toThrow('stop');
    expect(source.openStreams).toBe(0);
    expect(clock.pending).toBe(0);
  }
});

test('an exit that cannot be waited for is a failure of following', async () => {
  const { source, log, clock } = bench();
  const end = log.follow(Promise.reject(new Error('engine gone')), new AbortController().signal);
  await expect(end).rejects.toThrow('engine gone');
  expect(source.openStreams).toBe(0);
  expect(clock.pending).toBe(0);
});
