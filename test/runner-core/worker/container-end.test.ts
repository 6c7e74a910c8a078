import { expect, test } from 'vitest';
import {
  containerExit,
  ENGINE_AWAY_MS,
  findContainer,
} from '../../../runner-core/worker/container-end.ts';
import type { ContainerLeftover } from '../../../runner-core/ports.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeEngine } from '../../support/fake-engine.ts';

const CONTAINER: ContainerLeftover = {
  kind: 'container',
  id: '1'.padStart(64, '0'),
  name: 'preloop-1',
  engine: { id: 'ENGINE-1', at: '/var/run/docker.sock' },
};

test('a container that its own engine has not is gone', async () => {
  const engine = new FakeEngine();
  expect(await findContainer(engine, new FakeClock(), CONTAINER)).toBeUndefined();
  const { kind, id, name } = CONTAINER;
  const unnamed = { kind, id, name };
  engine.ownId = 'ENGINE-2';
  expect(await findContainer(engine, new FakeClock(), unnamed)).toBeUndefined();
});

test('a container that another engine has not is away with its own, and told once', async () => {
  const engine = new FakeEngine();
  const clock = new FakeClock();
  engine.ownId = 'ENGINE-2';
  let misses = 0;
  const missed = (): void => void (misses += 1);
  const looks = [
    findContainer(engine, clock, CONTAINER, missed),
    containerExit(engine, clock, CONTAINER, missed),
  ];
  const settled = Promise.allSettled(looks);
  await clock.advance(ENGINE_AWAY_MS - 1_000);
  expect(misses).toBe(2);
  await clock.advance(2_000);
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
