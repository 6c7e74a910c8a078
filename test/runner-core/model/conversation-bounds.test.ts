/** How much a conversation holds of a run that says any amount. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ConversationBuilder } from '../../../runner-core/model/conversation.ts';

const BOUNDS = { entries: 100, chars: 100_000 };
const builder = (): ConversationBuilder => new ConversationBuilder(BOUNDS);
const tell = (to: ConversationBuilder, event: object): void =>
  to.push({ text: JSON.stringify(event), source: 'stdout', atMs: null });
const delta = (text: string): object => ({
  type: 'assistant',
  message: { content: [{ type: 'text', text }] },
  timestamp_ms: 1,
});
const started = (id: string): object => ({
  type: 'tool_call',
  subtype: 'started',
  call_id: id,
  tool_call: { readToolCall: { args: { path: 'a.ts' } } },
});

/** Bytes of the heap that `work` leaves in use. */
function heldBytes(work: () => unknown): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const held = work();
  collect();
  const bytes = process.memoryUsage().heapUsed - before;
  expect(held).toBeDefined();
  return bytes;
}

test('16 MB of pieces of one text leave less than 2 MB', () => {
  const piece = 'All work and no play makes a long text. '.repeat(250);
  const bytes = heldBytes(() => {
    const made = builder();
    for (let sent = 0; sent < 16_000_000; sent += piece.length) tell(made, delta(piece));
    expect(made.head.total).toBe(1);
    return made;
  });
  expect(bytes).toBeLessThan(2 * 2 ** 20);
});

test('10,000 segments, each with its repeat, leave less than 2 MB', () => {
  const bytes = heldBytes(() => {
    const made = builder();
    for (let index = 0; index < 10_000; index++) {
      tell(made, delta(`Segment ${index} `));
      tell(made, delta('is this.'));
      tell(made, { ...delta(`Segment ${index} is this.`), model_call_id: 'm-1' });
      tell(made, started('c-1'));
      tell(made, { ...started('c-1'), subtype: 'completed' });
    }
    expect(made.head).toMatchObject({ total: 100, leftOut: 20_000 - 100 });
    return made;
  });
  expect(bytes).toBeLessThan(2 * 2 ** 20);
});

test('calls that never end, with long ids, names and arguments, leave less than 4 MB', () => {
  const long = 'x'.repeat(10_000);
  const bytes = heldBytes(() => {
    const made = builder();
    for (let index = 0; index < 6_000; index++) {
      tell(made, started(`call ${index} ${'y'.repeat(200)}`));
      tell(made, { ...started(`${long}${index}`), tool_call: { [long]: { args: {} } } });
    }
    return made;
  });
  expect(bytes).toBeLessThan(4 * 2 ** 20);
});

test('of more than 4,096 open calls the oldest stays open, and its end is a call of its own', () => {
  const made = new ConversationBuilder();
  for (let index = 0; index < 4_097; index++) tell(made, started(`c-${index}`));
  tell(made, { ...started('c-4096'), subtype: 'completed' });
  tell(made, { ...started('c-1'), subtype: 'completed' });
  expect(made.head.total).toBe(4_097);
  tell(made, { ...started('c-0'), subtype: 'completed' });
  expect(made.head.total).toBe(4_098);
  expect(made.entries(1, 1)).toMatchObject([{ state: 'done' }]);
  expect(made.entries(4_096, 1)).toMatchObject([{ state: 'done' }]);
  expect(made.entries(0, 1)).toMatchObject([{ state: 'open' }]);
});

test('a result is kept beyond the bounds, but not any number of them', () => {
  const made = builder();
  for (let index = 0; index < 150; index++)
    tell(made, { type: 'user', message: { content: `Question ${index}` } });
  for (let index = 0; index < 1_000; index++)
    tell(made, { type: 'result', subtype: 'success', result: `Result ${index}.` });
  expect(made.head).toMatchObject({ total: 108, leftOut: 50 + 992 });
  expect(made.entries(100, 1)).toMatchObject([{ kind: 'result', text: 'Result 0.' }]);
});

test('the words of results count as what is held', () => {
  const made = builder();
  const result = 'x'.repeat(20_000);
  for (let index = 0; index < 100; index++) {
    tell(made, { type: 'result', subtype: 'success', result: `${index}${result}` });
  }
  expect(made.head.total).toBeLessThanOrEqual(8);
});

test('a line that was cut is not kept alive by what is read of it', () => {
  const bytes = heldBytes(() => {
    const made = builder();
    for (let index = 0; index < 60; index++) {
      const head = `{"type":"tool_call","subtype":"started","call_id":"the call number ${index}","tool_call":`;
      const text = `${head}{"writeToolCall":{"args":{"path":"/a/path/number/${index}","fileText":"${'x'.repeat(1_000_000)}`;
      made.push({ text: text.slice(0, -1), source: 'stdout', atMs: null });
    }
    expect(made.head.total).toBe(60);
    return made;
  });
  expect(bytes).toBeLessThan(8 * 2 ** 20);
});
