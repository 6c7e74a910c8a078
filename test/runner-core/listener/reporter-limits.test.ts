import { expect, test } from 'vitest';
import { jobIdOf } from '../../support/builders.ts';
import { reporterBench } from '../../support/reporter-bench.ts';

test('online for 120 s without progress the verdict goes out without the rest, and that is said', async () => {
  const { held, end, online, clock, log, state, acknowledged } = reporterBench();
  held(1, 3);
  end(1);
  const link = await online();
  link.settle(1);
  await clock.advance(119_999);
  expect(link.story).toEqual(['1:1', '1:2', '1:3']);
  await clock.advance(1);
  expect(link.story.at(-1)).toBe('1:SUCCEEDED');
  expect(log.of('verdict sent without the rest of the log')).toEqual([
    { jobId: jobIdOf(1), batchesAcknowledged: 1, limitMs: 120_000 },
  ]);
  link.settle();
  expect(state(1)).toBe('settled');
  expect(acknowledged(1)).toBe(1);
  expect(clock.pending).toBe(0);
});

test('progress puts the limit off; offline time does not count', async () => {
  const { held, end, online, clock, reporter } = reporterBench();
  held(1, 3);
  end(1);
  const first = await online();
  await clock.advance(119_000);
  first.settle(1);
  await clock.advance(119_000);
  expect(first.story).not.toContain('1:SUCCEEDED');
  reporter.offline();
  await clock.advance(600_000);
  const second = await online();
  await clock.advance(119_000);
  expect(second.story).toEqual(['1:2', '1:3']);
});

test('batches that are lost over and over do not put the limit off', async () => {
  const { held, end, online, clock } = reporterBench();
  held(1, 1);
  end(1);
  const link = await online();
  for (let round = 0; round < 12; round++) {
    await clock.advance(10_000);
    if (round < 11) link.settle(undefined, { kind: 'missed' });
  }
  expect(link.story.at(-1)).toBe('1:SUCCEEDED');
});

test('a log that cannot be read is tried again and holds up no other job', async () => {
  const { held, end, online, store, clock, state } = reporterBench();
  held(1, 1);
  end(1);
  held(2, 0);
  end(2);
  store.failing.add('outgoing');
  const link = await online();
  store.failing.clear();
  await clock.advance(5_000);
  link.settle();
  link.settle();
  expect(link.story).toEqual(expect.arrayContaining(['1:1', '2:SUCCEEDED', '1:SUCCEEDED']));
  expect([state(1), state(2)]).toEqual(['settled', 'settled']);
});

test('a log that stays unreadable holds a verdict back for 120 s at most', async () => {
  const { held, end, online, store, clock } = reporterBench();
  held(1, 1);
  end(1);
  store.failing.add('outgoing');
  const link = await online();
  await clock.advance(119_999);
  expect(link.story).toEqual([]);
  await clock.advance(1);
  expect(link.story).toEqual(['1:SUCCEEDED']);
});

test('an ack that could not be stored leaves the job reporting, and its verdict is sent again', async () => {
  const { held, end, online, store, clock, state } = reporterBench();
  held(1, 0);
  end(1);
  const link = await online();
  store.failing.add('transition');
  link.settle();
  expect(state(1)).toBe('reporting');
  store.failing.clear();
  await clock.advance(5_000);
  link.settle();
  expect(link.story).toEqual(['1:SUCCEEDED', '1:SUCCEEDED']);
  expect(state(1)).toBe('settled');
});
