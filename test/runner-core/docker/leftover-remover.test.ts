import { expect, test } from 'vitest';
import { EngineError } from '../../../runner-core/docker/docker-engine.ts';
import { COMPOSE_PROJECT_LABEL, LABEL } from '../../../runner-core/docker/labels.ts';
import {
  EngineLeftoverRemover,
  type EngineInUse,
} from '../../../runner-core/docker/leftover-remover.ts';
import type { EngineIdentity } from '../../../runner-core/model/leftover.ts';
import type { EngineAddress } from '../../../runner-core/worker/protocol.ts';
import { composeProjectName } from '../../../runner-core/wire/launch.ts';
import { jobIdOf, runnerIdOf } from '../../support/builders.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeEngine } from '../../support/fake-engine.ts';

const ADDRESS: EngineAddress = { kind: 'socket', path: '/var/run/docker.sock' };
const OURS = { [LABEL.execution]: jobIdOf(1), [LABEL.runner]: 'runner-1' };

class FakeEngineInUse implements EngineInUse {
  /** How often a call to it got no answer. */
  misses = 0;
  known: EngineIdentity = { id: 'ENGINE-1', at: '/var/run/docker.sock' };
  readonly #address: EngineAddress | null;

  constructor(address: EngineAddress | null) {
    this.#address = address;
  }
  address(): EngineAddress | null {
    return this.#address;
  }
  identity(): EngineIdentity | null {
    return this.#address === null ? null : this.known;
  }
  missed(): void {
    this.misses += 1;
  }
}

function bench(address: EngineAddress | null = ADDRESS): {
  engine: FakeEngine;
  clock: FakeClock;
  inUse: FakeEngineInUse;
  remover: EngineLeftoverRemover;
} {
  const engine = new FakeEngine();
  const clock = new FakeClock();
  const inUse = new FakeEngineInUse(address);
  return {
    inUse,
    engine,
    clock,
    remover: new EngineLeftoverRemover(inUse, clock, () => engine),
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

test.each<[string, Readonly<Record<string, string>>, boolean]>([
  ['of this host goes', { [LABEL.host]: 'host-1' }, true],
  ['of this runner, by a host whose database was lost, goes', { [LABEL.host]: 'host-0' }, true],
  [
    'of another host and runner stays',
    { [LABEL.host]: 'host-2', [LABEL.runner]: 'runner-2' },
    false,
  ],
  ['of no host stays', { [LABEL.runner]: '' }, false],
])('for a known owner a network %s', async (_, labels, goes) => {
  const { engine } = bench();
  const remover = new EngineLeftoverRemover(
    new FakeEngineInUse(ADDRESS),
    new FakeClock(),
    () => engine,
    () => ({ hostInstance: 'host-1', runnerId: 'runner-1' }),
  );
  engine.networkList = [{ id: 'n1', name: 'net', labels: { ...OURS, ...labels }, containers: [] }];
  await remover.remove({ kind: 'network', id: 'n1', name: 'net' });
  expect(engine.networkList).toHaveLength(goes ? 0 : 1);
});

test('networks that cannot be listed hold no container up', async () => {
  const { engine, remover } = bench();
  const id = await container(engine, 'preloop-a', OURS);
  engine.failNext('networks', 'not_found', 'page not found', 404);
  expect(await remover.labelled(runnerIdOf('runner-1'))).toMatchObject([{ leftover: { id } }]);
});

test("with the runner's containers its networks are listed, and the compose projects of those jobs", async () => {
  const { engine, remover } = bench();
  const id = await container(engine, 'preloop-a', OURS);
  const project = composeProjectName(jobIdOf(1));
  await container(engine, 'db', { [COMPOSE_PROJECT_LABEL]: project });
  await container(engine, 'other', { [COMPOSE_PROJECT_LABEL]: composeProjectName(jobIdOf(2)) });
  engine.networkList = [
    { id: 'n1', name: 'net', labels: { ...OURS, [LABEL.execution]: jobIdOf(7) }, containers: [] },
    { id: 'n2', name: 'foreign', labels: { [LABEL.runner]: 'runner-2' }, containers: [] },
  ];
  expect(await remover.labelled(runnerIdOf('runner-1'))).toMatchObject([
    { leftover: { kind: 'container', id }, jobId: jobIdOf(1), running: false },
    { leftover: { kind: 'compose_project', name: project }, jobId: jobIdOf(1) },
    { leftover: { kind: 'network', id: 'n1', name: 'net' }, jobId: jobIdOf(7) },
  ]);
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
  const { engine, inUse, remover } = bench();
  const id = await container(engine, 'preloop-a', OURS);
  await engine.startContainer(id);
  await container(engine, 'other', { ...OURS, [LABEL.runner]: 'runner-2' });
  await container(engine, 'broken', { [LABEL.runner]: 'runner-1', [LABEL.execution]: '../x' });
  expect(await remover.labelled(runnerIdOf('runner-1'))).toEqual([
    {
      leftover: { kind: 'container', id, name: 'preloop-a', engine: inUse.known },
      jobId: jobIdOf(1),
      running: true,
    },
  ]);
  engine.failNext('containers', 'away', 'ECONNREFUSED', null);
  await expect(remover.labelled(runnerIdOf('runner-1'))).rejects.toThrow('ECONNREFUSED');
  await expect(bench(null).remover.labelled(runnerIdOf('runner-1'))).rejects.toThrow(EngineError);
});

test('a call to an engine that gives no answer is told at once; a refusal is an answer', async () => {
  const { engine, inUse, remover } = bench();
  engine.failNext('containers', 'away', 'ENOENT', null);
  await expect(remover.labelled(runnerIdOf('runner-1'))).rejects.toThrow('ENOENT');
  expect(inUse.misses).toBe(1);
  engine.failNext('removeContainer', 'refused', 'no', 500);
  await expect(remover.remove({ kind: 'container', id: 'a', name: 'a' })).rejects.toThrow('no');
  expect(inUse.misses).toBe(1);
});

test('what is known to be in another engine is away, and the one in use is not asked', async () => {
  const { engine, remover } = bench();
  const there = { id: 'ENGINE-2', at: '/colima.sock' };
  for (const leftover of [
    { kind: 'container', id: 'a', name: 'a', engine: there },
    { kind: 'network', id: 'n', name: 'n', engine: there },
    { kind: 'compose_project', name: 'p', engine: there },
  ] as const)
    await expect(remover.remove(leftover)).rejects.toMatchObject({ kind: 'away' });
  expect(engine.calls).toEqual([]);
});

test('an engine that took the place of another unseen removes nothing, and is looked at', async () => {
  const { engine, inUse, remover } = bench();
  engine.ownId = 'ENGINE-2';
  const leftover = { kind: 'container', id: 'a', name: 'a', engine: inUse.known } as const;
  await expect(remover.remove(leftover)).rejects.toMatchObject({ kind: 'away' });
  expect(engine.calls).toEqual(['engineId', 'close']);
  expect(inUse.misses).toBe(1);
});

test('an engine without an id of its own is known by its address', async () => {
  const { inUse, remover } = bench();
  inUse.known = { id: null, at: '/podman.sock' };
  await remover.remove({ kind: 'container', id: 'a', name: 'a', engine: inUse.known });
  const elsewhere = { id: null, at: '/other.sock' };
  const removal = remover.remove({ kind: 'container', id: 'a', name: 'a', engine: elsewhere });
  await expect(removal).rejects.toMatchObject({ kind: 'away' });
});
