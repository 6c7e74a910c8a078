import { finished } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { dockerEngine } from '../../../runner-core/docker/dockerode-engine.ts';
import type { DockerEngine, PullOptions } from '../../../runner-core/docker/docker-engine.ts';
import { systemClock } from '../../../runner-core/system.ts';
import { EngineServer, json, nothing, silence, type Answer } from '../../support/engine-server.ts';
import { FakeClock } from '../../support/fake-clock.ts';

async function bench(
  answers: readonly (readonly [RegExp, Answer])[],
): Promise<{ engine: DockerEngine; server: EngineServer; clock: FakeClock }> {
  const server = new EngineServer(answers);
  await server.listening;
  const clock = new FakeClock();
  return { engine: dockerEngine(server.address, clock), server, clock };
}
const refusal = (status: number): readonly [RegExp, Answer] => [
  /./,
  json(status, { message: 'what the engine said' }),
];

const kinds: readonly (readonly [number, string])[] = [
  [400, 'bad_request'],
  [403, 'denied'],
  [409, 'conflict'],
  [500, 'refused'],
];
test.for(kinds)(
  'status %i is the failure %s with the words of the engine',
  async ([status, kind]) => {
    const { engine } = await bench([refusal(status)]);
    await expect(engine.startContainer('c1')).rejects.toMatchObject({
      code: 'engine_error',
      statusCode: status,
      kind,
      message: 'what the engine said',
    });
    engine.close();
  },
);

test('an engine that is not there is away', async () => {
  const engine = dockerEngine({ kind: 'socket', path: '/nowhere/docker.sock' }, new FakeClock());
  await expect(engine.version()).rejects.toMatchObject({ kind: 'away', message: 'ENOENT' });
});

test('DOCKER_HOST of the process does not lead calls elsewhere', async () => {
  const before = process.env['DOCKER_HOST'];
  process.env['DOCKER_HOST'] = 'tcp://127.0.0.1:1';
  try {
    const { engine } = await bench([[/GET \/version/, json(200, { ApiVersion: '1.41' })]]);
    expect(await engine.version()).toMatchObject({ apiVersion: '1.41' });
    engine.close();
  } finally {
    if (before === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = before;
  }
});

test('an engine that does not answer fails the call at its limit', async () => {
  const { engine, server, clock } = await bench([[/./, silence]]);
  const look = engine.container('c1');
  look.catch(() => undefined);
  await server.request(/GET/);
  await clock.advance(10_000);
  await expect(look).rejects.toMatchObject({ kind: 'timeout' });
  expect(clock.pending).toBe(0);
  engine.close();
});

test('calls after another use one connection', async () => {
  const { engine, server } = await bench([[/GET \/version/, json(200, {})]]);
  for (let call = 0; call < 5; call++) await engine.version();
  expect(server.connections).toBe(1);
  engine.close();
});

test('a connection that the engine closed meanwhile is replaced without a failure', async () => {
  let calls = 0;
  const { engine } = await bench([
    [
      /GET \/version/,
      (request, response) => {
        if (++calls === 2) response.destroy();
        else json(200, { Version: String(calls) })(request, response);
      },
    ],
  ]);
  await engine.version();
  expect(await engine.version()).toMatchObject({ version: '3' });
  engine.close();
});

test('the digits of "since" reach the engine as they are', async () => {
  const { engine, server } = await bench([
    [/logs/, (_, response) => void response.writeHead(200).end()],
  ]);
  const { signal } = new AbortController();
  await engine.logStream('c1', { since: '1767225600.123456789', tail: 10 }, signal);
  const { line } = await server.request(/logs/);
  expect(line).toBe(
    'GET /containers/c1/logs?stdout=1&stderr=1&timestamps=1&follow=1&since=1767225600.123456789&tail=10',
  );
  engine.close();
});

test('a log stream ends when its signal is aborted', async () => {
  const { engine } = await bench([
    [/logs/, (_, response) => void response.writeHead(200).write('x')],
  ]);
  const cut = new AbortController();
  const stream = await engine.logStream('c1', { since: null }, cut.signal);
  stream.on('data', () => cut.abort());
  const read = finished(stream);
  await expect(read).rejects.toThrow();
  engine.close();
});

test('a create sends its body, and no part of it in the address', async () => {
  const { engine, server } = await bench([[/create/, json(201, { Id: 'abc' })]]);
  const body = {
    Image: 'i',
    Cmd: [],
    Env: ['TOKEN=s3cret'],
    Labels: {},
    HostConfig: { Init: true },
  };
  expect(await engine.createContainer('preloop-1', body)).toBe('abc');
  const { line, body: sent } = await server.request(/create/);
  expect(line).toBe('POST /containers/create?name=preloop-1');
  expect(JSON.parse(sent)).toEqual(body);
  engine.close();
});

test('what is gone counts as removed and signalled, what does not run as signalled', async () => {
  const { engine } = await bench([
    [/kill/, json(409, { message: 'is not running' })],
    [/./, json(404, { message: 'No such container' })],
  ]);
  await engine.signalContainer('c1', 'SIGTERM');
  await engine.removeContainer('c1');
  await engine.removeNetwork('n1');
  await engine.removeVolume('v1');
  expect(await engine.container('c1')).toBeUndefined();
  expect(await engine.image('some/image:1')).toBeUndefined();
  engine.close();
});

test('a start of what runs already is no failure', async () => {
  const { engine } = await bench([[/start/, nothing(304)]]);
  await engine.startContainer('c1');
  engine.close();
});

const pullOptions = (more: Partial<PullOptions> = {}): PullOptions => ({
  credentials: null,
  progress: () => undefined,
  signal: new AbortController().signal,
  ...more,
});

const references: readonly (readonly [string, string])[] = [
  ['ubuntu', 'fromImage=ubuntu&tag=latest'],
  ['host:5000/a/b:1.2', 'fromImage=host%3A5000%2Fa%2Fb&tag=1.2'],
  ['a/b@sha256:0123', 'fromImage=a%2Fb&tag=sha256%3A0123'],
  ['a/b:1@sha256:0123', 'fromImage=a%2Fb&tag=sha256%3A0123'],
];
test.for(references)('%s is pulled as one image, never as all its tags', async ([image, query]) => {
  const { engine, server } = await bench([[/POST/, json(200, { status: 'Done' })]]);
  await engine.pull(image, pullOptions());
  expect((await server.request(/POST/)).line).toBe(`POST /images/create?${query}`);
  engine.close();
});

test('credentials go in the header made for them', async () => {
  const { engine, server } = await bench([[/POST/, json(200, {})]]);
  const credentials = { username: 'me', password: 'p?>~', serveraddress: 'ghcr.io' };
  await engine.pull('ghcr.io/a/b:1', pullOptions({ credentials }));
  const { headers, line, body } = await server.request(/POST/);
  const header = String(headers['x-registry-auth']);
  expect(header).toMatch(/^[A-Za-z0-9_=-]+$/);
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual(credentials);
  expect(line + body).not.toContain('p?>~');
  engine.close();
});

test('an aborted pull ends at once with the reason of its signal', async () => {
  const { engine, server } = await bench([
    [/POST/, (_, response) => void response.writeHead(200).write('{"status":"Pulling"}\n')],
  ]);
  const cut = new AbortController();
  const pull = engine.pull('a/b:1', pullOptions({ signal: cut.signal }));
  pull.catch(() => undefined);
  await server.request(/POST/);
  const why = new Error('stopped');
  cut.abort(why);
  await expect(pull).rejects.toBe(why);
  engine.close();
});

test('a wait is not cut off by any limit', async () => {
  const held = Promise.withResolvers<() => void>();
  const { engine, clock } = await bench([
    [
      /wait/,
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        held.resolve(() => void response.end('{"StatusCode":3}'));
      },
    ],
  ]);
  const wait = engine.wait('c1');
  const exit = await held.promise;
  await clock.advance(24 * 3_600_000);
  exit();
  expect(await wait).toBe(3);
  engine.close();
});

test('a wait that breaks off is a failure, not an exit', async () => {
  const { engine } = await bench([
    [
      /wait/,
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '16' });
        response.write('{"Sta', () => response.destroy());
      },
    ],
  ]);
  await expect(engine.wait('c1')).rejects.toMatchObject({ kind: 'away' });
  engine.close();
});

test('the real clock is the default', () => {
  const engine = dockerEngine({ kind: 'socket', path: '/nowhere' }, systemClock);
  engine.close();
  engine.close();
});
