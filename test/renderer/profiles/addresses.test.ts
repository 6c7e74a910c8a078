/** The addresses of the screens of profiles, and of how a host job is looked at. */
import { expect, test } from 'vitest';
import { lookOf, withLook } from '../../../renderer/features/job/job-look.ts';
import {
  addressOf,
  parametersOf,
  parsePlace,
  type ProfilePlace,
} from '../../../renderer/features/profiles/profile-address.ts';
import { parseRoute } from '../../../renderer/router.ts';

const PLACES: readonly ProfilePlace[] = [
  { at: 'list' },
  { at: 'new' },
  { at: 'import' },
  { at: 'limits' },
  { at: 'edit', profile: 'a b&c?d' },
  { at: 'try', profile: 'cursor-review' },
];

test.each(PLACES)('the place $at is found again at its address', (place) => {
  const route = parseRoute(addressOf(place));
  expect(route).toEqual({ name: 'profiles', parameters: parametersOf(place) });
  expect(parsePlace(parametersOf(place))).toEqual(place);
});

test('what names no place is the list', () => {
  expect(parsePlace('burn=it')).toEqual({ at: 'list' });
});

test.each([
  ['', 'talk'],
  ['line=40', 'raw'],
  ['line=40&view=both', 'both'],
  ['view=raw', 'raw'],
  ['view=upside-down', 'talk'],
])('a host job at %j is looked at as %s', (parameters, look) => {
  expect(lookOf(parameters)).toBe(look);
});

test('another look keeps the line of the log', () => {
  expect(withLook('line=40&view=raw', 'talk')).toBe('line=40&view=talk');
});
