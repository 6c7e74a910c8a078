import { expect, test } from 'vitest';
import { countLines, type NumberedJob } from '../../scripts/chaos/numbered-job.ts';

const JOB: NumberedJob = {
  ending: 'success',
  lines: { out: 4, err: 2 },
  burst: 1,
  pauseMs: 20,
  longEvery: 3,
  longChars: 90_000,
  isUnterminated: false,
};
const LONG = `out 000003 ${'x'.repeat(65_000)} [line truncated]`;
const WHOLE = ['out 000001 ', 'out 000002 ', 'err 000001 ', LONG, 'out 000004 ', 'err 000002 '];

const count = (stored: readonly string[], isWhole = true): readonly [number, number] => {
  const { lost, doubled } = countLines(JOB, stored, isWhole);
  return [lost, doubled];
};
const without = (text: string): string[] => WHOLE.filter((each) => each !== text);

test('a whole log has nothing lost and nothing doubled', () => {
  expect(count(WHOLE)).toEqual([0, 0]);
});

test('a missing line is lost, at the end only where the job printed to its end', () => {
  expect(count(without('out 000002 '))).toEqual([1, 0]);
  expect(count(without('out 000002 '), false)).toEqual([1, 0]);
  expect(count(without('out 000004 '))).toEqual([1, 0]);
  expect(count(without('out 000004 '), false)).toEqual([0, 0]);
});

test.each([
  ['said again', [...WHOLE, 'out 000004 ']],
  ['out of order', ['out 000002 ', ...without('out 000002 ')]],
  ["not the job's", [...WHOLE, 'out 000005 ']],
  ['only a piece', [...WHOLE, 'x'.repeat(100)]],
])('a line that is %s counts as doubled', (_, stored) => {
  expect(count(stored)).toEqual([0, 1]);
});

test('a long line that is neither whole nor marked as cut is lost', () => {
  const torn = WHOLE.map((each) => (each === LONG ? LONG.slice(0, 70_000 - 9_000) : each));
  expect(count(torn)).toEqual([1, 1]);
});

test('a job without a report is allowed the one line that says so', () => {
  const job = { ...JOB, ending: 'no_report' } as const;
  const said = 'No usable result: /workspace/result.json must be a JSON object';
  expect(countLines(job, [...WHOLE, said], true)).toMatchObject({ lost: 0, doubled: 0 });
  expect(countLines(job, [...WHOLE, said, said], true)).toMatchObject({ lost: 0, doubled: 1 });
  expect(count([...WHOLE, said])).toEqual([0, 1]);
  expect(count([...WHOLE, said], false)).toEqual([0, 0]);
});
