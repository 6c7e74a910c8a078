import { expect, test } from 'vitest';
import { plainJson, plainText } from '../../../main/cli/plain-output.ts';

test('JSON for a program holds nothing that a terminal obeys, and means the same', () => {
  const value = { text: '\u009b2J\u202egnp.exe\u007f\u001b]0;t\u0007' };
  const printed = plainJson(JSON.stringify(value));
  expect(plainText(printed)).toBe(printed);
  expect(JSON.parse(printed)).toEqual(value);
});
