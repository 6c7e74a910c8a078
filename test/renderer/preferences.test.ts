/** What is kept by the browser is read with care: anybody may have written it. */
import { expect, test } from 'vitest';
import { parsePreferences } from '../../renderer/stores/preferences-store.ts';

test.each([
  [null, { theme: 'system', letterKeys: true }],
  ['{"theme":"dark","letterKeys":false}', { theme: 'dark', letterKeys: false }],
  ['{"theme":"pink"}', { theme: 'system', letterKeys: true }],
  ['no json', { theme: 'system', letterKeys: true }],
  ['7', { theme: 'system', letterKeys: true }],
])('%j is read as %j', (text, preferences) => {
  expect(parsePreferences(text)).toEqual(preferences);
});
