import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { ToWorker } from '../../runner-core/worker/protocol.ts';
import { dockerSpec, jobIdOf } from '../support/builders.ts';
import { EngineServer, json, nothing, type Answer } from '../support/engine-server.ts';
import { logFrame } from '../support/fake-engine.ts';
import { WorkerUnderTest } from '../support/worker-under-test.ts';

const SECRET = 'gw_example_not_real';

/** An engine with one container that runs until it gets a signal. */
function oneContainerEngine(): EngineServer {
  let exitCode: number | undefined;
  let removed = false;
  const waiting: ServerResponse[] = [];
  const following: ServerResponse[] = [];
  const wait: Answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    waiting.push(response);
  };
  const logs: Answer = (_, response) => {
    response.writeHead(200).write(logFrame(`it said ${SECRET}`));
    if (exitCode === undefined) following.push(response);
    else response.end();
  };
  const kill: Answer = (request, response) => {
    exitCode = request.line.includes('SIGTERM') ? 143 : 137;
    nothing(204)(request, response);
    for (const one of waiting.splice(0)) one.end(`{"StatusCode":${exitCode}}`);
    for (const one of following.splice(0)) one.end();
  };
  const inspect: Answer = (request, response) => {
    const State = { Status: 'running', Running: exitCode === undefined, ExitCode: exitCode ?? 0 };
    const found = json(200, { Id: 'c1', Image: 'sha256:0', Config: {}, State });
    (removed ? json(404, { message: 'gone' }) : found)(request, response);
  };
  const remove: Answer = (request, response) => {
    removed = true;
    nothing(204)(request, response);
  };
  return new EngineServer([
    [/^GET \/images/, json(200, { Id: 'sha256:0', Config: {} })],
    [/^POST \/containers\/create/, json(201, { Id: 'c1' })],
    [/^POST .*\/start/, nothing(204)],
    [/^POST .*\/wait/, wait],
    [/^GET .*\/logs/, logs],
    [/^POST .*\/kill/, kill],
    [/^GET \/containers\/c1\/json/, inspect],
    [/^DELETE/, remove],
  ]);
}

function runOrder(engine: EngineServer): ToWorker {
  return {
    kind: 'run',
    spec: dockerSpec(1),
    environment: { OPENAI_API_KEY: SECRET, EXECUTION_ID: jobIdOf(1) },
    mayBeMade: false,
    context: {
      runnerId: 'runner-1',
      hostInstance: 'host-1',
      limits: { memoryBytes: null, cpus: null, pids: null, timeLimitMs: 0, logBytes: 1_000_000 },
      allowed: [],
      engine: engine.address,
      identity: null,
      workspacesDir: '/nowhere',
    },
  };
}

test('a worker is ready without having asked any engine, runs, stops on request and exits with 0', async () => {
  const engine = oneContainerEngine();
  const worker = new WorkerUnderTest();
  await worker.message('ready');
  expect(engine.connections).toBe(0);
  worker.send(runOrder(engine));
  await worker.line('it said');
  worker.send({ kind: 'stop', cause: 'owner', graceMs: 10_000 });
  const { verdict } = await worker.ended();
  expect(verdict).toMatchObject({ outcome: 'stopped', status: 'STOPPED', exitCode: 143 });
  expect(await worker.exited).toEqual({ code: 0, signal: null });
  expect(worker.lines()).toEqual(['it said ***']);
  expect(worker.stderr).toBe('');
});

test('a worker whose listener is gone exits at once and leaves its container alone', async () => {
  const engine = oneContainerEngine();
  const worker = new WorkerUnderTest();
  worker.send(runOrder(engine));
  await worker.line('it said');
  worker.child.disconnect();
  expect(await worker.exited).toEqual({ code: 0, signal: null });
  const asked = engine.requests.map(({ line }) => line);
  expect(asked.filter((line) => /kill|DELETE/.test(line))).toEqual([]);
});

test('an idle worker whose listener is gone exits', async () => {
  const worker = new WorkerUnderTest();
  await worker.message('ready');
  worker.child.disconnect();
  expect(await worker.exited).toEqual({ code: 0, signal: null });
});

test('an engine that is away ends the job as Docker unavailable', async () => {
  const worker = new WorkerUnderTest();
  const order = runOrder(oneContainerEngine());
  if (order.kind !== 'run') throw new Error('not a run');
  const engine = { kind: 'socket', path: '/nowhere/docker.sock' } as const;
  worker.send({ ...order, context: { ...order.context, engine } });
  expect((await worker.ended()).verdict.reason).toEqual({
    code: 'docker_unavailable',
    facts: { detail: 'ENOENT' },
  });
  expect(await worker.exited).toEqual({ code: 0, signal: null });
});

test('a message that makes no sense is survived, and one that breaks us ends the job as lost', async () => {
  const worker = new WorkerUnderTest();
  await worker.message('ready');
  worker.child.send({ kind: 'unheard of' });
  worker.child.send('not even an object');
  worker.child.send({ kind: 'run', spec: null, environment: { TOKEN: SECRET }, context: null });
  expect((await worker.ended()).verdict).toMatchObject({
    outcome: 'lost',
    reason: { code: 'worker_crashed' },
  });
  await worker.exited;
  expect(worker.stderr).toMatch(/^TypeError/);
  expect(worker.stderr).not.toContain(SECRET);
});

test('environment of the worker with a DOCKER_HOST does not lead the job to another engine', async () => {
  const engine = oneContainerEngine();
  const worker = new WorkerUnderTest({ env: { DOCKER_HOST: 'tcp://127.0.0.1:1' } });
  worker.send(runOrder(engine));
  await worker.phase('running');
  worker.send({ kind: 'stop', cause: 'shutdown', graceMs: 10_000 });
  expect((await worker.ended()).verdict.status).toBe('STOPPED');
});
