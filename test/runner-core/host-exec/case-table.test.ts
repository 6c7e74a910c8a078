import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { HOST_EXEC_CASES, UNPROVEN } from '../../fixtures/host-exec-cases.ts';

const TESTS = new URL('../../', import.meta.url);
/** Rows of the tables of the protocol. */
const SECTIONS: readonly (readonly [section: string, rows: number])[] = [
  ['14', 23],
  ['15', 15],
  ['13.6', 25],
];

test('every row of the protocol’s tables is listed once, in its order, and says what it is about', () => {
  const listed = HOST_EXEC_CASES.map(({ row }) => row);
  expect(new Set(listed).size).toBe(listed.length);
  for (const [section, rows] of SECTIONS) {
    const wanted = Array.from({ length: rows }, (_, at) => `${section}.${at + 1}`);
    const isOf = (row: string): boolean => row.slice(0, row.lastIndexOf('.')) === section;
    expect(listed.filter(isOf)).toEqual(wanted);
  }
  expect(HOST_EXEC_CASES.filter(({ about }) => about.trim() === '')).toEqual([]);
});

test('every test that a row names is a whole title in its file, and the file leaves none of its tests out', async () => {
  const missing: string[] = [];
  for (const { row, tests } of HOST_EXEC_CASES)
    for (const [file, title] of tests) {
      const source = await readFile(new URL(file, TESTS), 'utf8').catch(() => '');
      if (!hasTitle(source, title)) missing.push(`${row}: ${file}: ${title}`);
      if (/\.(?:skip|skipIf|todo|only|fails)\b/.test(source)) missing.push(`${row}: ${file}`);
    }
  expect(missing).toEqual([]);
});

test('no row names a test twice', () => {
  const twice = HOST_EXEC_CASES.filter(
    ({ tests }) => new Set(tests.map(String)).size < tests.length,
  );
  expect(twice.map(({ row }) => row)).toEqual([]);
});

test('the rows without a test are exactly those listed as unproven', () => {
  const without = HOST_EXEC_CASES.filter(({ tests }) => tests.length === 0).map(({ row }) => row);
  expect(without).toEqual(UNPROVEN);
});

/** As a literal of its own, not in a comment nor as part of another; a count may stand before it. */
function hasTitle(source: string, title: string): boolean {
  return ["'", '`', '"'].some(
    (quote) =>
      source.includes(`${quote}${title}${quote}`) ||
      source.includes(`${quote}\${RUNS} ${title}${quote}`),
  );
}
