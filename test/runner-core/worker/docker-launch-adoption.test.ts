import { expect, test } from 'vitest';
import { EngineError } from '../../../runner-core/docker/docker-engine.ts';
import { LABEL } from '../../../runner-core/docker/labels.ts';
import { jobIdOf } from '../../support/builders.ts';
import { RESULT_PREFIX } from '../../../runner-core/wire/launch.ts';
import { envelopePayload } from '../../support/envelope.ts';
import { callNames, ExecutionBench } from '../../support/execution-bench.ts';

const RESULT_LINE = `${RESULT_PREFIX}${envelopePayload({ exit_code: 0, result: { status: 'success' } })}`;

const orphan = (bench: ExecutionBench): Promise<string> =>
  bench.engine.createContainer('preloop-1', {
    Image: 'debian:bookworm',
    Cmd: [],
    Env: [],
    Labels: { [LABEL.execution]: jobIdOf(1) },
    HostConfig: {},
  });

test('a container that somebody else removed fails the job, with its code where one was told', async () => {
  const told = new ExecutionBench();
  await told.engine.removeContainer(await told.started());
  await told.clock.advance(60_000);
  expect((await told.ended()).verdict).toMatchObject({ status: 'FAILED', exitCode: 137 });

  const untold = new ExecutionBench();
  const id = await orphan(untold);
  await untold.engine.startContainer(id);
  untold.engine.wait = async () => {
    await untold.engine.removeContainer(id);
    throw new EngineError({ statusCode: 404, kind: 'not_found' }, 'No such container');
  };
  untold.adopt(id);
  await untold.clock.advance(60_000);
  const { verdict } = await untold.ended();
  expect(verdict).toMatchObject({
    status: 'FAILED',
    exitCode: -1,
    reason: { code: 'engine_refused' },
  });
});

test('an adopted container that runs is followed to its end', async () => {
  const bench = new ExecutionBench();
  const id = await bench.engine.createContainer('preloop-1', {
    Image: 'debian:bookworm',
    Cmd: [],
    Env: ['API_TOKEN=from_the_container', 'PATH=/usr/bin'],
    Labels: {},
    HostConfig: {},
  });
  await bench.engine.startContainer(id);
  const waiting = bench.engine.happened('wait');
  bench.adopt(id);
  await waiting;
  bench.report({ status: 'success', said: 'from_the_container' });
  const { verdict } = await bench.ended();
  expect(verdict).toMatchObject({ status: 'SUCCEEDED', result: { said: '***' } });
  expect(bench.phases()).toEqual(['running', 'collecting', 'cleaning']);
  expect(bench.engine.made.size).toBe(0);
});

test('an adopted container that has exited gives its verdict', async () => {
  const bench = new ExecutionBench();
  const id = await orphan(bench);
  await bench.engine.startContainer(id);
  bench.engine.exit(id, 3);
  bench.adopt(id);
  expect((await bench.ended()).verdict).toMatchObject({ status: 'FAILED', exitCode: 3 });
  expect(bench.phases()).not.toContain('running');
});

test('an adopted container that was never started is started', async () => {
  const bench = new ExecutionBench();
  const id = await orphan(bench);
  const waiting = bench.engine.happened('wait');
  bench.adopt(id);
  await waiting;
  bench.report({ status: 'success' });
  expect((await bench.ended()).verdict.status).toBe('SUCCEEDED');
});

test('an adopted container that was never started and is to stop is removed', async () => {
  const bench = new ExecutionBench();
  bench.adopt(await orphan(bench), 'owner');
  expect((await bench.ended()).verdict.status).toBe('STOPPED');
  expect(callNames(bench)).not.toContain('startContainer');
  expect(bench.engine.made.size).toBe(0);
});

test('the time limit of an adopted container counts from its start', async () => {
  const bench = new ExecutionBench({ timeLimitMs: 10_000 });
  const id = await orphan(bench);
  await bench.engine.startContainer(id);
  bench.clock.jumpWall(9_000);
  const waiting = bench.engine.happened('wait');
  bench.adopt(id);
  await waiting;
  await bench.clock.advance(1_000);
  expect((await bench.ended()).verdict.outcome).toBe('timed_out');
});

test('an adopted container that is gone is a lost job, or a stopped one', async () => {
  const lost = new ExecutionBench();
  lost.adopt('gone');
  expect((await lost.ended()).verdict).toMatchObject({
    outcome: 'lost',
    reason: { code: 'host_restarted' },
  });
  const stopped = new ExecutionBench();
  stopped.adopt('gone', 'owner');
  expect((await stopped.ended()).verdict).toMatchObject({ outcome: 'stopped' });
});

test('an adoption waits for an engine that is still coming up', async () => {
  const bench = new ExecutionBench();
  const id = await orphan(bench);
  await bench.engine.startContainer(id);
  bench.engine.exit(id, 0);
  bench.engine.failNext('container', 'away', 'ECONNREFUSED', null);
  bench.adopt(id);
  await bench.clock.advance(1_000);
  expect((await bench.ended()).verdict.reason).toMatchObject({ code: 'no_report' });
});

test('a launch that may have been begun before takes up what was made and not started, once it is noted', async () => {
  const bench = new ExecutionBench();
  const id = await orphan(bench);
  const waiting = bench.engine.happened('wait');
  bench.run(true);
  await waiting;
  const noted = bench.sent.findIndex((message) => message.kind === 'made');
  const starting = bench.sent.findIndex(
    (message) => message.kind === 'phase' && message.phase === 'starting',
  );
  expect(bench.sent[noted]).toMatchObject({ leftover: { kind: 'container', id } });
  expect(noted).toBeLessThan(starting);
  expect(callNames(bench).filter((call) => call === 'createContainer')).toHaveLength(1);
  bench.report({ status: 'success' });
  expect((await bench.ended()).verdict.status).toBe('SUCCEEDED');
  expect(callNames(bench).filter((call) => call === 'startContainer')).toHaveLength(1);
  expect(bench.engine.made.size).toBe(0);
});

test('a launch that may have been begun before, and was not, makes its container', async () => {
  const bench = new ExecutionBench();
  const waiting = bench.engine.happened('wait');
  bench.run(true);
  await waiting;
  bench.report({ status: 'success' });
  expect((await bench.ended()).verdict.status).toBe('SUCCEEDED');
  expect(bench.engine.made.size).toBe(0);
});

test('a container that a dead worker had asked for, and that came late, goes with the job, never started', async () => {
  const bench = new ExecutionBench();
  const waiting = bench.engine.happened('wait');
  bench.run(true);
  await waiting;
  const own = bench.containerId();
  const late = await orphan(bench);
  bench.engine.print(own, RESULT_LINE);
  bench.engine.exit(own, 0);
  expect((await bench.ended()).verdict.status).toBe('SUCCEEDED');
  expect(bench.engine.calls).not.toContain(`startContainer ${late}`);
  expect(bench.engine.made.size).toBe(0);
});

test('a launch that may have been begun before waits for an engine that is coming up', async () => {
  const bench = new ExecutionBench();
  const id = await orphan(bench);
  bench.engine.failNext('containers', 'away', 'ECONNREFUSED', null);
  const waiting = bench.engine.happened('wait');
  bench.run(true);
  await bench.clock.advance(1_000);
  await waiting;
  expect(bench.engine.calls).toContain(`startContainer ${id}`);
  bench.report({ status: 'success' });
  await bench.ended();
});
