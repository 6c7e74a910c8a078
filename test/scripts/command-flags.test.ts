import { expect, test } from 'vitest';
import { needsBrowser, needsEngine, readCommandFlags } from '../../scripts/setup/command-flags.ts';

test('the flags of the set-up are taken out and all others stay in their order', () => {
  const read = readCommandFlags(['a.test.ts', '--long', '--image', 'python:3', '-t', 'name']);
  expect(read).toEqual({ standIn: 'python:3', long: true, rest: ['a.test.ts', '-t', 'name'] });
});

test('an image can be named with an equals sign', () => {
  expect(readCommandFlags(['--image=python:3'])).toEqual({
    standIn: 'python:3',
    long: false,
    rest: [],
  });
});

test.each([[['--image']], [['--image=']], [['--image', '']]])(
  'an image without a name is refused: %j',
  (args) => {
    expect(() => readCommandFlags(args)).toThrow(RangeError);
  },
);

test.each([
  [[], true],
  [['some.test.ts'], true],
  [['--project', 'unit'], false],
  [['--project=unit', '--project=contracts'], false],
  [['--project', 'unit', '--project', 'docker'], true],
  [['--project=processes'], true],
])('whether %j needs an engine is %s', (args, expected) => {
  expect(needsEngine(args)).toBe(expected);
});

test.each([
  [[], true],
  [['some.test.ts'], true],
  [['--project', 'unit'], false],
  [['--project=docker', '--project=processes'], false],
  [['--project', 'page'], true],
  [['--project', 'unit', '--project=desktop'], true],
  [['--project=p*'], true],
  [['--project=!docker'], true],
])('whether %j needs a browser is %s', (args, expected) => {
  expect(needsBrowser(args)).toBe(expected);
});
