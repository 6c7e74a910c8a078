import { expect, test } from 'vitest';
import { RECORD_FLAG } from '../../../runner-core/model/log-chunk.ts';
import type { LogRecordView } from '../../../main/contract/views.ts';
import { AnsiParser } from '../../../renderer/log/ansi-parser.ts';
import { BLOCK_RECORDS } from '../../../renderer/log/line-block.ts';
import { LineStore } from '../../../renderer/log/line-store.ts';

const record = (index: number, text = `line ${index}`, flags = 0): LogRecordView => ({
  record: index,
  line: index,
  atMs: 1_000 + index,
  flags,
  text,
});
const records = (from: number, to: number): LogRecordView[] =>
  Array.from({ length: to - from }, (_, index) => record(from + index));

test('every record comes back as it was added, also those of a full stretch', () => {
  const store = new LineStore();
  store.add(records(0, 1_300));
  for (const index of [0, 1, 511, 512, 1_023, 1_024, 1_299])
    expect(store.row(index)).toMatchObject({
      record: index,
      line: index,
      atMs: 1_000 + index,
      text: `line ${index}`,
    });
  expect(store.row(1_300)).toBeUndefined();
  expect([store.total, store.lines, store.loaded]).toEqual([1_300, 1_300, 1_300]);
});

test('records that are there already are not taken twice', () => {
  const store = new LineStore();
  store.add(records(0, 600));
  store.add(records(300, 700));
  expect(store.loaded).toBe(700);
  expect(store.row(650)?.text).toBe('line 650');
});

test('over its budget the store drops what is farthest from the reader, and says what is missing', () => {
  const store = new LineStore({ maxRecords: 4 * BLOCK_RECORDS, maxChars: Infinity });
  store.readAt(0);
  store.add(records(0, 8 * BLOCK_RECORDS));
  expect(store.loaded).toBeLessThanOrEqual(4 * BLOCK_RECORDS);
  expect(store.row(0)?.text).toBe('line 0');
  expect(store.row(7 * BLOCK_RECORDS)).toBeUndefined();
  expect(store.missing(0, 100)).toBeNull();
  expect(store.missing(6 * BLOCK_RECORDS + 5, 6 * BLOCK_RECORDS + 50)).toBe(6 * BLOCK_RECORDS);
  expect(store.total).toBe(8 * BLOCK_RECORDS);
});

test('what was dropped can be added again', () => {
  const store = new LineStore({ maxRecords: 4 * BLOCK_RECORDS, maxChars: Infinity });
  store.add(records(0, 8 * BLOCK_RECORDS));
  const hole = 7 * BLOCK_RECORDS;
  store.readAt(hole);
  store.add(records(hole, hole + BLOCK_RECORDS));
  expect(store.row(hole + 5)?.text).toBe(`line ${hole + 5}`);
  expect(store.loaded).toBeLessThanOrEqual(4 * BLOCK_RECORDS);
});

test('a budget of text drops long lines as well', () => {
  const store = new LineStore({ maxRecords: Infinity, maxChars: 1_000_000 });
  for (let index = 0; index < 5_000; index++) store.add([record(index, 'x'.repeat(1_000))]);
  expect(store.loadedChars).toBeLessThanOrEqual(1_000_000 + 2 * BLOCK_RECORDS * 1_000);
  expect(store.row(0)).toBeDefined();
});

test('a stretch is not begun in its middle: the hole would never be found', () => {
  const store = new LineStore();
  store.add(records(100, 200));
  expect(store.row(150)).toBeUndefined();
  expect(store.missing(150, 160)).toBe(0);
});

test('a colour left open goes on in the next line of the same source, not of the other', () => {
  const store = new LineStore();
  store.add([
    record(0, 'a\u001b[35mb'),
    record(1, 'error', RECORD_FLAG.stderr),
    record(2, 'c\u001b[0m'),
    record(3, 'd'),
  ]);
  expect([0, 1, 2, 3].map((index) => store.row(index)?.style.fg)).toEqual([-1, -1, 5, -1]);
});

test('a sequence that a long line breaks across records is kept open for the next', () => {
  const store = new LineStore();
  store.add([
    record(0, 'a\u001b[3', RECORD_FLAG.more),
    record(1, '1mred', RECORD_FLAG.continuation),
    record(2, 'after'),
  ]);
  expect(store.row(1)?.pending).toBe('\u001b[3');
  expect(store.row(2)?.style.fg).toBe(1);
});

test('a sequence that a line leaves open does not reach the next line', () => {
  const store = new LineStore();
  store.add([record(0, 'a\u001b]0;x'), record(1, 'b')]);
  expect(store.row(1)?.pending).toBe('');
});

test('errors are those printed in red that begin with a word for it', () => {
  const store = new LineStore();
  const texts = [
    '\u001b[31merror\u001b[0m no',
    '  \u001b[1m\u001b[31mAssertionError\u001b[0m: x',
    '\u001b[41m FAIL \u001b[0m a.test.ts',
    '\u001b[32merror\u001b[0m green',
    'error without colour',
    '\u001b[31mred but harmless',
    '\u001b[31mterrors of the deep',
  ];
  store.add(texts.map((text, index) => record(index, text)));
  expect(store.errors()).toEqual([0, 1, 2]);
});

test('errors are remembered where their text was dropped, and are not counted twice when it comes back', () => {
  const store = new LineStore({ maxRecords: 2 * BLOCK_RECORDS, maxChars: Infinity });
  store.add([record(0, '\u001b[31merror')]);
  store.add(records(1, 10 * BLOCK_RECORDS));
  store.readAt(9 * BLOCK_RECORDS);
  store.add(records(10 * BLOCK_RECORDS, 11 * BLOCK_RECORDS));
  store.readAt(0);
  store.add([record(0, '\u001b[31merror')]);
  expect([store.errors(), store.errorCount]).toEqual([[0], 1]);
});

test('a line is found by its number although long lines took several records', () => {
  const store = new LineStore();
  store.add([
    record(0),
    record(1, 'long', RECORD_FLAG.more),
    { ...record(2, 'rest', RECORD_FLAG.continuation), line: 1 },
    { ...record(3, 'next'), line: 2 },
  ]);
  expect(store.recordOfLine(2)).toEqual({ record: 3, exact: true });
  expect(store.recordOfLine(1)).toEqual({ record: 1, exact: true });
});

test('a line that is not at hand is guessed within the log', () => {
  const store = new LineStore();
  store.setTotal(2_000, 1_000);
  expect(store.recordOfLine(500)).toEqual({ record: 1_000, exact: false });
  expect(store.recordOfLine(9_999).record).toBe(1_999);
});

test('texts for searching end where the records end', () => {
  const store = new LineStore();
  store.add(records(0, BLOCK_RECORDS + 3));
  const [, tail] = store.blocks();
  expect(tail?.textsFrom(1)).toEqual({ text: 'line 513line 514', ends: Uint32Array.of(8, 16) });
  const { text, ends } = store.blocks()[0]?.textsFrom(510) ?? { text: '', ends: new Uint32Array() };
  expect([text, [...ends]]).toEqual(['line 510line 511', [8, 16]]);
});

test('a line that ends with a reset leaves nothing behind, whatever was broken before', () => {
  const broken = ['\u001b[3', '\u001b]0;x', '\u001bP1', '\u001b(', '\u001b[38;2;1', '\u001b'];
  const store = new LineStore();
  store.add(broken.map((start, index) => record(index, `\u001b[31m${start}\u001b[0m`)));
  store.add([record(broken.length, 'after')]);
  for (let index = 0; index <= broken.length; index++)
    expect(store.row(index)).toMatchObject({ style: { fg: -1 }, pending: '' });
  for (const start of broken) {
    const parser = new AnsiParser();
    parser.feed(`\u001b[31m${start}\u001b[0m`);
    parser.end();
    expect(parser.style.fg).toBe(-1);
  }
});
