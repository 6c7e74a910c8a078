/** Rows of a long list, fetched as they come into view. */
import { expect, test } from 'vitest';
import { HostProblem } from '../../renderer/host-client/problem.ts';
import { JobWindows, PAGE_ROWS, type JobsPage } from '../../renderer/features/jobs/job-windows.ts';
import { JOB_STATES, type JobRow } from '../../main/contract/views.ts';
import { endedRowAt } from '../fixtures/page/rows.ts';

const TOTAL = 100_000;
const counts = Object.fromEntries(JOB_STATES.map((state) => [state, 1])) as JobsPage['counts'];

function windowsBench() {
  const asked: number[] = [];
  const answers: { resolve: (page: JobsPage) => void; reject: (error: unknown) => void }[] = [];
  const bench = { asked, changes: 0, lines: 0 };
  const windows = new JobWindows(
    (offset) => {
      asked.push(offset);
      return new Promise((resolve, reject) => answers.push({ resolve, reject }));
    },
    () => (bench.changes += 1),
  );
  /** Answers everything that was asked for, in order. */
  const answer = async (): Promise<void> => {
    const offsets = asked.slice(asked.length - answers.length);
    for (const [index, { resolve }] of answers.splice(0).entries()) {
      const offset = offsets[index] ?? 0;
      const rows = Array.from({ length: PAGE_ROWS }, (_, at): JobRow => ({
        ...endedRowAt(offset + at, 0),
        lines: bench.lines,
      }));
      resolve({ rows, total: TOTAL, counts, revision: 1 });
    }
    await Promise.resolve();
    await Promise.resolve();
  };
  const refuse = async (error: unknown): Promise<void> => {
    for (const { reject } of answers.splice(0)) reject(error);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { windows, bench, answer, refuse };
}

test('only the pages in view are asked for, each once', async () => {
  const { windows, bench, answer } = windowsBench();
  windows.show(0, 30);
  windows.show(0, 31);
  await answer();
  windows.show(0, 32);
  windows.show(50_090, 50_120);
  expect(bench.asked).toEqual([0, 50_000, 50_100]);
  await answer();
  expect(windows.list.total).toBe(TOTAL);
  expect(windows.list.rowAt(50_110)).toMatchObject({ jobId: endedRowAt(50_110, 0).jobId });
  expect(windows.list.rowAt(200)).toBeUndefined();
});

test('pages that fly past while others are under way are never asked for', async () => {
  const { windows, bench, answer } = windowsBench();
  windows.show(0, 30);
  await answer();
  for (let first = 1_000; first <= 9_000; first += 500) windows.show(first, first + 30);
  expect(bench.asked).toEqual([0, 1_000, 1_500]);
  await answer();
  expect(bench.asked).toEqual([0, 1_000, 1_500, 9_000]);
  await answer();
  expect(windows.list.rowAt(9_010)).toBeDefined();
});

test('after a change the old rows stay until the new ones are there', async () => {
  const { windows, bench, answer } = windowsBench();
  windows.show(0, 30);
  await answer();
  bench.lines = 7;
  windows.invalidate();
  expect(windows.list.rowAt(3)?.lines).toBe(0);
  await answer();
  expect(windows.list.rowAt(3)?.lines).toBe(7);
});

test('a page that changes while it is fetched is fetched once more', async () => {
  const { windows, bench, answer } = windowsBench();
  windows.show(0, 30);
  await answer();
  windows.invalidate();
  windows.invalidate();
  await answer();
  expect(bench.asked).toEqual([0, 0, 0]);
  await answer();
  expect(bench.asked).toEqual([0, 0, 0]);
});

test('pages far from view are let go, the one in view never', async () => {
  const { windows, answer } = windowsBench();
  for (let page = 0; page < 80; page += 1) {
    windows.show(page * PAGE_ROWS, page * PAGE_ROWS + 30);
    await answer();
  }
  expect(windows.list.rowAt(0)).toBeUndefined();
  expect(windows.list.rowAt(79 * PAGE_ROWS)).toBeDefined();
});

test('what the host says is wrong is shown, and a retry asks again', async () => {
  const { windows, bench, refuse, answer } = windowsBench();
  windows.show(0, 30);
  const problem = { code: 'store_fault', message: 'No.', remedy: null, field: null };
  await refuse(new HostProblem(problem));
  expect(windows.list.problem).toEqual(problem);
  windows.show(0, 30);
  expect(bench.asked).toEqual([0]);
  windows.invalidate();
  await answer();
  expect([windows.list.problem, windows.list.total]).toEqual([null, TOTAL]);
});

test('a lost connection is no fault of the list', async () => {
  const { windows, refuse } = windowsBench();
  windows.show(0, 30);
  await refuse(
    new HostProblem({ code: 'connection_lost', message: '', remedy: null, field: null }),
  );
  expect(windows.list.problem).toBeNull();
});
