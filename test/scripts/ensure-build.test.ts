import { expect, test } from 'vitest';
import { fingerprint } from '../../scripts/setup/ensure-build.mjs';

const a = { path: 'main/a.ts', size: 10, mtimeMs: 1_000 };
const b = { path: 'main/b.ts', size: 20, mtimeMs: 2_000 };

test('the fingerprint of the same files is the same in any order', () => {
  expect(fingerprint([a, b])).toBe(fingerprint([b, a]));
});

test.each([
  ['added', [a, b, { path: 'main/c.ts', size: 1, mtimeMs: 3 }]],
  ['removed', [a]],
  ['renamed', [a, { ...b, path: 'main/z.ts' }]],
  ['written with the same size', [a, { ...b, mtimeMs: 2_001 }]],
  ['put back to an older time', [a, { ...b, mtimeMs: 1 }]],
  ['grown within one tick', [a, { ...b, size: 21 }]],
])('a file %s changes the fingerprint', (_what, files) => {
  expect(fingerprint(files)).not.toBe(fingerprint([a, b]));
});
