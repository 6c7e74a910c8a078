import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../runner-core/model/json.ts';
import {
  BOOTSTRAP,
  composeProjectName,
  containerEnvironment,
  entrypointFor,
  sanitiseAgentConfig,
} from '../../../runner-core/wire/launch.ts';
import { parseJob } from '../../../runner-core/wire/job-payload.ts';
import { dockerJob, JOB_ID } from '../../support/docker-job.ts';

const environment = (changes: JsonObject, url = 'http://h:1/'): Readonly<Record<string, string>> =>
  containerEnvironment(dockerJob(changes), url);

describe('containerEnvironment', () => {
  test('leaves out what is empty, missing or no string', () => {
    const bare = environment({
      flow_id: '',
      model_identifier: null,
      model_provider: 7,
      account_api_token: '',
      agent_config: { token: 'x' },
      launch: null,
    });
    expect(bare).toEqual({
      EXECUTION_ID: JOB_ID,
      PRELOOP_URL: 'http://h:1',
      COMPOSE_PROJECT_NAME: 'preloop-5f0c2a348d1e4b7a9c552e6f7a8b9c01',
      PRELOOP_MCP_URL: 'http://h:1/mcp/v1',
    });
  });

  test('lets launch.env override the job and our own values, but neither script nor tools address', () => {
    const names = ['FLOW_ID', 'PRELOOP_URL', 'AGENT_CONFIG', 'PRELOOP_API_TOKEN'] as const;
    const overridden = Object.fromEntries(names.map((name) => [name, 'own']));
    const env = { ...overridden, PRELOOP_RUNNER_SCRIPT: 'own', PRELOOP_MCP_URL: 'own' };
    expect(environment({ launch: { version: 1, script: 'true', env } })).toMatchObject({
      ...overridden,
      PRELOOP_RUNNER_SCRIPT: 'true',
      PRELOOP_MCP_URL: 'http://h:1/mcp/v1',
    });
  });

  test('writes configuration as compact JSON with sorted keys and without markup characters', () => {
    const made = environment({
      git_clone_config: { b: [{ z: 1, a: '<&>' }], a: '\u2028\u2029é' },
      custom_commands: { token: 'kept for the script' },
    });
    expect(made['GIT_CLONE_CONFIG']).toBe(
      '{"a":"\\u2028\\u2029é","b":[{"a":"\\u003c\\u0026\\u003e","z":1}]}',
    );
    expect(made['CUSTOM_COMMANDS']).toBe('{"token":"kept for the script"}');
  });

  test('gives an older service its prompt', () => {
    expect(environment({ prompt: 'do it' })).toMatchObject({ AGENT_PROMPT: 'do it' });
  });
});

describe('sanitiseAgentConfig', () => {
  test.each([
    'api_key',
    'ApiKey',
    'API_TOKEN',
    'access_token',
    'secret',
    'password',
    'Token',
    'openai_api_key',
    'x_access_token',
    'db_password',
    'webhook_secret',
    'github_token',
    'githubToken',
    'GITHUB-TOKEN',
    'clientSecret',
    'secrets',
    'aws_secret_access_key',
    'privateKey',
    'credentials',
    'Authorization',
    'gittoken',
  ])('drops %s, in objects and lists at every depth', (key) => {
    const config = { [key]: 'v', a: [{ [key]: 'v', b: { [key]: ['v'], c: 1 } }] };
    expect(sanitiseAgentConfig(config)).toEqual({ a: [{ b: { c: 1 } }] });
  });

  test('keeps settings whose names only resemble a secret', () => {
    const config = {
      max_tokens: 4_096,
      token_budget: 10,
      token_required: true,
      tokenizer: 'cl100k',
      key: 'v',
      keyboard: 'v',
      secretary: 'v',
      image: 'i',
    };
    expect(sanitiseAgentConfig(config)).toEqual(config);
  });

  test('drops the protocol’s own names whatever their value', () => {
    expect(sanitiseAgentConfig({ token: 1, secret: true, x_password: null })).toEqual({});
  });
});

test.each([
  [JOB_ID.toUpperCase(), 'preloop-5f0c2a348d1e4b7a9c552e6f7a8b9c01'],
  [' A-b ', 'preloop-ab'],
  [' ', 'preloop-unknown'],
  ['--', 'preloop-unknown'],
])('the compose project of %j is %s', (jobId, name) => {
  expect(composeProjectName(jobId)).toBe(name);
});

describe('entrypointFor', () => {
  test.each([
    [true, null],
    [false, ['/bin/bash']],
  ])('with a preserved entrypoint (%s) it is %j', (preserve, entrypoint) => {
    const runner = { preserve_image_entrypoint: preserve };
    const job = parseJob(dockerJob({ agent_config: { image: 'i', runner } }), 'http://h');
    if (job.kind !== 'docker') throw new Error(job.kind);
    expect(entrypointFor(job.spec)).toEqual({ entrypoint, cmd: ['-c', BOOTSTRAP] });
  });

  test('the bootstrap is far below the limit of one argument', () => {
    expect(Buffer.byteLength(BOOTSTRAP)).toBeLessThan(8_192);
  });
});
