/** A folder of a test's own, removed when the test is over. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'preloop-test-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}
