import { expect, test } from 'vitest';
import { shownJson, shownText } from '../../../../main/services/views/shown-text.ts';

test('a title cannot turn around what is read, nor hold what a terminal obeys', () => {
  expect(shownText('a\u202egnp.exe\u001b[31m\nState ok\u009b2J')).toBe(
    'a gnp.exe [31m State ok 2J',
  );
});

test('a report means the same and shows such signs as escapes', () => {
  const report = { summary: 'a\u202egnp.exe\u009b2J é' };
  const shown = shownJson(JSON.stringify(report, null, 2));
  expect(shown).not.toMatch(/[\u0080-\u009f\u202e]/);
  expect(shown).toContain('\\u202e');
  expect(JSON.parse(shown)).toEqual(report);
});
