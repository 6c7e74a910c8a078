/** `--once` and `--ephemeral` without an engine: exit codes, what the service remembers, what is left on disk. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { planeUnderTest, type PlaneUnderTest } from '../support/plane-under-test.ts';
import { inTerminal } from '../support/terminal-process.ts';
import { oneShotProcess, runners } from '../support/one-shot-process.ts';

const NO_ENGINE = { DOCKER_HOST: 'unix:///nowhere/docker.sock' };

let plane: PlaneUnderTest;
beforeEach(async () => {
  plane = await planeUnderTest();
});
afterEach(() => plane.close());

test('a host for one job exits with 2 when none came in time', async () => {
  const flags = ['--once', '--wait-for-job', '300ms', '--ephemeral'];
  const run = await oneShotProcess(plane, flags, NO_ENGINE);
  expect(await run.exited).toBe(2);
  expect(await runners(plane)).toEqual([]);
});

test.each(['SIGTERM', 'SIGHUP'] as const)(
  'an ephemeral host that gets %s exits with 0, is forgotten by the service and leaves no folder',
  async (signal) => {
    const run = await oneShotProcess(plane, ['--ephemeral'], NO_ENGINE);
    await run.line(/^Session {2}online/);
    const [row, ...others] = await runners(plane);
    expect(row).toMatchObject({ ephemeral: true });
    expect(row?.labels.join()).toMatch(/^ci-.+-\d+$/);
    expect(others).toEqual([]);
    run.kill(signal);
    expect(await run.exited).toBe(0);
    expect(await runners(plane)).toEqual([]);
    expect(await run.left()).toEqual([]);
  },
);

test('an ephemeral host whose reader has gone stops in order all the same', async () => {
  const run = await oneShotProcess(plane, ['--ephemeral'], NO_ENGINE);
  await run.line(/^Session {2}online/);
  run.closeOutput();
  run.kill('SIGTERM');
  expect(await run.exited).toBe(0);
  expect(await runners(plane)).toEqual([]);
  expect(await run.left()).toEqual([]);
});

test('an ephemeral host whose terminal is closed stops in order', async () => {
  const run = await inTerminal(plane, ['--ephemeral'], NO_ENGINE);
  await run.line(/^Session {2}online/);
  expect(await runners(plane)).toHaveLength(1);
  run.closeTerminal();
  expect(await run.exited).toBe(0);
  expect(await runners(plane)).toEqual([]);
  expect(await run.left()).toEqual([]);
});

test('a host for one job that is told to end before one came exits with 2', async () => {
  const run = await oneShotProcess(plane, ['--once', '--ephemeral'], NO_ENGINE);
  await run.line(/^Session {2}online/);
  run.kill('SIGTERM');
  expect(await run.exited).toBe(2);
});

test('a token the service does not accept ends it with 1', async () => {
  const run = await oneShotProcess(plane, ['--ephemeral'], { ...NO_ENGINE, PRELOOP_TOKEN: 'no' });
  expect(await run.exited).toBe(1);
  expect(await run.left()).toEqual([]);
});
