/** Of its own, so that `npm test` neither runs nor skips what needs a binary that cannot be fetched everywhere. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    name: 'electron',
    include: ['test/desktop-electron/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
