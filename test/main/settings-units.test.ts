import { expect, test } from 'vitest';
import { bytesOf, durationMsOf } from '../../main/settings-units.ts';

test.each([
  ['4 GiB', 4 * 2 ** 30],
  ['512MiB', 512 * 2 ** 20],
  ['1.5 gib', 1.5 * 2 ** 30],
  ['2 GB', 2e9],
  ['10 kb', 10_000],
  ['1 TiB', 2 ** 40],
  ['123', 123],
  ['0', 0],
  ['', undefined],
  ['GiB', undefined],
  ['4 G', undefined],
  ['-1 GiB', undefined],
  ['1e3', undefined],
  ['4 GiB extra', undefined],
  ['9999999999 TiB', undefined],
])('%s is %s bytes', (text, bytes) => {
  expect(bytesOf(text)).toBe(bytes);
});

test.each([
  ['24h', 86_400_000],
  ['90 min', 5_400_000],
  ['90m', 5_400_000],
  ['1h 30m', 5_400_000],
  ['1h30m', 5_400_000],
  ['2d', 172_800_000],
  ['45s', 45_000],
  ['1.5h', 5_400_000],
  ['24', undefined],
  ['', undefined],
  ['h', undefined],
  ['1 year', undefined],
  ['-1h', undefined],
  ['1h x', undefined],
])('%s is %s milliseconds', (text, ms) => {
  expect(durationMsOf(text)).toBe(ms);
});
