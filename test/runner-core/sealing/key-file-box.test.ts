import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  KeyFileError,
  openKeyFileBox,
  SealBrokenError,
} from '../../../runner-core/sealing/key-file-box.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'key-file-box-'));
  path = join(folder, 'key');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('what one box seals, a second box over the same file opens, for any text', async () => {
  const first = await openKeyFileBox(path);
  const second = await openKeyFileBox(path);

  for (const text of ['', 'secret', 'ünï ☃ \u0000', 'x'.repeat(1_000_000)]) {
    expect(second.open(first.seal(text))).toBe(text);
  }
});

test('the key file is created with mode 0600 and 32 bytes, and nothing is left beside it', async () => {
  await openKeyFileBox(path);

  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await readFile(path)).length).toBe(32);
  expect(await readdir(folder)).toEqual(['key']);
});

test('boxes opened at once over a missing file all use one key', async () => {
  const boxes = await Promise.all(Array.from({ length: 8 }, () => openKeyFileBox(path)));
  const sealed = boxes.map((box, index) => box.seal(`text ${index}`));

  expect(sealed.map((bytes) => boxes[0]?.open(bytes))).toEqual(
    boxes.map((_box, index) => `text ${index}`),
  );
});

test('the same text sealed twice differs, and does not contain the text', async () => {
  const box = await openKeyFileBox(path);
  const [one, two] = [box.seal('correct horse'), box.seal('correct horse')];

  expect(Buffer.from(one).equals(two)).toBe(false);
  expect(Buffer.from(one).includes('correct')).toBe(false);
});

test('a change of any one byte, and any cut, is refused', async () => {
  const box = await openKeyFileBox(path);
  const sealed = box.seal('short text');

  for (let at = 0; at < sealed.length; at++) {
    const altered = Uint8Array.from(sealed);
    altered[at] = (altered[at] ?? 0) ^ 1;
    expect(() => box.open(altered), `byte ${at}`).toThrow(SealBrokenError);
    expect(() => box.open(sealed.subarray(0, at)), `cut at ${at}`).toThrow(SealBrokenError);
  }
});

test('bytes sealed with another key are refused', async () => {
  const other = await openKeyFileBox(join(folder, 'other'));
  const box = await openKeyFileBox(path);

  expect(() => box.open(other.seal('text'))).toThrow(SealBrokenError);
});

test.each([0o644, 0o640, 0o700, 0o400])(
  'a key file with mode %o is refused with its mode named',
  async (mode) => {
    await openKeyFileBox(path);
    await chmod(path, mode);

    // Root reads a file of any mode, so the mode itself has to be looked at.
    await expect(openKeyFileBox(path)).rejects.toThrow(`has mode 0${mode.toString(8)}`);
    await expect(openKeyFileBox(path)).rejects.toBeInstanceOf(KeyFileError);
  },
);

test('a file that holds no key, and a folder in its place, are refused and left alone', async () => {
  await writeFile(path, 'too short', { mode: 0o600 });
  await expect(openKeyFileBox(path)).rejects.toThrow('has 9 bytes; a key has 32');
  expect(await readFile(path, 'utf8')).toBe('too short');

  const inTheWay = join(folder, 'folder');
  await mkdir(inTheWay);
  await expect(openKeyFileBox(inTheWay)).rejects.toBeInstanceOf(KeyFileError);
});
