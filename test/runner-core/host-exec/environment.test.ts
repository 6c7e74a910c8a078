import { describe, expect, test } from 'vitest';
import { deadlineSeconds, timerMs } from '../../../runner-core/host-exec/deadline.ts';
import { jobEnvironment } from '../../../runner-core/host-exec/environment.ts';
import {
  workspaceProblems,
  writableByOthers,
  type TrustedThing,
} from '../../../runner-core/host-exec/file-trust.ts';
import type { HostPlatform } from '../../../runner-core/model/host-profile.ts';
import { HOST_JOB_ID, hostProfile } from './host-exec-builders.ts';

const JOB = { jobId: HOST_JOB_ID.toUpperCase(), flowId: null };
const env = (
  hostEnv: Record<string, string>,
  platform: HostPlatform = 'linux',
  passEnv: readonly string[] = [],
) => jobEnvironment(hostEnv, hostProfile({ passEnv }), JOB, [], platform);

test('only what is on the list goes through, and the job’s id with it', () => {
  const allowed = {
    HOME: '/home/o',
    PATH: '/bin',
    LC_ALL: 'C',
    XDG_CONFIG_HOME: '/x',
    CURSOR_API_KEY: 'k',
    https_proxy: 'http://p',
    PRELOOP_DISABLE_TELEMETRY: '1',
  };
  const refused = {
    PRELOOP_TOKEN: 'canary',
    PRELOOP_HOST_KEY: 'canary',
    AWS_SECRET_ACCESS_KEY: 'canary',
    SSH_AUTH_SOCK: '/s',
    GIT_ASKPASS: '/g',
    NODE_OPTIONS: '--inspect',
    home: 'other case',
    cursor_api_key: 'other case',
  };
  expect(env({ ...allowed, ...refused })).toEqual({
    ...allowed,
    PRELOOP_FLOW_EXECUTION_ID: HOST_JOB_ID,
  });
});

test('what the owner names goes through as well, but nothing of Preloop’s own in any spelling', () => {
  const given = { SSH_AUTH_SOCK: '/s', PRELOOP_TOKEN: 'canary', Preloop_Token: 'canary' };
  const passed = env(given, 'linux', ['SSH_AUTH_SOCK', 'PRELOOP_TOKEN', 'Preloop_Token']);
  expect(passed).toEqual({ SSH_AUTH_SOCK: '/s', PRELOOP_FLOW_EXECUTION_ID: HOST_JOB_ID });
});

test('ids that slipped in from outside are replaced by those of the job, and ids that are none are left out', () => {
  const stray = { PRELOOP_FLOW_EXECUTION_ID: 'x', PRELOOP_FLOW_ID: 'y' };
  expect(env(stray)).toEqual({ PRELOOP_FLOW_EXECUTION_ID: HOST_JOB_ID });
  const flowId = '11111111-1111-4111-8111-11111111111A';
  const job = { jobId: 'not a uuid', flowId };
  expect(jobEnvironment({}, hostProfile(), job, [], 'linux')).toEqual({
    PRELOOP_FLOW_ID: flowId.toLowerCase(),
  });
});

test('on Windows names are compared without case and keep their spelling', () => {
  expect(
    env(
      {
        Path: 'C:\\b',
        SystemRoot: 'C:\\W',
        'ProgramFiles(x86)': 'P',
        Processor_Level: '6',
        HOME: 'h',
      },
      'win32',
    ),
  ).toEqual({
    Path: 'C:\\b',
    SystemRoot: 'C:\\W',
    'ProgramFiles(x86)': 'P',
    Processor_Level: '6',
    PRELOOP_FLOW_EXECUTION_ID: HOST_JOB_ID,
  });
});

test.each<[HostPlatform, Record<string, string>, string[], Record<string, string>]>([
  [
    'linux',
    { PATH: '/bin:/opt/a' },
    ['/opt/b', '/opt/a', '/opt/b'],
    { PATH: '/opt/b:/bin:/opt/a' },
  ],
  ['linux', {}, ['/opt/b'], { PATH: '/opt/b' }],
  ['win32', { Path: 'C:\\B' }, ['c:\\b', 'C:\\D'], { Path: 'C:\\D;C:\\B' }],
])(
  'on %s the folders of the binary come first in %j where they are not there yet',
  (platform, given, folders, wanted) => {
    expect(jobEnvironment(given, hostProfile(), JOB, folders, platform)).toMatchObject(wanted);
  },
);

test.each([
  [0, null, 0, 1_800],
  [600, null, 0, 600],
  [600, 60, 0, 60],
  [600, 6_000, 0, 600],
  [0, 6_000, 0, 1_800],
  [600, null, 90_000, 90],
  [600, 0.2, 0, 1],
  [600, null, 10, 1],
  // What is longer than a timer can keep is as long as one can.
  [10_000_000, null, 0, 2_147_483],
  [10_000_000, 1e300, 1e300, 2_147_483],
])(
  'profile %s, flow %s and host %s ms give a deadline of %s s',
  (timeoutSeconds, job, hostMs, wanted) => {
    expect(deadlineSeconds({ timeoutSeconds }, job, hostMs)).toBe(wanted);
  },
);

test.each([
  [0, 0],
  [20_000, 20_000],
  [2_147_483_647, 2_147_483_647],
  [2_147_483_648, 2_147_483_647],
  [Number.POSITIVE_INFINITY, 2_147_483_647],
])('a delay of %s ms is a timer of %s ms: one set for longer would fire at once', (delay, kept) => {
  expect(timerMs(delay)).toBe(kept);
});

describe('who may write what runs', () => {
  const ME = { uid: 1000, platform: 'linux' } as const;
  const codes = (thing: TrustedThing, mode: number, uid = 1000) =>
    writableByOthers(thing, { mode, uid }, ME).map(({ code, severity }) => `${severity} ${code}`);

  test.each<[TrustedThing, number, number, string[]]>([
    ['file', 0o600, 1000, []],
    ['file', 0o644, 1000, []],
    ['file', 0o664, 1000, ['warning file_writable_by_others']],
    ['file', 0o666, 1000, ['error file_writable_by_others']],
    ['file', 0o602, 1000, ['error file_writable_by_others']],
    ['file', 0o600, 1001, ['error file_foreign_owner']],
    ['file', 0o644, 0, []],
    ['executable', 0o755, 0, []],
    ['executable', 0o777, 0, ['error executable_writable_by_others']],
    ['executable', 0o755, 33, ['error executable_foreign_owner']],
    ['workspace', 0o777, 1000, ['error workspace_writable_by_others']],
    ['workspace', 0o770, 1000, ['error workspace_writable_by_others']],
    ['workspace', 0o1777, 0, []],
    ['workspace', 0o1777, 33, ['error workspace_foreign_owner']],
    ['workspace', 0o755, 33, ['error workspace_foreign_owner']],
    ['jobs_folder', 0o755, 1000, []],
    ['jobs_folder', 0o720, 1000, ['error workspace_writable_by_others']],
    ['jobs_folder', 0o1777, 1000, ['error workspace_writable_by_others']],
    ['jobs_folder', 0o700, 33, ['error workspace_foreign_owner']],
  ])('a %s with mode %o of user %i', (thing, mode, uid, wanted) => {
    expect(codes(thing, mode, uid)).toEqual(wanted);
  });

  test('nothing is said on Windows, which keeps its rights elsewhere', () => {
    expect(
      writableByOthers('file', { mode: 0o666, uid: -1 }, { uid: -1, platform: 'win32' }),
    ).toEqual([]);
  });

  test('a workspace folder must exist and be a folder', () => {
    const facts = { kind: 'file', mode: 0o755, uid: 1000, sizeBytes: 0 } as const;
    expect(workspaceProblems(null, ME)).toMatchObject([
      { code: 'workspace_missing', severity: 'error' },
    ]);
    expect(workspaceProblems(facts, ME)).toMatchObject([{ code: 'workspace_not_directory' }]);
    expect(workspaceProblems({ ...facts, kind: 'directory' }, ME)).toEqual([]);
  });
});
