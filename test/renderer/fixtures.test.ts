/** What the page is looked at with is what a host may send. */
import { expect, test } from 'vitest';
import {
  CHECKS,
  eventViewSchema,
  healthViewSchema,
  jobRowSchema,
  jobViewSchema,
  overviewSchema,
  permissionViewSchema,
} from '../../main/contract/views.ts';
import { jobView } from '../fixtures/page/job.ts';
import { FIXTURES, FIXTURE_STATES } from '../fixtures/page/states.ts';

const NOW_MS = 1_795_000_000_000;

test.each(FIXTURE_STATES)('the state %s keeps to the contract', (state) => {
  const fixture = FIXTURES[state](NOW_MS);
  expect(overviewSchema.safeParse(fixture.overview).error).toBeUndefined();
  for (const permission of fixture.permissions) permissionViewSchema.parse(permission);
  const health = healthViewSchema.parse(fixture.health);
  expect(health.checks.map(({ id }) => id)).toEqual(CHECKS);
  const times = fixture.events.map((event) => eventViewSchema.parse(event).lastAtMs);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  const ids = new Set<string>();
  for (let index = 0; index < Math.min(200, fixture.jobs); index += 1) {
    const row = jobRowSchema.parse(fixture.rowAt(index));
    jobViewSchema.parse(jobView(row, NOW_MS));
    ids.add(row.jobId);
  }
  expect(ids.size).toBe(Math.min(200, fixture.jobs));
});
