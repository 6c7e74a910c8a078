/** How times, spans, sizes and counts are written. */
import { expect, test } from 'vitest';
import {
  formatAgo,
  formatBadge,
  formatBytes,
  formatCount,
  formatDay,
  formatDuration,
  formatElapsed,
  formatInstant,
  formatSpan,
  plural,
  relativeDay,
  shortImage,
} from '../../renderer/format.ts';

const at = (text: string): number => new Date(text).getTime();

test.each([
  [0, '0.0 s'],
  [1_940, '1.9 s'],
  [9_999, '10.0 s'],
  [10_000, '0:10'],
  [48_700, '0:48'],
  [401_000, '6:41'],
  [4_325_000, '1:12:05'],
  [-5, '0.0 s'],
])('a span of %i ms that is over is %s', (spanMs, text) => {
  expect(formatDuration(spanMs)).toBe(text);
});

test.each([
  [0, '0:00'],
  [7_900, '0:07'],
  [3_600_000, '1:00:00'],
  [-1_000, '0:00'],
])('a running span of %i ms is %s', (spanMs, text) => {
  expect(formatElapsed(spanMs)).toBe(text);
});

test.each([
  [11_200, '12 s'],
  [7 * 60_000 + 59_000, '7 min'],
  [77_880_000, '21 h 38 min'],
  [7_200_000, '2 h'],
  [3 * 86_400_000, '3 days'],
])('in a sentence %i ms are %s', (spanMs, text) => {
  expect(formatSpan(spanMs)).toBe(text);
});

test.each([
  [200, 'now'],
  [3_900, '3 s ago'],
  [120_000, '2 min ago'],
])('what was %i ms ago was %s', (spanMs, text) => {
  expect(formatAgo(spanMs)).toBe(text);
});

test.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [1_024, '1 KiB'],
  [3_482, '3.4 KiB'],
  [125_829_120, '120 MiB'],
  [1_288_490_189, '1.2 GiB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test('an instant of today is a time, an older one has its day', () => {
  const nowMs = at('2026-11-17T14:32:00');
  expect(formatInstant(at('2026-11-17T08:01:00'), nowMs)).toBe('08:01');
  expect(formatInstant(at('2026-11-16T18:18:00'), nowMs)).toBe('16 Nov, 18:18');
  expect(formatDay(nowMs)).toBe('Tuesday 17 November');
});

test('today and yesterday change at midnight, not after 24 hours', () => {
  const nowMs = at('2026-11-17T00:10:00');
  expect(relativeDay(at('2026-11-17T00:01:00'), nowMs)).toBe('today');
  expect(relativeDay(at('2026-11-16T23:59:00'), nowMs)).toBe('yesterday');
  expect(relativeDay(at('2026-11-15T23:59:00'), nowMs)).toBeNull();
});

test('counts have their separators, badges end at 99+, and one is not many', () => {
  expect([formatCount(123_456), formatBadge(99), formatBadge(100)]).toEqual([
    '123,456',
    '99',
    '99+',
  ]);
  expect([plural(1, 'job', 'jobs'), plural(0, 'job', 'jobs')]).toEqual(['1 job', '0 jobs']);
});

test('an image is called by its last part, one by digest by the start of that', () => {
  expect(shortImage('ghcr.io/nettlebed/codex:2026.11')).toBe('codex:2026.11');
  expect(shortImage(`x/y@sha256:${'9d1c0f6e'.repeat(8)}`)).toBe('y@9d1c0f6e');
});
