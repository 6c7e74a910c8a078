import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../runner-core/model/json.ts';
import { describedTool, type DescribedTool } from '../../../runner-core/model/tool-call.ts';

const toolOf = (name: string, args: JsonObject): DescribedTool =>
  describedTool({ [`${name}ToolCall`]: { args } }, 'c-1').tool;

test.for<[string, JsonObject, string, string]>([
  ['grep', { pattern: 'TODO', path: 'src' }, 'TODO', 'src'],
  ['grep', { path: '/w/src', pattern: 'a\nb' }, 'a b', '/w/src'],
  ['glob', { targetDirectory: '/w', globPattern: '**/*.ts' }, '**/*.ts', '/w'],
  ['semSearch', { query: 'who signs in?', targetDirectories: ['a', 'b'] }, 'who signs in?', 'a, b'],
  ['codebaseSearch', { query: 'who', path: 'x' }, 'who', 'x'],
  ['grep', { pattern: 'TODO' }, 'TODO', ''],
  ['grep', { path: 'src' }, 'src', ''],
])(
  'a search is titled by what it looks for, beside it where: %s %j',
  ([name, args, subject, detail]) => {
    expect(toolOf(name, args)).toMatchObject({ tool: 'search', subject, detail });
  },
);

test('a search that is a function is titled like any other', () => {
  const call = { function: { name: 'grep', arguments: '{"path":"src","pattern":"TODO"}' } };
  expect(describedTool(call, '').tool).toMatchObject({ subject: 'TODO', detail: 'src' });
});

test('other tools are titled by their path or command, and have no detail', () => {
  expect(toolOf('read', { path: 'a.ts', pattern: 'x' })).toMatchObject({
    subject: 'a.ts',
    detail: '',
  });
  expect(toolOf('shell', { command: 'make' })).toMatchObject({ subject: 'make', detail: '' });
});

test('title, detail, name and output are bounded', () => {
  const long = 'x'.repeat(10_000);
  const searched = toolOf('grep', { pattern: long, path: long });
  expect([searched.subject.length, searched.detail.length]).toEqual([501, 501]);
  expect(toolOf(long, {}).name.length).toBe(101);
});

test('a cut output does not keep alive what it was cut from', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const read = (index: number): DescribedTool => {
    const content = `${index} ${'x'.repeat(1_000_000)}`;
    const line = JSON.stringify({ readToolCall: { result: { success: { content } } } });
    return describedTool(JSON.parse(line) as JsonObject, '').tool;
  };
  collect();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: 60 }, (_, index) => read(index));
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(8 * 2 ** 20);
  expect(kept.every(({ output }) => output.length === 4_001)).toBe(true);
});
