/** A local command that is stopped, or whose time is over, before it starts, between two starts, and after its result. */
import { expect, test } from 'vitest';
import type { Clock, Timer } from '../../runner-core/ports.ts';
import { systemClock } from '../../runner-core/system.ts';
import { HostJob, hostFolder } from '../support/host-job-bench.ts';

const DEADLINE_MS = 40_000;

/** The system's, but for the timers of a deadline: they are kept, and go off when the test says so. */
class HeldDeadlines implements Clock {
  /** Delays asked for, in order. */
  readonly askedMs: number[] = [];
  readonly #held = new Set<() => void>();

  nowMs(): number {
    return systemClock.nowMs();
  }
  monotonicMs(): number {
    return systemClock.monotonicMs();
  }
  wait(delayMs: number, signal?: AbortSignal): Promise<void> {
    return systemClock.wait(delayMs, signal);
  }

  after(delayMs: number, act: () => void): Timer {
    // What else waits here waits for 10 s at most, or for a minute.
    if (delayMs <= 10_000 || delayMs > DEADLINE_MS) return systemClock.after(delayMs, act);
    this.askedMs.push(delayMs);
    this.#held.add(act);
    return { cancel: () => void this.#held.delete(act) };
  }

  goOff(): void {
    for (const act of [...this.#held]) act();
  }
}

test('a halt before its turn to start starts nothing', async () => {
  const job = new HostJob(await hostFolder(), { grants: false }).start();
  await job.message('start_wanted');
  job.stop();
  expect((await job.ended()).verdict.status).toBe('STOPPED');
  expect(await job.receipts()).toEqual([]);
  expect(await job.directories()).toEqual([]);
});

test.for([
  ['nothing', [], 0],
  ['something', [{ write: { path: 'kept' } }], 1],
] as const)(
  'a halt after the result of a command that left %s in its directory wins over it, and nothing runs on',
  async ([, wrote, directories]) => {
    const play = [...wrote, { child: 'deaf_session' }, { init: true }, { result: true }];
    const job = new HostJob(await hostFolder(), { play: [...play, { hang: true }] }).start();
    await job.receipt((receipt) => receipt['step'] === 'result');
    job.stop();
    const { verdict } = await job.ended();
    expect(verdict).toMatchObject({ status: 'STOPPED', error: '', result: null });
    expect(await job.survivors()).toEqual([]);
    expect(await job.directories()).toHaveLength(directories);
  },
);

test('a halt while a job is prepared starts nothing, and asks for no turn', async () => {
  const job = new HostJob(await hostFolder()).start();
  expect(job.messages).toMatchObject([{ kind: 'phase', phase: 'preparing' }]);
  job.stop();
  expect((await job.ended()).verdict).toMatchObject({ status: 'STOPPED', error: '', exitCode: -1 });
  expect(job.messages.filter(({ kind }) => kind === 'start_wanted')).toEqual([]);
  expect(await job.receipts()).toEqual([]);
  expect(await job.directories()).toEqual([]);
});

/** Resolves when the job waits for its second turn to start. */
async function secondTurn(job: HostJob): Promise<void> {
  const wanted = () => job.messages.filter(({ kind }) => kind === 'start_wanted');
  await job.message('start_wanted');
  job.grant();
  await job.message('start_wanted', () => wanted().length === 2);
}

test('a halt before the turn to start once more starts nothing more, and leaves no directory', async () => {
  const play = 'config_race_once';
  const job = new HostJob(await hostFolder(), { play, grants: false }).start();
  await secondTurn(job);
  job.stop();
  expect((await job.ended()).verdict).toMatchObject({ status: 'STOPPED', error: '' });
  expect(await job.receipts('start')).toHaveLength(1);
  expect(await job.directories()).toEqual([]);
});

test('the deadline of a job holds while it waits to start once more', async () => {
  const clock = new HeldDeadlines();
  const job = new HostJob(await hostFolder(), {
    play: 'config_race_once',
    grants: false,
    timeoutSeconds: DEADLINE_MS / 1_000,
    clock,
  }).start();
  await secondTurn(job);
  clock.goOff();
  expect((await job.ended()).verdict).toMatchObject({
    status: 'FAILED',
    outcome: 'timed_out',
    reason: { code: 'host_exec_timeout' },
  });
  expect(await job.receipts('start')).toHaveLength(1);
  expect(await job.directories()).toEqual([]);
});

test('one deadline counts for both starts: the second has what the first left', async () => {
  const clock = new HeldDeadlines();
  const timeoutSeconds = DEADLINE_MS / 1_000;
  const play = 'config_race_once';
  // Told apart from the deadline by its length.
  const profile = { lingerSeconds: 5 };
  const job = new HostJob(await hostFolder(), { play, profile, timeoutSeconds, clock }).start();
  expect((await job.ended()).verdict.status).toBe('SUCCEEDED');
  const [first = 0, wait = 0, second = 0] = clock.askedMs;
  expect(clock.askedMs).toHaveLength(3);
  expect(first).toBeLessThanOrEqual(DEADLINE_MS);
  // Its output is waited for and its group looked for in between.
  expect(wait).toBeLessThan(first);
  expect(second).toBeLessThan(wait);
});

test('a worker whose host is gone before the start starts nothing, even if its turn had come', async () => {
  const job = new HostJob(await hostFolder(), { grants: false }).start();
  await job.message('start_wanted');
  job.grant();
  const gone = job.abandon();
  await gone;
  await job.ended();
  expect(await job.receipts()).toEqual([]);
  expect(await job.directories()).toEqual([]);
});
