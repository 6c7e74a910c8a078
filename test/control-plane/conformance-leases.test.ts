/** The protocol's conformance list, rows on leasing and delivery. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import {
  planeUnderTest,
  SMALL_JOB,
  type Loose,
  type PlaneUnderTest,
} from '../support/plane-under-test.ts';
import { tokenHash } from '../../control-plane/identifiers.ts';

const SECRETS = {
  script: 'echo script-of-the-job',
  env: { API_KEY: 'value-of-the-environment' },
  prompt: 'words-of-the-prompt',
  agent_config: { api_key: 'value-in-agent-config' },
  git_clone_config: { repositories: [{ url: 'https://x:value-in-clone-address@git.test/r' }] },
  custom_commands: { setup: ['export KEY=value-in-commands'] },
  allowed_mcp_tools: [{ name: 'tool', secret: 'value-in-tools' }],
};
const SECRET_TEXTS = [
  SECRETS.script,
  SECRETS.env.API_KEY,
  SECRETS.prompt,
  'value-in-agent-config',
  'value-in-clone-address',
  'value-in-commands',
  'value-in-tools',
];

describe.each(['hosted', 'improved'] as const)('%s', (behaviour) => {
  let clock: FakeClock;
  let bench: PlaneUnderTest;
  beforeEach(async () => {
    clock = new FakeClock(Date.parse('2026-10-20T08:15:30Z'));
    bench = await planeUnderTest({ clock, behaviour });
  });
  afterEach(() => bench.close());

  test('conformance 5: the runner with more free slots gets the job, and a tie goes to the lower id', async () => {
    const one = await bench.register({ concurrency: 2 });
    const other = await bench.register({ concurrency: 2 });
    await bench.rest('PATCH', `/api/v1/runners/${other.id}/concurrency`, { concurrency: 3 });
    const three = await bench.connect(other);
    await three.nextOf('hello');
    await three.heartbeat({ concurrency: 3 });

    // 2 free against 3; then 2 against 2, which the lower id wins.
    expect((await bench.submit())['runner_id']).toBe(other.id);
    const lower = [one.id, other.id].sort()[0];
    expect((await bench.submit())['runner_id']).toBe(lower);

    const emptier = lower === one.id ? other.id : one.id;
    expect((await bench.submit())['runner_id']).toBe(emptier);
  });

  test('conformance 6: a pool is an id, a name or a label, whatever its case', async () => {
    const runner = await bench.register({ name: 'Build-Box', labels: ['GPU', 'team-a'] });
    await bench.rest('PATCH', `/api/v1/runners/${runner.id}/concurrency`, { concurrency: 32 });
    const socket = await bench.connect(runner);
    await socket.nextOf('hello');
    await socket.heartbeat({ concurrency: 32 });
    const runnerOf = async (pool: string): Promise<unknown> =>
      (await bench.submit({ ...SMALL_JOB, pool }))['runner_id'];

    for (const pool of [runner.id.toUpperCase(), 'build-BOX', 'gpu', ' Team-A ', 'auto', '']) {
      expect(await runnerOf(pool), pool).toBe(runner.id);
    }
    for (const pool of ['build', 'gpu,team-a', 'other']) expect(await runnerOf(pool)).toBeNull();
  });

  test('conformance 7: jobs submitted at once for one free slot give one lease', async () => {
    await bench.register({ concurrency: 1 });

    const made = await Promise.all(Array.from({ length: 8 }, () => bench.submit()));

    expect(made.filter((execution) => execution['runner_id'] !== null)).toHaveLength(1);
    expect(bench.plane.store.assignments.unstarted()).toHaveLength(1);
  });

  test('conformance 8: an execution that is leased is not leased again', async () => {
    const runner = await bench.register({ concurrency: 2 });
    const execution = await bench.submit();
    const id = String(execution['id']);
    const [lease] = bench.plane.store.assignments.unstarted();

    expect(() =>
      bench.plane.store.assignments.insert({ ...lease, id: 'another' } as never),
    ).toThrow('UNIQUE constraint failed');
    // Even one that is wrongly taken for waiting.
    bench.plane.store.executions.update(id, { queued_at_ms: clock.nowMs() });
    await clock.advance(5_000);
    expect(bench.plane.store.assignments.ofRunner(runner.id)).toHaveLength(1);
  });

  test('conformance 9: a lost push comes with the next heartbeat, and no launch once RUNNING was said', async () => {
    const runner = await bench.runner();
    const execution = await bench.submit();
    await runner.nextOf('job');

    const again = await runner.heartbeat();
    expect(again).toMatchObject({
      job: { execution_id: execution['id'], launch: { version: 1, script: 'echo hello' } },
    });
    expect(again['jobs']).toEqual([again['job']]);

    await runner.status(execution['id'], 'RUNNING');
    const started = await runner.heartbeat();
    expect(JSON.stringify(started)).not.toContain('launch"');
    expect(JSON.stringify(started)).not.toContain('account_api_token');
  });

  test('conformance 10: what is stored of a lease has no launch, no token, and nothing of script, environment, prompt or configurations', async () => {
    const runner = await bench.runner();
    const execution = await bench.submit({ ...SMALL_JOB, ...SECRETS });
    const { job } = (await runner.nextOf('job')) as { job: Loose };
    const lease = bench.plane.store.assignments.ofExecution(String(execution['id']));
    const stored = lease?.pending_job ?? '';

    expect(job).toMatchObject({
      agent_config: SECRETS.agent_config,
      git_clone_config: SECRETS.git_clone_config,
      custom_commands: SECRETS.custom_commands,
      allowed_mcp_tools: SECRETS.allowed_mcp_tools,
      launch: { script: SECRETS.script, env: SECRETS.env },
    });
    expect(JSON.parse(stored)).toMatchObject({ launch_version: 1, agent_type: 'codex' });
    const token = String(job['account_api_token']);
    for (const secret of ['launch"', 'token', 'prompt', token, ...SECRET_TEXTS]) {
      expect(stored, secret).not.toContain(secret);
    }
  });

  test('only the improved behaviour tells the name of the flow, which the hosted service does not', async () => {
    const runner = await bench.runner();
    await bench.submit();
    const { job } = (await runner.nextOf('job')) as { job: Loose };
    expect(job['flow_name']).toBe(behaviour === 'improved' ? SMALL_JOB['name'] : undefined);
  });

  test('what is stored of a flow in plain text has nothing of its configurations, and a repeat of the lease has them all', async () => {
    const runner = await bench.runner();
    const execution = await bench.submit({ ...SMALL_JOB, ...SECRETS });
    await runner.nextOf('job');
    const flow = await bench.rest('GET', `/api/v1/flows/${String(execution['flow_id'])}`);
    const shown = JSON.stringify(flow.body);
    expect(shown).toContain('example.test/image:1');
    for (const secret of SECRET_TEXTS) expect(shown, secret).not.toContain(secret);

    await runner.status(execution['id'], 'RUNNING');
    const told = await runner.heartbeat();
    if (behaviour === 'improved') expect(told).not.toHaveProperty('job');
    else
      expect(told).toMatchObject({
        job: {
          agent_config: SECRETS.agent_config,
          git_clone_config: SECRETS.git_clone_config,
          custom_commands: SECRETS.custom_commands,
        },
      });
  });

  test('conformance 11: a definition edited after leasing is refused at delivery, and FAILED frees the slot', async () => {
    const runner = await bench.runner({ concurrency: 1 });
    const execution = await bench.submit();
    await runner.nextOf('job');
    const edited = { ...SMALL_JOB, image: 'example.test/image:2' };
    await bench.rest('PUT', `/api/v1/flows/${String(execution['flow_id'])}`, edited);

    const { job } = (await runner.heartbeat()) as { job: Loose };
    expect(job['launch_error']).toContain('configuration changed');
    expect(job).not.toHaveProperty('launch');
    expect(job).not.toHaveProperty('account_api_token');

    await runner.complete(execution['id'], { status: 'FAILED', error: 'refused', exit_code: 0 });
    expect(await bench.execution(execution['id'])).toMatchObject({
      status: 'FAILED',
      error_message: 'refused',
    });
    // The next one runs what the flow is now.
    const next = await bench.submit({ flow_id: execution['flow_id'] });
    expect(next['runner_id']).toBe(runner.runnerId);
    expect(await runner.nextOf('job')).toMatchObject({
      job: { agent_config: { image: 'example.test/image:2' }, launch: { version: 1 } },
    });
  });

  test('an execution still waiting when its flow is edited runs the flow as it is then', async () => {
    const { id, flow_id } = await bench.submit();
    const edited = { ...SMALL_JOB, image: 'example.test/image:2', script: 'echo edited' };
    await bench.rest('PUT', `/api/v1/flows/${String(flow_id)}`, edited);

    const runner = await bench.runner();
    await clock.advance(5_000);

    expect(await runner.heartbeat()).toMatchObject({
      job: {
        execution_id: id,
        agent_config: { image: 'example.test/image:2' },
        launch: { script: 'echo edited' },
      },
    });
  });

  test('conformance 25: after a restart between lease and delivery the job comes with fresh credentials', async () => {
    const identity = await bench.register();
    const execution = await bench.submit({ ...SMALL_JOB, ...SECRETS });
    expect(execution['runner_id']).toBe(identity.id);

    bench = await bench.restart();
    const runner = await bench.connect(identity);
    const hello = (await runner.nextOf('hello')) as { jobs: Loose[] };

    expect(hello.jobs).toHaveLength(1);
    expect(hello.jobs[0]).toMatchObject({
      execution_id: execution['id'],
      launch: { version: 1, script: SECRETS.script, env: SECRETS.env },
    });
    const first = String(hello.jobs[0]?.['account_api_token']);
    const { job } = (await runner.heartbeat()) as { job: Loose };
    const second = String(job['account_api_token']);
    expect(second).not.toBe(first);
    const keys = bench.plane.store.credentials.ofExecution(String(execution['id']));
    expect(keys.map((key) => key.token_hash)).toEqual([tokenHash(first), tokenHash(second)]);
  });
});
