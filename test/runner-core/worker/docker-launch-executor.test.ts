import { expect, test } from 'vitest';
import { EngineError } from '../../../runner-core/docker/docker-engine.ts';
import { jobIdOf } from '../../support/builders.ts';
import { callNames, ExecutionBench } from '../../support/execution-bench.ts';
import { settle } from '../../support/fake-clock.ts';

const NAME = `preloop-${jobIdOf(1)}-abc123`;

test('a job is prepared, created, noted, started, followed, judged and removed, in this order', async () => {
  const bench = new ExecutionBench();
  const id = await bench.started();
  bench.engine.print(id, 'hello');
  bench.report({ status: 'success', made: 'this' });
  expect(await bench.ended()).toEqual({
    kind: 'ended',
    verdict: {
      outcome: 'succeeded',
      status: 'SUCCEEDED',
      exitCode: 0,
      error: '',
      result: { status: 'success', made: 'this' },
      evidenceUpload: null,
      reason: null,
    },
    facts: {
      containerId: id,
      imageId: 'sha256:image',
      oomKilled: false,
      exitCode: 0,
      peakMemoryBytes: null,
      cpuMs: null,
      phases: bench.phases().map((phase) => ({ phase, atMs: 0 })),
      limits: { memoryBytes: null, cpus: null, pids: null, timeLimitMs: 0 },
    },
  });
  expect(bench.phases()).toEqual([
    'preparing',
    'creating',
    'starting',
    'running',
    'collecting',
    'cleaning',
  ]);
  expect(bench.sent.filter(({ kind }) => kind === 'made')).toEqual([
    { kind: 'made', leftover: { kind: 'container', id, name: NAME } },
  ]);
  expect(callNames(bench).slice(0, 3)).toEqual(['image', 'createContainer', 'startContainer']);
  expect(bench.engine.calls.slice(-3)).toEqual([
    `removeContainer ${id}`,
    `container ${id}`,
    'close',
  ]);
  expect(bench.clock.pending).toBe(0);
});

test('nothing is started before the listener has noted the container', async () => {
  const bench = new ExecutionBench({ notes: false });
  const created = bench.engine.happened('createContainer');
  bench.run();
  await created;
  await settle();
  expect(callNames(bench)).not.toContain('startContainer');
  const started = bench.engine.happened('wait');
  // As the listener's schema rebuilds it: the same fields in another order.
  const leftover = { name: NAME, id: bench.containerId(), kind: 'container' } as const;
  bench.send({ kind: 'noted', leftover });
  await started;
  expect(callNames(bench)).toContain('startContainer');
  bench.report({ status: 'success' });
  await bench.ended();
});

test('a container that is not noted within 10 s is never started, and the job is lost', async () => {
  const bench = new ExecutionBench({ notes: false });
  const created = bench.engine.happened('createContainer');
  bench.run();
  await created;
  await settle();
  await bench.clock.advance(10_000);
  expect((await bench.ended()).verdict).toMatchObject({
    outcome: 'lost',
    reason: { code: 'worker_crashed' },
  });
  expect(callNames(bench)).not.toContain('startContainer');
});

test('a container is not removed before all of its log is stored', async () => {
  const bench = new ExecutionBench({ stores: false });
  const id = await bench.started();
  bench.engine.print(id, 'precious');
  bench.report({ status: 'success' });
  await settle();
  await settle();
  expect(callNames(bench)).not.toContain('removeContainer');
  bench.send({ kind: 'log_stored', throughSeq: 1 });
  await bench.ended();
  expect(bench.engine.made.size).toBe(0);
});

test('what a job made stays until its verdict is on disk, and goes then', async () => {
  const bench = new ExecutionBench({ hears: false });
  const id = await bench.started();
  bench.report({ status: 'success' });
  await settle();
  await settle();
  expect(bench.sent.at(-1)).toMatchObject({ kind: 'ended', verdict: { status: 'SUCCEEDED' } });
  expect(bench.engine.made.has(id)).toBe(true);
  bench.send({ kind: 'verdict_noted' });
  await bench.execution.ended;
  expect(bench.engine.made.size).toBe(0);
  expect(bench.clock.pending).toBe(0);
});

test('a verdict that is not noted within 10 s leaves what was made to the listener', async () => {
  const bench = new ExecutionBench({ hears: false });
  const id = await bench.started();
  bench.report({ status: 'success' });
  await settle();
  await settle();
  await bench.clock.advance(10_000);
  await bench.execution.ended;
  expect(bench.engine.made.has(id)).toBe(true);
});

test('secrets are masked in the result', async () => {
  const bench = new ExecutionBench();
  await bench.started();
  bench.report({ status: 'success', said: 'my key is gw_example_not_real' });
  expect((await bench.ended()).verdict.result).toEqual({
    status: 'success',
    said: 'my key is ***',
  });
});

test('secrets that come later are masked too', async () => {
  const bench = new ExecutionBench();
  await bench.started();
  bench.send({ kind: 'secrets', environment: { NEW_TOKEN: 'fresh_not_real' } });
  bench.report({ status: 'success', said: 'fresh_not_real' });
  expect((await bench.ended()).verdict.result).toEqual({ status: 'success', said: '***' });
});

test('an engine that is away fails the job as Docker unavailable', async () => {
  const bench = new ExecutionBench();
  bench.engine.failNext('image', 'away', 'ECONNREFUSED', null);
  bench.run();
  expect((await bench.ended()).verdict.reason).toEqual({
    code: 'docker_unavailable',
    facts: { detail: 'ECONNREFUSED' },
  });
});

test('a refused start names the cause, and the container goes all the same', async () => {
  const bench = new ExecutionBench();
  const message = 'OCI runtime create failed: exec: "/bin/bash": no such file or directory';
  bench.engine.failNext('startContainer', 'bad_request', message, 400);
  bench.run();
  expect((await bench.ended()).verdict).toMatchObject({
    status: 'FAILED',
    exitCode: 127,
    reason: { code: 'command_not_found' },
  });
  expect(bench.engine.made.size).toBe(0);
});

test('a wait that the engine breaks off is taken up again while the container runs', async () => {
  const bench = new ExecutionBench();
  bench.engine.failNext('wait', 'away', 'ECONNRESET', null);
  await bench.started();
  const again = bench.engine.happened('wait');
  await bench.clock.advance(1_000);
  await again;
  bench.report({ status: 'success' });
  expect((await bench.ended()).verdict.status).toBe('SUCCEEDED');
});

test('an engine that stays away for five minutes ends the job as Docker unavailable', async () => {
  const bench = new ExecutionBench();
  await bench.started();
  const away = new EngineError({ statusCode: null, kind: 'away' }, 'ECONNREFUSED');
  bench.engine.wait = () => Promise.reject(away);
  bench.engine.container = () => Promise.reject(away);
  bench.engine.logStream = () => Promise.reject(away);
  bench.report({ status: 'success' });
  await bench.clock.advance(299_000);
  expect(bench.sent.at(-1)?.kind).not.toBe('ended');
  await bench.clock.advance(30_000);
  expect((await bench.ended()).verdict.reason).toMatchObject({ code: 'docker_unavailable' });
});

test('an error of our own ends the job as lost, and tells where without its message', async () => {
  const bench = new ExecutionBench();
  bench.engine.image = () => Promise.reject(new TypeError('gw_example_not_real'));
  bench.run();
  expect((await bench.ended()).verdict.reason).toEqual({ code: 'worker_crashed', facts: {} });
  expect(bench.complaints).toHaveLength(1);
  expect(bench.complaints[0]).toMatch(/^TypeError\n +at .*docker-launch-executor/s);
  expect(bench.complaints[0]).not.toContain('gw_example');
});
