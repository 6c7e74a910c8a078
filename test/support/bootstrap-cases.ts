/** What the bootstrap has to do, run once by this machine's own Bash and once in a container. */
import { expect } from 'vitest';
import { LINE_END_MARK, RESULT_PREFIX } from '../../runner-core/wire/launch.ts';
import { parseEnvelopes, type ReportReading } from '../../runner-core/wire/result-report.ts';

export interface BootstrapRun {
  readonly exitCode?: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}
export interface BootstrapCase {
  readonly name: string;
  readonly script: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly exitCode: number;
  readonly reading: Partial<ReportReading>;
  /** Lines of output before the envelope. */
  readonly lines?: readonly string[];
}

const write = (json: string): string => `printf '%s' '${json}' > result.json`;
const absent = { result: null, problem: 'absent' } as const;

export const BOOTSTRAP_CASES: readonly BootstrapCase[] = [
  {
    name: 'a script that ends well and writes a result succeeds',
    script: write('{"status":"success","text":"é\u{1f600}"}'),
    exitCode: 0,
    reading: { exitCode: 0, result: { status: 'success', text: 'é\u{1f600}' }, problem: null },
  },
  {
    name: 'a script that fails keeps its exit code and its result',
    script: `${write('{"status":"failed"}')}; exit 7`,
    exitCode: 7,
    reading: { exitCode: 7, result: { status: 'failed' } },
  },
  {
    name: 'a script that ends well without a result fails',
    script: 'echo done',
    exitCode: 1,
    reading: { exitCode: 0, ...absent },
    lines: ['done'],
  },
  {
    name: 'a failing command does not end the script by itself',
    script: `false\n${write('{"status":"pass"}')}`,
    exitCode: 0,
    reading: { confirmation: 'success' },
  },
  {
    name: 'a result left by an earlier run is not taken',
    script: `[ ! -e result.json ] || echo stale`,
    exitCode: 1,
    reading: absent,
    lines: [],
  },
  {
    name: 'output that ends without a line break does not spoil the envelope',
    script: `${write('{"status":"pass"}')}; printf 'no break'`,
    exitCode: 0,
    reading: { confirmation: 'success' },
    lines: ['no break'],
  },
  {
    name: 'the script is fed on standard input, so a command that reads it eats the rest',
    script: `${write('{"status":"pass"}')}\ncat > /dev/null\nexit 9`,
    exitCode: 0,
    reading: { exitCode: 0 },
  },
  {
    name: 'a module of the job does not stand in for Python’s own',
    script: `${write('{"status":"pass"}')}; for name in json base64 os stat; do echo 'raise SystemExit(0)' > $name.py; done`,
    env: { PYTHONPATH: '.', PYTHONSTARTUP: 'json.py' },
    exitCode: 0,
    reading: { confirmation: 'success' },
  },
  ...[
    ['a symbolic link', 'echo "{\\"status\\":\\"pass\\"}" > other; ln -s other result.json'],
    ['a folder', 'mkdir result.json'],
    ['an empty object', write('{}')],
    ['a list', write('[1]')],
    ['no JSON', write('{"status":')],
    ['NaN', write('{"status":"pass","a":NaN}')],
    ['a number beyond all bounds', write('{"status":"pass","a":1e999}')],
    [
      'nested too deeply',
      `python3 -c 'print("{\\"a\\":"+"["*100000+"]"*100000+"}")' > result.json`,
    ],
    ['too large', `python3 -c 'print("{\\"a\\":\\""+"x"*262144+"\\"}")' > result.json`],
  ].map(([what, script]) => ({
    name: `a result that is ${what ?? ''} is none`,
    script: script ?? '',
    exitCode: 1,
    reading: absent,
  })),
  {
    name: 'a result of the largest size comes through',
    script: `python3 -c 'import json; print(json.dumps({"status": "pass", "a": "x" * 262100}), end="")' > result.json`,
    exitCode: 0,
    reading: { confirmation: 'success', problem: null },
  },
  {
    name: 'half a character in a result comes through as its escape',
    script: write('{"status":"pass","a":"\\ud800"}'),
    exitCode: 0,
    reading: { result: { status: 'pass', a: '\ud800' } },
  },
  {
    name: 'without a token no evidence is sent or told',
    script: write('{"status":"pass"}'),
    exitCode: 0,
    reading: { evidenceUpload: null },
  },
];

/** Without the mark of the bootstrap, and the line that is nothing but it. */
function linesOf(printed: readonly string[]): string[] {
  const last = printed.at(-1) ?? '';
  expect(last.endsWith(LINE_END_MARK)).toBe(true);
  const rest = last.slice(0, -LINE_END_MARK.length);
  return [...printed.slice(0, -1), ...(rest === '' ? [] : [rest])];
}

/** Checks one run against its case. */
export function expectBootstrapRun(run: BootstrapRun, expected: BootstrapCase): void {
  const lines = run.stdout.split('\n');
  const at = lines.findIndex((line) => line.startsWith(RESULT_PREFIX));
  const payloads = lines
    .filter((line) => line.startsWith(RESULT_PREFIX))
    .map((line) => line.slice(RESULT_PREFIX.length));
  expect(payloads, run.stdout + run.stderr).toHaveLength(1);
  expect(parseEnvelopes(payloads, 1)).toMatchObject(expected.reading);
  expect(run.exitCode).toBe(expected.exitCode);
  if (expected.lines !== undefined) expect(linesOf(lines.slice(0, at))).toEqual(expected.lines);
}
