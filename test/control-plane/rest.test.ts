/** The REST surface: bodies, status codes, and the shape of refusals. */
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import {
  planeUnderTest,
  SMALL_JOB,
  type Loose,
  type PlaneUnderTest,
} from '../support/plane-under-test.ts';

const UNKNOWN = '9a1de0f4-52b7-4b1c-8e7e-3c0a4f2f7d11';
const RUNNERS = '/api/v1/runners';
const EXECUTIONS = '/api/v1/flows/executions';

let clock: FakeClock;
let bench: PlaneUnderTest;
beforeEach(async () => {
  clock = new FakeClock(Date.parse('2026-10-20T08:15:30Z'));
  bench = await planeUnderTest({ clock });
});
afterEach(() => bench.close());

async function problems(method: string, path: string, body: unknown): Promise<unknown[]> {
  const answer = await bench.rest(method, path, body);
  expect(answer.status, JSON.stringify(body)).toBe(422);
  return (answer.body as { detail: { type: string; loc: unknown[] }[] }).detail.map(
    ({ type, loc }) => [type, loc.join('.')],
  );
}

describe('access', () => {
  test('without the owner token there is 401, and a runner token opens nothing', async () => {
    const { token } = await bench.register();
    const ask = (authorization?: string): Promise<Response> =>
      fetch(bench.url + RUNNERS, { headers: authorization === undefined ? {} : { authorization } });

    for (const authorization of [undefined, 'Bearer wrong', `Bearer ${token}`, bench.token]) {
      const answer = await ask(authorization);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(typeof ((await answer.json()) as Loose)['detail']).toBe('string');
    }
    expect((await ask(`Bearer ${bench.token}`)).status).toBe(200);
  });

  test('token, key and database are for their owner only', async () => {
    const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    expect(await mode(bench.dataDir)).toBe(0o700);
    for (const file of ['token', 'plane.key', 'plane.db']) {
      expect(await mode(join(bench.dataDir, file)), file).toBe(0o600);
    }
  });

  test('unknown paths are 404, other methods 405, ids that are none 422', async () => {
    expect(await bench.rest('GET', '/api/v1/nothing')).toMatchObject({
      status: 404,
      body: { detail: 'Not Found' },
    });
    expect(await bench.rest('PUT', RUNNERS, {})).toMatchObject({
      status: 405,
      body: { detail: 'Method Not Allowed' },
    });
    expect(await problems('GET', `${RUNNERS}/nobody`, undefined)).toEqual([
      ['uuid_parsing', 'path.runner_id'],
    ]);
    for (const [method, path, body] of [
      ['GET', `${RUNNERS}/${UNKNOWN}`, undefined],
      ['PATCH', `${RUNNERS}/${UNKNOWN}/concurrency`, { concurrency: 2 }],
      ['POST', `${RUNNERS}/${UNKNOWN}/token`, undefined],
      ['DELETE', `${RUNNERS}/${UNKNOWN}`, undefined],
      ['POST', `${RUNNERS}/register`, { runner_id: UNKNOWN }],
    ] as const) {
      expect(await bench.rest(method, path, body)).toMatchObject({
        status: 404,
        body: { detail: 'Runner not found' },
      });
    }
  });

  test('a body that is no JSON is 422, and one over 4 MiB is 413', async () => {
    const post = (body: string): Promise<Response> =>
      fetch(bench.url + EXECUTIONS, {
        method: 'POST',
        headers: { authorization: `Bearer ${bench.token}` },
        body,
      });
    const broken = await post('{"name":');
    expect(broken.status).toBe(422);
    expect(((await broken.json()) as { detail: Loose[] }).detail[0]).toMatchObject({
      type: 'json_invalid',
      loc: ['body'],
    });
    expect(
      (await post(JSON.stringify({ ...SMALL_JOB, script: 'x'.repeat(4_194_304) }))).status,
    ).toBe(413);
  });
});

describe('runners', () => {
  test('a new runner is shown whole, with its token this once', async () => {
    const answer = await bench.rest('POST', `${RUNNERS}/register`, {
      name: 'build-box-3',
      hostname: 'build-box-3',
      os: 'linux',
      arch: 'amd64',
      labels: ['gpu', 'team-a'],
      concurrency: 2,
      host_exec_profiles: [],
      unknown_key: 'ignored',
    });
    const account = (await bench.rest('GET', '/api/v1/account/details')).body as Loose;
    const { id, token, registered_by_user_id, ...row } = answer.body as Loose;

    expect(answer.status).toBe(200);
    expect(row).toEqual({
      account_id: account['id'],
      instance_id: null,
      name: 'build-box-3',
      hostname: 'build-box-3',
      os: 'linux',
      arch: 'amd64',
      labels: ['gpu', 'team-a'],
      ephemeral: false,
      status: 'online',
      last_heartbeat: '2026-10-20T08:15:30.000000Z',
      current_execution_id: null,
      concurrency: 2,
      reported_concurrency: 2,
      capacity: 2,
      running_count: 0,
      running_execution_ids: [],
      registered_by_email: 'owner@localhost',
      capabilities: { host_exec_profiles: [] },
      harness_inventory: null,
      harness_inventory_updated_at: null,
      created_at: '2026-10-20T08:15:30.000000',
      updated_at: '2026-10-20T08:15:30.000000',
    });
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(typeof registered_by_user_id).toBe('string');
    expect((await bench.rest('GET', `${RUNNERS}/${String(id)}`)).body).not.toHaveProperty('token');
  });

  test('a runner without words of its own is named after this machine and has one slot', async () => {
    expect((await bench.rest('POST', `${RUNNERS}/register`, {})).body).toMatchObject({
      name: hostname(),
      hostname: null,
      reported_concurrency: null,
      capacity: 1,
    });
  });

  test('a resume keeps what it leaves out, except profiles and concurrency, and kills the old token', async () => {
    const profile = { name: 'cursor', capabilities: ['host_exec', 'cursor_cli'], models: ['auto'] };
    const first = await bench.register({
      name: 'box',
      labels: ['gpu'],
      ephemeral: true,
      host_exec_profiles: [profile],
    });
    const lease = await bench.submit();

    const again = await bench.rest('POST', `${RUNNERS}/register`, {
      runner_id: first.id,
      name: '',
      labels: [],
    });

    expect(again.body).toMatchObject({
      id: first.id,
      name: 'box',
      labels: ['gpu'],
      ephemeral: true,
      reported_concurrency: null,
      capabilities: { host_exec_profiles: [] },
      running_execution_ids: [lease['id']],
    });
    const old = await bench.connect(first);
    expect(await old.next()).toEqual({ type: 'error', error: 'unauthorized' });
  });

  test.each([
    [{ concurrency: 0 }, ['greater_than_equal', 'body.concurrency']],
    [{ concurrency: 33 }, ['less_than_equal', 'body.concurrency']],
    [{ concurrency: 'two' }, ['number_type', 'body.concurrency']],
    [{ name: 'x'.repeat(201) }, ['too_long', 'body.name']],
    [{ labels: 'gpu' }, ['array_type', 'body.labels']],
    [{ runner_id: 'no-uuid' }, ['string_pattern_mismatch', 'body.runner_id']],
    [
      { host_exec_profiles: [{ name: '-bad' }] },
      ['string_pattern_mismatch', 'body.host_exec_profiles.0.name'],
    ],
    [
      { host_exec_profiles: Array.from({ length: 65 }, (_unused, at) => ({ name: `p${at}` })) },
      ['too_long', 'body.host_exec_profiles'],
    ],
  ])('registering with %j is refused by the field', async (body, problem) => {
    expect(await problems('POST', `${RUNNERS}/register`, body)).toEqual([problem]);
  });

  test('a runner with leases is deleted only with force', async () => {
    const { id } = await bench.register();
    await bench.submit();

    const refused = await bench.rest('DELETE', `${RUNNERS}/${id}`);
    expect(refused.status).toBe(409);
    expect((refused.body as Loose)['detail']).toContain('1 active execution');
    expect(await problems('DELETE', `${RUNNERS}/${id}?force=maybe`, undefined)).toEqual([
      ['bool_parsing', 'query.force'],
    ]);
    expect((await bench.rest('DELETE', `${RUNNERS}/${id}?force=true`)).status).toBe(200);
    expect((await bench.rest('GET', RUNNERS)).body).toEqual([]);
  });

  test('the fleet summary counts who was heard of within 45 s', async () => {
    await bench.register();
    await clock.advance(45_000);
    await bench.register();
    await clock.advance(1);
    expect((await bench.rest('GET', `${RUNNERS}/fleet-summary`)).body).toEqual({
      runner_count: 2,
      online_runner_count: 1,
      last_runner_heartbeat: '2026-10-20T08:16:15.000000Z',
    });
    expect(await problems('GET', `${RUNNERS}?limit=x`, undefined)).toEqual([
      ['int_parsing', 'query.limit'],
    ]);
    expect((await bench.rest('GET', `${RUNNERS}?skip=1&limit=5`)).body).toHaveLength(1);
  });
});

describe('executions', () => {
  test.each([
    [{}, ['missing', 'body.agent_type']],
    [{ ...SMALL_JOB, script: undefined }, ['missing', 'body.script']],
    [{ ...SMALL_JOB, agent_typ: 'x' }, ['extra_forbidden', 'body.agent_typ']],
    [{ ...SMALL_JOB, env: { 'a b': '1' } }, ['value_error', 'body.env.a b']],
    [
      { ...SMALL_JOB, env: { PRELOOP_API_TOKEN: '1' } },
      ['value_error', 'body.env.PRELOOP_API_TOKEN'],
    ],
    [{ ...SMALL_JOB, env: { A: 1 } }, ['string_type', 'body.env.A']],
    [{ ...SMALL_JOB, timeout_seconds: 'soon' }, ['number_type', 'body.timeout_seconds']],
    [{ agent_type: 'pi', script: 'x' }, ['missing', 'body.image']],
    [{ agent_type: 'cursor', prompt: 'x' }, ['value_error', 'body.host_exec_profile']],
    [{ host_exec_profile: 'p', script: 'x' }, ['value_error', 'body.script']],
    [{ host_exec_profile: 'p', agent_type: 'codex' }, ['value_error', 'body.agent_type']],
  ])('submitting %j is refused by the field', async (body, problem) => {
    expect(await problems('POST', EXECUTIONS, body)).toContainEqual(problem);
  });

  test('a refusal repeats no value, since some are secrets', async () => {
    const secret = 'hunter2-hunter2';
    for (const body of [
      { ...SMALL_JOB, env: { A: [secret] } },
      { ...SMALL_JOB, script: { secret } },
      { ...SMALL_JOB, pool: [secret], prompt: 7 },
    ]) {
      const answer = await bench.rest('POST', EXECUTIONS, body);
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body)).not.toContain(secret);
    }
  });

  test('a submitted job is shown without script, environment and prompt, and found again', async () => {
    const made = await bench.submit({ ...SMALL_JOB, env: { A: 'b' }, prompt: 'p' });
    expect(made).toMatchObject({
      flow_name: 'small',
      agent_type: 'codex',
      image: 'example.test/image:1',
      pool: 'auto',
      status: 'STARTING',
      runner_id: null,
      queued_reason: 'Waiting for a runner of pool auto',
      log_line_count: 0,
      start_time: '2026-10-20T08:15:30.000000Z',
    });
    for (const field of ['script', 'env', 'prompt']) expect(made).not.toHaveProperty(field);

    const second = await bench.submit();
    expect(second['flow_id']).toBe(made['flow_id']);
    const listed = (await bench.rest('GET', `${EXECUTIONS}?skip=0&limit=10`)).body as Loose[];
    expect(listed).toEqual([second, made]);
    expect((await bench.rest('GET', `${EXECUTIONS}?skip=1`)).body).toEqual([made]);
    expect(await bench.rest('GET', `${EXECUTIONS}/${UNKNOWN}`)).toMatchObject({
      status: 404,
      body: { detail: 'Flow execution not found' },
    });
  });

  test('secrets of a job are nowhere in the data folder', async () => {
    const { readdir, readFile } = await import('node:fs/promises');
    const secrets = ['script-secret-1', 'environment-secret-2', 'prompt-secret-3'];
    const [script, value, prompt] = secrets;
    const runner = await bench.runner();
    await bench.submit({ ...SMALL_JOB, script, env: { KEY: value }, prompt });
    const { job } = (await runner.nextOf('job')) as { job: Loose };
    expect(JSON.stringify(job)).toContain(value);

    for (const name of await readdir(bench.dataDir)) {
      const bytes = await readFile(join(bench.dataDir, name));
      for (const secret of [...secrets, String(job['account_api_token']), runner.token]) {
        expect(bytes.includes(secret), `${secret} in ${name}`).toBe(false);
      }
    }
  });

  test('a flow that is only named runs as it is defined, and an unknown one is 404', async () => {
    const named = await bench.rest('POST', EXECUTIONS, { flow_id: UNKNOWN });
    expect(named).toMatchObject({ status: 404, body: { detail: 'Flow not found' } });

    const put = await bench.rest('PUT', `/api/v1/flows/${UNKNOWN}`, { ...SMALL_JOB, pool: 'gpu' });
    expect(put.body).toMatchObject({ id: UNKNOWN, name: 'small', revision: 0 });
    expect(JSON.stringify(put.body)).not.toContain('echo hello');
    expect(await bench.submit({ flow_id: UNKNOWN })).toMatchObject({
      flow_id: UNKNOWN,
      pool: 'gpu',
    });
    expect(await bench.submit({ flow_id: UNKNOWN, pool: 'box' })).toMatchObject({ pool: 'box' });
  });

  test('a command other than stop is 422', async () => {
    const { id } = await bench.submit();
    expect(
      await problems('POST', `${EXECUTIONS}/${String(id)}/command`, { command: 'go' }),
    ).toEqual([['value_error', 'body.command']]);
    expect(
      await bench.rest('POST', `${EXECUTIONS}/${UNKNOWN}/command`, { command: 'stop' }),
    ).toMatchObject({ status: 404 });
  });
});

test('the account keeps a default pool, trimmed, and only what is named is written', async () => {
  const patch = (body: unknown): Promise<{ body: unknown }> =>
    bench.rest('PATCH', '/api/v1/account/details', body);
  expect((await patch({ default_runner_pool: '  gpu ' })).body).toMatchObject({
    default_runner_pool: 'gpu',
    organization_name: 'This machine',
    hosted_minutes_remaining: null,
  });
  expect((await bench.submit())['pool']).toBe('gpu');
  expect((await patch({ organization_name: 'Mine' })).body).toMatchObject({
    default_runner_pool: 'gpu',
    organization_name: 'Mine',
  });
  expect((await patch({ default_runner_pool: ' ' })).body).toMatchObject({
    default_runner_pool: null,
  });
});
