import {
  chmodSync,
  existsSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  CredentialsDamagedError,
  CredentialsUnavailableError,
  openCredentialVault,
} from '../../../main/secrets/credential-vault.ts';
import { openKeyFileBox, type SealedBox } from '../../../runner-core/sealing/key-file-box.ts';
import { IDENTITY } from '../../support/builders.ts';
import { tempDir } from '../../support/temp-dir.ts';

const SERVER = 'https://one.test';

async function place(): Promise<{ path: string; box: SealedBox }> {
  const dir = tempDir();
  return { path: join(dir, 'credentials'), box: await openKeyFileBox(join(dir, 'key')) };
}

test('tokens are there at the next opening, for each server and kind', async () => {
  const { path, box } = await place();
  const vault = openCredentialVault(path, box);
  vault.keep(SERVER, 'runner', 'token-a');
  vault.keep(SERVER, 'owner', 'token-b');
  vault.keep('https://two.test', 'runner', 'token-c');
  vault.keep(`${SERVER}/`, 'runner', 'token-d');
  const later = openCredentialVault(path, box);
  expect(later.token(SERVER, 'runner')).toBe('token-d');
  expect(later.token(`${SERVER}/`, 'owner')).toBe('token-b');
  expect(later.token('https://two.test', 'runner')).toBe('token-c');
  expect(later.token('https://two.test', 'owner')).toBeUndefined();
  expect([...later.tokens()].sort()).toEqual(['token-b', 'token-c', 'token-d']);
});

test('whose the token of a runner is, is there at the next opening, and goes with the token', async () => {
  const { path, box } = await place();
  const vault = openCredentialVault(path, box);
  expect(vault.runnerId(SERVER)).toBeUndefined();
  vault.keep(SERVER, 'owner', 'token-b');
  vault.keepRunner(SERVER, IDENTITY.runnerId, 'token-a');
  const later = openCredentialVault(path, box);
  expect(later.runnerId(`${SERVER}/`)).toBe(IDENTITY.runnerId);
  expect(later.token(SERVER, 'runner')).toBe('token-a');
  expect(later.token(SERVER, 'owner')).toBe('token-b');
  later.keep(SERVER, 'owner', 'token-c');
  expect(later.runnerId(SERVER)).toBe(IDENTITY.runnerId);
  later.forget(SERVER, 'runner');
  expect(openCredentialVault(path, box).runnerId(SERVER)).toBeUndefined();
});

test('the file is for its owner alone and shows neither token nor server', async () => {
  const { path, box } = await place();
  openCredentialVault(path, box).keep(SERVER, 'runner', 'canary-4711');
  const text = readFileSync(path).toString('latin1');
  expect(text).not.toContain('canary-4711');
  expect(text).not.toContain('one.test');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('one token or all of a server are forgotten, and no others', async () => {
  const { path, box } = await place();
  const vault = openCredentialVault(path, box);
  vault.keep(SERVER, 'runner', 'token-a');
  vault.keep(SERVER, 'owner', 'token-b');
  vault.keep('https://two.test', 'runner', 'token-c');
  vault.forget(SERVER, 'owner');
  expect(openCredentialVault(path, box).token(SERVER, 'owner')).toBeUndefined();
  expect(openCredentialVault(path, box).token(SERVER, 'runner')).toBe('token-a');
  vault.forget(SERVER);
  expect(openCredentialVault(path, box).tokens()).toEqual(['token-c']);
});

test.each<[string, (path: string) => void]>([
  ['cut', (path) => truncateSync(path, 20)],
  ['overwritten', (path) => writeFileSync(path, 'x'.repeat(200))],
  ['huge', (path) => truncateSync(path, 2 * 1024 * 1024)],
])(
  'a file that was %s is set aside with a typed error, and the next vault is empty',
  async (_, spoil) => {
    const { path, box } = await place();
    openCredentialVault(path, box).keep(SERVER, 'runner', 'token-a');
    spoil(path);
    const bytes = readFileSync(path);
    expect(() => openCredentialVault(path, box)).toThrow(CredentialsDamagedError);
    expect(readFileSync(`${path}.damaged`)).toEqual(bytes);
    expect(existsSync(path)).toBe(false);
    expect(openCredentialVault(path, box).tokens()).toEqual([]);
  },
);

test('credentials sealed with another key are set aside, not read as none', async () => {
  const { path, box } = await place();
  openCredentialVault(path, box).keep(SERVER, 'runner', 'token-a');
  const other = await openKeyFileBox(join(tempDir(), 'key'));
  expect(() => openCredentialVault(path, other)).toThrow(CredentialsDamagedError);
  expect(existsSync(`${path}.damaged`)).toBe(true);
});

test('a write that the disk refuses changes nothing, neither in memory nor on disk', async () => {
  const { path, box } = await place();
  const vault = openCredentialVault(path, box);
  vault.keep(SERVER, 'runner', 'token-a');
  const refusing = openCredentialVault(path, {
    open: (sealed) => box.open(sealed),
    seal: () => {
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    },
  });
  expect(() => refusing.keep(SERVER, 'runner', 'token-b')).toThrow(CredentialsUnavailableError);
  expect(refusing.token(SERVER, 'runner')).toBe('token-a');
  expect(openCredentialVault(path, box).token(SERVER, 'runner')).toBe('token-a');
});

test('what a crash left of a write is neither read nor given to others', async () => {
  const { path, box } = await place();
  const vault = openCredentialVault(path, box);
  vault.keep(SERVER, 'runner', 'token-a');
  writeFileSync(`${path}.new`, 'half');
  chmodSync(`${path}.new`, 0o644);
  vault.keep(SERVER, 'runner', 'token-b');
  expect(openCredentialVault(path, box).token(SERVER, 'runner')).toBe('token-b');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(existsSync(`${path}.new`)).toBe(false);
});
