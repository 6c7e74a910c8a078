import { chmodSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cursorCheck, cursorInputs } from '../../../../main/services/health/cursor-check.ts';
import type { Finding } from '../../../../main/services/health/check.ts';
import { aDraft, profileBench } from '../../../support/profile-bench.ts';

function bench(options: Parameters<typeof profileBench>[0] = {}) {
  const made = profileBench(options);
  made.desk.save({ draft: aDraft(), editing: null });
  const check = cursorCheck(made);
  const look = async (isAsked = true): Promise<Finding> =>
    check({ isAsked, signal: new AbortController().signal });
  return { ...made, look };
}

test('while no profile is on there is nothing to check, and Cursor is not started', async () => {
  const { look, probe } = bench();
  expect((await look()).state).toBe('not_applicable');
  expect(probe.found.state).toBe('not_yet');
});

test('unasked it only looks at files; asked it tells version and login', async () => {
  const { look, profiles, probe } = bench();
  profiles.turn('Review', true);
  expect(await look(false)).toMatchObject({ state: 'ok' });
  expect(probe.found.state).toBe('not_yet');
  expect(await look()).toEqual({
    state: 'ok',
    said: '1 profile on; cursor-agent 2026.11.02-double, signed in.',
    remedy: null,
  });
});

test('nobody signed in, no Cursor, and a bad file each fail with one remedy', async () => {
  const signedOut = bench({ environment: { CURSOR_AGENT_SIGNED_OUT: '1' } });
  signedOut.profiles.turn('Review', true);
  expect(await signedOut.look()).toEqual({
    state: 'failed',
    said: 'cursor-agent 2026.11.02-double is not signed in.',
    remedy: 'Run: cursor-agent login',
  });
  const missing = bench({ hasCursor: false });
  missing.profiles.turn('Review', true);
  const finding = await missing.look(false);
  expect(finding.state).toBe('failed');
  expect(finding.remedy).not.toBe('');
  const bad = bench();
  bad.profiles.turn('Review', true);
  bad.writeFile([]);
  chmodSync(bad.file, 0o666);
  const open = await bad.look(false);
  expect(open.state).toBe('failed');
  expect(open.remedy).toContain('chmod');
});

test('a profile that is on and went bad is named with its reason', async () => {
  const { look, profiles, writeFile } = bench();
  writeFile([{ name: 'Theirs', executable: 'agent' }]);
  profiles.turn('Theirs', true);
  writeFile([{ name: 'Theirs', executable: 'agent', argv: ['--force'] }]);
  const finding = await look(false);
  expect(finding.state).toBe('failed');
  expect(finding.said).toMatch(/^Theirs is left out: --force/);
});

test('one that changed since it was turned on is warned of; local commands that are off need no check', async () => {
  const { look, profiles, writeFile } = bench();
  writeFile([{ name: 'Theirs', executable: 'agent' }]);
  profiles.turn('Theirs', true);
  writeFile([{ name: 'Theirs', executable: 'agent', argv: ['--mode=ask'] }]);
  expect(await look(false)).toMatchObject({
    state: 'warning',
    said: 'Theirs changed since it was turned on, so it is off.',
  });
  profiles.turn('Review', true);
  profiles.allow(false);
  expect(await look()).toMatchObject({ state: 'not_applicable' });
});

test('what it goes by is another once a profile is on, the executable is there or somebody signed in', async () => {
  const made = bench({ hasCursor: false });
  const { profiles, probe } = made;
  const seen = new Set([cursorInputs(made)]);
  const isNews = (): boolean => seen.size < seen.add(cursorInputs(made)).size;
  expect(isNews()).toBe(false);
  profiles.turn('Review', true);
  expect(isNews()).toBe(true);
  await profiles.look();
  expect(isNews()).toBe(true);
  await probe.look();
  expect(isNews()).toBe(true);
  await probe.look();
  expect(isNews()).toBe(false);
});
