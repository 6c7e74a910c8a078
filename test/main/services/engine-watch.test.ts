import { expect, test } from 'vitest';
import { EngineWatch } from '../../../main/services/engine-watch.ts';
import type { EndpointProbe, Probed } from '../../../runner-core/docker/engine-choice.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { RecordingLog } from '../../support/listener-bench.ts';

const SOCKET = '/tmp/engine.sock';
const UP: Probed = {
  kind: 'engine',
  engine: { version: '24.0.7', apiVersion: '1.43', os: 'linux', arch: 'amd64' },
};

class Bench {
  readonly clock = new FakeClock();
  readonly told: string[] = [];
  found: Probed = { kind: 'absent' };
  stamp = '';
  /** Connections tried. */
  probes = 0;
  stamps = 0;
  readonly watch: EngineWatch;

  constructor() {
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
      uid: 1000,
    };
    this.watch = new EngineWatch({
      environment: { DOCKER_HOST: `unix://${SOCKET}` },
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
  ['that is too old', { kind: 'engine', engine: { ...UP.engine, apiVersion: '1.40' } }],
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
