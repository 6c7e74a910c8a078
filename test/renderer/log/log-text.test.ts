import { describe, expect, test } from 'vitest';
import { RECORD_FLAG } from '../../../runner-core/model/log-chunk.ts';
import { readTarget } from '../../../renderer/log/go-to.ts';
import { LineStore, type LogRow } from '../../../renderer/log/line-store.ts';
import { copyText, fromStart, rawText } from '../../../renderer/log/log-text.ts';
import { marksPath } from '../../../renderer/log/ruler-marks.ts';

const { more, continuation } = RECORD_FLAG;
const records = [
  { record: 0, line: 0, atMs: 0, flags: 0, text: '\u001b[31mred\u001b[0m' },
  { record: 1, line: 1, atMs: 1_500, flags: more, text: 'long ' },
  { record: 2, line: 1, atMs: 1_500, flags: continuation, text: 'line' },
];

test('what is copied is plain, and a long line is one line', () => {
  const store = new LineStore();
  store.add(records);
  const rows = [0, 1, 2].map((index) => store.row(index)).filter((row) => row !== undefined);
  expect(copyText(rows, null)).toBe('red\nlong line');
  expect(copyText(rows, (row: LogRow) => fromStart(row.atMs, 0))).toBe(
    '0:00.0\tred\n0:01.5\tlong line',
  );
});

test('what is downloaded is as it was printed', () => {
  expect(rawText(records)).toBe('\u001b[31mred\u001b[0m\nlong line\n');
});

test.each([
  [0, '0:00.0'],
  [-5, '0:00.0'],
  [341_049, '5:41.0'],
  [3_725_300, '1:02:05.3'],
])('%i ms since the start is %s', (ms, text) => {
  expect(fromStart(10_000 + ms, 10_000)).toBe(text);
});

describe('where to go', () => {
  const startMs = new Date(2026, 10, 30, 14, 25, 33).getTime();

  test.each([
    ['4097', { kind: 'line', line: 4_096 }],
    [':1', { kind: 'line', line: 0 }],
    ['0', { kind: 'line', line: 0 }],
    ['+5:00', { kind: 'time', atMs: startMs + 300_000 }],
    ['+1:05:00', { kind: 'time', atMs: startMs + 3_900_000 }],
    ['14:30', { kind: 'time', atMs: new Date(2026, 10, 30, 14, 30).getTime() }],
    ['00:10', { kind: 'time', atMs: new Date(2026, 11, 1, 0, 10).getTime() }],
    ['14:25', { kind: 'time', atMs: new Date(2026, 10, 30, 14, 25).getTime() }],
    ['25:00', null],
    ['abc', null],
    ['', null],
  ])('%s', (text, target) => {
    expect(readTarget(text, startMs)).toEqual(target);
  });
});

describe('marks of the ruler', () => {
  const columns = { from: 0, to: 4 };

  test('that would lie closer than two pixels are one', () => {
    expect(marksPath([0, 1, 2, 900], 1_000, 102, columns)).toBe('M0 0H4V2H0ZM0 90H4V92H0Z');
  });

  test('stay few in a log of any size', () => {
    const all = Array.from({ length: 100_000 }, (_, index) => index);
    expect(marksPath(all, 100_000, 600, columns).split('Z')).toHaveLength(2);
  });

  test('are none where nothing is known yet', () => {
    expect(marksPath([], 0, 600, columns)).toBe('');
  });
});
