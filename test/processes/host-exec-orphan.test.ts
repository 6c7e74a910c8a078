/**
 * A real worker whose host is killed under it: nobody could take its command up, so all of it is ended, by the worker,
 * or by the guard beside the command where the worker is killed as well.
 */
import { execFileSync, fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { endAll } from '../../runner-core/process/process-group.ts';
import { processesWith } from '../../runner-core/process/process-table.ts';
import { systemClock } from '../../runner-core/system.ts';
import { HostJob, hostFolder } from '../support/host-job-bench.ts';

const LONE_HOST = fileURLToPath(new URL('lone-host-child.ts', import.meta.url));
const VARIABLE = 'PRELOOP_FLOW_EXECUTION_ID';

/**
 * Runs a command with a deaf child and one that left its session, calls `kill` when all three live, and waits until none
 * does. Resolves with the directories of jobs that are left.
 */
async function orphan(
  kill: (host: ChildProcess, workerPid: number) => void,
): Promise<readonly string[]> {
  const folder = await hostFolder();
  const alive = join(folder, 'alive');
  execFileSync('mkfifo', [alive]);
  const play = [
    { ignore: ['SIGTERM', 'SIGINT', 'SIGHUP'] },
    { child: 'deaf' },
    { child: 'deaf_session' },
    { init: true },
    { hang: true },
  ];
  const job = new HostJob(folder, { play, environment: { CURSOR_AGENT_ALIVE: alive } });
  // What a worker that fails this leaves behind.
  const tag = { variable: VARIABLE, value: job.jobId };
  onTestFinished(async () => void (await endAll(systemClock, { pid: null, mark: null, tag })));

  const host = fork(LONE_HOST, [], {
    serialization: 'advanced',
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  onTestFinished(() => void host.kill('SIGKILL'));
  if (host.stdout === null) throw new Error('the host has no output');
  const workerGone = once(host.stdout.resume(), 'close');
  // Reads until nobody holds the pipe any more: neither the command nor anything below it.
  const reader = spawn('cat', [alive], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void reader.kill('SIGKILL'));
  const readerGone = once(reader, 'close');
  const told = once(host, 'message');
  host.send(job.order());
  const answer: readonly unknown[] = await told;
  const workerPid = answer[0];
  if (typeof workerPid !== 'number') throw new Error('the worker has no number');
  const holders = new Set<string>();
  for await (const line of createInterface({ input: reader.stdout })) {
    holders.add(line);
    if (holders.size === 3) kill(host, workerPid);
  }
  expect(await readerGone).toEqual([0, null]);
  await workerGone;
  expect([...holders].sort()).toEqual(['command', 'deaf', 'deaf_session']);
  expect(await processesWith(VARIABLE, job.jobId)).toEqual([]);
  return readdir(join(folder, 'host-workspaces', '.preloop-host-exec'));
}

test('a worker whose host is killed ends the command, its deaf child and the one that left its session', async () => {
  expect(await orphan((host) => void host.kill('SIGKILL'))).toEqual([]);
});

test.each<[string, (host: ChildProcess, workerPid: number) => void]>([
  ['', (_, workerPid) => void process.kill(workerPid, 'SIGKILL')],
  [
    ' and its host',
    (host, workerPid) => {
      process.kill(workerPid, 'SIGKILL');
      host.kill('SIGKILL');
    },
  ],
])(
  'a worker that is killed%s without a word takes the command, its deaf child and the one that left its session along',
  async (_, kill) => {
    // Its directory is for the next host, which knows of it.
    expect(await orphan(kill)).toHaveLength(1);
  },
);
