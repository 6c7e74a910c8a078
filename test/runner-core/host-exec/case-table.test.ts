import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { HOST_EXEC_CASES, UNPROVEN } from '../../fixtures/host-exec-cases.ts';

const TESTS = new URL('../../', import.meta.url);
const rowsOf = (section: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${section}.${at + 1}`);

test('every row of the protocol’s tables is listed once', () => {
  const listed = HOST_EXEC_CASES.map(({ row }) => row);
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed).toEqual(
    expect.arrayContaining([...rowsOf('14', 23), ...rowsOf('15', 15), ...rowsOf('13.6', 25)]),
  );
});

test('every test that a row names is in its file, word for word', async () => {
  const missing: string[] = [];
  for (const { row, tests } of HOST_EXEC_CASES)
    for (const [file, title] of tests) {
      const source = await readFile(new URL(file, TESTS), 'utf8').catch(() => '');
      if (!source.includes(title)) missing.push(`${row}: ${file}: ${title}`);
    }
  expect(missing).toEqual([]);
});

test('the rows without a test are exactly those listed as unproven', () => {
  const without = HOST_EXEC_CASES.filter(({ tests }) => tests.length === 0).map(({ row }) => row);
  expect(without).toEqual(UNPROVEN);
});
