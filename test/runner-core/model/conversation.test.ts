import { describe, expect, test } from 'vitest';
import {
  ConversationBuilder,
  conversationOf,
  type Conversation,
  type ConversationLine,
} from '../../../runner-core/model/conversation.ts';

const said = (text: string, more: object = {}): object => ({
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'text', text }] },
  session_id: 's-1',
  ...more,
});
const delta = (text: string, at = 1): object => said(text, { timestamp_ms: at });
const replay = (text: string): object => said(text, { timestamp_ms: 9, model_call_id: 'm-1' });
const tool = (subtype: string, call: object, at: number, id = 'c-1'): object => ({
  type: 'tool_call',
  subtype,
  call_id: id,
  tool_call: call,
  timestamp_ms: at,
});
const READ = { readToolCall: { args: { path: 'a.ts' } } };

const linesOf = (events: readonly (object | string)[]): ConversationLine[] =>
  events.map((event) => ({
    text: typeof event === 'string' ? event : JSON.stringify(event),
    source: 'stdout',
    atMs: null,
  }));
const talk = (...events: (object | string)[]): Conversation => conversationOf(linesOf(events));
const texts = (...events: object[]): string[] =>
  talk(...events).entries.flatMap((entry) => (entry.kind === 'text' ? [entry.text] : []));

test('a run reads as question, answer, tool call with its duration, and result with its tokens', () => {
  const conversation = talk(
    { type: 'system', subtype: 'init', model: 'Composer 2.5', session_id: 's-1' },
    { type: 'user', message: { content: [{ type: 'text', text: 'Review' }] } },
    { type: 'thinking', subtype: 'delta', text: 'Lo', timestamp_ms: 10 },
    { type: 'thinking', subtype: 'delta', text: 'ok', timestamp_ms: 20 },
    { type: 'thinking', subtype: 'completed', timestamp_ms: 40 },
    said('I will read it.'),
    tool('started', READ, 100),
    tool(
      'completed',
      {
        readToolCall: {
          args: { path: 'a.ts' },
          result: { success: { content: 'x', totalLines: 3 } },
        },
      },
      350,
    ),
    said('Done.'),
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      duration_ms: 5210,
      result: 'I will read it.Done.',
      usage: { inputTokens: 11, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 0 },
    },
  );
  expect(conversation).toEqual({
    model: 'Composer 2.5',
    sessionId: 's-1',
    hasEvents: true,
    entries: [
      { kind: 'prompt', text: 'Review' },
      { kind: 'thinking', text: 'Look', durationMs: 30 },
      { kind: 'text', text: 'I will read it.' },
      {
        kind: 'tool',
        callId: 'c-1',
        tool: 'read',
        name: 'read',
        subject: 'a.ts',
        detail: '',
        output: 'x',
        exitCode: null,
        lines: 3,
        isBackground: false,
        state: 'done',
        durationMs: 250,
      },
      { kind: 'text', text: 'Done.' },
      {
        kind: 'result',
        isGood: true,
        text: '',
        durationMs: 5210,
        tokens: { input: 11, output: 5, cacheRead: 3, cacheWrite: 0 },
      },
    ],
  });
});

describe('a text that is told in pieces and then whole is shown once', () => {
  test('deltas and one replay with a call id', () => {
    expect(texts(delta('I will '), delta('read it.'), replay('I will read it.'))).toEqual([
      'I will read it.',
    ]);
  });
  test('deltas and a last replay with neither mark', () => {
    expect(texts(delta('Do'), delta('ne.'), said('Done.'))).toEqual(['Done.']);
  });
  test('deltas and both replays', () => {
    expect(texts(delta('Do'), delta('ne.'), replay('Done.'), said('Done.'))).toEqual(['Done.']);
  });
  test('segments between tool calls, each replayed, and a recap of all at the end', () => {
    expect(
      texts(
        delta('First '),
        delta('part.'),
        replay('First part.'),
        tool('started', READ, 1),
        tool('completed', READ, 2),
        delta('Second.'),
        replay('Second.'),
        said('First part.Second.'),
      ),
    ).toEqual(['First part.', 'Second.']);
  });
  test('a replay that comes after the tool call began', () => {
    expect(
      texts(delta('Loo'), delta('king.'), tool('started', READ, 1), replay('Looking.')),
    ).toEqual(['Looking.']);
  });
  test('a whole text told as one more delta', () => {
    const whole = 'This is the whole answer.';
    expect(texts(delta('This is the '), delta('whole answer.'), delta(whole))).toEqual([whole]);
  });
  test('a replay that knows more than the deltas replaces them', () => {
    expect(texts(delta('Half of'), replay('Half of it was lost.'))).toEqual([
      'Half of it was lost.',
    ]);
  });
});

describe('what is said twice on purpose is shown twice', () => {
  test('the same words in two segments of a run without deltas', () => {
    expect(
      texts(
        replay('Checking.'),
        tool('started', READ, 1),
        said('Other.'),
        tool('started', READ, 2, 'c-2'),
        replay('Checking.'),
      ),
    ).toEqual(['Checking.', 'Other.', 'Checking.']);
  });
  test('short pieces that are equal', () => {
    expect(texts(delta('ha'), delta('ha'), delta('ha'))).toEqual(['hahaha']);
  });
  test('the same answer to two questions', () => {
    const question = { type: 'user', message: { content: 'Again?' } };
    expect(texts(said('Yes.'), question, said('Yes.'))).toEqual(['Yes.', 'Yes.']);
  });
});

test('tool calls that overlap keep their own durations, and one without an end stays open', () => {
  const shell = (result: object) => ({
    shellToolCall: { args: { command: 'make\ntest' }, result },
  });
  const { entries } = talk(
    tool('started', READ, 10, 'a'),
    tool('started', { shellToolCall: { args: { command: 'make\ntest' } } }, 20, 'b'),
    tool('started', { grepToolCall: { args: { pattern: 'x' } } }, 30, 'c'),
    tool('completed', shell({ success: { exitCode: 2, stdout: 'no', stderr: 'bad' } }), 70, 'b'),
    tool(
      'completed',
      { readToolCall: { args: { path: 'a.ts' }, result: { error: { message: 'gone' } } } },
      110,
      'a',
    ),
  );
  expect(entries).toMatchObject([
    { tool: 'read', state: 'failed', durationMs: 100, output: 'gone' },
    {
      tool: 'shell',
      state: 'failed',
      durationMs: 50,
      subject: 'make test',
      exitCode: 2,
      output: 'no\nbad',
    },
    { tool: 'search', state: 'open', durationMs: null, subject: 'x' },
  ]);
});

test('a tool nobody knows, and a function, are shown by their name', () => {
  const called = { function: { name: 'lookUp', arguments: '{"query":"q"}' } };
  expect(
    talk(tool('started', { newToolCall: { args: {} } }, 1, 'a'), tool('started', called, 1, 'b'))
      .entries,
  ).toMatchObject([
    { tool: 'other', name: 'new' },
    { tool: 'other', name: 'lookUp', subject: 'q' },
  ]);
});

test('without marks of Cursor’s own the times of the lines make the duration', () => {
  const lines = linesOf([
    { type: 'tool_call', subtype: 'started', call_id: 'a', tool_call: READ },
    { type: 'tool_call', subtype: 'completed', call_id: 'a', tool_call: READ },
  ]).map((line, at) => ({ ...line, atMs: 1_000 + at * 400 }));
  expect(conversationOf(lines).entries).toMatchObject([{ durationMs: 400 }]);
});

test('a tool event whose line was cut still ends its call', () => {
  const write = { writeToolCall: { args: { path: 'big.txt', fileText: 'x'.repeat(5_000) } } };
  const cut = JSON.stringify(tool('completed', write, 90)).slice(0, 2_000);
  const { entries } = talk(
    tool('started', { writeToolCall: { args: { path: 'big.txt' } } }, 40),
    cut,
  );
  expect(entries).toMatchObject([{ tool: 'write', subject: 'big.txt', state: 'done' }]);
});

test('lines that are no events stand as they are, neighbours joined, and stderr is never an event', () => {
  const lines: ConversationLine[] = [
    { text: 'one', source: 'stdout', atMs: null },
    { text: '', source: 'stdout', atMs: null },
    { text: '{"half', source: 'stdout', atMs: null },
    { text: JSON.stringify(said('no')), source: 'stderr', atMs: null },
  ];
  expect(conversationOf(lines)).toMatchObject({
    hasEvents: false,
    entries: [
      { kind: 'plain', source: 'stdout', text: 'one\n{"half' },
      { kind: 'plain', source: 'stderr' },
    ],
  });
});

test('a failed result and its words are shown, and so are words that were not said before', () => {
  const failed = { type: 'result', subtype: 'error', is_error: true, result: 'It did not work.' };
  expect(talk(said('Trying.'), failed).entries.at(-1)).toEqual({
    kind: 'result',
    isGood: false,
    text: 'It did not work.',
    durationMs: null,
    tokens: null,
  });
});

test('events and fields nobody knows, or of the wrong type, do no harm', () => {
  const odd = [
    { type: 'interaction_query' },
    { type: 7 },
    { type: 'assistant', message: 'x' },
    { type: 'tool_call' },
    {},
  ];
  expect(talk(...odd, said('Still here.')).entries).toMatchObject([
    { kind: 'tool', tool: 'other', name: '' },
    { kind: 'text', text: 'Still here.' },
  ]);
});

test('each entry knows its lines: a text with its pieces and its repeat, a call up to its end, and no line that is another’s', () => {
  const builder = new ConversationBuilder();
  const lines = linesOf([
    { type: 'system', subtype: 'init', session_id: 's-1' },
    { type: 'thinking', subtype: 'delta', text: 'Look' },
    { type: 'thinking', subtype: 'completed' },
    delta('I will '),
    delta('read it.'),
    replay('I will read it.'),
    tool('started', READ, 1, 'a'),
    tool('started', READ, 1, 'b'),
    tool('completed', READ, 2, 'a'),
    tool('completed', READ, 2, 'b'),
    'printed',
    'and more',
    said('Done.'),
  ]);
  for (const [at, line] of lines.entries())
    builder.push({ ...line, records: { first: 10 * at, last: 10 * at + 1 } });
  const kinds = builder.conversation.entries.map(({ kind }) => kind);
  expect(kinds).toEqual(['thinking', 'text', 'tool', 'tool', 'plain', 'text']);
  expect(builder.places(0, 10)).toEqual([
    { first: 10, last: 21 },
    { first: 30, last: 51 },
    { first: 60, last: 81 },
    { first: 70, last: 91 },
    { first: 100, last: 111 },
    { first: 120, last: 121 },
  ]);
  expect(builder.places(4, 1)).toEqual([{ first: 100, last: 111 }]);
});

test('lines of a log that is not kept give their entries no place', () => {
  const builder = new ConversationBuilder();
  for (const line of linesOf([said('One.'), tool('started', READ, 1)])) builder.push(line);
  expect(builder.places(0, 10)).toEqual([null, null]);
});
