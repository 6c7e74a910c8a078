/** Addresses and what they show. */
import { expect, test } from 'vitest';
import { formatRoute, parseRoute, type Route } from '../../renderer/router.ts';

const ROUTES: readonly (readonly [hash: string, route: Route])[] = [
  ['#/', { name: 'overview' }],
  ['#/jobs', { name: 'jobs', states: [], text: '' }],
  ['#/jobs?state=failed.timed_out', { name: 'jobs', states: ['failed', 'timed_out'], text: '' }],
  ['#/jobs?state=lost&text=a+b%26c', { name: 'jobs', states: ['lost'], text: 'a b&c' }],
  ['#/jobs/5f0c2a34', { name: 'job', jobId: '5f0c2a34', parameters: '' }],
  ['#/jobs/5f0c2a34?line=4097', { name: 'job', jobId: '5f0c2a34', parameters: 'line=4097' }],
  ['#/jobs/a%2Fb', { name: 'job', jobId: 'a/b', parameters: '' }],
  ['#/permissions', { name: 'permissions' }],
  ['#/health', { name: 'health' }],
  ['#/profiles', { name: 'profiles', parameters: '' }],
  ['#/profiles?edit=cursor-review', { name: 'profiles', parameters: 'edit=cursor-review' }],
];

test.each(ROUTES)('%s is read as its route and written back the same', (hash, route) => {
  expect(parseRoute(hash)).toEqual(route);
  expect(formatRoute(route)).toBe(hash);
});

test.each(['', '#', '#/'])('the address %j is the overview', (hash) => {
  expect(parseRoute(hash)).toEqual({ name: 'overview' });
});

test.each([
  '#/nowhere',
  '#/jobs/a/b',
  '#/permissions/x',
  '#/health/x',
  '#/profiles/x',
  '#/jobs/%E0%A4%A',
])('the address %s names no screen, and is kept as it was written', (hash) => {
  expect(parseRoute(hash)).toEqual({ name: 'unknown', address: hash.slice(1) });
  expect(formatRoute(parseRoute(hash))).toBe(hash);
});

test('a state that does not exist is left out of the filter, and a text is cut to what the host takes', () => {
  const route = parseRoute(`#/jobs?state=failed.burning&text=${'x'.repeat(300)}`);
  expect(route).toEqual({ name: 'jobs', states: ['failed'], text: 'x'.repeat(200) });
});
