import { expect, test } from 'vitest';
import { readUsage } from '../../../runner-core/docker/engine-answers.ts';
import { ExecutionBench } from '../../support/execution-bench.ts';

/** After the first, which tells of the start. */
const told = (bench: ExecutionBench): unknown[] =>
  bench.sent
    .flatMap((message) =>
      message.kind === 'facts' ? [[message.facts.peakMemoryBytes, message.facts.cpuMs]] : [],
    )
    .slice(1);

test('a running container is looked at after a second, then every five, and its peak kept', async () => {
  const bench = new ExecutionBench();
  await bench.started();
  bench.engine.uses = { memoryBytes: 300, cpuMs: 10 };
  await bench.clock.advance(1_000);
  bench.engine.uses = { memoryBytes: 900, cpuMs: 20 };
  await bench.clock.advance(5_000);
  bench.engine.uses = { memoryBytes: 200, cpuMs: 30 };
  await bench.clock.advance(5_000);
  expect(told(bench)).toEqual([
    [300, 10],
    [900, 20],
    [900, 30],
  ]);
  bench.report({ status: 'success' });
  expect((await bench.ended()).facts).toMatchObject({
    peakMemoryBytes: 900,
    cpuMs: 30,
    exitCode: 0,
  });
  expect(bench.clock.pending).toBe(0);
});

test('a look that fails, or that tells nothing, leaves what is known', async () => {
  const bench = new ExecutionBench();
  await bench.started();
  await bench.clock.advance(1_000);
  bench.engine.failNext('usage', 'timeout', 'no answer', null);
  await bench.clock.advance(5_000);
  bench.engine.uses = { memoryBytes: null, cpuMs: null };
  await bench.clock.advance(5_000);
  expect(told(bench)).toEqual([
    [1_048_576, 10],
    [1_048_576, 10],
  ]);
});

test('what is told meanwhile says where the job is', async () => {
  const bench = new ExecutionBench();
  const id = await bench.started();
  await bench.clock.advance(1_000);
  expect(bench.sent.find(({ kind }) => kind === 'facts')).toMatchObject({
    facts: {
      containerId: id,
      phases: ['preparing', 'creating', 'starting', 'running'].map((phase) => ({ phase, atMs: 0 })),
    },
  });
});

test('the page cache is no use of memory, by either version of the kernel’s accounting', () => {
  const cpu_stats = { cpu_usage: { total_usage: 2_500_000_000 } };
  const v1 = {
    memory_stats: { usage: 1_000, stats: { total_inactive_file: 300, inactive_file: 1 } },
  };
  const v2 = { memory_stats: { usage: 1_000, stats: { inactive_file: 200 } } };
  expect(readUsage({ ...v1, cpu_stats })).toEqual({ memoryBytes: 700, cpuMs: 2_500 });
  expect(readUsage({ ...v2, cpu_stats })).toEqual({ memoryBytes: 800, cpuMs: 2_500 });
});

test('an exited container, of which the engine says nothing, uses nothing that is known', () => {
  expect(readUsage({ memory_stats: {}, cpu_stats: { cpu_usage: { total_usage: 0 } } })).toEqual({
    memoryBytes: null,
    cpuMs: null,
  });
  expect(readUsage(undefined)).toEqual({ memoryBytes: null, cpuMs: null });
});
