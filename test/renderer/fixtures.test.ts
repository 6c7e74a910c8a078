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
import { conversationHeadSchema } from '../../main/contract/conversation-views.ts';
import { REQUESTS } from '../../main/contract/requests.ts';
import { profilesViewSchema, profileTryViewSchema } from '../../main/contract/profile-views.ts';
import { headOf, HOST_JOBS } from '../fixtures/page/host-jobs.ts';
import { answerProfiles, tryFixture } from '../fixtures/page/profile-desk.ts';
import { jobView } from '../fixtures/page/job.ts';
import { FIXTURES, FIXTURE_STATES } from '../fixtures/page/states.ts';

const NOW_MS = 1_795_000_000_000;

test.each(FIXTURE_STATES)('the state %s keeps to the contract', (state) => {
  const fixture = FIXTURES[state](NOW_MS);
  expect(overviewSchema.safeParse(fixture.overview).error).toBeUndefined();
  for (const permission of fixture.permissions) permissionViewSchema.parse(permission);
  profilesViewSchema.parse(fixture.profiles);
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

test.each(Object.entries(HOST_JOBS))('the host job %s keeps to the contract', (_name, make) => {
  const job = make(NOW_MS);
  jobViewSchema.parse(job.view);
  conversationHeadSchema.parse(headOf(job));
  const { entries } = job.conversation;
  expect(job.places.length).toBe(entries.length);
  const page = {
    entries: entries.slice(0, 200),
    places: job.places.slice(0, 200),
    total: entries.length,
    revision: 1,
  };
  REQUESTS['job.conversation'].result.parse(page);
});

test('a run of Try it keeps to the contract while it goes on and once it is over', () => {
  const { profiles } = FIXTURES.typical(NOW_MS);
  const input = { name: 'cursor-review', prompt: 'hello' };
  const begun = answerProfiles('profiles.try', input, profiles, NOW_MS);
  const { id } = REQUESTS['profiles.try'].result.parse(begun?.result);
  const view = begun?.view ?? profiles;
  expect(profileTryViewSchema.parse(tryFixture(id, view, NOW_MS)).state).toBe('running');
  const over = answerProfiles('profiles.try_stop', { id }, view, NOW_MS)?.view ?? view;
  expect(profileTryViewSchema.parse(tryFixture(id, over, NOW_MS)).reported?.status).toBe('STOPPED');
});
