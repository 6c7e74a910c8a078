import { expect, test } from 'vitest';
import { EngineWatch } from '../../../main/services/engine-watch.ts';
import type { EndpointProbe, Probed } from '../../../runner-core/docker/engine-choice.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { RecordingLog } from '../../support/listener-bench.ts';

const SOCKET = '/tmp/engine.sock';
const UP = {
  kind: 'engine',
  engine: { version: '24.0.7', apiVersion: '1.43', os: 'linux', arch: 'amd64' },
  id: 'ENGINE-1',
} as const satisfies Probed;

class Bench {
  readonly clock = new FakeClock();
  readonly told: string[] = [];
  found: Probed = { kind: 'absent' };
  stamp = '';
  /** Connections tried. */
  probes = 0;
  stamps = 0;
  /** Short questions whether it answers still. */
  asked = 0;
  readonly watch: EngineWatch;

  constructor(environment: Readonly<Record<string, string>> = { DOCKER_HOST: `unix://${SOCKET}` }) {
    const probe: EndpointProbe = {
      readText: () => Promise.resolve(undefined),
      exists: () => Promise.resolve(false),
      stamp: (path) => {
        this.stamps += path === SOCKET ? 1 : 0;
        return Promise.resolve(path === SOCKET ? this.stamp : '');
      },
      probe: () => {
        this.probes += 1;
        return Promise.resolve(this.found);
      },
      answers: (_, id) => {
        this.asked += 1;
        return Promise.resolve(this.found.kind === 'engine' && this.found.id === id);
      },
      uid: 1000,
    };
    this.watch = new EngineWatch({
      environment,
      homeDir: '/home/me',
      osName: 'linux',
      probe,
      clock: this.clock,
      log: new RecordingLog(),
      changed: (choice) => this.told.push(choice.ok ? 'ready' : choice.failure.kind),
    });
  }

  async looked(found: Probed): Promise<this> {
    this.found = found;
    await this.watch.look();
    return this;
  }

  async seconds(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 10) await this.clock.advance(10_000);
  }
}

test('an engine that answers is never asked again, nor its socket looked at', async () => {
  const bench = await new Bench().looked(UP);
  const { probes, stamps } = bench;
  await bench.seconds(3_600);
  expect([bench.probes, bench.stamps, bench.clock.pending]).toEqual([probes, stamps, 0]);
});

test('a socket that appears is found within 10 s, and nothing is connected to before', async () => {
  const bench = await new Bench().looked({ kind: 'absent' });
  const { probes } = bench;
  await bench.seconds(30);
  expect(bench.probes).toBe(probes);
  [bench.stamp, bench.found] = ['1', UP];
  await bench.seconds(10);
  expect(bench.told).toEqual(['not_running', 'ready']);
  expect(bench.clock.pending).toBe(0);
});

test('a socket of which the permissions change is tried again', async () => {
  const bench = await new Bench().looked({ kind: 'denied' });
  [bench.stamp, bench.found] = ['2', UP];
  await bench.seconds(10);
  expect(bench.told).toEqual(['no_permission', 'ready']);
});

test.for([
  ['that is too old', { ...UP, engine: { ...UP.engine, apiVersion: '1.40' } }],
  ['that this user may not use', { kind: 'denied' }],
] as const)('an engine %s is left in peace for an hour', async ([, found]) => {
  const bench = await new Bench().looked(found);
  await bench.seconds(3_600);
  expect(bench.probes).toBe(1);
});

test('an engine on its way up is tried every 10 s for five minutes, then every minute', async () => {
  const bench = await new Bench().looked({ kind: 'waking' });
  await bench.seconds(300);
  expect(bench.probes).toBe(31);
  await bench.seconds(600);
  expect(bench.probes).toBe(41);
  expect(bench.told).toEqual(['waking_up']);
});

test('where nobody listens a connection is tried once a minute, without a change of the files', async () => {
  const bench = await new Bench().looked({ kind: 'refused' });
  await bench.seconds(600);
  expect(bench.probes).toBe(11);
});

test('a watch that was stopped looks at nothing', async () => {
  const bench = await new Bench().looked({ kind: 'refused' });
  bench.watch.stop();
  await bench.seconds(600);
  expect([bench.probes, bench.clock.pending]).toEqual([1, 0]);
});

test('a call that got no answer makes the watch look at once, and say so', async () => {
  const bench = await new Bench().looked(UP);
  bench.found = { kind: 'absent' };
  bench.watch.missed();
  await bench.clock.advance(0);
  expect(bench.told).toEqual(['ready', 'not_running']);
  expect(bench.watch.address()).toBeNull();
});

test('before a job the engine is asked by one call, and looked for only where it does not answer', async () => {
  const bench = await new Bench().looked(UP);
  await Promise.all([bench.watch.check(), bench.watch.check()]);
  expect([bench.asked, bench.probes]).toEqual([1, 1]);
  bench.found = { kind: 'refused' };
  await bench.watch.check();
  expect([bench.asked, bench.probes, bench.told]).toEqual([2, 2, ['ready', 'not_running']]);
  await bench.watch.check();
  expect(bench.asked).toBe(2);
});

test('another engine at the same place is another one', async () => {
  const bench = await new Bench().looked(UP);
  expect(bench.watch.identity()).toEqual({ id: 'ENGINE-1', at: SOCKET });
  bench.found = { ...UP, id: 'ENGINE-2' };
  await bench.watch.check();
  expect(bench.watch.identity()).toEqual({ id: 'ENGINE-2', at: SOCKET });
  expect(bench.told).toEqual(['ready', 'ready']);
});

test('beside an engine that answers another is looked for only where the files changed', async () => {
  const bench = await new Bench().looked(UP);
  await bench.watch.lookIfChanged();
  expect(bench.probes).toBe(1);
  bench.stamp = '1';
  await bench.watch.lookIfChanged();
  expect(bench.probes).toBe(2);
});

test.for([
  ['not_running', { kind: 'refused' }],
  ['no_permission', { kind: 'denied' }],
  ['waking_up', { kind: 'waking' }],
  ['too_old', { ...UP, engine: { ...UP.engine, apiVersion: '1.40' } }],
] as const)(
  'an engine that was there and is %s now is told with one remedy',
  async ([kind, found]) => {
    const bench = await new Bench().looked(UP);
    bench.found = found;
    bench.watch.missed();
    await bench.clock.advance(0);
    expect(bench.told).toEqual(['ready', kind]);
    const { choice } = bench.watch;
    expect(choice?.ok === false && choice.failure.remedy).toMatch(/^[A-Z][^\n]+\.$/);
  },
);

test('an engine of which all trace is gone is not installed, with one remedy', async () => {
  const bench = new Bench({});
  await bench.looked(UP);
  bench.found = { kind: 'absent' };
  await bench.watch.check();
  expect(bench.told).toEqual(['ready', 'not_installed']);
  expect(bench.watch.problem).toMatch(/Install Docker/);
});
