/** Replacing a small file so that a reader, or the next start, finds the old text or the new, never a mixture. */
import { closeSync, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes `content` beside `path`, flushes it, and renames it over `path`. For files of a few KiB: it
 * blocks for about as long as one flush. Throws the system's error; `path` is then as it was.
 *
 * @param mode permission bits of the new file, for example 0o600
 */
export function replaceFile(path: string, content: string | Uint8Array, mode: number): void {
  const temporary = `${path}.new`;
  try {
    writeFlushed(temporary, content, mode);
    renameSync(temporary, path);
  } catch (error) {
    unlinkQuietly(temporary);
    throw error;
  }
  flushFolder(dirname(path));
}

function writeFlushed(path: string, content: string | Uint8Array, mode: number): void {
  // A temporary left by a crash may have other permissions: it is never reused.
  unlinkQuietly(path);
  const fd = openSync(path, 'wx', mode);
  try {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    let written = 0;
    while (written < bytes.length) written += writeSync(fd, bytes, written);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Without this a rename may be undone by a power cut. Windows has no such call and needs none. */
function flushFolder(path: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Absent is the usual case; anything else shows itself at the next open.
  }
}
