/** The tone of the catalogue: short, plain, present; no begging, no praise, no shouting. */
import { expect, test } from 'vitest';
import { conversationWords } from '../../renderer/conversation-words.ts';
import { words } from '../../renderer/words.ts';

const BANNED = /\b(please|oops|sorry|successfully|whoops|simply|just)\b|!/i;

function strings(value: unknown, path: string): readonly (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => strings(part, `${path}.${key}`));
}

const ALL = [...strings(words, 'words'), ...strings(conversationWords, 'conversationWords')];

test('the catalogue has the strings of every screen', () => {
  expect(ALL.length).toBeGreaterThan(100);
});

test('no string begs, praises or shouts', () => {
  expect(ALL.filter(([, text]) => BANNED.test(text))).toEqual([]);
});

test('no string is empty, has loose spaces or a straight quotation mark', () => {
  expect(ALL.filter(([, text]) => text === '' || /^ | $| {2}|["']/.test(text))).toEqual([]);
});
