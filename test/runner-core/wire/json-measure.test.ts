import { expect, test } from 'vitest';
import {
  asciiJsonBytes,
  compactJson,
  nestsDeeperThan,
} from '../../../runner-core/wire/json-measure.ts';

// Each text is what Python's json.dumps writes of the value after it went over the wire.
test.each<[unknown, string]>([
  [{ a: 'é' }, '{"a": "\\u00e9"}'],
  [{ a: '' }, '{"a": ""}'],
  [{ a: '\u{1f600}' }, '{"a": "\\ud83d\\ude00"}'],
  [{ a: [1, [], {}], b: { c: null } }, '{"a": [1, [], {}], "b": {"c": null}}'],
  [[true, false, -0, 1.5, 'x"\\/'], '[true, false, 0, 1.5, "x\\"\\\\/"]'],
  ['\n\r\t\b\f\v\0\x7f~ ', '"\\n\\r\\t\\b\\f\\u000b\\u0000\\u007f~ "'],
  [[1e-7, 0.00001234, 0.0001, 123456.789], '[1e-07, 1.234e-05, 0.0001, 123456.789]'],
  [[1e21, 1e16, -2.5e-300, 1.5e300], '[1e+21, 10000000000000000, -2.5e-300, 1.5e+300]'],
])('%j is as long as %s', (value, text) => {
  expect(asciiJsonBytes(value)).toBe(text.length);
});

test('compactJson sorts keys at every depth, and keeps the order of lists', () => {
  expect(compactJson({ b: 1, a: [{ d: 2, c: 3 }, 'z', 'y'] })).toBe(
    '{"a":[{"c":3,"d":2},"z","y"],"b":1}',
  );
});

test('nestsDeeperThan counts lists and objects alike', () => {
  expect(nestsDeeperThan(7, 0)).toBe(false);
  expect(nestsDeeperThan({ a: [1] }, 2)).toBe(false);
  expect(nestsDeeperThan({ a: [{}] }, 2)).toBe(true);
});

test('nestsDeeperThan survives a depth that would overflow a walk', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  expect(nestsDeeperThan(deep)).toBe(true);
});
