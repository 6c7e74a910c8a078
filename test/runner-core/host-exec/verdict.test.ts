import { describe, expect, test } from 'vitest';
import { isConfigRace } from '../../../runner-core/host-exec/said.ts';
import { judge, type HostEnd } from '../../../runner-core/host-exec/verdict.ts';
import { completeFrame } from '../../../runner-core/wire/result-report.ts';
import { toJobId } from '../../../runner-core/model/ids.ts';
import {
  HOST_JOB_ID,
  hostEnd,
  hostProfile,
  INIT,
  line,
  observe,
  RESULT,
} from './host-exec-builders.ts';

const GOOD = line(INIT) + line(RESULT);
const TRUST_NOTICE =
  '⚠ Workspace Trust Required\n\nCursor Agent can execute code.\n\nDo you trust the contents of this directory?\n';

test('a good result and exit 0 succeed, and the report says model and session as Cursor did', () => {
  expect(judge(hostEnd(GOOD, { requestedModel: 'house/fast' }))).toEqual({
    outcome: 'succeeded',
    status: 'SUCCEEDED',
    exitCode: 0,
    error: '',
    result: {
      status: 'success',
      harness: 'cursor_cli',
      session_id: 's-1',
      model: 'Composer 2.5',
      requested_model: 'house/fast',
    },
    evidenceUpload: null,
    reason: null,
  });
});

test('a model or session that Cursor did not tell is not in the report, even if one was asked for', () => {
  const output = line({ type: 'result', subtype: 'success', is_error: false });
  expect(judge(hostEnd(output, { requestedModel: 'house/fast' })).result).toEqual({
    status: 'success',
    harness: 'cursor_cli',
    requested_model: 'house/fast',
  });
});

test('the single object of the json output format succeeds without a known model', () => {
  expect(judge(hostEnd(line(RESULT)))).toMatchObject({
    status: 'SUCCEEDED',
    result: { session_id: 's-1' },
  });
});

const start = (step: string, code: string): Partial<HostEnd> => ({
  ending: 'not_started',
  exitCode: null,
  startProblem: { step: step as 'spawn', code, detail: '/opt/x' },
});
describe('each bad end has a code of its own', () => {
  test.each<[string, string, Partial<HostEnd>, string]>([
    [
      'trust refused with exit 1',
      '',
      { exitCode: 1, stderrTail: TRUST_NOTICE },
      'host_exec_trust_refused',
    ],
    ['trust refused with exit 0', '', { stderrTail: TRUST_NOTICE }, 'host_exec_trust_refused'],
    ['trust refused on stdout', TRUST_NOTICE, { exitCode: 1 }, 'host_exec_trust_refused'],
    [
      'not signed in',
      '',
      {
        exitCode: 1,
        stderrTail: "Error: Authentication required. Please run 'agent login' first\n",
      },
      'host_exec_not_signed_in',
    ],
    [
      'model refused',
      '',
      { exitCode: 1, stderrTail: 'Cannot use this model: gpt-99. Available models: auto\n' },
      'host_exec_model_refused',
    ],
    [
      'rate limit',
      line(INIT),
      { exitCode: 1, stderrTail: "Error: You've hit your usage limit. Try again later.\n" },
      'host_exec_rate_limited',
    ],
    ['binary missing', '', start('executable', 'missing'), 'host_exec_binary_missing'],
    ['binary gone at its start', '', start('spawn', 'ENOENT'), 'host_exec_binary_missing'],
    [
      'binary not executable',
      '',
      start('executable', 'not_executable'),
      'host_exec_not_executable',
    ],
    ['binary without permission', '', start('spawn', 'EACCES'), 'host_exec_not_executable'],
    ['no result', line(INIT), {}, 'host_exec_no_result'],
    ['plain text only', 'All is well.\n', {}, 'host_exec_no_result'],
    ['two results', GOOD + line(RESULT), {}, 'host_exec_two_results'],
    [
      'a result that says error',
      line({ ...RESULT, is_error: true }),
      {},
      'host_exec_reported_failure',
    ],
    [
      'a result without subtype',
      line({ ...RESULT, subtype: undefined }),
      {},
      'host_exec_reported_failure',
    ],
    ['exit 2', line(INIT), { exitCode: 2 }, 'host_exec_exit_nonzero'],
    ['exit 2 after a good result', GOOD, { exitCode: 2 }, 'host_exec_exit_nonzero'],
    ['a foreign signal', GOOD, { exitCode: null, signal: 'SIGKILL' }, 'host_exec_killed'],
    ['deadline', line(INIT), { ending: 'deadline', exitCode: null }, 'host_exec_timeout'],
    [
      'the host’s own limit',
      GOOD,
      { stopCause: 'time_limit', exitCode: null },
      'host_exec_timeout',
    ],
    ['silence', line(INIT), { ending: 'stalled', exitCode: null }, 'host_exec_stalled'],
    ['lingered', GOOD, { ending: 'lingered', exitCode: null }, 'host_exec_lingered'],
    ['directory', '', start('directory', 'EEXIST'), 'host_exec_directory_failed'],
    ['a full disk at its start', '', start('spawn', 'ENOSPC'), 'host_exec_directory_failed'],
    [
      'a full disk while it ran',
      line(INIT),
      { exitCode: 1, stderrTail: 'Error: ENOSPC: no space left on device, write\n' },
      'host_exec_directory_failed',
    ],
    ['a command line too long', '', start('spawn', 'E2BIG'), 'host_exec_command_too_long'],
  ])('%s', (_name, output, changes, code) => {
    const verdict = judge(hostEnd(output, changes));
    expect(verdict).toMatchObject({ status: 'FAILED', reason: { code } });
    expect(verdict.error.startsWith(`${code}: `)).toBe(true);
  });
});

test('the directory of an earlier run, of which nothing else is known, is a lost job and no failed directory', () => {
  const verdict = judge(hostEnd('', start('directory', 'EARLIER_RUN')));
  expect(verdict).toMatchObject({
    outcome: 'lost',
    status: 'FAILED',
    exitCode: -1,
    reason: { code: 'host_restarted' },
  });
});

test('the service is told no place of this machine, and the person here all of them', () => {
  const missing = judge(
    hostEnd('', {
      ...start('executable', 'missing'),
      ...{ ending: 'not_started', exitCode: null },
      startProblem: {
        step: 'executable',
        code: 'missing',
        detail: 'cursor-agent in none of /home/ada/bin and 3 more',
      },
    }),
  );
  expect(missing.error).not.toContain('ada');
  expect(missing.reason?.facts['detail']).toContain('/home/ada/bin');
  const failing = judge(
    hostEnd(line(INIT), {
      exitCode: 1,
      stderrTail: "Error: EACCES: open '/home/ada/my notes/x'\nsee /Users/Ada L/runs/1\n",
      places: ['/Users/Ada L/runs'],
    }),
  );
  expect(failing.error).not.toMatch(/ada|notes|runs/i);
  expect(failing.error).toContain("Error: EACCES: open '<path>'");
  expect(failing.reason?.facts['lastWords']).toContain('/home/ada/my notes/x');
});

test('no end is ever reported as TIMEOUT: the deadline is FAILED, with its length in words', () => {
  const verdict = judge(hostEnd(GOOD, { ending: 'deadline', exitCode: null, deadlineSeconds: 1 }));
  expect(verdict).toMatchObject({
    outcome: 'timed_out',
    status: 'FAILED',
    exitCode: -1,
    result: null,
  });
  expect(verdict.error).toBe(
    'host_exec_timeout: The run passed its deadline of 1 s and was ended.',
  );
});

test('a failed result with exit 0 keeps a report of failure; other failures have none', () => {
  expect(judge(hostEnd(line({ ...RESULT, is_error: true })))).toMatchObject({
    exitCode: 0,
    result: { status: 'failure', harness: 'cursor_cli', session_id: 's-1' },
  });
  expect(judge(hostEnd(GOOD, { exitCode: 2 }))).toMatchObject({ exitCode: 2, result: null });
  expect(judge(hostEnd(GOOD + line(RESULT))).result).toBeNull();
});

test('a success with an empty text is a success', () => {
  expect(judge(hostEnd(line({ ...RESULT, result: '' }))).status).toBe('SUCCEEDED');
});

test.each([
  ['service', 'stopped_by_service'],
  ['owner', 'stopped_by_owner'],
  ['shutdown', 'stopped_by_shutdown'],
] as const)(
  'a stop by %s wins over a success, over the deadline and over no start',
  (stopCause, code) => {
    for (const changes of [
      {},
      { ending: 'deadline', exitCode: null },
      { ending: 'not_started', exitCode: null },
    ] as const)
      expect(judge(hostEnd(GOOD, { ...changes, stopCause }))).toMatchObject({
        status: 'STOPPED',
        error: '',
        result: null,
        reason: { code },
      });
  },
);

test('a lingering run counts as success only where the owner said so, and only with a good result', () => {
  const profile = hostProfile({ lingeredIsSuccess: true });
  const lingered = { ending: 'lingered', exitCode: null, signal: 'SIGTERM', profile } as const;
  expect(judge(hostEnd(GOOD, lingered))).toMatchObject({ status: 'SUCCEEDED', exitCode: 0 });
  expect(judge(hostEnd(GOOD + line(RESULT), lingered)).reason?.code).toBe('host_exec_two_results');
  expect(judge(hostEnd(line({ ...RESULT, is_error: true }), lingered))).toMatchObject({
    status: 'FAILED',
    exitCode: -1,
    result: null,
    reason: { code: 'host_exec_reported_failure' },
  });
});

describe('words that are not Cursor’s own refusal decide nothing', () => {
  test.each([
    '(node:4242) Warning: login keychain: not logged in check skipped (Use `node --trace-warnings ...`)',
    '(node:1) [DEP0040] DeprecationWarning: The `punycode` module: rate limit exceeded, authentication required',
    'DeprecationWarning: not signed in',
    '    at authenticationRequired (/opt/cursor/not-logged-in.js:1:2)',
    'wrote notes on how a rate limit exceeded error looks',
  ])('%s', (stderrTail) => {
    expect(judge(hostEnd(line(INIT), { exitCode: 1, stderrTail })).reason?.code).toBe(
      'host_exec_exit_nonzero',
    );
    expect(judge(hostEnd(GOOD, { stderrTail })).status).toBe('SUCCEEDED');
  });

  test('what the agent says as text on stdout, once events came', () => {
    const output = line(INIT) + 'Error: authentication required\n';
    expect(judge(hostEnd(output, { exitCode: 1 })).reason?.code).toBe('host_exec_exit_nonzero');
  });

  test('a trust notice after the run had begun', () => {
    const end = hostEnd(line(INIT), { exitCode: 1, stderrTail: TRUST_NOTICE });
    expect(judge(end).reason?.code).toBe('host_exec_exit_nonzero');
  });

  test('a JSON object on stderr is no event', () => {
    expect(judge(hostEnd(line(INIT), { stderrTail: line(RESULT) })).reason?.code).toBe(
      'host_exec_no_result',
    );
  });
});

test('the last words and the end of stderr go out with an error', () => {
  const stderrTail = `(node:1) Warning: x\n\u001b[31mError: something broke.\u001b[0m\n    at f (/x.js:1:1)\n`;
  const verdict = judge(hostEnd(line(INIT), { exitCode: 1, stderrTail }));
  expect(verdict.reason?.facts).toEqual({ exitCode: '1', lastWords: 'Error: something broke' });
  expect(verdict.error).toContain('(last words: Error: something broke)');
  expect(verdict.error).toContain('The end of its error output:\n(node:1) Warning: x');
});

test('of a long stderr the last 2,048 characters go out', () => {
  const { error } = judge(hostEnd('', { exitCode: 1, stderrTail: `${'a'.repeat(4_000)}END` }));
  expect(error).toMatch(/END$/);
  expect(error.length).toBeLessThan(2_400);
});

test('a shell left in the background is named where it kept the run from ending', () => {
  const shell = { shellToolCall: { result: { isBackground: true } } };
  const output = line({ type: 'tool_call', subtype: 'completed', call_id: 'c', tool_call: shell });
  for (const ending of ['deadline', 'stalled'] as const)
    expect(judge(hostEnd(output, { ending, exitCode: null })).error).toContain(
      'a shell was left running in the background',
    );
});

describe('the race of two starts for one configuration file', () => {
  const notice = (code: string) => `Error: ${code}: rename '/h/.cursor/cli-config.json.tmp'\n`;
  test.each(['ENOENT', 'EPERM'])('is known by its words with %s, before any event', (code) => {
    const said = { stderrTail: notice(code), observed: observe('') };
    expect(isConfigRace(said)).toBe(true);
    expect(judge(hostEnd('', { exitCode: 1, stderrTail: notice(code) })).reason?.code).toBe(
      'host_exec_config_race',
    );
  });
  test('is none once an event came, or for another file', () => {
    expect(isConfigRace({ stderrTail: notice('ENOENT'), observed: observe(GOOD) })).toBe(false);
    const other = "Error: ENOENT: no such file, open '/h/notes.txt'\n";
    expect(isConfigRace({ stderrTail: other, observed: observe('') })).toBe(false);
  });
});

test('the frame that ends a host lease has the host protocol, the leased spelling and no launch version', () => {
  const jobId = toJobId(HOST_JOB_ID);
  if (jobId === undefined) throw new Error('not a job id');
  const frame = completeFrame(
    jobId,
    { kind: 'host_exec', profile: 'CURSOR-review' },
    judge(hostEnd(GOOD)),
  );
  expect(frame).toEqual({
    type: 'complete',
    execution_id: HOST_JOB_ID,
    status: 'SUCCEEDED',
    exit_code: 0,
    result: { status: 'success', harness: 'cursor_cli', session_id: 's-1', model: 'Composer 2.5' },
    error: '',
    completion_protocol: 'host_exec',
    host_exec_profile: 'CURSOR-review',
  });
});

describe('what the service is told of places', () => {
  const told = (changes: Partial<HostEnd>): string =>
    judge(hostEnd(line(INIT), { exitCode: 1, places: ['/Users/Ada Lovelace'], ...changes })).error;

  test('a path behind the escapes of a terminal is taken out, and the escapes with it', () => {
    const error = told({ stderrTail: '\u001b[31m/home/ada/x\u001b[0m is gone\n' });
    expect(error).toContain('(last words: <path> is gone)');
    expect(error.endsWith('output:\n<path> is gone')).toBe(true);
  });

  test('the last words lose their places before they are cut, so that none is cut in half', () => {
    for (let before = 100; before < 160; before++) {
      const error = told({ stderrTail: `${'.'.repeat(before)} /Users/Ada Lovelace/x\n` });
      expect(error).not.toMatch(/Users|Ada|Love/);
    }
  });

  test('the end of stderr loses its places before it is cut', () => {
    for (const after of [2_000, 2_020, 2_030, 2_040]) {
      const error = told({ stderrTail: `/Users/Ada Lovelace/secret${'\n.'.repeat(after / 2)}` });
      expect(error).not.toMatch(/Users|Ada|Love|secret/);
    }
  });

  test('the words of a failed result and of plain output lose theirs', () => {
    const result = line({ ...RESULT, is_error: true, result: 'no \u001b[1m/home/ada/x\u001b[0m' });
    expect(judge(hostEnd(result)).error).toContain('(last words: no <path>)');
    expect(judge(hostEnd('see \u001b[1m/home/ada/x\u001b[0m\n')).error).toContain(
      '(last words: see <path>)',
    );
  });
});
