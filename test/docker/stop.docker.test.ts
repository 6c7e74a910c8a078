/** Stopping for real: what ignores TERM, holds its output open and left its session is gone 12 s after the stop. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { execa } from 'execa';
import { toJobId, type JobId } from '../../runner-core/model/ids.ts';
import { systemClock } from '../../runner-core/system.ts';
import { removeDataDir, startHost, type HostUnderTest } from '../support/host-under-test.ts';
import { TEST_IMAGE } from '../support/docker-bench.ts';

/** From the stop until nothing of the job may be alive. */
const LIMIT_MS = 12_000;
const JOBS = 4;

let under: HostUnderTest;

beforeEach(async () => {
  under = await startHost({ config: { concurrency: JOBS } });
  await under.until(({ session }) => session.kind === 'online');
}, 60_000);

afterEach(async () => {
  await under.host.stop('stop');
  await removeDataDir(under.dataDir);
}, 60_000);

/** A tree in which every process ignores TERM, one holds the pipe in its own session, one left its parent. */
const stubborn = (mark: string): string => `
trap '' TERM INT HUP
export STUBBORN=${mark}
setsid bash -c 'trap "" TERM HUP; while :; do sleep 0.2; done' &
(setsid bash -c 'trap "" TERM HUP; exec -a escaped-${mark} sleep 600' &) 
python3 -c 'import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True: time.sleep(1)
    os._exit(0)
while True: time.sleep(1)' &
echo up
while :; do sleep 0.2; done`;

async function submitted(mark: string): Promise<JobId> {
  const { id } = await under.plane.submit({
    name: 'stop test',
    agent_type: 'codex',
    image: TEST_IMAGE,
    script: stubborn(mark),
  });
  const jobId = toJobId(id);
  if (jobId === undefined) throw new Error('unusable id');
  await under.until(() => (under.host.job(jobId)?.lines ?? 0) > 0);
  return jobId;
}

/** Processes of this machine that carry the mark in their environment. */
async function survivors(mark: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return environment.split('\0').includes(`STUBBORN=${mark}`) ? [pid] : [];
    }),
  );
  return found.flat();
}

async function containers(): Promise<string> {
  const filter = `label=ai.preloop.runner-host.runner=${under.host.overview().runnerId ?? ''}`;
  return (await execa('docker', ['ps', '-aq', '--filter', filter])).stdout;
}

test('four jobs that ignore TERM, hold their output and left their session are gone 12 s after their stop', async () => {
  const mark = `stop-${process.pid}`;
  const jobs: JobId[] = [];
  for (let n = 0; n < JOBS; n++) jobs.push(await submitted(mark));
  expect((await survivors(mark)).length).toBeGreaterThanOrEqual(JOBS * 5);
  const startedMs = systemClock.monotonicMs();
  const over = jobs.map(async (jobId) => {
    await under.until(() => {
      const kind = under.host.job(jobId)?.state.kind;
      return kind === 'reporting' || kind === 'settled';
    });
    return systemClock.monotonicMs() - startedMs;
  });
  for (const jobId of jobs) expect(under.host.stopJob(jobId)).toBe(true);
  const tookMs = await Promise.all(over);
  expect(await survivors(mark)).toEqual([]);
  expect(await containers()).toBe('');
  expect(Math.max(...tookMs)).toBeLessThan(LIMIT_MS);
});

test('the container of a failed job is kept for a look, and removed by the owner; one that succeeds is not kept', async () => {
  await writeFile(join(under.dataDir, 'settings.yaml'), 'keep_failed: 2h\n', { mode: 0o600 });
  const run = async (script: string): Promise<void> => {
    const { id } = await under.plane.submit({
      name: 'keep test',
      agent_type: 'codex',
      image: TEST_IMAGE,
      script,
    });
    const jobId = toJobId(id);
    await under.until(() => jobId !== undefined && under.host.job(jobId)?.state.kind === 'settled');
  };
  await run(`echo '{"status":"success"}' > /workspace/result.json`);
  expect(await containers()).toBe('');
  await run('echo seen; exit 3');
  const { kept } = under.host.overview().leftovers;
  expect(kept).toHaveLength(1);
  const id = kept[0]?.id ?? '';
  expect((await execa('docker', ['logs', id])).stdout).toContain('seen');
  await under.host.requests['leftover.remove']({ id: id.slice(0, 12) });
  expect(await containers()).toBe('');
  expect(under.host.overview().leftovers).toMatchObject({ kept: [], removed: [{ why: 'owner' }] });
});
