import { expect, test } from 'vitest';
import { endpointProbe } from '../../../runner-core/docker/endpoint-probe.ts';
import { EngineServer, json, nothing, type Answer } from '../../support/engine-server.ts';

const VERSION = { Version: '29.1', ApiVersion: '1.52', Os: 'linux', Arch: 'amd64' };
const ENGINE = { version: '29.1', apiVersion: '1.52', os: 'linux', arch: 'amd64' };

function serverWith(info: Answer, version: Answer = json(200, VERSION)): EngineServer {
  return new EngineServer([
    [/^GET \/version/, version],
    [/^GET \/info/, info],
  ]);
}

/** As Podman does it. */
function anotherIdEachTime(): Answer {
  let answers = 0;
  return (request, response) => json(200, { ID: `ID-${(answers += 1)}` })(request, response);
}

test.for([
  ['its own, where it lasts', json(200, { ID: 'ABCD' }), 'ABCD'],
  ['none, where it gives another each time', anotherIdEachTime(), null],
  ['none, where it gives none', json(200, {}), null],
  ['none, where it does not know the question', json(404, { message: 'no' }), null],
] as const)('the id of an engine is %s', async ([, info, id]) => {
  const server = serverWith(info);
  await server.listening;
  const found = await endpointProbe().probe(server.address);
  expect(found).toEqual({ kind: 'engine', engine: ENGINE, id });
});

test('an engine that does not tell its id yet is waking up', async () => {
  const server = serverWith(nothing(503));
  await server.listening;
  expect(await endpointProbe().probe(server.address)).toEqual({ kind: 'waking' });
});

test('whether the engine is still there costs one question', async () => {
  const server = serverWith(json(200, { ID: 'ABCD' }));
  await server.listening;
  const probe = endpointProbe();
  expect(await probe.answers(server.address, 'ABCD')).toBe(true);
  expect(await probe.answers(server.address, 'OTHER')).toBe(false);
  expect(await probe.answers(server.address, null)).toBe(true);
  expect(server.requests.map(({ line }) => line.split(' ')[1])).toEqual([
    '/info',
    '/info',
    '/version',
  ]);
  expect(await probe.answers({ kind: 'socket', path: '/nowhere.sock' }, null)).toBe(false);
});
