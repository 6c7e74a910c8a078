/** The owner's API token of this plane: a 0600 file in its data folder, made once. */
import { randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { newToken } from './identifiers.ts';

/** Throws the system's error when the file can be neither read nor made. */
export async function ownerToken(path: string): Promise<string> {
  const kept = await readFile(path, 'utf8').catch(() => '');
  if (kept.trim() !== '') return kept.trim();
  const token = newToken();
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${token}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  // An empty file is left by nobody of ours; it holds nothing worth keeping.
  await unlink(path).catch(() => undefined);
  await link(draft, path);
  await unlink(draft);
  return token;
}
