/** The protocol's conformance list, rows on completion and halts. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { planeUnderTest, type Loose, type PlaneUnderTest } from '../support/plane-under-test.ts';
import type { Frame } from '../support/raw-runner.ts';

const NO_RESULT = 'Runner exited without a valid structured completion result';
const PROFILE = {
  name: 'Cursor-Review',
  capabilities: ['host_exec', 'cursor_cli'],
  models: ['auto'],
};
const HOST_JOB = {
  host_exec_profile: 'cursor-review',
  prompt: 'Review it',
  model_identifier: 'auto',
};
const HOST_REPORT = {
  completion_protocol: 'host_exec',
  host_exec_profile: 'cursor-review',
  launch_version: null,
  result: { status: 'success', harness: 'cursor_cli' },
};

describe.each(['hosted', 'improved'] as const)('%s', (behaviour) => {
  let clock: FakeClock;
  let bench: PlaneUnderTest;
  beforeEach(async () => {
    clock = new FakeClock(Date.parse('2026-10-20T08:15:30Z'));
    bench = await planeUnderTest({ clock, behaviour });
  });
  afterEach(() => bench.close());

  const stop = (id: unknown): Promise<{ body: unknown }> =>
    bench.rest('POST', `/api/v1/flows/executions/${String(id)}/command`, { command: 'stop' });

  test('conformance 14: a completion that is RUNNING or says nothing is an error and keeps lease and halt', async () => {
    const runner = await bench.runner();
    const { id } = await bench.submit();
    await stop(id);
    const refused = { type: 'error', error: 'Invalid runner completion status' };

    for (const status of ['RUNNING', 'TIMEOUT', '', undefined, null, 7, ['FAILED']]) {
      expect(await runner.ask({ type: 'complete', execution_id: id, status })).toEqual(refused);
    }
    expect(await runner.heartbeat()).toMatchObject({ halt: true, halt_execution_ids: [id] });
    expect(bench.plane.store.assignments.ofExecution(String(id))).toBeDefined();
  });

  test('conformance 15: Docker success needs protocol, version, exit code, agent and verdict, all of them', async () => {
    const runner = await bench.runner();
    const judged = async (fields: Frame): Promise<Loose> => {
      const { id } = await bench.submit();
      expect(await runner.complete(id, fields)).toEqual({ type: 'ack' });
      return bench.execution(id);
    };
    const succeeded = { status: 'SUCCEEDED', error_message: null, failure_category: null };
    const failed = { status: 'FAILED', error_message: NO_RESULT, failure_category: 'unknown' };

    expect(await judged({})).toMatchObject({ ...succeeded, result: { status: 'success' } });
    expect(await judged({ status: 'succeeded' })).toMatchObject(succeeded);
    expect(await judged({ result: { verdict: 'fail' } })).toMatchObject(succeeded);
    for (const fields of [
      { exit_code: false },
      { exit_code: 1 },
      { exit_code: '0' },
      { exit_code: undefined },
      { completion_protocol: 'host_exec' },
      { completion_protocol: undefined },
      { launch_version: undefined },
      { launch_version: '1' },
      { result: null },
      { result: [] },
      { result: {} },
      { result: { status: 'partial' } },
      { result: { status: 'failed', verdict: 'pass' } },
      { result: { status: 'success', text: 'é'.repeat(45_000) } },
    ]) {
      expect(await judged(fields), JSON.stringify(fields).slice(0, 99)).toMatchObject(failed);
    }
    expect(await judged({ result: { status: 'partial', trusted_publication: 1 } })).toMatchObject({
      result: { status: 'partial' },
    });
    expect(await judged({ status: 'FAILED', error: 'boom', exit_code: 3 })).toMatchObject({
      status: 'FAILED',
      error_message: 'boom',
    });
  });

  test('conformance 15: an agent type that cannot run here never succeeds', async () => {
    const runner = await bench.runner();
    const { id } = await bench.submit({ agent_type: 'gemini', image: 'x', script: 'y' });
    expect(await runner.nextOf('job')).toMatchObject({
      job: { launch_error: 'Agent type gemini cannot run on a private runner' },
    });
    await runner.complete(id);
    expect(await bench.execution(id)).toMatchObject({ status: 'FAILED', error_message: NO_RESULT });
  });

  test('conformance 16: a host report must match profile, protocol and harness, for every status', async () => {
    const runner = await bench.runner({ host_exec_profiles: [PROFILE] });
    const judged = async (fields: Frame): Promise<Loose> => {
      const { id } = await bench.submit(HOST_JOB);
      const { job } = (await runner.nextOf('job')) as { job: Loose };
      expect(job).toMatchObject({ prompt: 'Review it', completion_protocol: 'host_exec' });
      expect(job).not.toHaveProperty('launch');
      await runner.complete(id, { ...HOST_REPORT, ...fields });
      return bench.execution(id);
    };
    const mismatch = 'Completion does not match the leased host_exec profile/protocol';

    expect(await judged({})).toMatchObject({
      status: 'SUCCEEDED',
      result: { status: 'success', harness: 'cursor_cli', gateway_metered: false },
    });
    for (const status of ['SUCCEEDED', 'FAILED', 'STOPPED']) {
      for (const fields of [
        { host_exec_profile: 'Cursor-Review' },
        { host_exec_profile: undefined },
        { launch_version: 1 },
        { completion_protocol: 'docker_v1' },
      ]) {
        const wrong = await judged({ status, ...fields });
        expect(wrong).toMatchObject({ status: 'FAILED', error_message: mismatch, result: null });
      }
    }
    expect(await judged({ result: { status: 'success', harness: 'copilot_cli' } })).toMatchObject({
      status: 'FAILED',
      error_message: 'Completion does not identify the leased harness',
    });
    expect(await judged({ status: 'STOPPED', exit_code: -1, result: null })).toMatchObject({
      status: 'STOPPED',
    });
    expect(await judged({ exit_code: 1 })).toMatchObject({ error_message: NO_RESULT });
  });

  test('conformance 17: a second completion is a bare ack and changes nothing', async () => {
    const runner = await bench.runner();
    const { id } = await bench.submit();
    expect(await runner.complete(id)).toEqual({ type: 'ack' });
    const settled = await bench.execution(id);

    expect(await runner.complete(id, { status: 'FAILED', error: 'late' })).toEqual({ type: 'ack' });
    expect(await bench.execution(id)).toEqual(settled);
  });

  test('conformance 18: a completion after the time ran out frees the slot and leaves the status', async () => {
    const runner = await bench.runner({ concurrency: 1 });
    const { id } = await bench.submit({
      agent_type: 'codex',
      image: 'x',
      script: 'y',
      timeout_seconds: 60,
    });
    await runner.status(id);
    await clock.advance(65_000);
    expect(await bench.execution(id)).toMatchObject({
      status: 'FAILED',
      error_message: 'Execution timed out after 60 seconds',
      failure_category: 'timeout',
    });
    expect(await runner.heartbeat()).toMatchObject({ halt_execution_ids: [id] });

    expect(await runner.complete(id)).toEqual({ type: 'ack' });

    expect(await bench.execution(id)).toMatchObject({ status: 'FAILED', result: null });
    expect(await runner.heartbeat()).toEqual({ type: 'ack', concurrency: 2 });
  });

  test('conformance 21: halting one of two jobs names that one alone, in every reply until it completes', async () => {
    const runner = await bench.runner();
    const halted = (await bench.submit())['id'];
    const sibling = (await bench.submit())['id'];
    await runner.status(halted);
    await runner.status(sibling);
    expect((await stop(halted)).body).toEqual({ status: 'stopped' });
    expect(await bench.execution(halted)).toMatchObject({
      status: 'STOPPED',
      error_message: 'Manually stopped by user',
      stop_confirmed_at: null,
    });

    for (let beat = 0; beat < 3; beat++) {
      expect(await runner.heartbeat()).toMatchObject({
        halt: true,
        halt_execution_id: halted,
        halt_execution_ids: [halted],
      });
    }
    await runner.complete(halted, { status: 'STOPPED', exit_code: 137 });

    expect(await runner.heartbeat()).not.toHaveProperty('halt');
    const settled = await bench.execution(halted);
    expect(settled).toMatchObject({ status: 'STOPPED', failure_category: 'cancelled' });
    expect(settled['stop_confirmed_at']).not.toBeNull();
    expect(await bench.execution(sibling)).toMatchObject({ status: 'RUNNING' });
    expect((await stop(halted)).body).toEqual({
      status: 'not_running',
      execution_status: 'STOPPED',
    });
  });

  test('conformance 22: a stop while the runner is away comes with hello', async () => {
    const runner = await bench.runner();
    const { id } = await bench.submit();
    await runner.status(id);
    await runner.cut();
    await bench.plane.connectionEnded(runner.runnerId);
    await stop(id);

    const back = await bench.connect({ id: runner.runnerId, token: runner.token });

    expect(await back.nextOf('hello')).toMatchObject({
      halt: true,
      halt_execution_id: id,
      halt_execution_ids: [id],
    });
  });

  test('runtime keys of an execution stop working when its completion is processed', async () => {
    const runner = await bench.runner();
    const { id } = await bench.submit();
    await runner.heartbeat();
    const active = (): number[] =>
      bench.plane.store.credentials.ofExecution(String(id)).map((key) => key.active);
    expect(active()).toEqual([1, 1]);

    await runner.complete(id);
    expect(active()).toEqual([0, 0]);
  });

  test('a key made after the stop of an execution stops working with its completion as well', async () => {
    const runner = await bench.runner();
    const { id } = await bench.submit();
    await stop(id);
    const { credentials } = bench.plane.store;
    credentials.insert('late', String(id), clock.nowMs(), clock.nowMs() + 1);

    await runner.complete(id, { status: 'STOPPED' });

    const keys = credentials.ofExecution(String(id));
    expect(keys.filter((key) => key.active === 1)).toEqual([]);
  });

  test.each([
    ['uploaded', 'available'],
    ['failed', 'failed'],
    ['absent', 'missing'],
    ['nonsense', 'failed'],
    [7, 'failed'],
  ])('evidence reported as %s is kept as %s and does not change the status', async (said, kept) => {
    const runner = await bench.runner();
    const { id } = await bench.submit();
    await runner.complete(id, { evidence_upload: said });
    expect(await bench.execution(id)).toMatchObject({
      status: 'SUCCEEDED',
      evidence_receipt: { outcome: kept },
    });
  });
});
