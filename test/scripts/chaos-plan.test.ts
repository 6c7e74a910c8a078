import { expect, test } from 'vitest';
import { planOf } from '../../scripts/chaos/plan.ts';

const SEEDS = Array.from({ length: 300 }, (_, index) => index);

test('a seed means the same run each time, and another seed another run', () => {
  expect(planOf(7)).toEqual(planOf(7));
  expect(planOf(8)).not.toEqual(planOf(7));
});

test('every kind of break and of ending comes up, and every run breaks something', () => {
  const plans = SEEDS.map((seed) => planOf(seed));
  const kinds = new Set(plans.flatMap(({ breaks }) => breaks.map(({ kind }) => kind)));
  const endings = new Set(plans.flatMap(({ jobs }) => jobs.map(({ job }) => job.ending)));
  expect([...kinds].sort()).toEqual([
    'engine_paused',
    'host_killed',
    'plane_killed',
    'socket_cut',
    'worker_killed',
  ]);
  expect([...endings].sort()).toEqual(['exit_code', 'failure_reported', 'no_report', 'success']);
  expect(plans.filter(({ breaks }) => breaks.length === 0)).toEqual([]);
});

test('a stop is followed by a cut socket, since a hosted service tells of it with the next connection', () => {
  const stops = SEEDS.map((seed) => planOf(seed)).flatMap(({ jobs, breaks }) =>
    jobs.flatMap(({ stopMs }) => (stopMs === null ? [] : [{ stopMs, breaks }])),
  );
  expect(stops.length).toBeGreaterThan(0);
  for (const { stopMs, breaks } of stops)
    expect(breaks.some(({ kind, atMs }) => kind === 'socket_cut' && atMs > stopMs)).toBe(true);
});
