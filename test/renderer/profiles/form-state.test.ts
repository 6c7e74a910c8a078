/** The form of a profile, to and from the draft that the host checks. */
import { expect, test } from 'vitest';
import { EMPTY_DRAFT, type ProfileDraft } from '../../../main/contract/profile-views.ts';
import {
  draftOf,
  placeOf,
  stateOf,
  twiceNamed,
  type FormState,
} from '../../../renderer/features/profiles/form-state.ts';

const FULL: ProfileDraft = {
  name: 'review',
  executable: '/opt/cursor-agent',
  argv: ['--mode=ask', '--flag', 'value'],
  workspace_root: '/srv/runs',
  timeout_seconds: 1_200,
  force_writes: true,
  model_map: { 'house/fast': 'composer-2.5' },
  pass_env: ['GH_TOKEN'],
  trust_workspace: false,
  linger_seconds: 5,
  lingered_is_success: true,
  stall_seconds: 300,
};
const form = (changed: Partial<FormState> = {}): FormState => ({
  ...stateOf(EMPTY_DRAFT),
  ...changed,
});

test.each([
  ['an empty one', EMPTY_DRAFT],
  ['a full one', FULL],
])('a draft comes out of the form as it went in: %s', (_name, draft) => {
  expect(draftOf(stateOf(draft))).toEqual(draft);
});

test('empty rows are no part of the draft', () => {
  const state = form({
    argv: ['', '--a', '  '],
    passEnv: [' ', ' HOME '],
    models: [
      { name: '', alias: '' },
      { name: ' m ', alias: ' n ' },
    ],
  });
  expect(draftOf(state)).toMatchObject({
    argv: ['--a'],
    pass_env: ['HOME'],
    model_map: { m: 'n' },
  });
});

test('an argument keeps its spaces, which Cursor would get as well', () => {
  expect(draftOf(form({ argv: [' --a '] })).argv).toEqual([' --a ']);
});

test.each([
  ['', 0],
  [' 90 ', 90],
  ['0', 0],
  ['1.5', -1],
  ['-3', -1],
  ['ten', -1],
  ['1e3', -1],
  // The host says that it is too long, which is nearer than that it is no number.
  ['99999999999', 99_999_999_999],
  ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
])('the time %j is sent as %d: what is no whole number stays wrong', (timeout, seconds) => {
  expect(draftOf(form({ timeout })).timeout_seconds).toBe(seconds);
});

test.each([
  ['argv.0', 'argv.1'],
  ['argv.1', 'argv.3'],
  ['pass_env.0', 'pass_env.1'],
  ['model_map.house/fast', 'model_map.2'],
  ['model_map.nowhere', 'model_map'],
  ['model_map', 'model_map'],
  ['name', 'name'],
  ['', ''],
])('a fault of the draft in %j is shown at %j, past the empty rows', (field, place) => {
  const state = form({
    argv: ['', '--a', '', '--b'],
    passEnv: ['', 'HOME'],
    models: [
      { name: '', alias: '' },
      { name: 'other', alias: 'x' },
      { name: 'house/fast ', alias: 'y' },
    ],
  });
  expect(placeOf({ field }, state)).toBe(place);
});

test('a model that is named twice is a fault of each later row', () => {
  const named = (...names: string[]): readonly number[] =>
    twiceNamed(names.map((name) => ({ name, alias: 'x' })));
  expect(named('a', 'b', 'a ', 'a')).toEqual([2, 3]);
  expect(named('', '', 'a')).toEqual([]);
});

test('a model of any name is kept as one of the draft’s own', () => {
  const { model_map } = draftOf(form({ models: [{ name: '__proto__', alias: 'x' }] }));
  expect(Object.entries(model_map)).toEqual([['__proto__', 'x']]);
});
