import { expect, test } from 'vitest';
import { readReport, tally } from '../../scripts/setup/tally.ts';

const file = (status: string, ...tests: readonly string[]): object => ({
  name: 'some.test.ts',
  status,
  assertionResults: tests.map((result, i) => ({ status: result, fullName: `test ${i}` })),
});
const report = (...testResults: readonly object[]): string =>
  JSON.stringify({ success: true, testResults });

test('passed and failed tests are counted over all files', () => {
  const text = report(file('passed', 'passed', 'passed'), file('failed', 'failed', 'passed'));
  expect(tally(readReport(text))).toEqual({ passed: 3, failed: 1, skipped: [] });
});

test('a file that fails without a failed test counts as one failure', () => {
  const text = report(file('failed'), file('failed', 'skipped'));
  expect(tally(readReport(text))).toEqual({ passed: 0, failed: 2, skipped: ['test 0'] });
});

test('a test that did not run is named, whatever vitest calls it', () => {
  const text = report(file('passed', 'passed', 'pending', 'todo'));
  expect(tally(readReport(text)).skipped).toEqual(['test 1', 'test 2']);
});

test('a text that is no report is refused', () => {
  expect(() => readReport('{"success":true}')).toThrow();
});
