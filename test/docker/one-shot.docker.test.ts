/** `--once` with a real job: its verdict is the exit code, and nothing of it is left running. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LABEL } from '../../runner-core/docker/labels.ts';
import { systemClock } from '../../runner-core/system.ts';
import { docker, TEST_IMAGE } from '../support/docker-bench.ts';
import { oneShotProcess, runners, type OneShotRun } from '../support/one-shot-process.ts';
import { planeUnderTest, type PlaneUnderTest } from '../support/plane-under-test.ts';

let plane: PlaneUnderTest;
let executionId: string;
beforeEach(async () => {
  plane = await planeUnderTest();
});
afterEach(async () => {
  const left = await docker('ps', '-aq', '--filter', `label=${LABEL.execution}=${executionId}`);
  if (left !== '') await docker('rm', '-fv', ...left.split('\n'));
  await plane.close();
});

async function once(script: string): Promise<OneShotRun> {
  const run = await oneShotProcess(plane, ['--once', '--ephemeral']);
  await run.line(/^Session {2}online/);
  const job = { name: 'one', agent_type: 'codex', image: TEST_IMAGE, script };
  executionId = String((await plane.submit(job))['id']);
  return run;
}

const nothingLeft = async (run: OneShotRun): Promise<void> => {
  expect(await docker('ps', '-aq', '--filter', `label=${LABEL.execution}=${executionId}`)).toBe('');
  expect(await runners(plane)).toEqual([]);
  expect(await run.left()).toEqual([]);
};

test('a job that succeeds ends the host with 0 once the service knows', async () => {
  const run = await once(`echo '{"status":"success"}' > /workspace/result.json`);
  expect(await run.exited).toBe(0);
  expect(run.lines).toContain(
    `Execution URL: ${plane.url}/console/flows/executions/${executionId}`,
  );
  expect(await plane.execution(executionId)).toMatchObject({ status: 'SUCCEEDED' });
  await nothingLeft(run);
});

test('a job that fails ends it with 1, and no second job is taken', async () => {
  const run = await once('exit 3');
  const second = await plane.submit({ agent_type: 'codex', image: TEST_IMAGE, script: 'true' });
  expect(await run.exited).toBe(1);
  expect(await plane.execution(executionId)).toMatchObject({ status: 'FAILED' });
  expect(run.lines.filter((line) => line.includes(String(second['id']).slice(0, 8)))).toEqual([]);
  await nothingLeft(run);
});

test('with its reader gone it stops the job, and leaves no container', async () => {
  const run = await once('echo up; exec sleep 600');
  await run.line(/^Job .* running/);
  run.closeOutput();
  run.kill('SIGHUP');
  expect(await run.exited).toBe(1);
  expect(await plane.execution(executionId)).toMatchObject({ status: 'STOPPED' });
  await nothingLeft(run);
});

test('a second Ctrl-C ends a container that does not heed the first, and leaves nothing', async () => {
  const run = await once(`trap '' TERM; echo up; while :; do sleep 1; done`);
  await run.line(/^Job .* running/);
  run.kill('SIGINT');
  await run.line(/^Stopping one job/);
  const askedAtMs = systemClock.monotonicMs();
  // What comes sooner counts as the same key.
  await systemClock.wait(300);
  run.kill('SIGINT');
  expect(await run.exited).toBe(1);
  // Before the 10 s that the first one gives a job.
  expect(systemClock.monotonicMs() - askedAtMs).toBeLessThan(9_000);
  expect(run.lines).toContain('Ending what runs at once');
  expect(await plane.execution(executionId)).toMatchObject({ status: 'STOPPED' });
  await nothingLeft(run);
});

test('told to end while the job runs, it stops the job and exits with 1', async () => {
  const run = await once('echo up; exec sleep 600');
  await run.line(/^Job .* running/);
  run.kill('SIGTERM');
  expect(await run.exited).toBe(1);
  expect(await plane.execution(executionId)).toMatchObject({ status: 'STOPPED' });
  await nothingLeft(run);
});
