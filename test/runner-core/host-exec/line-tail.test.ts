import { describe, expect, test } from 'vitest';
import { cutText, LineTail, plainText } from '../../../runner-core/host-exec/line-tail.ts';
import { withoutEscapes } from '../../../runner-core/host-exec/without-escapes.ts';
import { SecretMask } from '../../../runner-core/worker/secret-mask.ts';

const SECRET = 'swordfish-0123456789';
const mask = new SecretMask([SECRET]);

function tailOf(lines: readonly string[], maxChars: number): string {
  const tail = new LineTail(mask, maxChars);
  for (const line of lines) tail.add(line);
  return tail.text;
}

test('the last lines are kept whole; the one that would be cut at its beginning is left out', () => {
  expect(tailOf(['/home/ada/first', 'second', 'third'], 14)).toBe('second\nthird\n');
  expect(tailOf(['/home/ada/first', 'second', 'third'], 13)).toBe('second\nthird\n');
  expect(tailOf(['/home/ada/first', 'second', 'third'], 12)).toBe('third\n');
});

test('a line longer than all that is kept is cut at its end, and what follows takes its place', () => {
  expect(tailOf(['x'.repeat(50)], 10)).toBe(`${'x'.repeat(8)}…\n`);
  expect(tailOf(['x'.repeat(50), 'next'], 10)).toBe('next\n');
});

test('no part of a secret is left wherever the cut falls', () => {
  for (let before = 0; before < 60; before++) {
    const text = tailOf([`${'.'.repeat(before)}${SECRET}${'-'.repeat(30)}`], 40);
    expect(text).not.toMatch(/sword|0123/);
  }
});

test('what a terminal would write over is a line of its own', () => {
  expect(tailOf(['10%\r20%\rdone'], 100)).toBe('10%\n20%\ndone\n');
});

describe('a secret and escapes', () => {
  test('a secret that an escape tears is known once the escape is gone', () => {
    expect(plainText(`key sword\u001b[31mfish-0123456789\u001b[0m.`, mask)).toBe('key ***.');
  });
  test('a secret that holds an escape is known while the escape is there', () => {
    const holds = new SecretMask(['pass\u001b[1mword']);
    expect(plainText('key pass\u001b[1mword.', holds)).toBe('key ***.');
  });
  test('of a text that goes on, what may begin a secret is left out', () => {
    expect(plainText('the key is swordfish-01234', mask, true)).not.toContain('sword');
    expect(plainText('the key is sw\u001b[1mordfish-01234', mask, true)).not.toContain('sw');
  });
});

test('a cut text is no longer than it may be, and no half character is at its end', () => {
  expect(cutText('short', 5)).toBe('short');
  expect(cutText('longer', 5)).toBe('long…');
  expect(cutText('abc😀def', 5).isWellFormed()).toBe(true);
});

test.for([
  ['\u001b[1;31mred\u001b[0m and \u001b[38:5:1mmore\u001b[K', 'red and more'],
  ['\u009b31mred\u009bm', 'red'],
  ['\u001b]0;title\u0007text\u001b]8;;https://a.example\u001b\\link', 'textlink'],
  ['\u001bPq#1;2\u001b\\text\u001b^pm\u001b\\', 'text'],
  ['\u001b(Btext\u001b7\u001b=', 'text'],
  ['\u001b]0;never ended\nnext', '\nnext'],
  ['\u001b[31', ''],
  ['a\u0000b\u0007c\td\r\ne\u001b', 'abc\td\r\ne'],
])('escapes of a terminal are no text: %j', ([text = '', plain]) => {
  expect(withoutEscapes(text)).toBe(plain);
});
