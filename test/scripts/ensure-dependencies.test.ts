import { expect, test } from 'vitest';
import { whyStale } from '../../scripts/setup/ensure-dependencies.mjs';

const wanted = {
  '': { version: '0.1.0' },
  'node_modules/ws': { version: '8.1.0', integrity: 'sha512-a' },
  'node_modules/ws/node_modules/@deep/one': { version: '2.0.0', integrity: 'sha512-b' },
  'node_modules/fsevents': { version: '2.3.3', integrity: 'sha512-c', optional: true },
};
const without = (packages: object, path: string): Record<string, object> =>
  Object.fromEntries(Object.entries(packages).filter(([name]) => name !== path));
const installed = without(wanted, 'node_modules/fsevents');

test('an install that lacks only an optional package is as the lock says', () => {
  expect(whyStale(wanted, installed)).toBeNull();
});

test('a package added by hand does not make an install stale', () => {
  expect(whyStale(wanted, { ...installed, 'node_modules/mine': { version: '1.0.0' } })).toBeNull();
});

test('no install at all is told as such', () => {
  expect(whyStale(wanted, null)).toBe('node_modules is missing');
});

test.each([
  ['another version', { version: '8.0.0', integrity: 'sha512-a' }, /ws is 8\.0\.0.*8\.1\.0/],
  ['other content', { version: '8.1.0', integrity: 'sha512-z' }, /ws has other content/],
])('%s of a package makes an install stale, and names it', (_what, ws, told) => {
  expect(whyStale(wanted, { ...installed, 'node_modules/ws': ws })).toMatch(told);
});

test('a missing nested package makes an install stale, and is named without its folders', () => {
  const rest = without(installed, 'node_modules/ws/node_modules/@deep/one');
  expect(whyStale(wanted, rest)).toBe('@deep/one is missing');
});
