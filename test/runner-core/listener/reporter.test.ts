import { expect, test } from 'vitest';
import { ACK_STORE_DELAY_MS, Reporter } from '../../../runner-core/listener/reporter.ts';
import type { Clock } from '../../../runner-core/ports.ts';
import { batchId } from '../../../runner-core/wire/log-batch.ts';
import { chunkOf, dockerSpec, jobIdOf, lineChunks, SUCCEEDED } from '../../support/builders.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeLink } from '../../support/fake-link.ts';
import { RecordingLog } from '../../support/listener-bench.ts';
import { MemoryJobStore } from '../../support/memory-job-store.ts';
import { reporterBench } from '../../support/reporter-bench.ts';

test('stored lines go out in order, each batch under the id of its place', async () => {
  const { held, online, store } = reporterBench();
  held(1, 3);
  const salt = store.job(jobIdOf(1))?.batchSalt ?? '';
  const link = await online();
  expect(link.sent).toEqual(
    [0, 1, 2].map((index) => ({
      type: 'logs',
      execution_id: jobIdOf(1),
      lines: [`line ${index + 1}`],
      batch_id: batchId(salt, index),
    })),
  );
});

test('at most 32 frames are in flight; each reply makes room for one', async () => {
  const { held, online } = reporterBench();
  held(1, 40);
  const link = await online();
  expect(link.inFlight).toBe(32);
  link.settle(1);
  expect(link.sent).toHaveLength(33);
  link.settle();
  expect(link.sent).toHaveLength(40);
});

test('a socket that holds back 2 MiB is given nothing more until a reply finds it emptier', async () => {
  const { held, online, reporter, clock, store } = reporterBench();
  held(1, 3);
  const link = await online();
  link.buffered = 2 * 1024 * 1024;
  store.appendLog(jobIdOf(1), lineChunks(2, 4), null);
  reporter.logStored(jobIdOf(1));
  await clock.advance(0);
  link.settle(1);
  expect(link.sent).toHaveLength(3);
  link.buffered = 0;
  link.settle(1);
  expect(link.sent).toHaveLength(5);
});

test('with nothing in flight a frame goes out however much the socket holds', () => {
  const { held, reporter } = reporterBench();
  held(1, 3);
  const link = new FakeLink();
  link.buffered = 2 ** 30;
  reporter.online(link);
  expect(link.sent).toHaveLength(1);
});

test('acknowledgements are stored soon, together, and at once when the session ends', async () => {
  const { held, online, store, clock, reporter, acknowledged } = reporterBench();
  held(1, 4);
  const link = await online();
  link.settle(2);
  await clock.advance(ACK_STORE_DELAY_MS - 1);
  expect(acknowledged(1)).toBe(0);
  await clock.advance(1);
  expect(acknowledged(1)).toBe(2);
  link.settle(1);
  reporter.offline();
  expect(acknowledged(1)).toBe(3);
  expect(store.journal.filter((call) => call === 'acknowledgeBatches')).toHaveLength(2);
});

test('after a reconnect all that was not acknowledged is sent again, under the same ids', async () => {
  const { held, online, reporter } = reporterBench();
  held(1, 4);
  const first = await online();
  first.settle(2);
  reporter.offline();
  const second = await online();
  expect(second.sent).toEqual(first.sent.slice(2));
});

test('a reply to a session that ended acknowledges nothing and makes no room', async () => {
  const { held, online, reporter, acknowledged, clock } = reporterBench();
  held(1, 40);
  const first = await online();
  reporter.offline();
  const second = await online();
  first.settle();
  await clock.advance(1_000);
  expect(acknowledged(1)).toBe(0);
  expect(second.sent).toHaveLength(32);
  second.settle();
  await clock.advance(1_000);
  expect(acknowledged(1)).toBe(32);
});

test('an ack of a session that ended settles no job', async () => {
  const { held, end, online, reporter, state } = reporterBench();
  held(1, 0);
  end(1);
  const first = await online();
  reporter.offline();
  await online();
  first.settle();
  expect(state(1)).toBe('reporting');
});

test('a restart sends what was not acknowledged under the same ids', async () => {
  const before = reporterBench();
  before.held(1, 3);
  const first = await before.online();
  first.settle(1);
  before.reporter.stop();
  const after = reporterBench(before.store);
  after.reporter.logStored(jobIdOf(1));
  const second = await after.online();
  expect(second.sent).toEqual(first.sent.slice(1));
});

test('the verdict follows only when every batch is acknowledged, and its ack settles the job', async () => {
  const { held, end, online, state, reporter } = reporterBench();
  held(1, 2);
  end(1);
  const link = await online();
  expect(link.story).toEqual(['1:1', '1:2']);
  link.settle(1);
  expect(link.story).toHaveLength(2);
  link.settle(1);
  expect(link.story.at(-1)).toBe('1:SUCCEEDED');
  expect(state(1)).toBe('reporting');
  expect(reporter.isCaughtUp).toBe(false);
  link.settle();
  expect(state(1)).toBe('settled');
  expect(reporter.isCaughtUp).toBe(true);
});

test('what was acknowledged is on disk before the verdict is sent', async () => {
  const { held, end, online, acknowledged } = reporterBench();
  held(1, 2);
  end(1);
  const link = await online();
  link.settle(2);
  expect(link.story.at(-1)).toBe('1:SUCCEEDED');
  expect(acknowledged(1)).toBe(2);
});

test('lines stored together with the end still go before the verdict', async () => {
  const { held, end, online, store, clock } = reporterBench();
  held(1, 1);
  const link = await online();
  link.settle();
  store.appendLog(jobIdOf(1), lineChunks(1, 2), null);
  end(1);
  await clock.advance(0);
  link.settle();
  expect(link.story).toEqual(['1:1', '1:2', '1:SUCCEEDED']);
});

test('a verdict is sent anew on every session and by every host until its ack came', async () => {
  const before = reporterBench();
  before.held(1, 0);
  before.end(1);
  const first = await before.online();
  before.reporter.offline();
  const second = await before.online();
  before.reporter.stop();
  const after = reporterBench(before.store);
  after.reporter.ended(jobIdOf(1));
  const third = await after.online();
  expect([first, second, third].map((link) => link.story)).toEqual([
    ['1:SUCCEEDED'],
    ['1:SUCCEEDED'],
    ['1:SUCCEEDED'],
  ]);
  third.settle();
  expect(after.state(1)).toBe('settled');
});

test('verdicts go out oldest first, before the log of held jobs, whatever order they ended in', async () => {
  const { held, end, online } = reporterBench();
  held(3, 1);
  held(2, 0);
  held(1, 0);
  end(2);
  end(1);
  const link = await online();
  expect(link.story).toEqual(['1:SUCCEEDED', '2:SUCCEEDED', '3:1']);
});

test('jobs that print share the window, and a long report does not starve them', async () => {
  const { held, end, online } = reporterBench();
  held(1, 100);
  end(1);
  held(2, 100);
  held(3, 100);
  const link = await online();
  const count = (job: string): number =>
    link.story.filter((entry) => entry.startsWith(`${job}:`)).length;
  expect([count('1'), count('2'), count('3')]).toEqual([24, 4, 4]);
});

test('a refused batch is logged and counted as heard; the rest goes on', async () => {
  const { held, end, online, log, clock, acknowledged } = reporterBench();
  held(1, 3);
  end(1);
  const link = await online();
  link.settle(1);
  link.settle(1, { kind: 'refused', error: 'Invalid runner log batch' });
  link.settle(1);
  await clock.advance(ACK_STORE_DELAY_MS);
  expect(acknowledged(1)).toBe(3);
  expect(link.story.at(-1)).toBe('1:SUCCEEDED');
  expect(log.of('log batch refused')).toMatchObject([{ jobId: jobIdOf(1), index: 1, lines: 1 }]);
});

test('a batch whose reply was lost is sent again in order, and nothing counts as heard', async () => {
  const { held, online, clock, acknowledged } = reporterBench();
  held(1, 3);
  const link = await online();
  link.settle(1);
  link.settle(1, { kind: 'missed' });
  link.settle(1);
  await clock.advance(ACK_STORE_DELAY_MS);
  expect(acknowledged(1)).toBe(1);
  expect(link.story).toEqual(['1:1', '1:2', '1:3', '1:2', '1:3']);
  link.settle();
  await clock.advance(ACK_STORE_DELAY_MS);
  expect(acknowledged(1)).toBe(3);
});

test('a server without acknowledgements gets no batch ids, and its bare acks count', async () => {
  const { held, end, online, state } = reporterBench();
  held(1, 2);
  end(1);
  const link = await online(false);
  expect(link.sent).toEqual([
    { type: 'logs', execution_id: jobIdOf(1), lines: ['line 1'] },
    { type: 'logs', execution_id: jobIdOf(1), lines: ['line 2'] },
  ]);
  link.settle();
  link.settle();
  expect(state(1)).toBe('settled');
});

test('a verdict for an execution that no longer exists is not sent again', async () => {
  const { held, end, online, state, log } = reporterBench();
  held(1, 0);
  end(1);
  const link = await online();
  link.settle(1, { kind: 'refused', error: 'Runner execution no longer exists' });
  expect(state(1)).toBe('settled');
  expect(log.of('verdict refused')).toHaveLength(1);
});

test('a verdict refused otherwise is kept for the next session', async () => {
  const { held, end, online, state, reporter, clock } = reporterBench();
  held(1, 0);
  end(1);
  const first = await online();
  first.settle(1, { kind: 'refused', error: 'Invalid runner completion status' });
  reporter.repeat(jobIdOf(1));
  await clock.advance(60_000);
  expect(first.story).toEqual(['1:SUCCEEDED']);
  expect(state(1)).toBe('reporting');
  const second = await online();
  second.settle();
  expect(state(1)).toBe('settled');
});

test('caughtUp resolves only when the last ack came', async () => {
  const { held, end, online, reporter, clock } = reporterBench();
  held(1, 1);
  end(1);
  let isCaughtUp = false;
  void reporter.caughtUp().then(() => (isCaughtUp = true));
  const link = await online();
  link.settle();
  await clock.advance(0);
  expect(isCaughtUp).toBe(false);
  link.settle();
  await clock.advance(0);
  expect(isCaughtUp).toBe(true);
});

test('a turn of sending ends after 5 ms and goes on in another', async () => {
  const store = new MemoryJobStore();
  const inner = new FakeClock();
  let elapsedMs = 0;
  // Each look at the clock takes a millisecond, as a slow machine would.
  const clock: Clock = {
    nowMs: () => inner.nowMs(),
    monotonicMs: () => inner.monotonicMs() + elapsedMs++,
    after: (delayMs, act) => inner.after(delayMs, act),
    wait: (delayMs, signal) => inner.wait(delayMs, signal),
  };
  const reporter = new Reporter({
    clock,
    log: new RecordingLog(),
    store,
    changed: () => undefined,
  });
  store.accept(dockerSpec(1), 0);
  store.appendLog(jobIdOf(1), lineChunks(20), null);
  reporter.logStored(jobIdOf(1));
  const link = new FakeLink();
  reporter.online(link);
  expect(link.sent.length).toBeGreaterThan(0);
  expect(link.sent.length).toBeLessThan(6);
  for (let turn = 0; turn < 10; turn++) await inner.advance(0);
  expect(link.sent).toHaveLength(20);
  reporter.stop();
});

test('after stop nothing is sent, and no timer is left', async () => {
  const { held, end, online, reporter, clock } = reporterBench();
  held(1, 40);
  end(1);
  const link = await online();
  reporter.stop();
  link.settle();
  reporter.logStored(jobIdOf(1));
  await clock.advance(1_000);
  expect(link.sent).toHaveLength(32);
  expect(clock.pending).toBe(0);
});

test('a million lines cost the reporter little: 7,813 batches, in order, then the verdict', async () => {
  const { store, reporter, clock, online, state } = reporterBench();
  store.accept(dockerSpec(1), 0);
  const lines = Array.from({ length: 128 }, () => 'x'.repeat(60));
  let reads = 0;
  store.outgoing = (_jobId, from, limit) => {
    reads += 1;
    const count = Math.max(0, Math.min(limit, 7_813 - from));
    return Array.from({ length: count }, (_, at) => ({ index: from + at, lines }));
  };
  store.transition(jobIdOf(1), { kind: 'ended', atMs: 0, verdict: SUCCEEDED });
  reporter.ended(jobIdOf(1));
  const link = await online();
  const startMs = performance.now();
  while (state(1) !== 'settled') {
    link.settle(1);
    if (link.inFlight === 0) await clock.advance(0);
  }
  const tookMs = performance.now() - startMs;
  expect(link.sent).toHaveLength(7_814);
  expect(reads).toBeLessThan(7_813 / 32 + 3);
  expect(tookMs).toBeLessThan(2_000);
});

test('a batch of many lines is sent as the store gives it', async () => {
  const { store, reporter, online } = reporterBench();
  store.accept(dockerSpec(1), 0);
  const lines = Array.from({ length: 200 }, (_, at) => `line ${at}`);
  store.appendLog(jobIdOf(1), [chunkOf(1, lines)], null);
  reporter.logStored(jobIdOf(1));
  const link = await online();
  expect(link.sent).toMatchObject([{ lines: lines.slice(0, 128) }, { lines: lines.slice(128) }]);
});
