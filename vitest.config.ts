import { defineConfig } from 'vitest/config';

const project = (name: string, include: string[], extra: Record<string, unknown> = {}): object => ({
  test: { name, include, ...extra },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', [
        'test/{runner-core,main,control-plane,electron,renderer,scripts}/**/*.test.ts',
      ]),
      project('contracts', ['test/contracts/**/*.test.ts']),
      project('processes', ['test/processes/**/*.test.ts'], { testTimeout: 60_000 }),
      project('page', ['test/page/**/*.test.ts'], {
        testTimeout: 120_000,
        hookTimeout: 60_000,
        // Two of its files mostly wait, and the third does not.
        maxWorkers: 3,
        maxConcurrency: 2,
        sequence: { groupOrder: 1 },
      }),
      project('desktop', ['test/desktop/**/*.test.ts'], {
        testTimeout: 120_000,
        hookTimeout: 60_000,
      }),
      project('docker', ['test/docker/**/*.docker.test.ts'], { testTimeout: 120_000 }),
    ],
  },
});
