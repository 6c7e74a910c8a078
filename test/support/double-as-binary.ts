/** A program that takes Electron's command line and runs the double, for what starts Electron by its path. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectDir } from '../../scripts/setup/places.mjs';

/** @returns its absolute path, within `folder` */
export async function writeDoubleAsBinary(folder: string): Promise<string> {
  const double = join(projectDir, 'test/support/electron-double');
  const words = [
    process.execPath,
    '--import',
    join(double, 'register.mjs'),
    join(double, 'as-binary.mjs'),
  ];
  const file = join(folder, 'electron');
  await writeFile(file, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`, {
    mode: 0o755,
  });
  return file;
}
