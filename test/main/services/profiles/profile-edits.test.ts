import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { aDraft, profileBench } from '../../../support/profile-bench.ts';

const FILE_PROFILE = { name: 'Theirs', executable: 'cursor-agent', argv: ['--mode=ask'] };

test('a draft is told what is wrong with each of its fields, and nothing is kept of it', async () => {
  const { desk, facts } = profileBench();
  const draft = aDraft({
    name: 'no spaces please',
    argv: ['--mode=ask', '--force'],
    pass_env: ['PRELOOP_TOKEN'],
    timeout_seconds: -1,
    model_map: { 'house/fast': '' },
  });
  const { isUsable, problems, wouldRun } = await desk.check({ draft, editing: null });
  expect(isUsable).toBe(false);
  expect(wouldRun).toBeNull();
  expect(problems.map(({ field }) => field).toSorted()).toEqual([
    'argv.1',
    'model_map.house/fast',
    'name',
    'pass_env.0',
    'timeout_seconds',
  ]);
  expect(desk.save({ draft, editing: null })).toMatchObject({ saved: false });
  expect(facts.size).toBe(0);
});

test('a saved profile is off and not advertised, whatever was on by its name before', () => {
  const { desk, profiles } = profileBench();
  desk.save({ draft: aDraft(), editing: null });
  profiles.turn('Review', true);
  desk.remove('review');
  expect(profiles.offers().profiles).toEqual([]);
  expect(desk.save({ draft: aDraft({ name: 'REVIEW' }), editing: null }).saved).toBe(true);
  expect(profiles.list().profiles).toMatchObject([{ name: 'REVIEW', source: 'own', isOn: false }]);
});

test('an edit and a rename keep the place and whether it is on', () => {
  const { desk, profiles } = profileBench();
  for (const name of ['One', 'Two']) desk.save({ draft: aDraft({ name }), editing: null });
  profiles.turn('One', true);
  const draft = aDraft({ name: 'Uno', timeout_seconds: 60 });
  expect(desk.save({ draft, editing: 'one' })).toEqual({ saved: true, problems: [] });
  expect(
    profiles
      .list()
      .profiles.map(({ name, isOn, profile }) => [name, isOn, profile?.timeoutSeconds]),
  ).toEqual([
    ['Uno', true, 60],
    ['Two', false, 0],
  ]);
  expect(
    desk.save({ draft: aDraft({ name: 'uno', argv: ['--mode=plan'] }), editing: 'Uno' }).saved,
  ).toBe(true);
  expect(profiles.offers().profiles).toMatchObject([{ name: 'uno', argv: ['--mode=plan'] }]);
});

test('a name that another has, here or in the file, is refused in any case', async () => {
  const { desk, writeFile } = profileBench();
  writeFile([FILE_PROFILE]);
  desk.save({ draft: aDraft({ name: 'Mine' }), editing: null });
  for (const name of ['mine', 'THEIRS']) {
    const { problems } = await desk.check({ draft: aDraft({ name }), editing: null });
    expect(problems).toMatchObject([{ code: 'name_taken', field: 'name', severity: 'error' }]);
  }
  const own = await desk.check({ draft: aDraft({ name: 'mine' }), editing: 'Mine' });
  expect(own.isUsable).toBe(true);
});

test('what is in the client’s file can be copied, and neither changed nor removed', () => {
  const { desk, profiles, writeFile, file } = profileBench();
  writeFile([FILE_PROFILE]);
  const before = readFileSync(file, 'utf8');
  expect(() => desk.remove('Theirs')).toThrow(/never writes/);
  expect(() => desk.save({ draft: aDraft({ name: 'Theirs' }), editing: 'theirs' })).toThrow();
  profiles.turn('Theirs', true);
  expect(desk.duplicate('theirs')).toEqual({ name: 'Theirs-copy' });
  expect(desk.duplicate('theirs')).toEqual({ name: 'Theirs-copy-2' });
  expect(profiles.list().profiles).toMatchObject([
    { name: 'Theirs-copy', source: 'own', isOn: false, profile: { argv: ['--mode=ask'] } },
    { name: 'Theirs-copy-2', source: 'own', isOn: false },
    { name: 'Theirs', source: 'client', isOn: true },
  ]);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('an import keeps the good ones, off, and tells each of the others why not', () => {
  const { desk, profiles, writeFile } = profileBench();
  writeFile([FILE_PROFILE]);
  desk.save({ draft: aDraft({ name: 'Mine' }), editing: null });
  profiles.turn('mine', true);
  const text = JSON.stringify({
    profiles: [
      { name: 'New', executable: 'agent' },
      { name: 'Bad', executable: 'rm' },
      { name: 'theirs', executable: 'agent' },
      { name: 'mine', executable: 'agent' },
      5,
    ],
  });
  const first = desk.import({ text, replace: false });
  expect(first.problems).toEqual([]);
  expect(
    first.profiles.map(({ name, outcome, problems }) => [name, outcome, problems[0]?.code]),
  ).toEqual([
    ['New', 'added', undefined],
    ['Bad', 'refused', 'executable_unknown'],
    ['theirs', 'refused', 'name_taken'],
    ['mine', 'refused', 'name_taken'],
    ['', 'refused', 'not_an_object'],
  ]);
  expect(profiles.offers().profiles.map(({ name }) => name)).toEqual(['Mine']);
  const second = desk.import({ text, replace: true });
  expect(second.profiles.map(({ outcome }) => outcome)).toEqual([
    'replaced',
    'refused',
    'refused',
    'replaced',
    'refused',
  ]);
  // It would run something else now: only its owner turns that on.
  expect(profiles.offers().profiles).toEqual([]);
  expect(profiles.list().profiles).toMatchObject([
    { name: 'mine', isOn: false, state: 'changed', profile: { executable: 'agent' } },
    {},
    {},
  ]);
  profiles.turn('mine', true);
  desk.import({ text, replace: true });
  expect(profiles.offers().profiles).toMatchObject([{ name: 'mine', executable: 'agent' }]);
});

test('an edit of one that went off since it changed leaves it off', () => {
  const { desk, profiles } = profileBench();
  desk.save({ draft: aDraft(), editing: null });
  profiles.turn('Review', true);
  const replaced = { profiles: [{ name: 'Review', executable: 'agent' }] };
  desk.import({ text: JSON.stringify(replaced), replace: true });
  expect(profiles.list().profiles).toMatchObject([{ state: 'changed' }]);
  desk.save({ draft: aDraft(), editing: 'Review' });
  expect(profiles.offers().profiles).toEqual([]);
});

test('an import that is no profile file is refused whole', () => {
  const { desk, facts } = profileBench();
  expect(desk.import({ text: '{', replace: true })).toMatchObject({
    problems: [{ code: 'file_unreadable' }],
    profiles: [],
  });
  expect(facts.size).toBe(0);
});

test('an export is what an import takes, of own ones and of one of the file', () => {
  const one = profileBench();
  one.writeFile([{ ...FILE_PROFILE, note: 'kept as it is' }]);
  one.desk.save({ draft: aDraft({ model_map: { 'house/fast': 'gpt-5' } }), editing: null });
  const text = one.desk.export({ names: null }).text;
  expect(JSON.parse(one.desk.export({ names: ['theirs'] }).text)).toEqual({
    profiles: [{ ...FILE_PROFILE, note: 'kept as it is' }],
  });
  const other = profileBench();
  expect(other.desk.import({ text, replace: false }).profiles).toMatchObject([
    { outcome: 'added' },
  ]);
  expect(other.desk.export({ names: null }).text).toBe(text);
});

test('there are never more than 64 of them', () => {
  const { desk } = profileBench();
  const profiles = Array.from({ length: 64 }, (_, at) => ({ name: `p${at}`, executable: 'agent' }));
  desk.import({ text: JSON.stringify({ profiles }), replace: false });
  expect(desk.save({ draft: aDraft(), editing: null })).toMatchObject({
    saved: false,
    problems: [{ code: 'too_many_profiles' }],
  });
  expect(() => desk.duplicate('p1')).toThrow();
});

test('one that cannot be read well enough for a form can still be removed', () => {
  const { desk, profiles } = profileBench();
  profiles.keep([{ name: 'Odd', executable: 5 }]);
  expect(desk.view().profiles).toMatchObject([{ name: 'Odd', state: 'left_out', draft: null }]);
  expect(() => desk.duplicate('odd')).toThrow();
  desk.remove('ODD');
  expect(profiles.list().profiles).toEqual([]);
});
