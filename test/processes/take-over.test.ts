/** Two hosts with one identity: the older one stands back, says where the other runs, and may have the runner again. */
import { cp } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { cli } from '../support/cli-under-test.ts';
import { newDataDir, removeDataDir } from '../support/host-under-test.ts';
import { oneShotProcess, type OneShotRun } from '../support/one-shot-process.ts';
import { planeUnderTest } from '../support/plane-under-test.ts';

const NO_ENGINE = { DOCKER_HOST: 'unix:///nowhere/docker.sock' };

async function folder(): Promise<string> {
  const dataDir = await newDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  return dataDir;
}

test('a host that was replaced names this machine, until it takes the runner back', async () => {
  const plane = await planeUnderTest();
  onTestFinished(() => plane.close());
  const [ours, copied] = [await folder(), await folder()];
  const online = async (dataDir: string): Promise<OneShotRun> => {
    const run = await oneShotProcess(plane, ['--data-dir', dataDir], NO_ENGINE);
    await run.line(/^Session {2}online/);
    return run;
  };
  const before = await online(ours);
  before.kill('SIGTERM');
  await before.exited;
  await cp(ours, copied, { recursive: true });

  const run = await online(ours);
  const other = await online(copied);
  await run.line(/^Session {2}Another process on this machine took over this runner\./);
  const { stdout } = await cli(ours, 'status');
  expect(stdout).toContain('Another process on this machine took over the runner');
  expect((await cli(ours, 'take-back')).exitCode).toBe(0);
  await other.line(/^Session {2}Another process on this machine took over this runner\./);
});
