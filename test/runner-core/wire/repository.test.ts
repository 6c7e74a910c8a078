import { describe, expect, test } from 'vitest';
import { repositoryOf } from '../../../runner-core/wire/repository.ts';

const of = (address: string): string | null =>
  repositoryOf({ repositories: [{ repository_url: address }] });

describe('a repository is shown as', () => {
  test.each([
    ['https://github.com/example/widgets.git', 'github.com/example/widgets'],
    ['https://GitHub.com/example/widgets/', 'github.com/example/widgets'],
    ['https://oauth2:glpat_not_real@gitlab.example/a/b/c.git', 'gitlab.example/a/b/c'],
    ['https://x-access-token:ghs_not_real@github.com:443/a/b?token=q#f', 'github.com/a/b'],
    ['ssh://git@git.example:2222/a/b.git', 'git.example/a/b'],
    ['git@github.com:example/widgets.git', 'github.com/example/widgets'],
    ['  https://h.example/a  ', 'h.example/a'],
  ])('%s: %s', (address, shown) => {
    expect(of(address)).toBe(shown);
  });
});

test.each([
  'https://user:pass@word@host.example/a',
  'https://host.example/',
  'https://host.example',
  'user:token_not_real@host.example:a/b',
  'not an address',
  '/srv/git/a.git',
  '',
  `https://h.example/${'a'.repeat(400)}`,
  'x'.repeat(10_000),
])('what is not understood is not shown, since it may hold a credential: %s', (address) => {
  expect(of(address)).toBeNull();
});

test('no credential of an address is ever part of what is shown', () => {
  for (const secret of ['s3cret', 'a%40b', 'a/b', 'x?y', 'p#q'])
    for (const form of [
      `https://me:${secret}@h.example/a/b.git`,
      `https://${secret}@h.example/a/b.git`,
      `ssh://me:${secret}@h.example/a/b.git`,
      `me:${secret}@h.example:a/b.git`,
    ])
      expect(of(form) ?? '', form).not.toContain(secret);
});

test.each([
  [null],
  [undefined],
  ['text'],
  [[]],
  [{}],
  [{ repositories: [] }],
  [{ repositories: [1] }],
])('there is none in %j', (config) => {
  expect(repositoryOf(config)).toBeNull();
});

test('the first of several is the one that is shown, also where it is named directly', () => {
  const repositories = [
    { repository_url: 'https://h.example/a' },
    { repository_url: 'https://h.example/b' },
  ];
  expect(repositoryOf({ repositories })).toBe('h.example/a');
  expect(repositoryOf({ repository_url: 'https://h.example/c.git' })).toBe('h.example/c');
});
