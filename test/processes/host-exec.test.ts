/**
 * A local command, played by the double as a real process, from its order to its verdict. Names the conformance cases
 * of the protocol, and the public reports about Cursor without a person, that are about running it.
 */
import { chmod, lstat, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toJobId } from '../../runner-core/model/ids.ts';
import { removeProcess } from '../../runner-core/process/remove-process.ts';
import { newId, systemClock } from '../../runner-core/system.ts';
import { HostJob, hostFolder, type HostJobOptions } from '../support/host-job-bench.ts';

async function run(options: HostJobOptions = {}) {
  const job = new HostJob(await hostFolder(), options).start();
  const { verdict } = await job.ended();
  return { job, verdict, survivors: await job.survivors() };
}

const GOOD_RUNS: readonly (readonly [string, string])[] = [
  ['prints one good result and exits with 0', 'good'],
  ['prints its result without a line break at the end', 'no_newline'],
  ['prints ten thousand lines before its result', 'ten_thousand_lines'],
  ['prints a line of 768 KiB and one byte (reports 14 and 15)', 'long_line'],
  ['leaves a child in the background with redirected output (report 2)', 'child_quiet'],
  ['leaves a child in the background that holds its output', 'child_holds'],
  ['leaves a child that left its group (report 3)', 'child_session'],
  ['leaves a child that left its group and holds its output', 'child_session_holds'],
  ['leaves a child that hears no signal and left its group (report 22)', 'child_deaf_session'],
  ['tears its result into pieces', 'torn'],
  ['gives its result late', 'late_result'],
  ['exits a moment after its result (report 4)', 'late_exit'],
  ['goes on with events after its result (report 14)', 'events_after_result'],
  ['gives a result without text (report 20)', 'empty_result_text'],
  ['repeats its messages in parts (reports 16 to 18)', 'partial_messages'],
  ['has wrong types in fields that may be missing', 'bad_optional_fields'],
  ['prints a second result on standard error', 'json_on_stderr'],
  ['fails once on its configuration, and not again (reports 11 and 12)', 'config_race_once'],
  ['has a warning of Node with alarming words (report 25)', 'node_warning'],
];

test.for(GOOD_RUNS)('a command that %s succeeds and leaves no process', async ([, play]) => {
  const { verdict, survivors } = await run({ play });
  expect(verdict).toMatchObject({ status: 'SUCCEEDED', exitCode: 0, error: '' });
  expect(verdict.result).toMatchObject({ status: 'success', harness: 'cursor_cli' });
  expect(survivors).toEqual([]);
});

const BAD_RUNS: readonly (readonly [string, string, string])[] = [
  ['gives a result without a subtype', 'result_without_subtype', 'host_exec_reported_failure'],
  ['exits with 0 and says error (report 19)', 'result_error', 'host_exec_reported_failure'],
  ['exits with 2 after a good result', 'exit_2', 'host_exec_exit_nonzero'],
  ['prints plain text alone', 'plain_text', 'host_exec_no_result'],
  ['gives two good results', 'two_results', 'host_exec_two_results'],
  ['gives no result', 'no_result', 'host_exec_no_result'],
  ['is not trusted, with exit 0 (report 6)', 'trust_refused_exit_0', 'host_exec_trust_refused'],
  ['is not trusted, with exit 1 (reports 5, 7, 8, 24)', 'trust_refused', 'host_exec_trust_refused'],
  ['is not signed in', 'not_signed_in', 'host_exec_not_signed_in'],
  ['is refused its model', 'model_refused', 'host_exec_model_refused'],
  ['met a usage limit', 'rate_limit', 'host_exec_rate_limited'],
  ['fails on its configuration each time', 'config_race_always', 'host_exec_config_race'],
  ['is killed by somebody else', 'killed', 'host_exec_killed'],
];

test.for(BAD_RUNS)('a command that %s fails with a code of its own', async ([, play, code]) => {
  const { verdict, survivors } = await run({ play });
  expect(verdict).toMatchObject({ status: 'FAILED', reason: { code } });
  expect(verdict.error).toMatch(new RegExp(`^${code}: `));
  expect(survivors).toEqual([]);
});

test('the reason on standard error is part of what is told (report 21)', async () => {
  const { verdict } = await run({ play: 'exit_1_silent' });
  expect(verdict.error).toContain('Error: something broke');
});

test('the model that is told is the one Cursor reports', async () => {
  const { job, verdict } = await run({ model: 'house/fast' });
  expect(verdict.result).toMatchObject({ model: 'Composer 2.5', requested_model: 'house/fast' });
  const [start] = await job.receipts('start');
  expect(start?.['args']).toEqual(expect.arrayContaining(['--model', 'composer-2.5']));
});

test('a prompt that looks like a flag is the last argument behind --, and input is the null device', async () => {
  const job = new HostJob(await hostFolder(), {
    prompt: '--force',
    environment: { CURSOR_AGENT_SCENARIO: 'good' },
  }).start();
  expect((await job.ended()).verdict.status).toBe('SUCCEEDED');
  const [start] = await job.receipts('start');
  const args = start?.['args'] as string[];
  expect(args.slice(-2)).toEqual(['--', '--force']);
  expect(args.slice(0, -2)).not.toContain('--force');
  expect(start?.['stdin']).toBe('/dev/null');
});

test('a prompt of 65,536 bytes runs, and one of a byte more starts nothing', async () => {
  const environment = { CURSOR_AGENT_SCENARIO: 'good' };
  const longest = await run({ prompt: 'x'.repeat(65_536), environment });
  expect(longest.verdict.status).toBe('SUCCEEDED');
  const { job, verdict } = await run({ prompt: 'x'.repeat(65_537), environment });
  expect(verdict).toMatchObject({ status: 'FAILED', exitCode: -1 });
  expect(await job.directories()).toEqual([]);
});

test('the directory is fresh, named as the job, for its owner alone, and its trust is given (report 9)', async () => {
  const { job } = await run({
    play: [{ init: true }, { write: { path: 'made' } }, { result: true }],
  });
  const [start] = await job.receipts('start');
  const directory = join(job.folder, 'host-workspaces', '.preloop-host-exec', job.jobId);
  expect(start?.['cwd']).toBe(directory);
  expect(start?.['args']).toEqual(expect.arrayContaining(['--trust', '--workspace', directory]));
  expect((await lstat(directory)).mode & 0o777).toBe(0o700);
});

test('where the directory is there already nothing is started and nothing in it touched', async () => {
  const folder = await hostFolder();
  const jobId = toJobId(newId());
  if (jobId === undefined) throw new Error('no id');
  const directory = join(folder, 'host-workspaces', '.preloop-host-exec', jobId);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'kept'), '');
  const job = new HostJob(folder, { jobId }).start();
  const { verdict } = await job.ended();
  expect(verdict).toMatchObject({
    status: 'FAILED',
    reason: { code: 'host_exec_directory_failed' },
  });
  expect(await job.receipts()).toEqual([]);
  expect(await readdir(directory)).toEqual(['kept']);
});

test('where a database was lost the directory of the earlier run says so, and what is left of the run ends', async () => {
  const folder = await hostFolder();
  const play = [{ write: { path: 'kept' } }, { child: 'deaf_session' }, { init: true }];
  const first = new HostJob(folder, { play: [...play, { hang: true }] }).start();
  await first.receipt((receipt) => receipt['step'] === 'init');
  expect((await first.survivors()).length).toBeGreaterThanOrEqual(2);
  const again = new HostJob(folder, { jobId: first.jobId }).start();
  const { verdict } = await again.ended();
  expect(verdict).toMatchObject({
    outcome: 'lost',
    status: 'FAILED',
    reason: { code: 'host_restarted' },
  });
  expect(await again.survivors()).toEqual([]);
  expect(await again.receipts('start')).toHaveLength(1);
  expect((await first.ended()).verdict.reason?.code).toBe('host_exec_killed');
  expect(await again.directories()).toEqual([again.jobId]);
});

test.for(['the parent', 'the directory'])(
  'where %s is a link nothing is written beyond it',
  async (which) => {
    const folder = await hostFolder();
    const jobId = toJobId(newId());
    if (jobId === undefined) throw new Error('no id');
    const [root, elsewhere] = [join(folder, 'root'), join(folder, 'elsewhere')];
    await mkdir(root);
    await mkdir(elsewhere);
    const parent = join(root, '.preloop-host-exec');
    if (which === 'the directory') await mkdir(parent);
    await symlink(elsewhere, which === 'the parent' ? parent : join(parent, jobId));
    const job = new HostJob(folder, { jobId, profile: { workspaceRoot: root } }).start();
    const { verdict } = await job.ended();
    expect(verdict).toMatchObject({
      status: 'FAILED',
      reason: { code: 'host_exec_directory_failed' },
    });
    expect(await readdir(elsewhere)).toEqual([]);
    expect(await job.receipts()).toEqual([]);
  },
);

test('a root that the owner named and is not there is not made', async () => {
  const folder = await hostFolder();
  const job = new HostJob(folder, { profile: { workspaceRoot: join(folder, 'missing') } }).start();
  expect((await job.ended()).verdict.reason?.code).toBe('host_exec_directory_failed');
  expect(await readdir(folder)).toEqual([]);
});

test('a command that cannot be found, or does not start, leaves no directory behind', async () => {
  const folder = await hostFolder();
  const executable = join(folder, 'cursor-agent');
  const missing = new HostJob(folder, { profile: { executable } }).start();
  expect((await missing.ended()).verdict.reason?.code).toBe('host_exec_binary_missing');
  await writeFile(executable, 'text', { mode: 0o644 });
  const plain = new HostJob(folder, { profile: { executable } }).start();
  expect((await plain.ended()).verdict.reason?.code).toBe('host_exec_not_executable');
  await writeFile(join(folder, 'agent'), '#!/nowhere/at/all\n', { mode: 0o755 });
  const broken = new HostJob(folder, { profile: { executable: join(folder, 'agent') } }).start();
  const { verdict } = await broken.ended();
  expect(verdict.status).toBe('FAILED');
  expect(verdict.reason?.code).toMatch(/^host_exec_/);
  expect(await broken.directories()).toEqual([]);
});

test('a command that everybody may write is not started', async () => {
  const folder = await hostFolder();
  const executable = join(folder, 'cursor-agent');
  await writeFile(executable, '#!/bin/sh\n');
  await chmod(executable, 0o777);
  const job = new HostJob(folder, { profile: { executable } }).start();
  const { verdict } = await job.ended();
  expect(verdict).toMatchObject({ status: 'FAILED', exitCode: -1 });
  expect(verdict.error).toContain('may write the executable');
});

test('a halt after the command has exited stops it, and its child is ended', async () => {
  const job = new HostJob(await hostFolder(), { play: 'child_session_holds' }).start();
  await job.receipt(({ what }) => what === 'exit');
  job.stop();
  const { verdict } = await job.ended();
  expect(verdict).toMatchObject({ status: 'STOPPED', error: '' });
  expect(await job.survivors()).toEqual([]);
});

test('a command of the json format that failed on its configuration is not started again: it may have worked', async () => {
  const profile = { argv: ['--output-format=json'] };
  const { job, verdict } = await run({ play: 'config_race_once', profile });
  expect(verdict.reason?.code).toBe('host_exec_config_race');
  expect(await job.receipts('start')).toHaveLength(1);
});

test('times that no timer can keep do not end a run at once', async () => {
  const seconds = 10_000_000;
  const profile = { timeoutSeconds: seconds, lingerSeconds: seconds, stallSeconds: seconds };
  const { verdict } = await run({ play: 'late_exit', profile });
  expect(verdict).toMatchObject({ status: 'SUCCEEDED', exitCode: 0 });
});

test('a stopped command is asked first and made to when its grace is over, with all it started', async () => {
  const play = [
    { ignore: ['SIGTERM'] },
    { child: 'deaf' },
    { child: 'deaf_session' },
    { init: true },
    { hang: true },
  ];
  const job = new HostJob(await hostFolder(), { play }).start();
  await job.receipt((receipt) => receipt['step'] === 'init');
  job.stop('owner', 300);
  expect((await job.ended()).verdict.status).toBe('STOPPED');
  expect(await job.receipts('ignored')).toMatchObject([{ signal: 'SIGTERM' }]);
  expect(await job.survivors()).toEqual([]);
});

test('a command past its deadline is told as FAILED, never TIMEOUT, and its grandchild is ended', async () => {
  const { verdict, survivors } = await run({ play: 'hang_with_grandchild', timeoutSeconds: 1 });
  expect(verdict).toMatchObject({ status: 'FAILED', outcome: 'timed_out', result: null });
  expect(verdict.error).toMatch(/^host_exec_timeout: /);
  expect(survivors).toEqual([]);
});

test('a shell left in the background keeps the command, and the deadline names it (report 3)', async () => {
  const { verdict, survivors } = await run({ play: 'background_shell', timeoutSeconds: 1 });
  expect(verdict.reason).toMatchObject({
    code: 'host_exec_timeout',
    facts: { background: expect.any(String) as string },
  });
  expect(survivors).toEqual([]);
});

test('a finished command that does not exit is ended soon, with a code of its own (report 1)', async () => {
  const { verdict, survivors } = await run({ play: 'lingers', profile: { lingerSeconds: 0.2 } });
  expect(verdict).toMatchObject({ status: 'FAILED', reason: { code: 'host_exec_lingered' } });
  expect(survivors).toEqual([]);
});

test('its owner may count that as success', async () => {
  const profile = { lingerSeconds: 0.2, lingeredIsSuccess: true };
  const { verdict } = await run({ play: 'lingers', profile });
  expect(verdict).toMatchObject({ status: 'SUCCEEDED', exitCode: 0 });
});

test('silence ends a run only where its profile says so, and not while a tool is at work (report 10)', async () => {
  const silent = await run({ play: 'hang', profile: { stallSeconds: 0.2 } });
  expect(silent.verdict.reason?.code).toBe('host_exec_stalled');
  const atWork = await run({ play: 'tool_open', profile: { stallSeconds: 0.2 } });
  expect(atWork.verdict.status).toBe('SUCCEEDED');
});

test('a listener that does not store makes the command wait, and its verdict is the same', async () => {
  const play = [{ init: true }, { lines: { count: 60_000, bytes: 400 } }, { result: true }];
  const job = new HostJob(await hostFolder(), { play, stores: false }).start();
  await job.message('log', () => job.messages.filter(({ kind }) => kind === 'log').length >= 32);
  expect((await job.receipts('step')).length).toBeLessThan(3);
  const ended = job.ended();
  const over = new AbortController();
  void ended.then(() => over.abort());
  while (!over.signal.aborted) {
    job.store();
    await systemClock.wait(5);
  }
  const { verdict } = await ended;
  expect(verdict.status).toBe('SUCCEEDED');
  expect(job.records().length).toBe(60_002);
});

test('a log over its limit is cut with a line that says so, and the run succeeds', async () => {
  const { job, verdict } = await run({ play: 'ten_thousand_lines', logBytes: 100_000 });
  expect(verdict.status).toBe('SUCCEEDED');
  expect(job.records().at(-1)?.text).toMatch(
    /^\[runner\] The log limit of 100000 bytes was reached/,
  );
});

test('what came on standard error is marked as such and no event', async () => {
  const { job } = await run({ play: 'json_on_stderr' });
  const marked = job.records().filter(({ flags }) => (flags & 1) !== 0);
  expect(marked.map(({ text }) => JSON.parse(text) as unknown)).toMatchObject([{ type: 'result' }]);
});

test('a build that does not know --trust is started once more without it', async () => {
  const folder = await hostFolder();
  const script =
    '#!/bin/sh\nfor a in "$@"; do [ "$a" = -- ] && break; [ "$a" = --trust ] && { echo "error: unknown option \'--trust\'" >&2; exit 1; }; done\n' +
    'echo \'{"type":"result","subtype":"success","is_error":false}\'\n';
  await writeFile(join(folder, 'cursor-agent'), script, { mode: 0o755 });
  const job = new HostJob(folder, {
    profile: { executable: join(folder, 'cursor-agent') },
  }).start();
  expect((await job.ended()).verdict.status).toBe('SUCCEEDED');
});

test('what is noted of a command is enough for a later host to end it, and not what has its number by then', async () => {
  const play = [{ child: 'deaf_session' }, { init: true }, { hang: true }];
  const job = new HostJob(await hostFolder(), { play }).start();
  await job.receipt((receipt) => receipt['step'] === 'init');
  await job.message('made', ({ leftover }) => leftover.kind === 'process' && leftover.pid !== null);
  const noted = job.leftovers().at(-1);
  if (noted?.kind !== 'process') throw new Error('nothing was noted');
  const before = await job.survivors();
  const other = { ...noted, name: newId(), mark: 'of another process' };
  await removeProcess(systemClock, other);
  expect(await job.survivors()).toEqual(before);
  await removeProcess(systemClock, noted);
  expect(await job.survivors()).toEqual([]);
  expect((await job.ended()).verdict.reason?.code).toBe('host_exec_killed');
});

test('a secret of the owner that the command prints is masked in the log', async () => {
  const secret = 'key_0123456789abcdef';
  const play = [{ init: true }, { stderr: `using ${secret}\n` }, { exit: 1 }];
  const { job, verdict } = await run({ play, environment: { CURSOR_API_KEY: secret } });
  expect(verdict.error).not.toContain(secret);
  expect(JSON.stringify(job.records())).not.toContain(secret);
});

test('a value that the owner lets through is masked, whatever its name: in the log, at the cut of what is told, in pieces', async () => {
  const secret = 'production-0123456789';
  const play = [
    { init: { model: `Composer ${secret}` } },
    { stderr: `Error: no ${secret.slice(0, 12)}` },
    { wait: 20 },
    { stderr: `${secret.slice(12)}\n${secret}${'\n.'.repeat(1_017)}` },
    { exit: 1 },
  ];
  const profile = { passEnv: ['DEPLOY_TARGET'] };
  const { job, verdict } = await run({ play, profile, environment: { DEPLOY_TARGET: secret } });
  expect(verdict.reason?.facts['lastWords']).toBe('Error: no ***');
  // The prompt of the double, and with it the secret, stands in the receipts alone.
  const told = JSON.stringify([verdict, job.records()]);
  expect(told).not.toMatch(/production-|0123/);
});

test('of the end of standard error no half path is told, nor one behind the escapes of a terminal', async () => {
  const play = [
    { init: true },
    { stderr: `/home/ada/the first ${'/notes'.repeat(600)}\n${'.'.repeat(1_500)}\n` },
    { stderr: '\u001b[31m/home/ada/x\u001b[0m is gone\n' },
    { exit: 1 },
  ];
  const { verdict } = await run({ play });
  expect(verdict.error).toMatch(/\n\.{1500}\n<path> is gone$/);
  expect(verdict.error).not.toMatch(/ada|notes|\u001b/);
});
