/** Page requests and command verbs that need a container: the test job, its log live, a stop, another run. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HostClient } from '../../main/cli/host-client.ts';
import type { JobView, OverviewView } from '../../main/contract/views.ts';
import { cli } from '../support/cli-under-test.ts';
import { removeDataDir, startHost, type HostUnderTest } from '../support/host-under-test.ts';

const IMAGE = 'preloop-runner-host-test:bookworm';
let under: HostUnderTest;
let client: HostClient;

beforeEach(async () => {
  under = await startHost();
  await under.until(({ session }) => session.kind === 'online');
  client = await HostClient.connect(under.dataDir);
});

afterEach(async () => {
  client.close();
  await under.host.stop('stop');
  await removeDataDir(under.dataDir);
});

const jobWhen = (jobId: string, passes: (view: JobView) => boolean): Promise<JobView | null> =>
  client.until('job', { jobId }, (view) => view !== null && passes(view));

function file(script: string): string {
  const path = join(under.dataDir, 'job.json');
  const git = {
    repositories: [{ repository_url: 'https://me:hush@git.example/nettlebed/ledger.git' }],
  };
  const job = { agent_type: 'codex', image: IMAGE, script, git_clone_config: git };
  writeFileSync(path, JSON.stringify(job));
  return path;
}

test('the test job runs in an image that is there, and is shown from its first phase to its report', async () => {
  const seen: OverviewView[] = [];
  const unwatch = under.host.watchOverview((view) => seen.push(view));
  const { jobId } = await client.request('job.test', {});
  const job = await jobWhen(jobId, ({ reported }) => reported);
  unwatch();
  expect(job).toMatchObject({
    state: 'succeeded',
    canStop: false,
    canRunAgain: true,
    verdict: { status: 'SUCCEEDED' },
  });
  expect(job?.container?.peakMemoryBytes).toBeGreaterThan(0);
  expect(job?.container?.cpuMs).toBeGreaterThan(0);
  expect(job?.timeline.map(({ name, state }) => `${name} ${state}`)).toEqual(
    ['Accepted', 'Image', 'Start', 'Run', 'Result', 'Reported'].map((name) => `${name} done`),
  );
  expect(seen[0]?.sentence.remedy?.action).toBe('run_test_job');
  expect(seen.some(({ held }) => (held[0]?.lastLines.length ?? 0) > 0)).toBe(true);
  expect(under.host.overview()).toMatchObject({ held: [], today: { succeeded: 1 } });

  const again = await client.request('job.run_again', { jobId });
  expect(await jobWhen(again.jobId, ({ endedAtMs }) => endedAtMs !== null)).toMatchObject({
    state: 'succeeded',
  });
});

test('a job is followed by the command to its end, and its exit code tells how that was', async () => {
  const good = file(
    `for i in 1 2 3; do echo "line $i"; done; echo '{"status":"success"}' > /workspace/result.json`,
  );
  const submitted = await cli(under.dataDir, 'submit', good, '--wait', '--raw');
  expect(submitted.exitCode).toBe(0);
  expect(submitted.stdout.split('\n').slice(1)).toEqual([
    'line 1',
    'line 2',
    'line 3',
    'succeeded',
  ]);
  const bad = await cli(under.dataDir, 'submit', file('exit 3'), '--wait');
  expect(bad.exitCode).toBe(1);
  expect(bad.stdout).toContain('failed: The job failed with exit code 3.');
  const shown = JSON.stringify(
    await client.request('jobs.page', { filter: {}, offset: 0, limit: 10 }),
  );
  expect(shown).toContain('nettlebed/ledger');
  expect(shown).not.toContain('hush');
});

test('a running job is stopped by the command, and a log that is followed ends with it', async () => {
  const { stdout } = await cli(under.dataDir, 'submit', file('echo started; sleep 600'), '--json');
  const { jobId } = JSON.parse(stdout) as { jobId: string };
  await jobWhen(jobId, ({ lines }) => lines > 0);
  const following = cli(under.dataDir, 'logs', jobId, '-f', '--raw');
  expect((await cli(under.dataDir, 'stop', jobId.slice(0, 8))).exitCode).toBe(0);
  expect((await following).stdout.split('\n')[0]).toBe('started');
  expect(await jobWhen(jobId, ({ endedAtMs }) => endedAtMs !== null)).toMatchObject({
    state: 'stopped',
    why: { code: 'stopped_by_owner' },
  });
});
