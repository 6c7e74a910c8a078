/** The command against a running host: what it prints, and how it ends. No engine is needed. */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCESS_FILES } from '../../main/api/access-files.ts';
import { jobViewSchema, overviewSchema } from '../../main/contract/views.ts';
import { RECORD_FLAG } from '../../runner-core/model/log-chunk.ts';
import { reason } from '../../runner-core/model/reason.ts';
import { cli, seed, type CliEnd } from '../support/cli-under-test.ts';
import {
  newDataDir,
  removeDataDir,
  startHost,
  type HostUnderTest,
} from '../support/host-under-test.ts';
import { aJobId, aSpec, aVerdict, ChunkMaker } from '../support/job-builders.ts';

const FAILED = '5f0c2a34-8d1e-4b7a-9c55-000000000001';
const GOOD = '5f0c9999-8d1e-4b7a-9c55-000000000002';
const AT = Date.UTC(2026, 10, 29, 12);

let under: HostUnderTest;
const run = (...words: readonly string[]): Promise<CliEnd> => cli(under.dataDir, ...words);

beforeAll(async () => {
  const dataDir = await newDataDir();
  seed(dataDir, (store) => {
    const end = (id: string, changes: Parameters<typeof aVerdict>[0]): void => {
      const jobId = aJobId(id);
      store.accept(aSpec({ jobId }), AT);
      store.transition(jobId, { kind: 'launched', atMs: AT });
      store.transition(jobId, { kind: 'started', atMs: AT + 1_000 });
      store.appendLog(jobId, [LOG], null);
      store.transition(jobId, { kind: 'ended', atMs: AT + 61_000, verdict: aVerdict(changes) });
      store.transition(jobId, { kind: 'acknowledged', atMs: AT + 62_000 });
    };
    end(FAILED, { reason: reason('exit_nonzero', { exitCode: '3' }) });
    end(GOOD, { outcome: 'succeeded', status: 'SUCCEEDED', exitCode: 0, reason: null });
  });
  under = await startHost({
    dataDir,
    environment: { ...process.env, DOCKER_HOST: 'unix:///nowhere/docker.sock' },
  });
  await under.until(({ session }) => session.kind === 'online');
});

afterAll(async () => {
  await under.host.stop('stop');
  await removeDataDir(under.dataDir);
});

const second = (place: number): number => AT + place * 1_000;
const LOG = new ChunkMaker().of([
  { atMs: second(1), flags: 0, text: '\u001b[31mred\u001b[0m plain' },
  { atMs: second(2), flags: RECORD_FLAG.stderr, text: 'warn \u001b]0;title\u0007\u0008done' },
  { atMs: second(3), flags: RECORD_FLAG.more, text: 'a long ' },
  { atMs: second(3), flags: RECORD_FLAG.continuation, text: 'line' },
]);

test('status says why, and as JSON it is the overview', async () => {
  const { exitCode, stdout } = await run('status');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('Not taking jobs. ');
  expect(stdout).toContain('Slots    0 of 2 busy');
  const json = await run('status', '--json');
  expect(overviewSchema.parse(JSON.parse(json.stdout))).toMatchObject({ jobsInAll: 2 });
});

test('jobs are listed newest first, by state and by words', async () => {
  const { stdout } = await run('jobs');
  expect(stdout.split('\n').map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
    'ID | STATE | JOB | ACCEPTED | RAN | WHY',
    '5f0c9999 | succeeded | ledger | 2026-11-29 12:00:00 | 1:00',
    '5f0c2a34 | failed | ledger | 2026-11-29 12:00:00 | 1:00 | The job failed with exit code 3.',
  ]);
  const failed = await run('jobs', '--state', 'failed,lost', '--json');
  expect(JSON.parse(failed.stdout)).toMatchObject({ total: 1, rows: [{ jobId: FAILED }] });
  expect((await run('jobs', 'ledger', '5f0c99')).stdout).toContain('5f0c9999');
  expect((await run('jobs', 'nowhere')).stdout).toBe('No job matches.');
  expect((await run('jobs', '--limit', '1')).stdout).toContain('1 more');
});

test('a job is found by the start of its id, where only one begins so', async () => {
  const { exitCode, stdout } = await run('job', '5F0C2');
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`Job      ${FAILED} (ledger)`);
  expect(stdout).toContain('State    failed, reported');
  expect(stdout).toContain('Why      The job failed with exit code 3.');
  const json = await run('job', FAILED, '--json');
  expect(jobViewSchema.parse(JSON.parse(json.stdout))).toMatchObject({ jobId: FAILED, records: 4 });
  const several = await run('job', '5f0c');
  expect(several).toMatchObject({ exitCode: 2, stdout: '' });
  expect(several.stderr).toBe(
    `preloop-host: Several jobs begin with 5f0c: ${GOOD}, ${FAILED}. Give more of the id.`,
  );
  expect((await run('job', 'aaaa')).stderr).toContain('knows no job aaaa');
});

describe('a log', () => {
  test('is printed with times, without what could steer the terminal, long lines whole', async () => {
    expect((await run('logs', FAILED)).stdout.split('\n')).toEqual([
      '2026-11-29 12:00:01  red plain',
      '2026-11-29 12:00:02  warn done',
      '2026-11-29 12:00:03  a long line',
    ]);
  });

  test('is printed as it was where that is asked for', async () => {
    expect((await run('logs', FAILED, '--raw')).stdout.split('\n')).toEqual([
      '\u001b[31mred\u001b[0m plain',
      'warn \u001b]0;title\u0007\u0008done',
      'a long line',
    ]);
  });

  test('can be narrowed to lines and to what is new', async () => {
    expect(
      (await run('logs', FAILED, '--grep', '^(warn|a) ?.*e$', '--raw')).stdout.split('\n'),
    ).toEqual(['warn \u001b]0;title\u0007\u0008done', 'a long line']);
    expect(await run('logs', FAILED, '--since', '1s')).toMatchObject({ exitCode: 0, stdout: '' });
  });

  test('is followed to its end', async () => {
    const { exitCode, stdout } = await run('logs', GOOD, '-f', '--json');
    expect(exitCode).toBe(0);
    expect(
      stdout.split('\n').map((line) => (JSON.parse(line) as { record: number }).record),
    ).toEqual([0, 1, 2, 3]);
  });

  test.each([
    [['--since', '5'], '--since takes a time'],
    [['--grep', '('], '--grep takes a regular expression'],
  ])('is refused for %j', async (flags, words) => {
    const { exitCode, stderr } = await run('logs', FAILED, ...flags);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(words);
  });
});

test('a job that is over cannot be stopped', async () => {
  expect(await run('stop', FAILED)).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'preloop-host: The job has ended already.',
  });
});

test('a file is submitted, and one that is no job is refused with the field', async () => {
  const file = (name: string, text: string): string => {
    const path = join(under.dataDir, name);
    writeFileSync(path, text);
    return path;
  };
  const good = file('good.yaml', 'agent_type: codex\nimage: a:1\nscript: echo\n');
  const { exitCode, stdout } = await run('submit', good);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^Submitted [0-9a-f-]{36}$/);
  const bad = await run(
    'submit',
    file('bad.yaml', 'agent_type: codex\nimage: a:1\nscritp: echo\n'),
  );
  expect(bad.exitCode).toBe(2);
  expect(bad.stderr).toContain('scritp');
  expect((await run('submit', file('list.yaml', '- 1\n'))).stderr).toContain('holds no job');
  expect((await run('submit', '/nowhere.yaml')).exitCode).toBe(2);
});

test('the host is paused and resumed, taken offline and online, and says so', async () => {
  const said = async (verb: string): Promise<string> => (await run(verb)).stdout;
  expect(await said('pause')).toBe('Paused. No new job starts.');
  expect(under.host.overview().intake).toBe('paused');
  await said('resume');
  expect(under.host.overview().intake).toBe('open');
  expect(await said('offline')).toMatch(/^You went offline at \d\d:\d\d\. No jobs come in\.$/);
  await said('online');
  await under.until(({ session }) => session.kind === 'online');
});

test('open prints a new address where there is no desktop, and it signs in', async () => {
  const { stdout } = await run('open', '--json');
  const { url } = JSON.parse(stdout) as { url: string };
  const { origin, hash } = new URL(url);
  expect(origin).toBe(under.host.page.origin);
  const answer = await fetch(`${origin}/api/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code: hash.replace('#code=', '') }),
  });
  expect(answer.status).toBe(200);
});

test.each([
  [[], 2],
  [['nonsense'], 2],
  [['toString'], 2],
  [['status', 'more'], 2],
  [['status', '--nonsense'], 2],
  [['jobs', '--state', 'nonsense'], 2],
  [['jobs', '--limit', '0'], 2],
  [['--help'], 0],
])('%j ends with %i', async (words, exitCode) => {
  expect((await run(...words)).exitCode).toBe(exitCode);
});

test('the way in is for the owner alone', () => {
  for (const name of Object.values(ACCESS_FILES))
    expect(statSync(join(under.dataDir, name)).mode & 0o777).toBe(0o600);
});
