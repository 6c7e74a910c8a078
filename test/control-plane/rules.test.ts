/** The plane's pure rules: pools, capacity, profiles, redaction, addresses, categories, launches. */
import { describe, expect, test } from 'vitest';
import { judgeCompletion } from '../../control-plane/completion-verdict.ts';
import type { PublicDefinition, SecretDefinition } from '../../control-plane/definitions.ts';
import { failureCategory } from '../../control-plane/failure-category.ts';
import { normaliseProfiles } from '../../control-plane/host-profiles.ts';
import { buildLaunch } from '../../control-plane/launch-builder.ts';
import { readFlags } from '../../control-plane/plane-flags.ts';
import {
  capacityOf,
  poolMatches,
  readConcurrency,
  resolvePool,
} from '../../control-plane/pools.ts';
import { normalPullRequestUrl } from '../../control-plane/pr-url.ts';
import { redact } from '../../control-plane/redaction.ts';

describe('pools', () => {
  test('the first wish that is not blank decides, and the service itself is not to be had here', () => {
    expect(resolvePool(null, ' ', undefined)).toBe('auto');
    expect(resolvePool(undefined, 'gpu', 'other')).toBe('gpu');
    expect(resolvePool(' Box ', 'gpu')).toBe('Box');
    expect(resolvePool('Server')).toBe('auto');
    expect(resolvePool('AUTO', 'gpu')).toBe('auto');
  });

  test('server matches no runner, auto and nothing match all, and nothing matches in part', () => {
    const runner = { id: 'a1', name: 'Box', labels: ['GPU'] };
    expect(poolMatches('server', { ...runner, name: 'server' })).toBe(false);
    for (const pool of ['auto', '', 'A1', 'box', 'gpu'])
      expect(poolMatches(pool, runner)).toBe(true);
    for (const pool of ['bo', 'box ', 'g*', 'gpu box'])
      expect(poolMatches(pool, runner)).toBe(false);
  });

  test.each([
    [2, null, 1],
    [2, 1, 1],
    [2, 2, 2],
    [2, 32, 2],
    [32, 4, 4],
    [null, 32, 2],
    [0, 5, 1],
  ])('a ceiling of %s and a report of %s give %s slots', (ceiling, reported, slots) => {
    expect(capacityOf(ceiling, reported)).toBe(slots);
  });

  test('a report is an integer, brought inside 1 to 32, or none', () => {
    expect([40, 0, -3, 7, 1e300].map(readConcurrency)).toEqual([32, 1, 1, 7, 32]);
    for (const none of [true, '3', 1.5, null, undefined, [3], {}, Number.NaN]) {
      expect(readConcurrency(none)).toBeNull();
    }
  });
});

test('profiles are cut to what is known, first of each name, with host_exec in front', () => {
  const advertised = [
    {
      name: 'one',
      capabilities: ['stdout', 'root', 'stdout', 7],
      models: ['a', 'a', '-bad', 'b:1'],
    },
    { name: 'ONE', capabilities: ['cancel'] },
    { name: '-bad' },
    null,
    { name: 'two', capabilities: ['cursor_cli', 'host_exec'], models: 'none' },
    { name: 'three', capabilities: [...Array.from({ length: 16 }, () => 'x'), 'cancel'] },
  ];
  expect(normaliseProfiles(advertised).host_exec_profiles).toEqual([
    { name: 'one', capabilities: ['host_exec', 'stdout'], models: ['a', 'b:1'] },
    { name: 'two', capabilities: ['cursor_cli', 'host_exec'] },
    { name: 'three', capabilities: ['host_exec'] },
  ]);
  const many = Array.from({ length: 70 }, (_unused, at) => ({ name: `p${at}` }));
  expect(normaliseProfiles(many).host_exec_profiles).toHaveLength(64);
  for (const none of [null, undefined, 'x', {}, 7]) {
    expect(normaliseProfiles(none)).toEqual({ host_exec_profiles: [] });
  }
});

test.each([
  [`gho_${'A1'.repeat(18)}`, '[redacted]'],
  [`a github_pat_${'A1_'.repeat(10)} b`, 'a [redacted] b'],
  [`glpat-${'aB3-'.repeat(5)}`, '[redacted]'],
  [`key=sk-${'aB3'.repeat(10)}`, 'key=[redacted]'],
  ['xoxb-1234567890-abcdef', '[redacted]'],
  [`ASIA${'A1B2'.repeat(4)}`, '[redacted]'],
  ['eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl', '[redacted]'],
  [`rt_${'x'.repeat(43)}`, '[redacted]'],
  ['https://me:pw@h.test/x', 'https://[redacted]@h.test/x'],
  ['mail a@b.test via https://h.test/@x', 'mail a@b.test via https://h.test/@x'],
  ['risk-averse, sk-1, art_work, eyJust', 'risk-averse, sk-1, art_work, eyJust'],
])('%j is stored as %j', (text, stored) => {
  expect(redact(text)).toBe(stored);
});

test('redaction of hostile text does not grow with the square of its length', () => {
  const hostile = [
    'https://'.repeat(20_000),
    `${'eyJ'.repeat(30_000)}.`,
    'sk-'.repeat(40_000),
    `Bearer ${'a'.repeat(100_000)}`,
  ];
  const startedMs = performance.now();
  hostile.map(redact);
  expect(performance.now() - startedMs).toBeLessThan(20_000);
});

test.each([
  ['https://GitHub.com/o/r/pull/7/', 'https://github.com/o/r/pull/7'],
  ['github.com/o/r/issues/7?x#y', 'https://github.com/o/r/pull/7'],
  ['http://git.test:8080/o/r/issues/7', 'http://git.test/o/r/issues/7'],
  ['https://api.github.com/repos/o/r/pulls/7', 'https://api.github.com/repos/o/r/pulls/7'],
  ['not an address at all', 'not an address at all'],
])('the pull request %s is kept as %s', (given, kept) => {
  expect(normalPullRequestUrl(given)).toBe(kept);
});

test.each([
  ['SUCCEEDED', null, null],
  ['RUNNING', null, null],
  ['STOPPED', 'x', 'cancelled'],
  ['TIMEOUT', 'x', 'timeout'],
  ['FAILED', 'Execution timed out after 60 seconds', 'timeout'],
  ['FAILED', 'no such image: a:1', 'runner_error'],
  ['FAILED', 'HTTP 401 invalid api key', 'model_auth'],
  ['FAILED', 'rate limit reached', 'model_transient'],
  ['FAILED', 'payment required', 'provider_billing'],
  ['FAILED', 'something else', 'unknown'],
  ['FAILED', null, 'unknown'],
])('%s with %j is of category %s', (status, error, category) => {
  expect(failureCategory({ status, error, setupFailed: false })).toBe(category);
});

test('a failed setup seen in the log decides where the error text does not', () => {
  expect(failureCategory({ status: 'FAILED', error: 'exit 1', setupFailed: true })).toBe(
    'setup_failed',
  );
});

describe('judging a completion', () => {
  const report = { exit_code: 0, completion_protocol: 'docker_v1', launch_version: 1 };

  test('a lease with a profile that is no host lease, and a host lease that is damaged, fail', () => {
    const result = { status: 'success' };
    expect(judgeCompletion({ host_exec_profile: 'p' }, { ...report, result }, 'SUCCEEDED')).toEqual(
      {
        status: 'FAILED',
        error: 'Invalid durable runner lease protocol',
        result: null,
      },
    );
    for (const job of [
      { agent_type: 'codex', host_exec_profile: 'p' },
      { agent_type: 'cursor' },
      { agent_type: 'cursor', host_exec_profile: 'p', launch_version: 1 },
    ]) {
      const lease = { completion_protocol: 'host_exec', ...job };
      expect(judgeCompletion(lease, {}, 'STOPPED').error).toBe(
        'Invalid durable host execution lease',
      );
    }
  });

  test('keys that are the control plane to write are taken out, and an error of any type becomes text', () => {
    const result = {
      status: 'failed',
      evidence_upload: 1,
      dossier_manifest: 2,
      host_publication: 3,
    };
    expect(judgeCompletion({}, { result, error: { code: 7 } }, 'FAILED')).toEqual({
      status: 'FAILED',
      error: '{"code":7}',
      result: { status: 'failed', host_publication: 3 },
    });
  });
});

describe('launch', () => {
  const definition: PublicDefinition = {
    agent_type: 'codex',
    image: null,
    model_identifier: null,
    model_provider: null,
    allowed_mcp_servers: ['preloop-mcp', 'other'],
    pins_workspace: false,
    host_exec_profile: null,
    pool: null,
    timeout_seconds: null,
  };
  const secretHalf: SecretDefinition = {
    agent_config: {},
    git_clone_config: null,
    custom_commands: null,
    allowed_mcp_tools: [{ server_name: 'other', tool_name: 'a' }, { name: 'b' }, 'odd'],
    script: '',
    env: {},
    prompt: null,
  };
  const launch = (prompt: string | null): { env: Record<string, string>; script: string } =>
    buildLaunch({
      definition,
      secret: { ...secretHalf, script: 'echo', env: { OWN: 'x' }, prompt },
      token: 'rt_token',
      publicUrl: 'http://127.0.0.1:1',
    }) as { env: Record<string, string>; script: string };

  test('it carries token, tools and address, and no secret in the script', () => {
    const { env, script } = launch(null);
    expect(script).toBe('echo');
    expect(env).toMatchObject({
      OWN: 'x',
      PRELOOP_API_TOKEN: 'rt_token',
      MCP_TOOL_TIMEOUT_SEC: '600',
      PRELOOP_MCP_URL: 'http://127.0.0.1:1/mcp/v1',
      MCP_ALLOWED_SERVERS: 'preloop-mcp,other',
      MCP_ALLOWED_TOOLS: '{"other":["a"],"preloop-mcp":["b"]}',
      CODEX_ENV_PYTHON_VERSION: '3.12',
      PRELOOP_AGENT_PROMPT_CHUNKS: '0',
      PRELOOP_AGENT_PROMPT_BYTES: '0',
      AGENT_PROMPT: '',
    });
    expect(JSON.parse(env['MCP_CONFIG_JSON'] ?? '')).toEqual({
      mcpServers: {
        'preloop-mcp': {
          url: 'http://127.0.0.1:1/mcp/v1',
          transport: 'http-streaming',
          headers: { Authorization: 'Bearer rt_token' },
        },
      },
      allowed_tools: { other: ['a'], 'preloop-mcp': ['b'] },
    });
  });

  test('a long prompt comes in chunks of 98,304 characters that join to it, and not as one variable', () => {
    const prompt = 'é'.repeat(80_000);
    const { env } = launch(prompt);
    const count = Number(env['PRELOOP_AGENT_PROMPT_CHUNKS']);
    const chunks = Array.from(
      { length: count },
      (_unused, at) => env[`PRELOOP_AGENT_PROMPT_${at}`],
    );

    expect(count).toBe(3);
    expect(chunks.map((chunk) => chunk?.length).slice(0, 2)).toEqual([98_304, 98_304]);
    const text = Buffer.from(chunks.join(''), 'base64');
    expect(text.length).toBe(Number(env['PRELOOP_AGENT_PROMPT_BYTES']));
    expect(text.toString('utf8').startsWith(prompt)).toBe(true);
    expect(text.toString('utf8')).toContain('/workspace/result.json');
    expect(env).not.toHaveProperty('AGENT_PROMPT');
  });

  test('many middling variables are refused for their sum', () => {
    const env = Object.fromEntries(
      Array.from({ length: 11 }, (_unused, at) => [`V${at}`, 'x'.repeat(100_000)]),
    );
    const secret = { ...secretHalf, env };
    expect(() => buildLaunch({ definition, secret, token: 't', publicUrl: 'http://h' })).toThrow(
      'the whole environment',
    );
  });
});

test.each([
  [[], '--data-dir is missing'],
  [['--data-dir', 'd', '--port', '70000'], '--port is no port number'],
  [['--data-dir', 'd', '--port', 'x'], '--port is no port number'],
  [['--data-dir', 'd', '--behaviour', 'best'], '--behaviour is neither hosted nor improved'],
  [['--data-dir', 'd', '--nonsense'], "Unknown option '--nonsense'"],
])('the flags %j are refused', (args, problem) => {
  expect(() => readFlags(args)).toThrow(problem);
});

test('flags have their defaults', () => {
  expect(readFlags(['--data-dir', 'd'])).toEqual({
    dataDir: 'd',
    port: 0,
    host: '127.0.0.1',
    behaviour: 'improved',
    ceiling: 2,
    withParent: false,
  });
});
