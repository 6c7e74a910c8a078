import { describe, expect, test } from 'vitest';
import {
  addsTrust,
  buildArguments,
  promptProblem,
} from '../../../runner-core/host-exec/arguments.ts';
import { argvProblems } from '../../../runner-core/host-exec/check-argv.ts';
import { hostProfile } from './host-exec-builders.ts';

const ORDER = { workspace: '/srv/e1', prompt: 'Review', model: null, hasTrust: true };

test('the command line has its fixed order: print, format, trust, the owner’s, folder, force, model, prompt', () => {
  expect(
    buildArguments(hostProfile({ argv: ['--mode=ask'] }), { ...ORDER, model: 'house/fast' }),
  ).toEqual([
    ...['--print', '--output-format', 'stream-json', '--trust', '--mode=ask'],
    ...['--workspace', '/srv/e1', '--model', 'composer-2.5', '--', 'Review'],
  ]);
  expect(buildArguments(hostProfile({ forceWrites: true }), ORDER)).toEqual([
    ...['--print', '--output-format', 'stream-json'],
    ...['--workspace', '/srv/e1', '--force', '--', 'Review'],
  ]);
});

test.each([
  [['-p'], ['--output-format', 'stream-json', '--trust', '-p']],
  [['--print=true'], ['--output-format', 'stream-json', '--trust', '--print=true']],
  [['--output-format=json'], ['--print', '--trust', '--output-format=json']],
  [
    ['--output-format', 'json'],
    ['--print', '--trust', '--output-format', 'json'],
  ],
  [['--trust'], ['--print', '--output-format', 'stream-json', '--trust']],
])('what the owner gives as %j is not given twice', (argv, head) => {
  const args = buildArguments(hostProfile({ argv }), ORDER);
  expect(args.slice(0, args.indexOf('--workspace'))).toEqual(head);
});

test('trust is added for the folder just made, unless it is turned off, given, or not known to this build', () => {
  expect(buildArguments(hostProfile(), ORDER)).toContain('--trust');
  expect(buildArguments(hostProfile({ trustWorkspace: false }), ORDER)).not.toContain('--trust');
  expect(buildArguments(hostProfile(), { ...ORDER, hasTrust: false })).not.toContain('--trust');
  expect(addsTrust(hostProfile({ forceWrites: true }))).toBe(false);
});

test.each(['--force', '--workspace=/x', '', '-- --force', 'two\nlines'])(
  'the prompt %j is one argument behind the separator and sets nothing',
  (prompt) => {
    const args = buildArguments(hostProfile(), { ...ORDER, prompt });
    expect(args.slice(-2)).toEqual(['--', prompt]);
    expect(args.slice(0, -2)).not.toContain('--force');
    expect(args.filter((argument) => argument.startsWith('--workspace'))).toEqual(
      prompt.startsWith('--workspace') ? ['--workspace', prompt] : ['--workspace'],
    );
  },
);

test('a model without an alias, inherited names among them, never makes a command line', () => {
  for (const model of ['house/other', 'constructor', 'toString', ' house/fast'])
    expect(() => buildArguments(hostProfile(), { ...ORDER, model })).toThrow(RangeError);
});

test('a prompt of 65,536 bytes fits and one of 65,537 does not, counted in UTF-8', () => {
  expect(promptProblem('é'.repeat(32_768))).toBeUndefined();
  expect(promptProblem(`${'é'.repeat(32_768)}x`)).toMatch(/longer than 65536 bytes/);
  expect(promptProblem('a\0b')).toMatch(/NUL/);
  expect(promptProblem('\ud800')).toMatch(/UTF-8/);
  expect(promptProblem('')).toBeUndefined();
});

describe('a managed argument is refused in every spelling', () => {
  const managed = [
    ...['--workspace', '-w', '--model', '-m', '--resume', '-r', '--continue', '--session-id'],
    ...['--api-key', '--force', '--yolo', '-f', '--worktree', '--cloud', '-c', '--endpoint'],
    ...['--header', '-H', '--add-dir', '--approve-mcps', '--plugin-dir', '--sandbox'],
  ];
  test.each(managed)('%s, alone and with a value', (flag) => {
    expect(argvProblems([flag])[0]).toMatchObject({
      code: 'argv_managed',
      severity: 'error',
      index: 0,
    });
    expect(argvProblems(['--trust', `${flag}=x`])[0]).toMatchObject({
      code: 'argv_managed',
      index: 1,
    });
  });

  test.each(['-pf', '-mgpt-5', '-rID', '-fp', '-pm', '-mgpt=5', '-px'])(
    '%s, bundled',
    (argument) => {
      expect(argvProblems([argument])).toMatchObject([{ code: 'argv_bundled', severity: 'error' }]);
    },
  );

  test('the separator', () => {
    expect(argvProblems(['--'])).toMatchObject([{ code: 'argv_managed' }]);
    expect(argvProblems(['--=x'])).toMatchObject([{ code: 'argv_managed' }]);
  });

  test.each(['login', 'update', '', '-', 'do this'])('the word of its own %j', (argument) => {
    expect(argvProblems([argument])).toMatchObject([{ code: 'argv_positional' }]);
    expect(argvProblems(['--trust', argument])).toMatchObject([{ code: 'argv_positional' }]);
  });

  test.each([[['--mode']], [['--output-format']], [['--mode=']], [['--mode', '--trust']]])(
    '%j, which would swallow what follows',
    (argv) => {
      expect(argvProblems(argv)[0]).toMatchObject({
        code: 'argv_value_missing',
        severity: 'error',
      });
    },
  );

  test.each([[['--output-format', 'text']], [['--output-format=text']], [['--output-format=x']]])(
    'the output format of %j, which gives no result',
    (argv) => {
      expect(argvProblems(argv)).toMatchObject([{ code: 'argv_output_format', severity: 'error' }]);
    },
  );

  test.each(['--help', '-h', '--version', '-v'])('%s, which ends without a run', (argument) => {
    expect(argvProblems([argument])).toMatchObject([{ code: 'argv_ends_at_once' }]);
  });
});

test('what is good stands', () => {
  const argv = [
    ...['--trust', '--mode=ask', '--mode', 'plan', '-p', '--stream-partial-output'],
    ...['--output-format', 'stream-json', '--sandbox', 'enabled'],
  ];
  expect(argvProblems(argv)).toEqual([]);
});

test('a flag nobody knows is allowed and warned of, but not with a word behind it', () => {
  expect(argvProblems(['--browser'])).toMatchObject([
    { code: 'argv_unknown', severity: 'warning' },
  ]);
  expect(argvProblems(['--browser', 'x'])).toMatchObject([
    { code: 'argv_unknown' },
    { code: 'argv_positional', severity: 'error', index: 1 },
  ]);
});
