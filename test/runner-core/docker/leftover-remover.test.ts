import { expect, test } from 'vitest';
import { EngineError } from '../../../runner-core/docker/docker-engine.ts';
import { COMPOSE_PROJECT_LABEL, LABEL } from '../../../runner-core/docker/labels.ts';
import { EngineLeftoverRemover } from '../../../runner-core/docker/leftover-remover.ts';
import type { EngineAddress } from '../../../runner-core/worker/protocol.ts';
import { jobIdOf, runnerIdOf } from '../../support/builders.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeEngine } from '../../support/fake-engine.ts';

const ADDRESS: EngineAddress = { kind: 'socket', path: '/var/run/docker.sock' };
const OURS = { [LABEL.execution]: jobIdOf(1), [LABEL.runner]: 'runner-1' };

function bench(address: EngineAddress | null = ADDRESS): {
  engine: FakeEngine;
  clock: FakeClock;
  remover: EngineLeftoverRemover;
} {
  const engine = new FakeEngine();
  const clock = new FakeClock();
  return {
    engine,
    clock,
    remover: new EngineLeftoverRemover(
      () => address,
      clock,
      () => engine,
    ),
  };
}
async function container(
  engine: FakeEngine,
  name: string,
  labels: Readonly<Record<string, string>>,
): Promise<string> {
  return engine.createContainer(name, {
    Image: 'x',
    Cmd: [],
    Env: [],
    Labels: labels,
    HostConfig: {},
  });
}

test('a container is removed and looked for; one that is gone is no failure', async () => {
  const { engine, remover } = bench();
  const id = await container(engine, 'a', OURS);
  engine.calls.length = 0;
  await remover.remove({ kind: 'container', id, name: 'a' });
  await remover.remove({ kind: 'container', id, name: 'a' });
  const once = [`removeContainer ${id}`, `container ${id}`, 'close'];
  expect(engine.calls).toEqual([...once, ...once]);
});

test('a removal that somebody else has begun is waited for, and given up after 30 s', async () => {
  const { engine, clock, remover } = bench();
  const id = await container(engine, 'a', OURS);
  engine.failNext('removeContainer', 'conflict', 'removal is already in progress', 409);
  const removal = remover.remove({ kind: 'container', id, name: 'a' });
  removal.catch(() => undefined);
  await clock.advance(29_000);
  engine.made.delete(id);
  await clock.advance(100);
  await removal;

  const stuck = await container(engine, 'b', OURS);
  engine.failNext('removeContainer', 'conflict', 'removal is already in progress', 409);
  const failed = remover.remove({ kind: 'container', id: stuck, name: 'b' });
  failed.catch(() => undefined);
  await clock.advance(31_000);
  await expect(failed).rejects.toMatchObject({ kind: 'timeout' });
});

test('an engine that is away makes the removal fail, and there being none too', async () => {
  const { engine, remover } = bench();
  engine.failNext('removeContainer', 'away', 'ECONNREFUSED', null);
  const leftover = { kind: 'container', id: 'a', name: 'a' } as const;
  await expect(remover.remove(leftover)).rejects.toMatchObject({ kind: 'away' });
  await expect(bench(null).remover.remove(leftover)).rejects.toMatchObject({ kind: 'away' });
});

const networks: readonly (readonly [
  string,
  Readonly<Record<string, string>>,
  string[],
  boolean,
])[] = [
  ['a network of ours without containers goes', OURS, [], true],
  ['a network of ours in use stays', OURS, ['c1'], false],
  ['a network of somebody else stays', {}, [], false],
];
test.for(networks)('%s', async ([, labels, containers, goes]) => {
  const { engine, remover } = bench();
  engine.networkList = [{ id: 'n1', name: 'net', labels, containers }];
  await remover.remove({ kind: 'network', id: 'n1', name: 'net' });
  expect(engine.networkList).toHaveLength(goes ? 0 : 1);
});

test('a network that is joined during its removal stays, without failure', async () => {
  const { engine, remover } = bench();
  engine.networkList = [{ id: 'n1', name: 'net', labels: OURS, containers: [] }];
  engine.failNext('removeNetwork', 'denied', 'network has active endpoints', 403);
  await remover.remove({ kind: 'network', id: 'n1', name: 'net' });
  expect(engine.networkList).toHaveLength(1);
});

test("a compose project's containers, networks and volumes go, and nothing of another", async () => {
  const { engine, remover } = bench();
  const [mine, other] = ['preloop-1', 'preloop-2'].map((name) => ({
    [COMPOSE_PROJECT_LABEL]: name,
  }));
  await container(engine, 'db', mine ?? {});
  const kept = await container(engine, 'web', other ?? {});
  engine.networkList = [
    {
      id: 'n1',
      name: 'p_default',
      labels: mine ?? {},
      containers: ['the-job'],
    },
  ];
  engine.volumeLabels.set('p_data', mine ?? {});
  engine.volumeLabels.set('q_data', other ?? {});
  await remover.remove({ kind: 'compose_project', name: 'preloop-1' });
  expect([...engine.made.keys()]).toEqual([kept]);
  expect(engine.networkList).toEqual([]);
  expect(engine.calls).toContain('leaveNetwork n1 the-job');
  expect([...engine.volumeLabels.keys()]).toEqual(['q_data']);
});

test("the runner's own containers are listed with their jobs; an engine that is away is not one without any", async () => {
  const { engine, remover } = bench();
  const id = await container(engine, 'preloop-a', OURS);
  await engine.startContainer(id);
  await container(engine, 'other', { ...OURS, [LABEL.runner]: 'runner-2' });
  await container(engine, 'broken', { [LABEL.runner]: 'runner-1', [LABEL.execution]: '../x' });
  expect(await remover.labelled(runnerIdOf('runner-1'))).toEqual([
    { leftover: { kind: 'container', id, name: 'preloop-a' }, jobId: jobIdOf(1), running: true },
  ]);
  engine.failNext('containers', 'away', 'ECONNREFUSED', null);
  await expect(remover.labelled(runnerIdOf('runner-1'))).rejects.toThrow('ECONNREFUSED');
  await expect(bench(null).remover.labelled(runnerIdOf('runner-1'))).rejects.toThrow(EngineError);
});
