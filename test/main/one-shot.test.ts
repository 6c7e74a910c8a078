/** When a host for one job is over, and with which exit code. */
import { expect, test } from 'vitest';
import type { HostChange } from '../../main/host-shape.ts';
import { OneShot, type OneShotHost } from '../../main/one-shot.ts';
import type { JobId } from '../../runner-core/model/ids.ts';
import type { JobState } from '../../runner-core/model/job-machine.ts';
import type { SessionState } from '../../runner-core/model/session-state.ts';
import type { StoredJob } from '../../runner-core/ports.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { aJobId, aVerdict } from '../support/job-builders.ts';

const WAIT_MS = 60_000;
const FIRST = aJobId('5f0c2a34-8d1e-4b7a-9c55-000000000001');
const SECOND = aJobId('5f0c2a34-8d1e-4b7a-9c55-000000000002');
const good = aVerdict({ outcome: 'succeeded', status: 'SUCCEEDED', exitCode: 0, reason: null });
const bad = aVerdict();
const ONLINE: SessionState = { kind: 'online', sinceMs: 0, capacity: 1 };

function oneShotBench(once = true, first: SessionState = ONLINE) {
  const clock = new FakeClock();
  const states = new Map<JobId, JobState>();
  let session = first;
  let enrolment: ReturnType<OneShotHost['view']>['enrolment'] = null;
  let show: (change: HostChange) => void = () => undefined;
  const leased: JobId[] = [];
  let takenNoMore = 0;
  const host: OneShotHost = {
    view: () => ({ session, enrolment, held: [] }),
    job: (jobId) => {
      const state = states.get(jobId);
      return state === undefined ? undefined : ({ state } as StoredJob);
    },
    watch: (watcher) => void (show = watcher),
    takeNoMore: () => void (takenNoMore += 1),
  };
  const oneShot = new OneShot(host, {
    once,
    waitMs: WAIT_MS,
    clock,
    leased: (jobId) => void leased.push(jobId),
  });
  let exit: number | null = null;
  void oneShot.over.then((code) => (exit = code));
  return {
    clock,
    oneShot,
    leased,
    takenNoMore: () => takenNoMore,
    job(jobId: JobId, state: JobState) {
      states.set(jobId, state);
      show({ kind: 'job', jobId });
    },
    go(state: SessionState) {
      session = state;
      show({ kind: 'session' });
    },
    fail(retryable: boolean) {
      enrolment = { problem: 'p', remedy: 'r', retryable };
      show({ kind: 'enrolment' });
    },
    async exit() {
      await settle();
      return exit;
    },
  };
}

test.each([
  [good, 0],
  [bad, 1],
])('a job ends it once its verdict is known to the service (%#)', async (verdict, expected) => {
  const bench = oneShotBench();
  bench.job(FIRST, { kind: 'accepted', sinceMs: 0 });
  expect([bench.leased, bench.takenNoMore()]).toEqual([[FIRST], 1]);
  bench.job(FIRST, { kind: 'reporting', sinceMs: 0, verdict });
  await bench.clock.advance(10 * WAIT_MS);
  expect(await bench.exit()).toBeNull();
  bench.job(FIRST, { kind: 'settled', sinceMs: 0, verdict });
  expect([await bench.exit(), bench.clock.pending]).toEqual([expected, 0]);
});

test('only the first job counts', async () => {
  const bench = oneShotBench();
  bench.job(FIRST, { kind: 'running', sinceMs: 0 });
  bench.job(SECOND, { kind: 'settled', sinceMs: 0, verdict: bad });
  expect([await bench.exit(), bench.leased]).toEqual([null, [FIRST]]);
});

test('without a job it ends after the wait, counted from when there was an identity', async () => {
  const bench = oneShotBench(true, { kind: 'signed_out', sinceMs: 0 });
  await bench.clock.advance(WAIT_MS - 1);
  bench.go(ONLINE);
  await bench.clock.advance(WAIT_MS - 1);
  expect(await bench.exit()).toBeNull();
  await bench.clock.advance(1);
  expect(await bench.exit()).toBe(2);
});

test('a service that is never reached to register is a failure, not a quiet hour', async () => {
  const bench = oneShotBench(true, { kind: 'signed_out', sinceMs: 0 });
  bench.fail(true);
  await bench.clock.advance(WAIT_MS);
  expect(await bench.exit()).toBe(1);
});

test.each([true, false])('a refusal ends it with 1 (once: %s)', async (once) => {
  const refused = oneShotBench(once);
  refused.go({ kind: 'refused', sinceMs: 0, refusal: 'gone' });
  const unregistered = oneShotBench(once, { kind: 'signed_out', sinceMs: 0 });
  unregistered.fail(false);
  expect([await refused.exit(), await unregistered.exit()]).toEqual([1, 1]);
});

test('told to end early it says what is known', () => {
  const bench = oneShotBench();
  expect(bench.oneShot.early).toBe(2);
  bench.job(FIRST, { kind: 'running', sinceMs: 0 });
  expect(bench.oneShot.early).toBe(1);
  bench.job(FIRST, { kind: 'reporting', sinceMs: 0, verdict: good });
  expect(bench.oneShot.early).toBe(0);
  expect(oneShotBench(false).oneShot.early).toBe(0);
});

test('without --once nothing is waited for and no job ends it', async () => {
  const bench = oneShotBench(false);
  bench.job(FIRST, { kind: 'settled', sinceMs: 0, verdict: bad });
  await bench.clock.advance(10 * WAIT_MS);
  expect([await bench.exit(), bench.clock.pending, bench.leased]).toEqual([null, 0, []]);
});
