import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../runner-core/model/json.ts';
import type { ServerFrame } from '../../../runner-core/wire/frames.ts';
import {
  haltsOf,
  jobsOf,
  parseJob,
  type ParsedJob,
} from '../../../runner-core/wire/job-payload.ts';
import { dockerJob, JOB_ID, SERVER_URL } from '../../support/docker-job.ts';

const parse = (job: unknown): ParsedJob => parseJob(job, SERVER_URL);
const launch = (changes: JsonObject): JsonObject => ({
  launch: { version: 1, script: 'true', env: {}, ...changes },
});
const outline = (parsed: ParsedJob): unknown =>
  parsed.kind === 'refused' ? { code: parsed.reason.code, ...parsed.reason.facts } : parsed.kind;

test("a flow's name is kept on one line and bounded, and anything but a text is no name", () => {
  const nameOf = (given: unknown): unknown => {
    const parsed = parse({ ...dockerJob(), flow_name: given });
    return parsed.kind === 'docker' ? parsed.spec.flowName : parsed.kind;
  };
  expect(nameOf('Sweep\ndependencies')).toBe('Sweep dependencies');
  expect(nameOf('x'.repeat(300))).toHaveLength(200);
  expect(nameOf(7)).toBeNull();
  expect(nameOf(' ')).toBeNull();
});

describe('jobsOf', () => {
  test('gives job first, then jobs, each execution once and nulls never', () => {
    const a = { execution_id: 'a' };
    const b = { execution_id: 'b' };
    const frame: ServerFrame = { type: 'ack', job: a, jobs: [null, { execution_id: 'a' }, b, b] };
    expect(jobsOf(frame)).toEqual([a, b]);
  });

  test('keeps every job without an id, so that each can be logged', () => {
    expect(jobsOf({ type: 'job', job: {}, jobs: [{}, { execution_id: '' }, 7] })).toEqual([
      {},
      {},
      { execution_id: '' },
      7,
    ]);
  });

  test('finds jobs in a frame that carries a halt', () => {
    const frame: ServerFrame = { type: 'ack', halt: true, jobs: [{ execution_id: 'a' }] };
    expect(jobsOf(frame)).toHaveLength(1);
  });

  test('finds none in frames that carry no work', () => {
    expect(jobsOf({ type: 'logs_ack', execution_id: 'e', batch_id: 'b' })).toEqual([]);
    expect(jobsOf({ type: 'error', error: 'x' })).toEqual([]);
  });
});

describe('haltsOf', () => {
  test('names each execution once, the single one first, without blanks', () => {
    expect(
      haltsOf({
        type: 'ack',
        halt: true,
        halt_execution_id: 'b',
        halt_execution_ids: ['a', '', 'b', ' '],
      }),
    ).toEqual({ all: false, ids: ['b', 'a'] });
  });

  test.each<ServerFrame>([
    { type: 'halt' },
    { type: 'ack', halt: true },
    { type: 'hello', runner_id: 'r', halt: true, halt_execution_ids: [] },
  ])('a halt without ids means every job: %j', (frame) => {
    expect(haltsOf(frame)).toEqual({ all: true, ids: [] });
  });

  test.each<ServerFrame>([
    { type: 'ack', halt: false, halt_execution_ids: ['a'] },
    { type: 'hello', runner_id: 'r' },
    { type: 'error', error: 'x' },
  ])('a frame that does not say halt is none: %j', (frame) => {
    expect(haltsOf(frame)).toBeNull();
  });
});

describe('parseJob accepts', () => {
  test('a Docker job whole, with its secrets apart', () => {
    const parsed = parse(dockerJob());
    expect(parsed).toEqual({
      kind: 'docker',
      spec: {
        kind: 'docker_launch',
        jobId: JOB_ID,
        flowId: '1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f',
        flowName: null,
        repository: null,
        agentType: 'codex',
        modelIdentifier: 'gpt-5.4',
        report: { kind: 'docker_v1' },
        image: 'debian:bookworm',
        options: {
          mountDockerSocket: false,
          persistWorkspace: false,
          network: null,
          extraMounts: [],
          preserveEntrypoint: false,
        },
        resumeFrom: null,
        agentConfig: { image: 'debian:bookworm' },
      },
      secrets: {
        environment: {
          EXECUTION_ID: JOB_ID,
          FLOW_ID: '1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f',
          AI_MODEL: 'gpt-5.4',
          AI_MODEL_PROVIDER: 'openai',
          PRELOOP_API_TOKEN: 'rt_example_not_real',
          PRELOOP_URL: SERVER_URL,
          COMPOSE_PROJECT_NAME: 'preloop-5f0c2a348d1e4b7a9c552e6f7a8b9c01',
          AGENT_CONFIG: '{"image":"debian:bookworm"}',
          OPENAI_API_KEY: 'gw_example_not_real',
          PRELOOP_RUNNER_SCRIPT: 'true\n',
          PRELOOP_MCP_URL: `${SERVER_URL}/mcp/v1`,
        },
      },
    });
  });

  test('no secret and no prompt in what is stored of a job', () => {
    const parsed = parse(
      dockerJob({
        prompt: 'the prompt',
        agent_config: { image: 'i', api_key: 'key-1', nested: [{ password: 'word-1' }] },
      }),
    );
    if (parsed.kind !== 'docker') throw new Error(parsed.kind);
    expect(JSON.stringify(parsed.spec)).not.toMatch(/the prompt|key-1|word-1|rt_example|gw_exam/);
  });

  test.each(['codex', 'opencode', 'pi', 'deepseek'])('agent type %s', (agentType) => {
    expect(parse(dockerJob({ agent_type: agentType }))).toMatchObject({
      spec: { agentType },
    });
  });

  test('script and values of exactly the limit, and names of every allowed form', () => {
    const longest = 'x'.repeat(98_304);
    const fit = parse(dockerJob(launch({ script: longest, env: { _A1: longest, B_: '' } })));
    expect(fit).toMatchObject({
      kind: 'docker',
      secrets: { environment: { _A1: longest, B_: '' } },
    });
  });

  test('a continuation only of a kept workspace', () => {
    const resume_from = '44e0b7f1-2c3d-4e5f-8a9b-0c1d2e3f4a5b';
    const kept = { image: 'i', runner: { persist_workspace: true } };
    expect(parse(dockerJob({ resume_from, agent_config: kept }))).toMatchObject({
      spec: { resumeFrom: resume_from },
    });
    expect(parse(dockerJob({ resume_from }))).toMatchObject({ spec: { resumeFrom: null } });
  });
});

describe('parseJob takes as a repeat', () => {
  test.each([
    [{ launch: null }],
    [{ launch: null, launch_error: '' }],
    [{ launch: null, launch_error: null }],
  ])('a Docker job listed with %j', (changes: JsonObject) => {
    expect(parse(dockerJob(changes))).toEqual({ kind: 'repeat', jobId: JOB_ID });
  });

  test('never a job with a launch error, a host job or a publication', () => {
    const bare = { launch: null };
    expect(outline(parse(dockerJob({ ...bare, launch_error: 'changed' })))).toMatchObject({
      code: 'launch_error',
    });
    expect(outline(parse(dockerJob({ ...bare, host_exec_profile: 'p' })))).toMatchObject({
      code: 'host_exec_field_refused',
    });
    expect(outline(parse(dockerJob({ ...bare, publication: {} })))).toMatchObject({
      code: 'kind_unsupported',
    });
  });
});

describe('parseJob finds unreadable', () => {
  test.each([
    [null, ''],
    [[], ''],
    ['job', ''],
    [{}, 'execution_id'],
    [{ execution_id: 7 }, 'execution_id'],
    [{ execution_id: ' ' }, 'execution_id'],
    [{ execution_id: '../up' }, 'execution_id'],
    [{ execution_id: 'a/b' }, 'execution_id'],
  ])('%j, in field %j', (job, field) => {
    expect(parse(job)).toMatchObject({ kind: 'unreadable', field });
  });
});

describe('parseJob refuses', () => {
  test('a host job, and echoes its protocol and profile exactly', () => {
    expect(
      parse({
        execution_id: JOB_ID,
        agent_type: 'cursor',
        host_exec_profile: ' Cursor-Review ',
        completion_protocol: 'host_exec',
      }),
    ).toEqual({
      kind: 'refused',
      spec: {
        kind: 'unrunnable',
        jobId: JOB_ID,
        flowId: null,
        flowName: null,
        repository: null,
        agentType: 'cursor',
        modelIdentifier: null,
        report: { kind: 'host_exec', profile: ' Cursor-Review ' },
      },
      reason: { code: 'host_exec_off', facts: {} },
      error: 'host_exec_off: This machine offers no local command to flows.',
      exitCode: -1,
    });
  });

  test.each<[string, JsonObject, JsonObject]>([
    [
      'config that is no object',
      { agent_config: [] },
      { code: 'bad_payload', field: 'agent_config' },
    ],
    [
      'options that cannot be followed',
      { agent_config: { image: 'i', runner: { extra_mounts: 'x' } } },
      { code: 'options_invalid', field: 'agent_config.runner.extra_mounts' },
    ],
    ['a publication', { publication: { version: 1 } }, { code: 'kind_unsupported' }],
    ['no image', { agent_config: null }, { code: 'image_unnamed' }],
    [
      'a blank image',
      { agent_config: { image: ' ', docker_image: '' } },
      { code: 'image_unnamed' },
    ],
    [
      'a launch error',
      { launch_error: 'The flow changed.' },
      { code: 'launch_error', detail: 'The flow changed.' },
    ],
    ['a launch that is no object', { launch: 'x' }, { code: 'launch_invalid', field: 'launch' }],
    [
      'another version',
      launch({ version: 2 }),
      { code: 'launch_invalid', field: 'launch.version' },
    ],
    [
      'a version in quotes',
      launch({ version: '1' }),
      { code: 'launch_invalid', field: 'launch.version' },
    ],
    [
      'an unknown agent',
      { agent_type: 'Codex' },
      { code: 'agent_unsupported', agentType: 'Codex' },
    ],
    ['no script', launch({ script: null }), { code: 'launch_invalid', field: 'launch.script' }],
    [
      'a blank script',
      launch({ script: ' \n' }),
      { code: 'launch_invalid', field: 'launch.script' },
    ],
    [
      'a long script',
      launch({ script: 'é'.repeat(49_153) }),
      { code: 'launch_invalid', field: 'launch.script' },
    ],
    [
      'a script with NUL',
      launch({ script: 'a\0' }),
      { code: 'launch_invalid', field: 'launch.script' },
    ],
    ['a list of variables', launch({ env: [] }), { code: 'launch_invalid', field: 'launch.env' }],
    ['no variables', launch({ env: null }), { code: 'launch_invalid', field: 'launch.env' }],
    [
      'a name in small letters',
      launch({ env: { A: '', path: '' } }),
      { code: 'launch_invalid', field: 'launch.env entry 1' },
    ],
    [
      'an empty name',
      launch({ env: { '': '' } }),
      { code: 'launch_invalid', field: 'launch.env entry 0' },
    ],
    [
      'a number as value',
      launch({ env: { FOO: 7 } }),
      { code: 'launch_invalid', field: 'launch.env.FOO' },
    ],
    [
      'a long value',
      launch({ env: { FOO: 'x'.repeat(98_305) } }),
      { code: 'launch_invalid', field: 'launch.env.FOO' },
    ],
    [
      'a value with NUL',
      launch({ env: { FOO: '\0' } }),
      { code: 'launch_invalid', field: 'launch.env.FOO' },
    ],
    [
      'a prompt with NUL',
      { prompt: 'a\0' },
      { code: 'bad_payload', field: 'variable AGENT_PROMPT' },
    ],
    [
      'a prompt no kernel takes',
      { prompt: 'x'.repeat(131_060) },
      { code: 'bad_payload', field: 'variable AGENT_PROMPT' },
    ],
    [
      'a workspace to resume that is a path',
      { resume_from: '../other', agent_config: { image: 'i', runner: { persist_workspace: '1' } } },
      { code: 'bad_payload', field: 'resume_from' },
    ],
    [
      'a kept workspace of a job id that is no UUID',
      { execution_id: 'job-1', agent_config: { image: 'i', runner: { persist_workspace: true } } },
      { code: 'bad_payload', field: 'execution_id' },
    ],
  ])('%s', (_name, changes, expected) => {
    expect(outline(parse(dockerJob(changes)))).toMatchObject(expected);
  });

  test.each<[string, string, JsonObject]>([
    ['options_invalid', 'a publication', { agent_config: { runner: 7 }, publication: {} }],
    ['kind_unsupported', 'a missing image', { agent_config: {}, publication: {} }],
    ['image_unnamed', 'a launch error', { agent_config: {}, launch_error: 'x' }],
    ['launch_error', 'a bad launch', { launch: 'x', launch_error: 'x' }],
    ['launch_invalid', 'an unknown agent', { launch: { version: 2 }, agent_type: 'x' }],
    ['agent_unsupported', 'a bad script', { ...launch({ script: '' }), agent_type: 'x' }],
  ])('with %s before it looks at %s', (code, _later, changes) => {
    expect(outline(parse(dockerJob(changes)))).toMatchObject({ code });
  });

  test('a launch error with its own text up to 512 bytes, else with a general one', () => {
    const longest = 'x'.repeat(512);
    expect(parse(dockerJob({ launch_error: longest }))).toMatchObject({ error: longest });
    expect(parse(dockerJob({ launch_error: `${longest}x` }))).toMatchObject({
      error: 'The service could not prepare this job.',
    });
  });

  test('values that are nested too deeply to be written again', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as JsonObject;
    for (const field of ['git_clone_config', 'custom_commands'])
      expect(outline(parse(dockerJob({ [field]: deep })))).toMatchObject({
        code: 'bad_payload',
        field,
      });
    const agent_config = { image: 'i', deep };
    expect(outline(parse(dockerJob({ agent_config })))).toMatchObject({ code: 'bad_payload' });
  });

  test('without repeating a value or a hostile name in any text', () => {
    const canary = 'canary-9731';
    const jobs = [
      launch({ script: `${canary}\0` }),
      launch({ env: { FOO: `${canary}\0` } }),
      launch({ env: { [canary]: 'x' } }),
      { prompt: `${canary}\0` },
      { agent_config: { image: 'i', runner: { network: `${canary}/x` } } },
      { agent_config: { image: 'i', runner: { extra_mounts: [canary] } } },
      { resume_from: canary, agent_config: { image: 'i', runner: { persist_workspace: true } } },
    ];
    for (const changes of jobs) {
      const parsed = parse(dockerJob(changes));
      expect(parsed.kind).toBe('refused');
      expect(JSON.stringify(parsed)).not.toContain(canary);
    }
  });
});
