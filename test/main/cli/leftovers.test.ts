import { expect, test } from 'vitest';
import { leftoverLines } from '../../../main/cli/leftovers.ts';

test('what waits for its engine is listed with where that is, as far as it is known', () => {
  const jobId = '5f0c2a34-8d1e-4b7a-9c55-000000000001';
  const waiting = [
    { kind: 'container', name: 'preloop-1', jobId, at: '/run/podman/podman.sock' },
    { kind: 'compose_project', name: 'preloop-p', jobId, at: null },
  ] as const;
  expect(leftoverLines({ kept: [], waiting: [...waiting], removed: [] })).toEqual([
    'Kept     nothing',
    'Waiting for their engine, then removed',
    '  container preloop-1 of job 5f0c2a34, in /run/podman/podman.sock',
    '  compose project preloop-p of job 5f0c2a34',
    'Removed  nothing so far',
  ]);
});
