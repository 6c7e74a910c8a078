/** What the search for an executable asks of the disk, from the disk. */
import { access, constants, open, readdir, realpath, stat } from 'node:fs/promises';
import type { ExecutableFiles } from './resolve-executable.ts';

export const executableFiles: ExecutableFiles = {
  stat: (path) =>
    stat(path).then(
      (found) => ({
        kind: found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other',
        mode: found.mode,
        uid: process.platform === 'win32' ? -1 : found.uid,
        sizeBytes: found.size,
      }),
      () => null,
    ),
  realPath: (path) => realpath(path).catch(() => null),
  readText: (path, maxBytes) => readStart(path, maxBytes).catch(() => null),
  list: (path) => readdir(path).catch(() => []),
  mayExecute: (path) =>
    access(path, constants.X_OK).then(
      () => true,
      () => false,
    ),
};

async function readStart(path: string, maxBytes: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
