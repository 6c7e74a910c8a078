/** The quick end of a host that no later start takes up: what goes, what is named, how long it may take. */
import { expect, test } from 'vitest';
import {
  dockerJobs,
  forceEnd,
  LAST_LOOK_MS,
  ORDERLY_LIMIT_MS,
  type ForcedEndDeps,
} from '../../../main/services/forced-end.ts';
import type { Leftover } from '../../../runner-core/model/leftover.ts';
import { jobIdOf } from '../../support/builders.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const CONTAINER = { kind: 'container', id: 'c1', name: 'preloop-one' } as const;
const NETWORK = { kind: 'network', id: 'n1', name: 'shared' } as const;
const PROJECT = { kind: 'compose_project', name: 'stack' } as const;
const LABEL = 'ai.preloop.runner-host.host=host-1';

class OwnEngine {
  things: (typeof CONTAINER | typeof NETWORK)[] = [NETWORK, CONTAINER];
  readonly killed: Leftover[] = [];
  readonly removed: Leftover[] = [];
  state: 'there' | 'away' | 'stuck' | 'refuses' = 'there';

  async ofHost(): Promise<Awaited<ReturnType<ForcedEndDeps['engine']['ofHost']>>> {
    if (this.state === 'stuck') await new Promise(() => undefined);
    if (this.state === 'away') return null;
    const things = this.things.map((leftover) => ({ jobId: null, leftover }));
    return { engine: null, things };
  }

  kill(leftover: Leftover): Promise<void> {
    this.killed.push(leftover);
    return this.state === 'refuses' ? Promise.reject(new Error('refused')) : Promise.resolve();
  }

  remove(leftover: Leftover): Promise<void> {
    if (this.state === 'refuses') return Promise.reject(new Error('refused'));
    this.removed.push(leftover);
    this.things = this.things.filter((thing) => thing.name !== leftover.name);
    return Promise.resolve();
  }
}

const JOB = jobIdOf(1);

function bench(changes: Partial<ForcedEndDeps> = {}) {
  const clock = new FakeClock();
  const engine = new OwnEngine();
  const end = (): ReturnType<typeof forceEnd> =>
    forceEnd({
      clock,
      engine,
      hostInstance: 'host-1',
      held: [JOB],
      projects: [],
      stopped: Promise.resolve(),
      ...changes,
    });
  return { clock, engine, end };
}

test('a stop that ends once the containers are killed is waited for, and does the rest', async () => {
  const stopped = Promise.withResolvers<undefined>();
  const { clock, engine, end } = bench({ stopped: stopped.promise.then(() => undefined) });
  const ended = end();
  await clock.advance(1_000);
  expect([engine.killed, engine.removed]).toEqual([[CONTAINER], []]);
  engine.things = [];
  stopped.resolve(undefined);
  expect([await ended, engine.removed]).toEqual([{ kind: 'removed' }, []]);
});

test('containers go first, then what hangs on them, and nothing is left', async () => {
  const { clock, engine, end } = bench({ projects: [PROJECT] });
  expect(await end()).toEqual({ kind: 'removed' });
  expect(engine.killed).toEqual([CONTAINER]);
  expect(engine.removed).toEqual([CONTAINER, PROJECT, NETWORK]);
  expect(clock.pending).toBe(0);
});

test('a stop that does not end holds it up for so long and no longer; what came meanwhile goes too', async () => {
  const { clock, engine, end } = bench({ stopped: new Promise(() => undefined) });
  const ended = end();
  await clock.advance(ORDERLY_LIMIT_MS - 1);
  expect(engine.removed).toEqual([]);
  await clock.advance(1);
  expect([await ended, engine.things]).toEqual([{ kind: 'removed' }, []]);
});

test('what the engine does not remove is named', async () => {
  const { engine, end } = bench();
  engine.state = 'refuses';
  expect(await end()).toEqual({ kind: 'left', things: [NETWORK, CONTAINER], label: LABEL });
});

test.each(['away', 'stuck'] as const)(
  'an engine that is %s: with a job held it is not known what is left, without one nothing is',
  async (state) => {
    for (const held of [[], [JOB]]) {
      const { clock, engine, end } = bench({ held });
      engine.state = state;
      const ended = end();
      await clock.advance(ORDERLY_LIMIT_MS + LAST_LOOK_MS);
      expect(await ended).toEqual(
        held.length === 0 ? { kind: 'removed' } : { kind: 'left', things: null, label: LABEL },
      );
    }
  },
);

test('a local command that is held hides no container: without Docker nothing is left', async () => {
  const command = { job: { spec: { kind: 'host_exec', jobId: jobIdOf(2) } } } as const;
  const held = dockerJobs([command]);
  const { engine, end } = bench({ held });
  engine.state = 'away';
  expect(await end()).toEqual({ kind: 'removed' });
  const launch = { job: { spec: { kind: 'docker_launch', jobId: JOB } } } as const;
  expect(dockerJobs([command, launch])).toEqual([JOB]);
});
