import { execa } from 'execa';
import { afterAll, expect, test } from 'vitest';
import { BOOTSTRAP, RESULT_PREFIX } from '../../runner-core/wire/launch.ts';
import { BOOTSTRAP_CASES, expectBootstrapRun } from '../support/bootstrap-cases.ts';

const IMAGE = 'preloop-runner-host-test:bookworm';
const container = (name: string): string => `bootstrap-test-${process.pid}-${name}`;

/** Arguments that run the bootstrap as a job's container does, with a writable /workspace. */
function runArguments(name: string, user: string): readonly string[] {
  const workspace = '/workspace:rw,exec,mode=1777';
  const flags = ['--rm', '--name', container(name), '--user', user, '--tmpfs', workspace];
  const variables = ['-e', 'PRELOOP_RUNNER_SCRIPT', '--entrypoint', '/bin/bash'];
  return ['run', ...flags, ...variables, IMAGE, '-c', BOOTSTRAP];
}

afterAll(async () => {
  await execa('docker', ['rm', '-f', container('stop')], { reject: false });
});

// The local run has every case; a container adds process 1, tmpfs and another user.
const chosen = [0, 1, 2, 5, 7].flatMap((index) => BOOTSTRAP_CASES[index] ?? []);

test.each(['0:0', '1000:1000'])(
  'as user %s the bootstrap does in a container what it does here',
  async (user) => {
    for (const [index, row] of chosen.entries()) {
      const name = `${user.slice(0, 1)}-${index}`;
      const run = await execa('docker', runArguments(name, user), {
        env: { PRELOOP_RUNNER_SCRIPT: row.script },
        reject: false,
      });
      expectBootstrapRun(run, row);
    }
  },
);

test('docker stop ends a container at once, although its first process is the bootstrap', async () => {
  const child = execa('docker', runArguments('stop', '0:0'), {
    env: { PRELOOP_RUNNER_SCRIPT: 'echo ready; sleep 600' },
    reject: false,
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const startedMs = performance.now();
  await execa('docker', ['stop', '--time', '60', container('stop')]);
  const { exitCode, stdout } = await child;
  expect(performance.now() - startedMs).toBeLessThan(30_000);
  expect(exitCode).toBe(143);
  expect(stdout).toContain(RESULT_PREFIX);
});
