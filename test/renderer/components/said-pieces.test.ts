/** What the agent said, taken apart for the page. */
import { expect, test } from 'vitest';
import { saidPieces } from '../../../renderer/components/conversation/said-pieces.ts';

const shown = (text: string): string[] =>
  saidPieces(text).map(({ kind, text: piece }) => `${kind}:${piece}`);

test.each([
  ['only words', ['words:only words']],
  ['look at `a.ts:8` now', ['words:look at ', 'code:a.ts:8', 'words: now']],
  ['a ` alone', ['words:a ` alone']],
  ['no `code\nover` lines', ['words:no `code\nover` lines']],
  ['before\n\n```ts\nlet a;\n```\n\nafter', ['words:before', 'block:let a;', 'words:after']],
  ['```\nstill coming', ['block:still coming']],
  ['```\n`not` apart\n```', ['block:`not` apart']],
  ['', []],
])('%j', (text, pieces) => {
  expect(shown(text)).toEqual(pieces);
});

test('markup in it stays text', () => {
  expect(shown('<img src=x onerror=alert(1)> `<b>`')).toEqual([
    'words:<img src=x onerror=alert(1)> ',
    'code:<b>',
  ]);
});

test('a text of fences and ticks without end is taken apart in no time', () => {
  const begunMs = performance.now();
  saidPieces('```\n'.repeat(16_000));
  saidPieces('`'.repeat(65_536));
  saidPieces('`a'.repeat(32_000));
  expect(performance.now() - begunMs).toBeLessThan(1_000);
});
