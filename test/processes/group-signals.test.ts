/** Ctrl-C and service managers signal the whole group; only the host may act on it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { WorkerUnderTest } from '../support/worker-under-test.ts';

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('a worker goes on after %s', async (signal) => {
  const worker = new WorkerUnderTest();
  await worker.message('ready');
  worker.child.kill(signal);
  // It answers, so it is there; a job it cannot run is the shortest it can answer to.
  worker.child.send({ kind: 'run', spec: null, environment: {}, context: null });
  expect((await worker.ended()).verdict.outcome).toBe('lost');
  expect(await worker.exited).toEqual({ code: 1, signal: null });
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a plane with a parent answers after %s, and ends with its standard input',
  async (signal) => {
    const child = spawn(
      process.execPath,
      [resolve('control-plane/plane-main.ts'), '--data-dir', tempDir(), '--with-parent'],
      { stdio: ['pipe', 'pipe', 'ignore'] },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { url } = JSON.parse(line) as { readonly url: string };
    child.kill(signal);
    expect((await fetch(`${url}/api/v1/runners`)).status).toBe(401);
    expect(child.exitCode).toBeNull();
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
  },
);
