/** Workers as utility processes: what Electron leaves open about order and ends is settled here. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import {
  UtilityProcessLauncher,
  type ForkUtility,
} from '../../electron/utility-process-launcher.ts';
import type { FromWorker } from '../../runner-core/worker/protocol.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { RecordedLog } from '../support/recorded-log.ts';

class FakeUtility extends EventEmitter {
  pid: number | undefined = undefined;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly posted: unknown[] = [];
  postMessage(message: unknown): void {
    this.posted.push(message);
  }
}

function bench(): {
  launcher: UtilityProcessLauncher;
  clock: FakeClock;
  started: FakeUtility[];
  forks: { entry: string; env: unknown; stdio: unknown }[];
} {
  const clock = new FakeClock();
  const started: FakeUtility[] = [];
  const forks: { entry: string; env: unknown; stdio: unknown }[] = [];
  const fork: ForkUtility = (entry, _args, { env, stdio }) => {
    forks.push({ entry, env, stdio });
    const utility = new FakeUtility();
    started.push(utility);
    return utility;
  };
  const launcher = new UtilityProcessLauncher({
    fork,
    entry: '/out/worker.js',
    environment: { PATH: '/bin', PRELOOP_TOKEN: 'secret' },
    clock,
    log: new RecordedLog(),
  });
  return { launcher, clock, started, forks };
}

test('a worker gets the allowed environment, and no standard input', () => {
  const { launcher, forks } = bench();
  launcher.launch();
  expect(forks).toEqual([
    { entry: '/out/worker.js', env: { PATH: '/bin' }, stdio: ['ignore', 'pipe', 'pipe'] },
  ]);
});

test('a message that comes after the end of its worker is delivered before the end is told', async () => {
  const { launcher, clock, started } = bench();
  const worker = launcher.launch();
  const seen: string[] = [];
  worker.onMessage((message: FromWorker) => void seen.push(message.kind));
  void worker.exited.then(({ code }) => void seen.push(`exited ${code ?? 'none'}`));

  started[0]?.emit('exit', 0);
  started[0]?.emit('message', { kind: 'ready' });
  await clock.advance(100);
  await worker.exited;
  started[0]?.emit('message', { kind: 'ready' });

  expect(seen).toEqual(['ready', 'exited 0']);
});

test('a worker that is killed before it runs is killed as soon as it does', () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  try {
    const { launcher, started } = bench();
    launcher.launch().kill();
    expect(kill).not.toHaveBeenCalled();
    const [utility] = started;
    if (utility !== undefined) utility.pid = 4_242;
    utility?.emit('spawn');
    expect(kill.mock.calls).toEqual([[4_242, 'SIGKILL']]);
  } finally {
    kill.mockRestore();
  }
});

test('a worker that has ended is neither killed, whose number may be another by now, nor written to', () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  try {
    const { launcher, started } = bench();
    const worker = launcher.launch();
    const [utility] = started;
    if (utility !== undefined) utility.pid = 4_242;
    utility?.emit('spawn');
    utility?.emit('exit', 0);
    worker.kill();
    worker.send({ kind: 'noted', leftover: { kind: 'network', id: 'n', name: 'n' } });
    expect(kill).not.toHaveBeenCalled();
    expect(utility?.posted).toEqual([]);
  } finally {
    kill.mockRestore();
  }
});

test('a worker that ran out of memory is one that ended, and no error of the host', async () => {
  const { launcher, clock, started } = bench();
  const worker = launcher.launch();
  const [utility] = started;
  expect(() => utility?.emit('error', 'FatalError', 'v8', '{}')).not.toThrow();
  utility?.emit('exit', 134);
  await clock.advance(100);
  expect(await worker.exited).toMatchObject({ code: 134 });
});

test('one worker is kept warm for the next job, and another made a second after it was taken', async () => {
  const { launcher, clock, started } = bench();
  launcher.warm();
  launcher.launch();
  expect(started).toHaveLength(1);
  await clock.advance(1_000);
  expect(started).toHaveLength(2);
});
