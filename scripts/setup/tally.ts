/** Counts what vitest's JSON report says, so that the last line of a test run can be trusted. */
import * as z from 'zod';

const reportSchema = z.object({
  success: z.boolean(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});
export type TestReport = z.infer<typeof reportSchema>;

export interface Tally {
  readonly passed: number;
  /** Tests that failed, and files that failed without a failed test (a hook, an import). */
  readonly failed: number;
  /** Full names of tests that did not run. */
  readonly skipped: readonly string[];
}

/** @throws when the text is no report of vitest */
export function readReport(text: string): TestReport {
  return reportSchema.parse(JSON.parse(text));
}

export function tally(report: TestReport): Tally {
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  const brokenFiles = report.testResults.filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: tests.filter((test) => test.status === 'passed').length,
    failed: tests.filter((test) => test.status === 'failed').length + brokenFiles.length,
    skipped: tests
      .filter((test) => test.status !== 'passed' && test.status !== 'failed')
      .map((test) => test.fullName),
  };
}
