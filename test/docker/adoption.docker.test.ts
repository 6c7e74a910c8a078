import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { containerOf, DockerBench, newJobId, type TestJob } from '../support/docker-bench.ts';
import { tempDir } from '../support/temp-dir.ts';
import type { WorkerUnderTest } from '../support/worker-under-test.ts';

/** Prints, waits for the file `go` in its kept workspace, prints on and ends well. */
function waitingJob(): TestJob & { readonly go: () => Promise<void> } {
  const jobId = newJobId();
  const workspacesDir = tempDir();
  return {
    jobId,
    workspacesDir,
    options: { persistWorkspace: true },
    env: { MY_TOKEN: 'token_not_real_2' },
    script: `
      echo one; echo "two $MY_TOKEN"; echo ready
      while [ ! -e /workspace/go ]; do sleep 0.05; done
      echo "three $MY_TOKEN"; echo four
      echo '{"status":"success","said":"token_not_real_2"}' > /workspace/result.json`,
    go: () => writeFile(join(workspacesDir, jobId, 'go'), ''),
  };
}

async function killed(worker: WorkerUnderTest): Promise<void> {
  worker.child.kill('SIGKILL');
  await worker.exited;
}

test('a running container is taken up at the cursor: no line lost, doubled or unmasked', async () => {
  const bench = new DockerBench();
  const job = waitingJob();
  const before = bench.run(job);
  await before.line('ready');
  const container = await containerOf(before);
  await killed(before);

  const after = bench.adopt(job, container, before.position());
  await after.phase('running');
  await job.go();

  expect((await after.ended()).verdict).toMatchObject({
    status: 'SUCCEEDED',
    result: { status: 'success', said: '***' },
  });
  const lines = [...before.lines(), ...after.lines()].filter((line) => line !== '');
  expect(lines).toEqual(['one', 'two ***', 'ready', 'three ***', 'four']);
});

test('a container that exited while nobody watched gives its log and verdict', async () => {
  const bench = new DockerBench();
  const job = waitingJob();
  const before = bench.run(job);
  await before.line('ready');
  const container = await containerOf(before);
  await killed(before);
  await job.go();
  expect(await bench.engine.wait(container.id)).toBe(0);

  const after = bench.adopt(job, container, before.position());
  const { verdict, facts } = await after.ended();
  expect(verdict).toMatchObject({ status: 'SUCCEEDED', result: { said: '***' } });
  expect(facts).toMatchObject({ containerId: container.id, exitCode: 0 });
  const lines = [...before.lines(), ...after.lines()].filter((line) => line !== '');
  expect(lines).toEqual(['one', 'two ***', 'ready', 'three ***', 'four']);
});

test('a container that was noted and never started is started', async () => {
  const bench = new DockerBench();
  const job = waitingJob();
  const before = bench.run(job, { notes: false });
  const container = await containerOf(before);
  await killed(before);
  const after = bench.adopt(job, container, before.position());
  await after.line('ready');
  await job.go();
  expect((await after.ended()).verdict.status).toBe('SUCCEEDED');
});

test('a container adopted while it is to stop is ended and removed', async () => {
  const bench = new DockerBench();
  const job = waitingJob();
  const before = bench.run(job);
  await before.line('ready');
  const container = await containerOf(before);
  await killed(before);
  const after = bench.adopt(job, container, before.position(), 'owner');
  expect((await after.ended()).verdict).toMatchObject({ status: 'STOPPED' });
  expect(await bench.engine.container(container.id)).toBeUndefined();
});

test('a container that is gone is a lost job', async () => {
  const bench = new DockerBench();
  const container = { kind: 'container', id: 'f'.repeat(64), name: 'preloop-gone' } as const;
  const worker = bench.adopt({ script: '' }, container, { cursor: null, nextSeq: 1, nextLine: 0 });
  expect((await worker.ended()).verdict).toMatchObject({
    outcome: 'lost',
    reason: { code: 'host_restarted' },
  });
});
