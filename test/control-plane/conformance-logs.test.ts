/** The protocol's conformance list, rows on logs; and what is kept of lines. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newId } from '../../runner-core/system.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { planeUnderTest, type PlaneUnderTest } from '../support/plane-under-test.ts';
import type { RawRunner } from '../support/raw-runner.ts';

const REFUSED = { type: 'error', error: 'Invalid runner log batch' };

let bench: PlaneUnderTest;
let runner: RawRunner;
let id: string;
beforeEach(async () => {
  bench = await planeUnderTest({ clock: new FakeClock(Date.parse('2026-10-20T08:15:30Z')) });
  runner = await bench.runner();
  id = String((await bench.submit())['id']);
  await runner.nextOf('job');
});
afterEach(() => bench.close());

interface LogPage {
  readonly log_line_count: number;
  readonly next_after_seq: number;
  readonly lines: readonly { readonly seq: number; readonly id: string; readonly line: string }[];
}
async function page(query = ''): Promise<LogPage> {
  return (await bench.rest('GET', `/api/v1/flows/executions/${id}/logs${query}`)).body as LogPage;
}
async function storedLines(): Promise<readonly string[]> {
  return (await page('?limit=10000')).lines.map(({ line }) => line);
}

test('conformance 12: a batch over a limit is refused with its id, stores nothing, and the socket lives on', async () => {
  const batch = newId();
  const over = [
    { lines: Array.from({ length: 129 }, () => 'x'), batch_id: batch },
    { lines: ['x'.repeat(67_585)], batch_id: batch },
    { lines: ['é'.repeat(33_793)], batch_id: batch },
    { lines: Array.from({ length: 65 }, () => 'x'.repeat(65_000)), batch_id: batch },
    { lines: ['x'], batch_id: 'no-uuid' },
    { lines: ['x'], batch_id: 7 },
    { lines: ['x', 7], batch_id: batch },
    { lines: { 0: 'x' }, batch_id: batch },
    { lines: 'x', batch_id: batch },
  ];
  for (const frame of over) {
    const reply = await runner.ask({ type: 'logs', execution_id: id, ...frame });
    expect(reply).toEqual({ ...REFUSED, batch_id: frame.batch_id });
  }
  const legacy = Array.from({ length: 8_193 }, () => 'x');
  expect(await runner.logs(id, legacy)).toEqual({ ...REFUSED, batch_id: null });
  expect(await storedLines()).toEqual([]);

  expect(await runner.logs(id, legacy.slice(1))).toMatchObject({ type: 'ack' });
  expect(await runner.logs(id, ['x'.repeat(67_584)], batch)).toMatchObject({ type: 'logs_ack' });
  expect((await page()).log_line_count).toBe(8_193);
});

test('conformance 13: the same batch twice is stored once and acknowledged twice', async () => {
  const batch = newId();
  const acknowledged = { type: 'logs_ack', execution_id: id, batch_id: batch };
  expect(await runner.logs(id, ['one', 'two'], batch)).toEqual(acknowledged);
  expect(await runner.logs(id, ['one', 'two'], batch)).toEqual(acknowledged);
  expect(await runner.logs(id, ['three'], newId())).toMatchObject({ type: 'logs_ack' });

  const { lines, log_line_count } = await page();
  expect(lines.map(({ seq, line }) => [seq, line])).toEqual([
    [1, 'one'],
    [2, 'two'],
    [3, 'three'],
  ]);
  expect(log_line_count).toBe(3);
  // Without an id there is nothing to know a repeat by.
  await runner.logs(id, ['four']);
  await runner.logs(id, ['four'], '');
  expect((await page()).log_line_count).toBe(5);
});

test('many batches sent at once are stored in order and acknowledged in order, with other frames in between', async () => {
  const batches = Array.from({ length: 300 }, () => newId());
  batches.forEach((batch_id, index) => {
    runner.send({ type: 'logs', execution_id: id, batch_id, lines: [`a${index}`, `b${index}`] });
    if (index % 100 === 50) runner.send({ type: 'status', execution_id: id, status: 'RUNNING' });
  });

  for (const [index, batch_id] of batches.entries()) {
    expect(await runner.next()).toEqual({ type: 'logs_ack', execution_id: id, batch_id });
    if (index % 100 === 50) expect(await runner.next()).toEqual({ type: 'ack' });
  }
  expect(await storedLines()).toEqual(batches.flatMap((_id, index) => [`a${index}`, `b${index}`]));
});

test('of frames that arrive together, lines after the completion are dropped and those before it kept', async () => {
  runner.send({ type: 'logs', execution_id: id, batch_id: newId(), lines: ['before'] });
  runner.send({ type: 'complete', execution_id: id, status: 'FAILED', error: 'x' });
  runner.send({ type: 'logs', execution_id: id, batch_id: newId(), lines: ['after'] });

  expect([await runner.next(), await runner.next(), await runner.next()]).toMatchObject([
    { type: 'logs_ack' },
    { type: 'ack' },
    { type: 'logs_ack' },
  ]);
  expect(await storedLines()).toEqual(['before']);
});

test('lines for a lease that is gone are dropped and acknowledged, whatever is wrong with them', async () => {
  await runner.complete(id);
  const stray = { type: 'logs', execution_id: id, batch_id: 'no-uuid', lines: 'x' };

  expect(await runner.ask(stray)).toEqual({
    type: 'logs_ack',
    execution_id: id,
    batch_id: 'no-uuid',
  });
  expect(await runner.ask({ type: 'logs' })).toEqual({
    type: 'ack',
    execution_id: null,
    batch_id: null,
  });
  expect(await storedLines()).toEqual([]);
});

test('missing, null and empty lines count as none', async () => {
  for (const lines of [undefined, null, '', [], 0, false]) {
    const frame = { type: 'logs', execution_id: id, batch_id: newId(), lines };
    expect((await runner.ask(frame))['type']).toBe('logs_ack');
  }
  expect((await page()).log_line_count).toBe(0);
});

test('lines are kept to the character, line breaks, quotes and other scripts included', async () => {
  const lines = [
    '',
    ' a\tb ',
    'with "quotes" and \\',
    'one\ntwo',
    'ünï ☃ 😀',
    '\u001b[31mred\u001b[0m',
  ];
  await runner.logs(id, lines, newId());
  await runner.logs(id, ['plain', ''], newId());
  await runner.logs(id, [''], newId());

  expect(await storedLines()).toEqual([...lines, 'plain', '', '']);
});

test('stored lines have no NUL, no well-known credential, and at most 65,536 characters', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  await runner.logs(
    id,
    [
      `token ${token} here`,
      'a\0b',
      'x'.repeat(67_000),
      'Authorization: Bearer abcdefghijklmnop.qrs',
      'clone https://user:pass@example.test/a.git',
      `AKIA${'A1B2'.repeat(4)}`,
      'risk-free sk-short task_rt_ nothing here',
    ],
    newId(),
  );

  const lines = await storedLines();
  expect(lines.map((line) => line.slice(0, 60))).toEqual([
    'token [redacted] here',
    'a\uFFFDb',
    'x'.repeat(60),
    'Authorization: Bearer [redacted]',
    'clone https://[redacted]@example.test/a.git',
    '[redacted]',
    'risk-free sk-short task_rt_ nothing here',
  ]);
  expect(lines[2]).toHaveLength(65_536);
  expect(lines[2]?.endsWith(' [truncated]')).toBe(true);
});

test('a page of lines begins after the number asked for, inside a batch too', async () => {
  await runner.logs(id, ['1', '2', '3'], newId());
  await runner.logs(id, ['4', '5'], newId());
  const numbers = async (query: string): Promise<readonly string[]> =>
    (await page(query)).lines.map(({ line }) => line);

  expect(await numbers('?after_seq=1&limit=3')).toEqual(['2', '3', '4']);
  expect(await numbers('?after_seq=3')).toEqual(['4', '5']);
  expect(await page('?after_seq=5')).toMatchObject({ next_after_seq: 5, lines: [] });
  expect(await page('?limit=2')).toMatchObject({ next_after_seq: 2 });
});

test('markers in lines set pull request and session once, and the first one wins', async () => {
  const session = '11111111-2222-4333-8444-555555555555';
  const say = (line: string): Promise<unknown> => runner.logs(id, ['before', line], newId());
  await say('x PRELOOP_PR_OPENED {"url":"https://GitHub.com/example/widgets/issues/7/?a=1#b"}');
  await say('PRELOOP_PR_OPENED {"url":"https://github.com/example/widgets/pull/8","branch":"b8"}');
  await say('PRELOOP_PR_OPENED {"url":"https://github.com/example/widgets/pull/7","branch":"b7"}');
  await say('PRELOOP_PR_OPENED {"url":"https://github.com/example/widgets/pull/7","branch":"no"}');
  await say(`PRELOOP_AGENT_SESSION codex ${session}`);
  await say('PRELOOP_AGENT_SESSION opencode ses_other1');
  const opened = { pr_url: 'https://github.com/example/widgets/pull/7', pr_source_branch: 'b7' };
  expect(await bench.execution(id)).toMatchObject({
    result: opened,
    cli_session: { agent_type: 'codex', session_id: session },
  });

  await runner.complete(id, { result: { status: 'success', pr_url: 'https://evil.test/' } });
  expect(await bench.execution(id)).toMatchObject({ result: { status: 'success', ...opened } });
});
