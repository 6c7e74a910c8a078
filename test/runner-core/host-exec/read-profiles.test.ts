import { describe, expect, test } from 'vitest';
import { advertise } from '../../../runner-core/host-exec/advertise.ts';
import { clientProfileFile } from '../../../runner-core/host-exec/client-file.ts';
import { readProfiles } from '../../../runner-core/host-exec/read-profiles.ts';
import {
  PROFILE_PROBLEM_CODES,
  type HostPlatform,
} from '../../../runner-core/model/host-profile.ts';
import type { JsonObject } from '../../../runner-core/model/json.ts';
import { hostProfile } from './host-exec-builders.ts';

const GOOD = { name: 'good', executable: 'cursor-agent' };
const read = (profiles: readonly unknown[], platform: HostPlatform = 'linux') =>
  readProfiles(JSON.stringify({ profiles }), platform);
const one = (changes: JsonObject, platform: HostPlatform = 'linux') =>
  read([{ ...GOOD, ...changes }], platform);
const codes = (changes: JsonObject, platform: HostPlatform = 'linux') =>
  one(changes, platform).problems.map(({ code }) => code);

test('a profile is read with all its fields, and what is left out has its default', () => {
  const { profiles, problems } = read([
    {
      name: ' cursor-readonly ',
      executable: ' /opt/bin/cursor-agent ',
      argv: ['--trust', '--mode=ask'],
      workspace_root: '/srv/agent-runs/',
      timeout_seconds: 1200,
      force_writes: true,
      pass_env: ['SSH_AUTH_SOCK'],
      model_map: { 'house/fast': 'composer-2.5' },
      trust_workspace: false,
      linger_seconds: 5,
      lingered_is_success: true,
      stall_seconds: 90,
    },
    GOOD,
  ]);
  expect(problems).toEqual([]);
  expect(profiles).toEqual([
    {
      name: 'cursor-readonly',
      executable: '/opt/bin/cursor-agent',
      argv: ['--trust', '--mode=ask'],
      workspaceRoot: '/srv/agent-runs',
      timeoutSeconds: 1200,
      forceWrites: true,
      modelMap: { 'house/fast': 'composer-2.5' },
      passEnv: ['SSH_AUTH_SOCK'],
      trustWorkspace: false,
      lingerSeconds: 5,
      lingeredIsSuccess: true,
      stallSeconds: 90,
    },
    hostProfile({ name: 'good', modelMap: {} }),
  ]);
});

test.each(['{}', 'null', '{"profiles":null}', '{"profiles":[],"more":1}'])(
  '%s holds no profiles',
  (text) => {
    expect(readProfiles(text, 'linux')).toEqual({ profiles: [], problems: [] });
  },
);

test.each([
  ['[]', 'file_shape'],
  ['{"profiles":{}}', 'file_shape'],
  ['7', 'file_shape'],
  ['{"profiles":[]} x', 'file_unreadable'],
  ['\uFEFF{}', 'file_unreadable'],
  [`{"pad":"${'x'.repeat(1_048_576)}"}`, 'file_too_large'],
])('a whole file that cannot be read is told as one problem: %.20s', (text, code) => {
  expect(readProfiles(text, 'linux')).toMatchObject({
    profiles: [],
    problems: [{ code, severity: 'error', index: null, profile: null }],
  });
});

test('one bad profile is left out with its reason, and those around it stand', () => {
  const { profiles, problems } = read([
    GOOD,
    { name: 'bad', executable: 'bash' },
    7,
    { ...GOOD, name: 'last' },
  ]);
  expect(profiles.map(({ name }) => name)).toEqual(['good', 'last']);
  expect(problems).toMatchObject([
    {
      code: 'executable_unknown',
      severity: 'error',
      index: 1,
      profile: 'bad',
      field: 'executable',
    },
    { code: 'not_an_object', severity: 'error', index: 2, profile: null },
  ]);
});

test('of two names that differ by case alone the first stands', () => {
  const { profiles, problems } = read([GOOD, { ...GOOD, name: ' GOOD ' }]);
  expect(profiles.map(({ name }) => name)).toEqual(['good']);
  expect(problems).toMatchObject([{ code: 'name_taken', index: 1 }]);
});

test('of 65 profiles the first 64 stand', () => {
  const { profiles, problems } = read(
    Array.from({ length: 65 }, (_, at) => ({ ...GOOD, name: `p${at}` })),
  );
  expect(profiles).toHaveLength(64);
  expect(problems).toMatchObject([{ code: 'too_many_profiles', severity: 'error' }]);
});

describe('the limits of each field', () => {
  const models = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 'x']));
  test.each<[string, JsonObject, string[]]>([
    ['a name of 64', { name: 'n'.repeat(64) }, []],
    ['a name of 65', { name: 'n'.repeat(65) }, ['name_invalid']],
    ['a name that begins with a dot', { name: '.n' }, ['name_invalid']],
    ['no name', { name: null }, ['name_invalid']],
    ['no executable', { executable: ' ' }, ['executable_missing']],
    ['an executable with NUL', { executable: 'cursor-agent\0' }, ['executable_invalid']],
    ['a relative executable', { executable: './cursor-agent' }, ['executable_invalid']],
    ['another case', { executable: '/opt/Agent' }, []],
    ['an extension', { executable: '/opt/agent.cmd' }, []],
    ['copilot', { executable: 'copilot' }, ['copilot_unsupported']],
    ['32 arguments', { argv: Array<string>(32).fill('--trust') }, []],
    ['33 arguments', { argv: Array<string>(33).fill('--trust') }, ['argv_too_many']],
    ['an argument of 4,096 bytes', { argv: [`--mode=${'x'.repeat(4_089)}`] }, []],
    ['an argument of 4,097 bytes', { argv: [`--mode=${'x'.repeat(4_090)}`] }, ['argv_too_long']],
    ['an argument with NUL', { argv: ['--mode=\0'] }, ['argv_not_text']],
    ['an argument that is no UTF-8', { argv: ['--mode=\ud800'] }, ['argv_not_text']],
    ['an argument that is no text', { argv: [7] }, ['wrong_type']],
    ['a managed argument', { argv: ['--model=x'] }, ['argv_managed']],
    ['a relative folder', { workspace_root: 'runs' }, ['workspace_relative']],
    ['a negative time', { timeout_seconds: -1 }, ['timeout_invalid']],
    ['half a second', { timeout_seconds: 0.5 }, ['timeout_invalid']],
    ['a time longer than any timer', { timeout_seconds: 10_000_000 }, []],
    ['a year', { timeout_seconds: 31_536_000 }, []],
    ['more than a year', { timeout_seconds: 31_536_001 }, ['timeout_invalid']],
    ['more than a year after its result', { linger_seconds: 31_536_001 }, ['timeout_invalid']],
    ['more than a year of silence', { stall_seconds: 9e15 }, ['timeout_invalid']],
    ['64 models', { model_map: models(64) }, []],
    ['65 models', { model_map: models(65) }, ['model_map_too_many']],
    ['a model of 128', { model_map: { ['m'.repeat(128)]: 'x' } }, []],
    ['a model of 129', { model_map: { ['m'.repeat(129)]: 'x' } }, ['model_map_invalid']],
    ['an alias that looks like a flag', { model_map: { m: '--force' } }, ['model_map_invalid']],
    ['a model without alias', { model_map: { m: '' } }, ['model_map_invalid']],
    ['64 variables', { pass_env: Array<string>(64).fill('A') }, []],
    ['65 variables', { pass_env: Array<string>(65).fill('A') }, ['pass_env_too_many']],
    ['a variable with its value', { pass_env: ['A=1'] }, ['pass_env_invalid']],
    ['a token of Preloop', { pass_env: ['PRELOOP_TOKEN'] }, ['pass_env_refused']],
    ['a token of Preloop in other case', { pass_env: ['Preloop_Token'] }, ['pass_env_refused']],
    ['rules for Copilot', { allow_tools: ['x'] }, ['copilot_only']],
    ['no rules for Copilot', { allow_tools: [], allow_all_tools: false }, []],
    ['a checkout', { allow_checkout: true }, ['key_ignored']],
    ['pass_model', { pass_model: true }, ['key_ignored']],
    ['a key nobody knows', { timeout: 5 }, ['key_unknown']],
    ['no trust from anywhere', { trust_workspace: false }, ['trust_missing']],
    ['trust as an argument', { trust_workspace: false, argv: ['--trust'] }, []],
  ])('%s', (_name, changes, wanted) => {
    expect(codes(changes)).toEqual(wanted);
  });

  test.each<JsonObject>([{}, { linger_seconds: 0 }, { linger_seconds: null }])(
    'with %j a run gets 20 s to exit after its result, never none',
    (changes) => {
      expect(one(changes).profiles[0]?.lingerSeconds).toBe(20);
    },
  );

  test('a time that nobody means is refused with its key and what to write', () => {
    for (const key of ['timeout_seconds', 'linger_seconds', 'stall_seconds']) {
      const { profiles, problems } = one({ [key]: 40_000_000 });
      expect(profiles).toEqual([]);
      expect(problems).toMatchObject([
        {
          field: key,
          severity: 'error',
          reason: `${key} is more than a year.`,
          remedy: 'Write at most 31536000; 0 stands for the default.',
        },
      ]);
    }
  });

  test('warnings leave a profile usable, errors do not', () => {
    expect(one({ timeout: 5 }).profiles).toHaveLength(1);
    expect(one({ argv: ['--model=x'] }).profiles).toHaveLength(0);
    expect(one({ pass_env: ['PRELOOP_TOKEN'] }).profiles).toHaveLength(0);
  });

  test('on Windows full paths have a drive or a share', () => {
    expect(
      codes({ workspace_root: 'C:\\runs', executable: 'C:\\bin\\agent.exe' }, 'win32'),
    ).toEqual([]);
    expect(codes({ workspace_root: '\\\\host\\share' }, 'win32')).toEqual([]);
    expect(codes({ workspace_root: '/runs' }, 'win32')).toEqual(['workspace_relative']);
    expect(codes({ executable: 'C:agent.cmd' }, 'win32')).toContain('executable_invalid');
  });
});

test('every problem has one sentence and one remedy, and a known code', () => {
  const bad = {
    name: '',
    executable: 'x/y',
    argv: ['--', '-pf', 'x'],
    timeout_seconds: -1,
    model_map: 1,
    pass_env: 1,
  };
  for (const { code, reason, remedy } of read([bad]).problems) {
    expect(PROFILE_PROBLEM_CODES).toContain(code);
    for (const text of [reason, remedy]) expect(text).toMatch(/^[A-Z].*\.$|^-.*\.$|^[a-z_]+ .*\.$/);
  }
});

test.each([
  [
    '-akey_SECRET',
    'The argument joins several short flags, -a among them, or a flag and its value.',
  ],
  ['-zSECRET', 'The argument joins several short flags, or a flag and its value.'],
  ['--api-key=SECRET', "--api-key is not for a profile's arguments."],
  [
    '--header2: SECRET',
    '--header2 is not a flag this host knows; if it wants a value, it takes the next argument for it.',
  ],
])('of %s only the flag is told', (argument, reason) => {
  expect(one({ argv: [argument] }).problems).toMatchObject([{ reason }]);
});

test('the advertisement has names, abilities and sorted model names, and nothing else', () => {
  const profile = hostProfile({
    argv: ['--trust'],
    workspaceRoot: '/secret',
    passEnv: ['SECRET'],
    timeoutSeconds: 7,
  });
  expect(advertise([profile])).toEqual([
    {
      name: 'Cursor-Review',
      capabilities: ['host_exec', 'stdout', 'cancel', 'cursor_cli'],
      models: ['house/deep', 'house/fast'],
    },
  ]);
});

test('no profiles are advertised as an empty list, which clears what the service has', () => {
  expect(advertise([])).toEqual([]);
});

test('the client’s file is in its folder unless its variable names a full path', () => {
  const at = (value: string | undefined, platform: HostPlatform = 'linux') =>
    clientProfileFile(
      { PRELOOP_RUNNER_HOST_PROFILES: value },
      platform === 'win32' ? 'C:\\U\\o' : '/home/o',
      platform,
    );
  expect(at(undefined)).toEqual({
    kind: 'path',
    path: '/home/o/.preloop/runner-host-profiles.json',
    isOverridden: false,
  });
  expect(at('  ')).toMatchObject({ isOverridden: false });
  expect(at(' /etc/x/../p.json ')).toEqual({
    kind: 'path',
    path: '/etc/p.json',
    isOverridden: true,
  });
  expect(at('p.json')).toMatchObject({ kind: 'relative' });
  expect(at(undefined, 'win32')).toMatchObject({
    path: 'C:\\U\\o\\.preloop\\runner-host-profiles.json',
  });
});
