import { expect, test } from 'vitest';
import type { StopCause } from '../../../runner-core/model/outcome.ts';
import { callNames, ExecutionBench } from '../../support/execution-bench.ts';
import { settle } from '../../support/fake-clock.ts';

test('a stop during a pull ends the job at once', async () => {
  const bench = new ExecutionBench({ spec: { image: 'ghcr.io/a/b:1' } });
  const aborted = Promise.withResolvers<undefined>();
  const pulling = bench.engine.happened('pull');
  bench.engine.onPull = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        aborted.resolve(undefined);
        reject(signal.reason as Error);
      });
    });
  bench.run();
  await pulling;
  bench.stop('service');
  expect((await bench.ended()).verdict).toMatchObject({
    status: 'STOPPED',
    exitCode: 0,
    error: '',
  });
  await aborted.promise;
  expect(callNames(bench)).not.toContain('createContainer');
});

test('a stop that comes before the order makes nothing', async () => {
  const bench = new ExecutionBench();
  bench.stop('owner');
  bench.run();
  expect((await bench.ended()).verdict).toMatchObject({ outcome: 'stopped' });
  expect(callNames(bench)).not.toContain('createContainer');
});

test('a stop while the container is created removes it unstarted', async () => {
  const bench = new ExecutionBench({ notes: false });
  const created = bench.engine.happened('createContainer');
  bench.run();
  await created;
  await settle();
  bench.stop('owner');
  expect((await bench.ended()).verdict).toMatchObject({ status: 'STOPPED' });
  expect(callNames(bench)).not.toContain('startContainer');
  expect(bench.engine.made.size).toBe(0);
});

test('a stop asks with TERM at once, and kills after the grace', async () => {
  const bench = new ExecutionBench();
  const id = await bench.started();
  bench.engine.onSignal = (container, signal) => {
    if (signal === 'SIGKILL') bench.engine.exit(container, 137);
  };
  bench.stop('owner', 10_000);
  expect(bench.engine.calls).toContain(`signalContainer SIGTERM ${id}`);
  await bench.clock.advance(9_999);
  expect(bench.engine.calls).not.toContain(`signalContainer SIGKILL ${id}`);
  await bench.clock.advance(1);
  const { verdict } = await bench.ended();
  expect(verdict).toMatchObject({
    outcome: 'stopped',
    status: 'STOPPED',
    exitCode: 137,
    error: '',
  });
  expect(bench.engine.made.size).toBe(0);
  expect(bench.clock.pending).toBe(0);
});

test('an engine that is slow with the first signal gets the kill ahead of time, by a second at most', async () => {
  for (const [tookMs, killedAtMs] of [
    [100, 9_500],
    [2_000, 9_000],
  ] as const) {
    const bench = new ExecutionBench();
    const id = await bench.started();
    const answered = Promise.withResolvers<undefined>();
    bench.engine.onSignal = (container, signal) => {
      if (signal === 'SIGKILL') bench.engine.exit(container, 137);
    };
    bench.engine.signalled = answered.promise;
    bench.stop('owner', 10_000);
    await bench.clock.advance(tookMs);
    answered.resolve(undefined);
    await settle();
    await bench.clock.advance(killedAtMs - tookMs - 1);
    expect(bench.engine.calls).not.toContain(`signalContainer SIGKILL ${id}`);
    await bench.clock.advance(1);
    expect((await bench.ended()).verdict.status).toBe('STOPPED');
  }
});

test('a first signal that the engine never answers does not put off the kill', async () => {
  const bench = new ExecutionBench();
  await bench.started();
  bench.engine.onSignal = (container, signal) => {
    if (signal === 'SIGKILL') bench.engine.exit(container, 137);
  };
  bench.engine.signalled = new Promise(() => undefined);
  bench.stop('owner', 10_000);
  await bench.clock.advance(10_000);
  expect((await bench.ended()).verdict.status).toBe('STOPPED');
});

test('a kill that the engine misses is repeated', async () => {
  const bench = new ExecutionBench();
  await bench.started();
  bench.engine.onSignal = (container, signal) => {
    if (signal === 'SIGKILL') bench.engine.exit(container, 137);
  };
  bench.stop('owner', 1_000);
  bench.engine.failNext('signalContainer', 'away', 'ECONNREFUSED', null);
  await bench.clock.advance(1_000);
  expect(bench.sent.at(-1)?.kind).not.toBe('ended');
  await bench.clock.advance(1_000);
  expect((await bench.ended()).verdict.status).toBe('STOPPED');
});

/** Exit code and report of a container that a stop reaches, and what the protocol makes of them. */
const precedence: readonly (readonly [StopCause, number, object | null, string, string])[] = [
  ['service', 0, { status: 'success' }, 'SUCCEEDED', 'succeeded'],
  ['owner', 0, { status: 'failed' }, 'FAILED', 'failed'],
  ['shutdown', 0, null, 'FAILED', 'failed'],
  ['service', 143, null, 'STOPPED', 'stopped'],
  ['owner', 1, { status: 'success' }, 'STOPPED', 'stopped'],
  ['shutdown', 137, null, 'STOPPED', 'stopped'],
  ['time_limit', 0, { status: 'success' }, 'SUCCEEDED', 'succeeded'],
  ['time_limit', 143, null, 'FAILED', 'timed_out'],
];
test.for(precedence)(
  'a stop (%s) that meets exit code %i and the report %j is %s',
  async ([cause, exitCode, result, status, outcome]) => {
    const bench = new ExecutionBench();
    const id = await bench.started();
    bench.engine.onSignal = () => {
      if (result === null) bench.engine.exit(id, exitCode);
      else bench.report(result, exitCode);
    };
    bench.stop(cause);
    const { verdict } = await bench.ended();
    expect(verdict).toMatchObject({ status, outcome, exitCode });
  },
);

test('a job past its time limit is stopped, and has timed out', async () => {
  const bench = new ExecutionBench({ timeLimitMs: 3_600_000 });
  const id = await bench.started();
  await bench.clock.advance(3_599_999);
  expect(bench.engine.calls).not.toContain(`signalContainer SIGTERM ${id}`);
  await bench.clock.advance(1);
  expect((await bench.ended()).verdict).toMatchObject({
    outcome: 'timed_out',
    status: 'FAILED',
    reason: { code: 'time_limit' },
  });
  expect(bench.clock.pending).toBe(0);
});

test('a job that ends within its time limit leaves no timer behind', async () => {
  const bench = new ExecutionBench({ timeLimitMs: 3_600_000 });
  await bench.started();
  bench.report({ status: 'success' });
  expect((await bench.ended()).verdict.status).toBe('SUCCEEDED');
  expect(bench.clock.pending).toBe(0);
});
