/** What a pause means for a job that a previous host accepted and did not start. */
import { expect, test } from 'vitest';
import type { JobEvent } from '../../../runner-core/model/job-machine.ts';
import { stoppedVerdict } from '../../../runner-core/wire/result-report.ts';
import { jobPayload } from '../../support/builders.ts';
import { JOB, LAUNCHED, benchOf, storeAfter, type JobBench } from '../../support/job-bench.ts';
import { ENGINE } from '../../support/listener-bench.ts';

/** Paused before it dials, as a host that was paused is at its next start. */
async function pausedBench(
  unstarted: 'wait' | 'start',
  events: readonly JobEvent[] = [],
  engine = (): typeof ENGINE | null => ENGINE,
): Promise<JobBench> {
  const bench = benchOf({ store: storeAfter(events), deps: { engine } });
  bench.plane.hello = { jobs: [jobPayload(1)] };
  bench.listener.pause({ unstarted });
  await bench.start();
  return bench;
}

test.each([
  ['accepted', []],
  ['starting', [LAUNCHED]],
] as const)(
  'a job left %s waits while the host is paused, and starts once when resumed',
  async (state, events) => {
    const bench = await pausedBench('wait', events);
    bench.plane.session.deliver({ type: 'ack', jobs: [jobPayload(1)] });
    await bench.clock.advance(600_000);
    expect([bench.launcher.workers.length, bench.verdict()]).toEqual([0, state]);
    expect(bench.plane.sent('status')).toEqual([]);
    bench.listener.resume();
    bench.listener.resume();
    await bench.settle();
    expect(bench.launcher.worker.receivedOf('run')).toHaveLength(1);
    expect(bench.launcher.workers).toHaveLength(1);
    expect(bench.plane.sent('status')).toMatchObject([{ execution_id: JOB, status: 'RUNNING' }]);
  },
);

test('a pause after running jobs finishes what was accepted', async () => {
  const bench = await pausedBench('start');
  expect(bench.launcher.worker.receivedOf('run')).toHaveLength(1);
});

test('a pause that is changed to one after running jobs starts what waited', async () => {
  const bench = await pausedBench('wait');
  bench.listener.pause({ unstarted: 'start' });
  await bench.settle();
  expect([bench.listener.intake, bench.launcher.workers.length]).toEqual(['paused', 1]);
});

test('a drain of a paused host starts what waited, so that it comes to its end', async () => {
  const bench = await pausedBench('wait');
  void bench.listener.drain();
  await bench.settle();
  expect(bench.launcher.workers).toHaveLength(1);
});

test('an engine that is found while the host is paused starts nothing', async () => {
  let engine: typeof ENGINE | null = null;
  const bench = await pausedBench('wait', [], () => engine);
  engine = ENGINE;
  bench.listener.engineFound();
  await bench.settle();
  expect(bench.launcher.workers).toEqual([]);
});

test('a job that waits for the end of a pause can be stopped by its owner', async () => {
  const bench = await pausedBench('wait');
  bench.listener.stopJob(JOB, 'owner');
  await bench.settle();
  expect(bench.verdict()).toEqual(stoppedVerdict('owner'));
});
