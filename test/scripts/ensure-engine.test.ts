import { expect, test } from 'vitest';
import { isDebianLike } from '../../scripts/setup/debian.ts';
import { helpFor } from '../../scripts/setup/ensure-engine.ts';

const debianRoot = { debianLike: true, root: true, dockerd: false };

test('Debian as root without dockerd gets the package installed', () => {
  expect(helpFor('not_installed', false, debianRoot)).toBe('install');
});

test('root with dockerd installed and not running gets a private engine, on any Linux', () => {
  for (const debianLike of [true, false])
    expect(helpFor('not_running', false, { debianLike, root: true, dockerd: true })).toBe(
      'start_private',
    );
});

test.each([
  ['somebody named the engine', 'not_running', true, { ...debianRoot, dockerd: true }],
  ['this is not root', 'not_installed', false, { ...debianRoot, root: false }],
  ['this is no Debian', 'not_installed', false, { ...debianRoot, debianLike: false }],
  ['the engine may not be used', 'no_permission', false, { ...debianRoot, dockerd: true }],
  ['the engine is too old', 'too_old', false, { ...debianRoot, dockerd: true }],
  ['the engine cannot be reached', 'unreachable', false, { ...debianRoot, dockerd: true }],
] as const)('the person is asked when %s', (_why, failure, named, machine) => {
  expect(helpFor(failure, named, machine)).toBe('ask_the_person');
});

test.each([
  ['Debian', 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n', true],
  ['a child of a child of Debian', 'ID=linuxmint\nID_LIKE="ubuntu debian"\n', true],
  ['Fedora', 'ID=fedora\nID_LIKE="rhel centos"\n', false],
  ['a system that only mentions Debian', 'ID=other\nHOME_URL="https://debian.example"\n', false],
  ['a system without the file', '', false],
])('%s is told apart by its os-release', (_name, text, expected) => {
  expect(isDebianLike(text)).toBe(expected);
});
