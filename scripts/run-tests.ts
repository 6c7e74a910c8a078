/**
 * Runs all tests, or those that vitest's own arguments choose, and ends with one line of its own.
 *
 * `--image NAME` takes an image in place of the test image; `--long` runs the long variants
 * (200 kills instead of a few where a log is cut off at random). All else goes to vitest.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsBrowser, needsEngine, readCommandFlags } from './setup/command-flags.ts';
import { ensureBrowser } from './setup/ensure-browser.ts';
import { runOnNode24 } from './setup/run-foreground.mjs';
import { runEntry } from './setup/say.mjs';
import { readReport, tally, type Tally } from './setup/tally.ts';
import { withEngine } from './setup/with-engine.ts';

const NO_REPORT: Tally = { passed: 0, failed: 1, skipped: [] };
const LONG: Readonly<Record<string, string>> = { CURSOR_KILLS: '200', LONG_TESTS: '1' };

const { standIn, long, rest } = readCommandFlags(process.argv.slice(2));

await runEntry(async () => {
  if (needsBrowser(rest)) await ensureBrowser();
  return needsEngine(rest)
    ? withEngine(standIn, (engine) => runTests(engine.environment))
    : runTests({});
});

async function runTests(environment: Readonly<Record<string, string>>): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'preloop-tests-'));
  try {
    const reportFile = join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
    const code = await runOnNode24(
      'node_modules/vitest/vitest.mjs',
      ['run', ...reporters, ...rest],
      {
        env: { ...process.env, ...environment, ...(long ? LONG : {}) },
      },
    );
    if (code > 128) return code; // Ended by a signal: nothing to conclude from.
    const report = await readFile(reportFile, 'utf8').catch(() => null);
    return conclude(report === null ? NO_REPORT : tally(readReport(report)), code);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Prints the closing lines. Vitest's own failure without a failed test (an error outside any) counts
 * as one, and in a run of everything so does each test that did not run.
 */
function conclude({ passed, failed, skipped }: Tally, vitestCode: number): number {
  const notRun = rest.length === 0 ? skipped : [];
  for (const name of notRun) console.log(`Did not run: ${name}`);
  const known = failed + notRun.length;
  if (vitestCode !== 0 && known === 0) console.log('An error outside any test is shown above.');
  const all = vitestCode !== 0 ? Math.max(known, 1) : known;
  console.log(`${passed} passed, ${all} failed`);
  return all === 0 ? 0 : 1;
}
