import { describe, expect, test } from 'vitest';
import { readProfiles } from '../../../runner-core/host-exec/read-profiles.ts';
import type { JsonObject } from '../../../runner-core/model/json.ts';
import { hostLeaseProblem, type HostOffers } from '../../../runner-core/wire/host-lease.ts';
import { parseJob } from '../../../runner-core/wire/job-payload.ts';
import { HOST_JOB_ID, hostLease, hostProfile } from '../host-exec/host-exec-builders.ts';

const OFFERS: HostOffers = {
  profiles: [hostProfile()],
  leftOut: [{ name: 'Broken', why: 'The executable is missing.' }],
};
const codeOf = (changes: JsonObject, offers = OFFERS): string | undefined =>
  hostLeaseProblem(hostLease(changes), offers)?.code;
const parse = (changes: JsonObject) => parseJob(hostLease(changes), 'http://h', () => OFFERS);

test('a plain lease is taken, and its name is kept as it was spelled', () => {
  expect(
    parse({
      host_exec_profile: ' CURSOR-review ',
      model_identifier: 'house/fast',
      timeout_seconds: 90.9,
    }),
  ).toEqual({
    kind: 'host',
    spec: {
      kind: 'host_exec',
      jobId: HOST_JOB_ID,
      flowId: '11111111-1111-4111-8111-111111111111',
      flowName: null,
      repository: null,
      agentType: 'cursor',
      modelIdentifier: 'house/fast',
      report: { kind: 'host_exec', profile: ' CURSOR-review ' },
      profileName: ' CURSOR-review ',
      timeoutSeconds: 90,
    },
    secrets: { prompt: 'Review the change' },
  });
});

test('the prompt is only among the secrets', () => {
  const job = parse({ prompt: 'canary' });
  if (job.kind !== 'host') throw new Error(job.kind);
  expect(JSON.stringify(job.spec)).not.toContain('canary');
});

test.each([
  [undefined, null],
  [null, null],
  ['60', null],
  [true, null],
  [0, null],
  [-5, null],
  [0.4, 1],
  [60.9, 60],
])('a job time of %j is %j seconds', (timeout_seconds, wanted) => {
  const job = parse(timeout_seconds === undefined ? {} : { timeout_seconds });
  expect(job).toMatchObject({ kind: 'host', spec: { timeoutSeconds: wanted } });
});

test('a prompt that is no text is an empty one', () => {
  expect(parse({ prompt: 7 })).toMatchObject({ kind: 'host', secrets: { prompt: '' } });
});

test('a blank profile name makes no host job', () => {
  expect(parse({ host_exec_profile: '  ', completion_protocol: 'docker_v1' }).kind).not.toBe(
    'host',
  );
});

describe('what a lease may not bring, by its presence alone', () => {
  test.each([
    ...['executable', 'argv', 'env', 'cursor_api_key', 'api_key', 'launch', 'launch_version'],
    ...['script', 'environment', 'account_api_token', 'copilot_github_token', 'github_token'],
    ...['gh_token', 'allow_tools', 'deny_tools', 'allow_all_tools', 'runner_prompt_preamble'],
  ])('%s', (key) => {
    for (const value of [null, '', false, 'x', {}]) {
      const problem = hostLeaseProblem(hostLease({ [key]: value }), OFFERS);
      expect(problem).toMatchObject({ code: 'host_exec_field_refused', facts: { field: key } });
    }
  });

  test.each([
    ['session_id', 'resume_unavailable'],
    ['resume_from', 'resume_unavailable'],
    ['custom_commands', 'host_setup_commands_not_allowed'],
  ])('%s, with the code of what it would do', (key, code) => {
    expect(codeOf({ [key]: null })).toBe(code);
  });
});

describe('what newer services ask for is refused, each with its own code', () => {
  test.each<[string, JsonObject, string]>([
    ['an isolated publication', { publication: {} }, 'host_publication_not_allowed'],
    [
      'a publication',
      { host_exec_publication: { mode: 'legacy' } },
      'host_publication_not_allowed',
    ],
    [
      'a pull request',
      { git_clone_config: { create_pull_request: true } },
      'host_exec_pull_request_refused',
    ],
    [
      'a checkout',
      { host_exec_checkout: { repositories: [{ url: 'x' }] } },
      'host_checkout_not_allowed',
    ],
    ['a checkout that cannot be read', { host_exec_checkout: 'x' }, 'host_checkout_not_allowed'],
    [
      'set-up commands',
      { git_clone_config: { setup_commands: ['make'] } },
      'host_setup_commands_not_allowed',
    ],
    ['workspace seeds', { workspace_seeds: [{ path: 'x' }] }, 'host_workspace_seeds_not_allowed'],
    [
      'seeds in the settings',
      { agent_config: { workspace_seed: 'x' } },
      'host_workspace_seeds_not_allowed',
    ],
    ['tool servers', { host_exec_mcp: { token: 't' } }, 'host_exec_mcp_unavailable'],
    ['a session to continue', { host_exec_resume: { session_id: 'x' } }, 'resume_unavailable'],
    ['another harness', { host_exec: { harness: 'copilot_cli' } }, 'host_exec_protocol_invalid'],
  ])('%s', (_name, changes, code) => {
    expect(codeOf(changes)).toBe(code);
  });

  test.each<[JsonObject]>([
    [{ publication: null, host_exec_mcp: null, host_exec_resume: null, host_exec_checkout: null }],
    [{ host_exec_checkout: { repositories: [] } }],
    [{ git_clone_config: { create_pull_request: false, setup_commands: [] } }],
    [{ workspace_seeds: [], agent_config: { host_exec_profile: 'cursor-review' } }],
    [{ host_exec: { harness: 'cursor_cli', profile: 'cursor-review' } }],
  ])('but nothing is refused for %j, which asks for none', (changes) => {
    expect(codeOf(changes)).toBeUndefined();
  });
});

test.each<[string, JsonObject, string]>([
  ['an agent of another kind', { agent_type: 'copilot' }, 'host_exec_protocol_invalid'],
  ['an agent in other case', { agent_type: 'Cursor' }, 'host_exec_protocol_invalid'],
  ['another protocol', { completion_protocol: 'docker_v1' }, 'host_exec_protocol_invalid'],
  ['an unknown profile', { host_exec_profile: 'other' }, 'host_exec_profile_unknown'],
  ['a profile that cannot be used', { host_exec_profile: 'BROKEN' }, 'host_exec_profile_unusable'],
  ['a model that is not in the map', { model_identifier: 'gpt-5' }, 'host_exec_model_not_mapped'],
  ['a model with a space', { model_identifier: ' house/fast' }, 'host_exec_model_not_mapped'],
  [
    'an inherited name for a model',
    { model_identifier: 'constructor' },
    'host_exec_model_not_mapped',
  ],
  ['a model that is no text', { model_identifier: 5 }, 'host_exec_model_not_mapped'],
  ['an id that is no UUID', { execution_id: 'job-1' }, 'bad_payload'],
  ['a prompt of 65,537 bytes', { prompt: 'x'.repeat(65_537) }, 'bad_payload'],
  ['a prompt with NUL', { prompt: 'a\0' }, 'bad_payload'],
  ['a launch error', { launch_error: 'The flow changed.' }, 'launch_error'],
])('%s is refused', (_name, changes, code) => {
  expect(codeOf(changes)).toBe(code);
});

test('a profile that only passes models on has none for a flow', () => {
  const passing = { name: 'cursor-review', executable: 'cursor-agent', pass_model: true };
  const { profiles } = readProfiles(JSON.stringify({ profiles: [passing] }), 'linux');
  const offers = { profiles, leftOut: [] };
  expect(codeOf({}, offers)).toBeUndefined();
  expect(codeOf({ model_identifier: 'house/fast' }, offers)).toBe('host_exec_model_not_mapped');
});

test.each([null, ''])('a model of %j asks for none', (model_identifier) => {
  expect(codeOf({ model_identifier })).toBeUndefined();
  expect(codeOf({ prompt: 'x'.repeat(65_536) })).toBeUndefined();
});

test('the first check that fails is the one that is told, in the order of the protocol', () => {
  const steps: readonly (readonly [JsonObject, string])[] = [
    [{ publication: {} }, 'host_publication_not_allowed'],
    [{ launch_error: 'x' }, 'launch_error'],
    [{ argv: [] }, 'host_exec_field_refused'],
    [{ git_clone_config: { create_pull_request: true } }, 'host_exec_pull_request_refused'],
    [{ agent_type: 'pi' }, 'host_exec_protocol_invalid'],
    [{ host_exec_profile: 'other' }, 'host_exec_profile_unknown'],
    [{ model_identifier: 'other' }, 'host_exec_model_not_mapped'],
    [{ host_exec_mcp: { token: 't' } }, 'host_exec_mcp_unavailable'],
    [{ execution_id: 'x' }, 'bad_payload'],
  ];
  for (let first = 0; first < steps.length; first++) {
    // A profile that is not there hides its models: they are looked up only where it is.
    const changes = steps.slice(first).map(([change]) => change);
    expect(codeOf(Object.assign({}, ...changes) as JsonObject)).toBe(steps[first]?.[1]);
  }
});

test('a refusal is a failure with the host protocol and -1, and repeats nothing of what was brought', () => {
  const refused = parse({ env: { TOKEN: 'canary' }, prompt: 'canary' });
  expect(refused).toMatchObject({
    kind: 'refused',
    exitCode: -1,
    spec: { report: { kind: 'host_exec', profile: 'cursor-review' } },
    error: expect.stringMatching(/^host_exec_field_refused: The job tried to bring env/) as string,
  });
  expect(JSON.stringify(refused)).not.toContain('canary');
});

test('where nothing is offered the refusal says so', () => {
  expect(codeOf({}, { profiles: [], leftOut: [] })).toBe('host_exec_off');
});
