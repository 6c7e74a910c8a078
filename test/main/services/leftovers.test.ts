import { expect, test } from 'vitest';
import { LeftoverBook } from '../../../main/services/leftover-book.ts';
import { FIRST_SWEEP_MS, Leftovers, SWEEP_EVERY_MS } from '../../../main/services/leftovers.ts';
import type { OwnedThing } from '../../../runner-core/docker/leftover-remover.ts';
import type { JobId } from '../../../runner-core/model/ids.ts';
import type { EngineIdentity, Leftover } from '../../../runner-core/model/leftover.ts';
import type { OutcomeKind } from '../../../runner-core/model/outcome.ts';
import type { ContainerLeftover } from '../../../runner-core/ports.ts';
import { aVerdict } from '../../support/job-builders.ts';
import { jobIdOf } from '../../support/builders.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { RecordingLog } from '../../support/listener-bench.ts';

const container = (n: number): ContainerLeftover => ({
  kind: 'container',
  id: n.toString(16).padStart(64, '0'),
  name: `preloop-${n}`,
});
const network = (n: number): Leftover & { kind: 'network' } => ({
  kind: 'network',
  id: `net-${n}`,
  name: `flow-net-${n}`,
});

class Bench {
  readonly clock = new FakeClock();
  readonly facts = new Map<string, string>();
  readonly held = new Set<JobId>();
  readonly notedBy = new Map<JobId, Leftover[]>();
  owned: OwnedThing[] = [];
  engine: 'there' | 'away' | 'refuses' = 'there';
  keepMs: number | null = null;
  here: EngineIdentity = { id: 'ENGINE-1', at: '/var/run/docker.sock' };
  /** Times the engine was asked what is there. */
  looks = 0;
  readonly leftovers: Leftovers;

  constructor(facts: ReadonlyMap<string, string> = new Map()) {
    for (const [name, value] of facts) this.facts.set(name, value);
    this.leftovers = new Leftovers({
      clock: this.clock,
      log: new RecordingLog(),
      book: new LeftoverBook({
        get: (name) => this.facts.get(name),
        set: (name, value) => void this.facts.set(name, value),
      }),
      store: {
        leftovers: (jobId) => this.notedBy.get(jobId) ?? [],
        forgetLeftover: (jobId) => void this.notedBy.delete(jobId),
      },
      noted: () =>
        [...this.notedBy].flatMap(([jobId, all]) =>
          this.held.has(jobId) ? [] : all.map((leftover) => ({ jobId, leftover })),
        ),
      engine: {
        ofHost: () => {
          this.looks += 1;
          return Promise.resolve(
            this.engine === 'away' ? null : { engine: this.here, things: this.owned },
          );
        },
        remove: (leftover) => {
          if (this.engine === 'refuses') return Promise.reject(new Error('refused'));
          const id = 'id' in leftover ? leftover.id : '';
          this.owned = this.owned.filter((thing) => thing.leftover.id !== id);
          return Promise.resolve();
        },
      },
      hostInstance: 'host-1',
      held: () => this.held,
      keepFailedMs: () => this.keepMs,
      changed: () => undefined,
    });
  }

  has(n: number, leftover: OwnedThing['leftover'] = container(n)): void {
    this.owned.push({ jobId: jobIdOf(n), leftover });
  }

  keeps(n: number, outcome: OutcomeKind = 'failed'): boolean {
    return this.leftovers.keep(jobIdOf(n), container(n), aVerdict({ outcome }));
  }

  names(): string[] {
    return this.owned.map(({ leftover }) => leftover.name);
  }
}

test('what nobody owns is removed and listed, what a held job made or uses stays', async () => {
  const bench = new Bench();
  bench.held.add(jobIdOf(2));
  bench.notedBy.set(jobIdOf(2), [network(3)]);
  for (const n of [1, 2]) bench.has(n);
  for (const n of [3, 4]) bench.has(n, network(n));
  await bench.leftovers.sweep();
  expect(bench.names()).toEqual(['preloop-2', 'flow-net-3']);
  expect(bench.leftovers.view().removed).toEqual(
    [
      ['network', 'flow-net-4', 4],
      ['container', 'preloop-1', 1],
    ].map(([kind, name, job]) => ({
      atMs: 0,
      kind,
      name,
      jobId: jobIdOf(Number(job)),
      why: 'unowned',
    })),
  );
});

test('what an ended job noted and the engine could not remove then is removed now, and forgotten', async () => {
  const bench = new Bench();
  bench.notedBy.set(jobIdOf(1), [{ kind: 'compose_project', name: 'preloop-project' }]);
  await bench.leftovers.sweep();
  expect(bench.notedBy.size).toBe(0);
  expect(bench.leftovers.view().removed).toMatchObject([{ name: 'preloop-project' }]);
});

test('the engine is asked after the start, and again only when jobs came or went', async () => {
  const bench = new Bench();
  bench.leftovers.start();
  await bench.clock.advance(FIRST_SWEEP_MS);
  await bench.clock.advance(SWEEP_EVERY_MS);
  await bench.clock.advance(SWEEP_EVERY_MS);
  expect(bench.looks).toBe(1);
  bench.leftovers.jobChanged();
  await bench.clock.advance(SWEEP_EVERY_MS);
  expect(bench.looks).toBe(2);
  await bench.leftovers.stop();
  expect(bench.clock.pending).toBe(0);
});

test.for(['away', 'refuses'] as const)(
  'what an engine that is %s keeps is listed only once it is gone',
  async (engine) => {
    const bench = new Bench();
    bench.engine = engine;
    bench.has(1);
    bench.leftovers.start();
    await bench.clock.advance(FIRST_SWEEP_MS);
    expect(bench.leftovers.view().removed).toEqual([]);
    bench.engine = 'there';
    await bench.clock.advance(SWEEP_EVERY_MS);
    expect([bench.names(), bench.leftovers.view().removed.length]).toEqual([[], 1]);
    await bench.leftovers.stop();
  },
);

test.for([
  ['failed', true],
  ['timed_out', true],
  ['succeeded', false],
  ['stopped', false],
  ['lost', false],
] as const)(
  'the container of a job that %s is kept where the owner wants it: %s',
  ([outcome, kept]) => {
    const bench = new Bench();
    expect(bench.keeps(1, outcome)).toBe(false);
    bench.keepMs = 7_200_000;
    expect(bench.keeps(1, outcome)).toBe(kept);
    expect(bench.leftovers.isKept(container(1).id)).toBe(kept);
  },
);

test('a kept container stays for its time, over a restart of the host, and is then removed', async () => {
  const before = new Bench();
  before.keepMs = 2 * SWEEP_EVERY_MS;
  before.keeps(1);
  const bench = new Bench(before.facts);
  bench.has(1);
  bench.notedBy.set(jobIdOf(1), [container(1)]);
  bench.leftovers.start();
  await bench.clock.advance(FIRST_SWEEP_MS);
  await bench.clock.advance(SWEEP_EVERY_MS);
  expect(bench.names()).toEqual(['preloop-1']);
  expect(bench.leftovers.view().kept).toMatchObject([{ jobId: jobIdOf(1), untilMs: 600_000 }]);
  await bench.clock.advance(SWEEP_EVERY_MS);
  expect(bench.names()).toEqual([]);
  expect(bench.leftovers.view()).toMatchObject({ kept: [], removed: [{ why: 'kept_over' }] });
  expect(bench.notedBy.size).toBe(0);
  await bench.leftovers.stop();
});

test('the owner removes a kept container before its time by how its id begins; a wrong one is refused', async () => {
  const bench = new Bench();
  bench.keepMs = 60_000;
  bench.keeps(1);
  bench.has(1);
  await expect(bench.leftovers.removeKept('ffff')).rejects.toMatchObject({ code: 'not_kept' });
  await expect(bench.leftovers.removeKept('')).rejects.toMatchObject({ code: 'not_kept' });
  bench.engine = 'refuses';
  await expect(bench.leftovers.removeKept('0000')).rejects.toMatchObject({ code: 'not_removed' });
  expect(bench.leftovers.view().kept).toHaveLength(1);
  bench.engine = 'there';
  await bench.leftovers.removeKept(container(1).id.slice(0, 12));
  expect(bench.names()).toEqual([]);
  expect(bench.leftovers.view()).toMatchObject({ kept: [], removed: [{ why: 'owner' }] });
});

test('a kept container that somebody removed by hand is no longer counted', async () => {
  const bench = new Bench();
  bench.keepMs = 60_000;
  bench.keeps(1);
  await bench.leftovers.sweep();
  expect(bench.leftovers.view()).toEqual({ kept: [], waiting: [], removed: [] });
});

test('a container that is only out of sight is not kept: it may be working still', () => {
  const bench = new Bench();
  bench.keepMs = 60_000;
  const reason = { code: 'docker_unavailable', facts: {} } as const;
  const verdict = aVerdict({ outcome: 'failed', reason });
  expect(bench.leftovers.keep(jobIdOf(1), container(1), verdict)).toBe(false);
  expect(bench.keeps(1)).toBe(true);
});

test('what is in another engine is neither removed nor taken for gone, and is listed as waiting', async () => {
  const there: EngineIdentity = { id: 'ENGINE-2', at: '/colima.sock' };
  const bench = new Bench();
  bench.keepMs = 60_000;
  const kept = { ...container(1), engine: there };
  expect(bench.leftovers.keep(jobIdOf(1), kept, aVerdict({ outcome: 'failed' }))).toBe(true);
  bench.notedBy.set(jobIdOf(1), [kept]);
  bench.notedBy.set(jobIdOf(2), [{ ...container(2), engine: there }]);
  await bench.clock.advance(120_000);
  await bench.leftovers.sweep();
  expect(bench.leftovers.view()).toMatchObject({
    kept: [{ id: container(1).id }],
    waiting: [{ kind: 'container', name: 'preloop-2', jobId: jobIdOf(2), at: '/colima.sock' }],
    removed: [],
  });
  expect(bench.notedBy.size).toBe(2);
  bench.here = there;
  await bench.leftovers.sweep();
  expect(bench.leftovers.view()).toMatchObject({ kept: [], waiting: [] });
  expect(bench.notedBy.size).toBe(0);
});
