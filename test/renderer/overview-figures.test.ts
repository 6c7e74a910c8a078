/** The figures of the overview: the gauge of a running job, the chart of the last ones. */
import { expect, test } from 'vitest';
import { durationChart } from '../../renderer/features/overview/chart.ts';
import { gaugeOf } from '../../renderer/features/overview/gauge.ts';
import type { JobRow, JobStateName } from '../../main/contract/views.ts';
import { endedRowAt } from '../fixtures/page/rows.ts';

const row = (state: JobStateName, ranMs: number | null): JobRow => ({
  ...endedRowAt(0, 0),
  jobId: `${state} ${ranMs ?? 'never'}`,
  state,
  startedAtMs: ranMs === null ? null : 0,
  endedAtMs: ranMs ?? 0,
});

test('the usual time ends at three quarters, and now lies where the time is', () => {
  expect(gaugeOf(300, { fromMs: 300, toMs: 600 })).toEqual({ from: 0.375, to: 0.75, now: 0.375 });
});

test('a job far over its usual time stays inside the gauge', () => {
  const gauge = gaugeOf(6_000, { fromMs: 300, toMs: 600 });
  expect(gauge?.now).toBeCloseTo(0.97);
  expect(gaugeOf(1, null)).toBeNull();
});

test('bars run from the oldest to the newest, and say what they show', () => {
  const chart = durationChart([row('succeeded', 60_000), row('stopped', 30_000), row('lost', 1)]);
  expect(chart?.bars).toEqual([
    { jobId: 'lost 1', heightPx: 3, kind: 'failed' },
    { jobId: 'stopped 30000', heightPx: 11, kind: 'stopped' },
    { jobId: 'succeeded 60000', heightPx: 22, kind: 'good' },
  ]);
  expect(chart?.text).toBe(
    'Run times of the last 3 jobs: median 0:30, longest 1:00, 1 failed, 1 stopped',
  );
});

test('jobs that never ran make no chart', () => {
  expect(durationChart([row('failed', null)])).toBeNull();
});
