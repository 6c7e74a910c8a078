/** A folder that looks enough like Electron's own distribution to be packed around: names, and the fuses in its binary. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What marks the fuses in Electron's binary; version, length and one character for each follow. */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const FUSES_AS_SHIPPED = '101100100';

export async function writeStubDist(folder: string, electronVersion: string): Promise<void> {
  await mkdir(join(folder, 'resources'), { recursive: true });
  await mkdir(join(folder, 'locales'));
  const wire = Buffer.concat([
    Buffer.from(`stub ${SENTINEL}`),
    Buffer.from([1, FUSES_AS_SHIPPED.length]),
    Buffer.from(`${FUSES_AS_SHIPPED} end`),
  ]);
  await writeFile(join(folder, 'electron'), wire, { mode: 0o755 });
  await writeFile(join(folder, 'LICENSE'), 'stub');
  await writeFile(join(folder, 'version'), electronVersion);
  await writeFile(join(folder, 'locales', 'en-US.pak'), '');
}
