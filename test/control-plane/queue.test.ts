/** Waiting, time limits, stops of many, and host profiles in matching. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import {
  planeUnderTest,
  SMALL_JOB,
  type Loose,
  type PlaneUnderTest,
} from '../support/plane-under-test.ts';

describe.each(['hosted', 'improved'] as const)('%s', (behaviour) => {
  let clock: FakeClock;
  let bench: PlaneUnderTest;
  beforeEach(async () => {
    clock = new FakeClock(Date.parse('2026-10-20T08:15:30Z'));
    bench = await planeUnderTest({ clock, behaviour });
  });
  afterEach(async () => {
    await bench.close();
    expect(clock.pending).toBe(0);
  });

  test('what waits is leased at the next poll once a runner fits, the longest waiting first', async () => {
    const first = await bench.submit();
    await clock.advance(1_000);
    const second = await bench.submit();
    const pinned = await bench.submit({ ...SMALL_JOB, pool: 'elsewhere' });

    const runner = await bench.register({ concurrency: 1 });
    await clock.advance(5_000);

    expect(await bench.execution(first['id'])).toMatchObject({ runner_id: runner.id });
    expect(await bench.execution(second['id'])).toMatchObject({ runner_id: null });
    expect(await bench.execution(pinned['id'])).toMatchObject({
      agent_session_reference: `runner:queued:elsewhere:${String(pinned['id'])}`,
    });
  });

  test('after 15 minutes of waiting an execution fails and says for which pool', async () => {
    const { id } = await bench.submit({ ...SMALL_JOB, pool: 'gpu' });
    await clock.advance(899_000);
    expect(await bench.execution(id)).toMatchObject({ status: 'STARTING' });

    await clock.advance(5_000);

    expect(await bench.execution(id)).toMatchObject({
      status: 'FAILED',
      error_message: 'No matching self-hosted runner for pool gpu was found within 0:15:00',
      failure_category: 'unknown',
      queued_reason: null,
    });
    const late = await bench.runner({ labels: ['gpu'] });
    await clock.advance(5_000);
    expect(late.hello).not.toHaveProperty('jobs');
    expect(bench.plane.store.assignments.count(late.runnerId)).toBe(0);
  });

  test('a runner silent for more than 45 s is given nothing new', async () => {
    await bench.runner();
    await clock.advance(45_001);
    expect((await bench.submit())['runner_id']).toBeNull();
  });

  test('a budget outside 60 s to 24 h is brought inside, and 1 h is the default', async () => {
    const budget = async (timeout_seconds?: number): Promise<unknown> =>
      (await bench.submit({ ...SMALL_JOB, ...(timeout_seconds && { timeout_seconds }) }))[
        'timeout_seconds'
      ];
    expect(await budget()).toBe(3_600);
    expect(await budget(5)).toBe(60);
    expect(await budget(1_000_000)).toBe(86_400);
  });

  test('the kill switch stops what waits, halts what is leased, and admits nothing until it is lifted', async () => {
    const runner = await bench.runner({ concurrency: 1 });
    const leased = (await bench.submit())['id'];
    await runner.status(leased);
    const waiting = (await bench.submit())['id'];
    const path = '/api/v1/account/kill-switch';

    const active = await bench.rest('POST', `${path}/activate`, {
      scopes: ['flows'],
      reason: 'incident',
    });
    expect(active.body).toMatchObject({ active: true, scopes: [{ scope: 'flows' }] });

    expect(await bench.execution(waiting)).toMatchObject({
      status: 'STOPPED',
      stop_source: 'account_halt',
    });
    expect(await bench.execution(leased)).toMatchObject({
      status: 'RUNNING',
      stop_reason: 'incident',
      stop_confirmed_at: null,
    });
    expect(await runner.heartbeat({ concurrency: 2 })).toMatchObject({
      halt_execution_ids: [leased],
    });
    const banned = await bench.submit();
    expect(banned).toMatchObject({ status: 'PENDING', runner_id: null });

    await runner.complete(leased, { status: 'STOPPED' });
    expect(await bench.execution(leased)).toMatchObject({ status: 'STOPPED' });
    await bench.rest('POST', `${path}/deactivate`, {});
    await clock.advance(5_000);
    expect(await bench.execution(banned['id'])).toMatchObject({ runner_id: runner.runnerId });
    expect((await bench.rest('GET', `${path}/status`)).body).toEqual({ active: false, scopes: [] });
  });

  test('a host job goes only to a runner that offers profile, harness and model', async () => {
    const runner = await bench.runner({
      host_exec_profiles: [
        { name: 'Review', capabilities: ['cursor_cli'], models: ['auto'] },
        { name: 'plain', capabilities: [] },
      ],
    });
    const runnerOf = async (job: Loose): Promise<unknown> => (await bench.submit(job))['runner_id'];

    expect(await runnerOf({ host_exec_profile: 'review', model_identifier: 'big' })).toBeNull();
    expect(await runnerOf({ host_exec_profile: 'plain' })).toBeNull();
    expect(await runnerOf({ host_exec_profile: 'other' })).toBeNull();
    expect(await runnerOf({ host_exec_profile: 'review', agent_type: 'copilot' })).toBeNull();
    expect(await runnerOf({ host_exec_profile: 'review', model_identifier: 'auto' })).toBe(
      runner.runnerId,
    );
  });

  test('a job that needs the workspace of an earlier run waits for the runner that has it', async () => {
    const owner = await bench.register({ name: 'owner', concurrency: 1 });
    const earlier = await bench.submit();
    expect(earlier['runner_id']).toBe(owner.id);
    await bench.register({ name: 'other', concurrency: 2 });
    const keep = { ...SMALL_JOB, agent_config: { runner: { persist_workspace: true } } };

    const pinned = await bench.submit({ ...keep, resume_from: earlier['id'] });
    expect(pinned).toMatchObject({ runner_id: null, resume_from: earlier['id'] });
    expect((await bench.submit(keep))['runner_id']).not.toBeNull();

    const socket = await bench.connect(owner);
    await socket.nextOf('hello');
    await socket.complete(earlier['id']);
    await clock.advance(5_000);
    expect(await bench.execution(pinned['id'])).toMatchObject({ runner_id: owner.id });
  });

  test('a launch that is too large is refused with the name of the variable, never its value', async () => {
    const runner = await bench.runner();
    await bench.submit({ ...SMALL_JOB, env: { BIG: 'v'.repeat(126_976) } });
    const { job } = (await runner.nextOf('job')) as { job: Loose };
    expect(job['launch_error']).toBe(
      'The launch payload is too large: BIG has 126980 bytes, the limit is 126976',
    );
    expect(job).not.toHaveProperty('launch');
  });
});
