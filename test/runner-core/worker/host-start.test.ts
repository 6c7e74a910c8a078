/** Which failed starts are tried once more: only those that surely have done nothing. */
import { expect, test } from 'vitest';
import type { HostRunEnd } from '../../../runner-core/worker/host-run.ts';
import { START_WINDOW_MS, startsAgain } from '../../../runner-core/worker/host-start.ts';
import { INIT, line, observe } from '../host-exec/host-exec-builders.ts';

const RACE =
  "Error: ENOENT: no such file or directory, rename '/h/.cursor/cli-config.json.tmp' -> '/h/.cursor/cli-config.json'\n";
const UNKNOWN = "error: unknown option '--trust'\n";

function ended(changes: Partial<HostRunEnd> = {}): HostRunEnd {
  return {
    ending: 'exited',
    code: 1,
    signal: null,
    stderrTail: RACE,
    observed: observe(''),
    ranMs: 400,
    isGone: true,
    ...changes,
  };
}

test('a start that died on the race for the configuration is tried once more', () => {
  expect(startsAgain(ended(), [])).toMatchObject({ withoutTrust: false });
  expect(startsAgain(ended({ ranMs: START_WINDOW_MS }), [])).not.toBeNull();
});

test.each<[string, Partial<HostRunEnd>]>([
  ['after the time of a start', { ranMs: START_WINDOW_MS + 1 }],
  ['after 25 minutes', { ranMs: 1_500_000 }],
  ['after its beginning was told', { observed: observe(line(INIT)) }],
  ['after any event', { observed: observe(line({ type: 'user' })) }],
  ['with exit 0', { code: 0 }],
  ['when it was ended by its deadline', { ending: 'deadline', code: null }],
  ['with other words', { stderrTail: 'Error: something broke\n' }],
])('%s it is not', (_name, changes) => {
  expect(startsAgain(ended(changes), [])).toBeNull();
});

test.each<[readonly string[], boolean]>([
  [['--output-format', 'stream-json'], true],
  [['--output-format=stream-json', '--stream-partial-output'], true],
  [['--output-format', 'json'], false],
  [['--output-format=json'], false],
  [['--output-format=stream-json', '--output-format=json'], false],
  [['--output-format'], false],
])('with the arguments %j the race is tried again: %s', (argv, isTried) => {
  expect(startsAgain(ended(), argv) !== null).toBe(isTried);
});

test('a build that does not know --trust is started without it, but only where it says so itself', () => {
  expect(startsAgain(ended({ stderrTail: UNKNOWN }), [])).toMatchObject({ withoutTrust: true });
  expect(startsAgain(ended({ stderrTail: UNKNOWN, ranMs: START_WINDOW_MS + 1 }), [])).toBeNull();
  const quoted = `the tests say: ${UNKNOWN}`;
  expect(startsAgain(ended({ stderrTail: quoted }), [])).toBeNull();
});
