import { expect, test } from 'vitest';
import type { FoundCommand } from '../../../../main/services/profiles/cursor-probe.ts';
import { ExecutableWatch } from '../../../../main/services/profiles/executable-watch.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const MISSING: FoundCommand = {
  step: 'executable',
  code: 'missing',
  detail: 'cursor-agent in none of /home/x/bin',
};
const FOUND: FoundCommand = {
  path: '/home/x/bin/cursor-agent',
  prefix: [],
  found: '/home/x/bin/cursor-agent',
  isBatch: false,
  directories: [],
  platform: 'linux',
};

function bench() {
  const clock = new FakeClock(0);
  const disk: { now: FoundCommand; next: FoundCommand | null } = { now: MISSING, next: null };
  const asked: string[] = [];
  let changes = 0;
  const watch = new ExecutableWatch({
    clock,
    resolve: (executable) => {
      asked.push(executable);
      const found = disk.now;
      disk.now = disk.next ?? found;
      return Promise.resolve(found);
    },
    changed: () => void (changes += 1),
  });
  return { clock, disk, asked, watch, changes: () => changes };
}

test('a refusal is known after a look, with paths for the person here and without for the service', async () => {
  const { watch, changes } = bench();
  expect(watch.refusal('cursor-agent')).toBeNull();
  await watch.look('cursor-agent');
  const refusal = watch.refusal('cursor-agent');
  expect(refusal?.reason).toContain('/home/x/bin');
  expect(refusal?.told).toBe('Its executable is not on this machine.');
  expect(changes()).toBe(1);
});

test('unasked it looks again only when what it saw is old, and tells only of a change', async () => {
  const { clock, disk, asked, watch, changes } = bench();
  watch.refresh(['agent', 'agent']);
  await watch.stop();
  watch.refresh(['agent']);
  await watch.stop();
  expect(asked).toHaveLength(1);
  await clock.advance(10_000);
  watch.refresh(['agent']);
  await watch.stop();
  expect(changes()).toBe(1);
  disk.now = FOUND;
  await clock.advance(10_000);
  watch.refresh(['agent']);
  await watch.stop();
  expect(asked).toHaveLength(3);
  expect(changes()).toBe(2);
  expect(watch.refusal('agent')).toBeNull();
});

test('a look that is asked for while another is under way sees what is there after it', async () => {
  const { disk, watch } = bench();
  disk.next = FOUND;
  await Promise.all([watch.look('agent'), watch.look('agent')]);
  expect(watch.found('agent')).toEqual(FOUND);
});
