import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { profilesViewSchema } from '../../../../main/contract/profile-views.ts';
import { toJobId } from '../../../../runner-core/model/ids.ts';
import type { HostExecSpec } from '../../../../runner-core/model/job-spec.ts';
import { newId } from '../../../../runner-core/system.ts';
import { DOUBLE } from '../../../support/host-job-bench.ts';
import { aVerdict } from '../../../support/job-builders.ts';
import { aDraft, profileBench } from '../../../support/profile-bench.ts';

function hostSpec(profileName: string): HostExecSpec {
  const jobId = toJobId(newId());
  if (jobId === undefined) throw new Error('no id');
  return {
    kind: 'host_exec',
    jobId,
    flowId: null,
    flowName: null,
    agentType: 'cursor',
    repository: null,
    modelIdentifier: null,
    report: { kind: 'host_exec', profile: profileName },
    profileName,
    timeoutSeconds: null,
  };
}

/** Leaves a mark whenever it is started. */
function markedCursor(bin: string, home: string): { readonly starts: () => string } {
  const said = join(home, 'said');
  writeFileSync(join(bin, 'cursor-agent'), `#!/bin/sh\n/usr/bin/env >> ${said}\n`);
  chmodSync(join(bin, 'cursor-agent'), 0o755);
  return { starts: () => (existsSync(said) ? readFileSync(said, 'utf8') : '') };
}

test('a view starts nothing of this machine while no profile is offered, and says what it did not ask', async () => {
  const { desk, profiles, until, bin, home } = profileBench({ hasCursor: false });
  const { starts } = markedCursor(bin, home);
  desk.save({ draft: aDraft(), editing: null });
  expect(desk.view().found.state).toBe('not_yet');
  await until(() => desk.view().found.executables.length === 2);
  profiles.turn('Review', true);
  profiles.allow(false);
  const view = desk.view();
  expect(profilesViewSchema.parse(view)).toEqual(view);
  expect(view.found).toMatchObject({
    state: 'not_yet',
    checkedAtMs: null,
    executables: [
      {
        name: 'cursor-agent',
        path: join(bin, 'cursor-agent'),
        version: null,
        login: 'not_checked',
      },
      { name: 'agent', path: null, login: 'not_checked' },
    ],
  });
  await until(() => desk.view().profiles[0]?.wouldRun?.resolved != null);
  expect(starts()).toBe('');
});

test('Cursor is asked for its version and login once its owner presses for it', async () => {
  const { desk, launcher } = profileBench();
  desk.view();
  await desk.recheck();
  const view = desk.view();
  expect(profilesViewSchema.parse(view)).toEqual(view);
  expect(view.found).toMatchObject({
    state: 'done',
    executables: [
      { name: 'cursor-agent', path: DOUBLE, version: '2026.11.02-double', login: 'signed_in' },
      { name: 'agent', path: null, version: null, login: 'unknown' },
    ],
  });
  expect(view.found.executables[1]?.problem?.remedy).not.toBe('');
  expect(launcher.launches).toBe(0);
});

test('where a profile is offered a view asks Cursor by itself, once', async () => {
  const { desk, until, bin, home } = profileBench({ hasCursor: false });
  const { starts } = markedCursor(bin, home);
  desk.save({ draft: aDraft(), editing: null });
  await desk.turn('Review', true);
  expect(desk.view().found.state).toBe('looking');
  await until(() => desk.view().found.state === 'done');
  const text = starts();
  expect(text).toContain(`HOME=${home}`);
  desk.view();
  expect(starts()).toBe(text);
});

test('nobody signed in is told as such, and an answer that does not say so as unknown', async () => {
  const { desk, bin } = profileBench({ hasCursor: false });
  const script = (name: string, body: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  script('cursor-agent', '[ "$1" = status ] && echo "You are not logged in" || exit 3');
  script('agent', 'echo "agent 1.2.3"; [ "$1" = status ] && exit 1; exit 0');
  await desk.recheck();
  expect(desk.view().found.executables).toMatchObject([
    { version: null, login: 'signed_out' },
    { version: 'agent 1.2.3', login: 'unknown' },
  ]);
});

test('what is asked gets the environment of a job: no token of this runner', async () => {
  const { desk, bin, home } = profileBench({ hasCursor: false });
  const { starts } = markedCursor(bin, home);
  await desk.recheck();
  expect(starts()).toContain(`HOME=${home}`);
  expect(starts()).not.toContain('canary');
});

test('one whose executable is missing is never offered, says why, and is offered once it is there', async () => {
  const { desk, profiles, until, bin } = profileBench({ hasCursor: false });
  desk.save({ draft: aDraft(), editing: null });
  const offered: number[] = [];
  void until(() => {
    offered.push(profiles.offers().profiles.length);
    return false;
  });
  await desk.turn('Review', true);
  expect(desk.view().profiles).toMatchObject([
    { isOn: true, state: 'left_out', problems: [{ code: 'executable_unstartable' }] },
  ]);
  expect(JSON.parse(desk.view().sent)).toEqual({ host_exec_profiles: [] });
  expect(new Set(offered)).toEqual(new Set([0]));
  const [leftOut] = profiles.offers().leftOut;
  expect(leftOut).toEqual({ name: 'Review', why: 'Its executable is not on this machine.' });
  symlinkSync(DOUBLE, join(bin, 'cursor-agent'));
  await desk.recheck();
  expect(desk.view().profiles).toMatchObject([{ state: 'advertised', problems: [] }]);
});

test('turning local commands off counts at once, for the service and for the screen', async () => {
  const { desk, profiles, announced } = profileBench();
  desk.save({ draft: aDraft(), editing: null });
  await desk.turn('Review', true);
  expect(desk.view()).toMatchObject({ isAllowed: true, profiles: [{ state: 'advertised' }] });
  const before = announced();
  await desk.allow(false);
  expect(announced()).toBe(before + 1);
  expect(profiles.offers().profiles).toEqual([]);
  expect(desk.view()).toMatchObject({
    isAllowed: false,
    profiles: [{ isOn: true, state: 'all_off' }],
  });
});

test('each profile tells its state, its command line and where it leads, without the prompt', async () => {
  const { desk, profiles, until, writeFile, home } = profileBench();
  writeFile([
    { name: 'Theirs', executable: 'cursor-agent', odd: 1 },
    { name: 'Bad', executable: 'rm' },
  ]);
  desk.save({
    draft: aDraft({
      argv: ['--mode=ask', '--trust'],
      model_map: { 'house/deep': 'gpt-5', 'house/fast': 'composer' },
      timeout_seconds: 90,
    }),
    editing: null,
  });
  profiles.turn('Review', true);
  await until(() => desk.view().profiles.every(({ wouldRun }) => wouldRun?.resolved !== null));
  const [own, theirs, bad] = desk.view().profiles;
  expect(own).toMatchObject({
    name: 'Review',
    source: 'own',
    state: 'advertised',
    models: ['house/deep', 'house/fast'],
    timeoutSeconds: 90,
    draft: { name: 'Review', argv: ['--mode=ask', '--trust'] },
  });
  const workspace = join(home, 'host-workspaces', '.preloop-host-exec', '<job>');
  expect(own?.wouldRun?.line).toBe(
    `${DOUBLE} --print --output-format stream-json --mode=ask --trust ` +
      `--workspace ${workspace} --model <model> -- <prompt>`,
  );
  expect(theirs).toMatchObject({
    state: 'off',
    timeoutSeconds: 1_800,
    problems: [{ code: 'key_unknown', severity: 'warning' }],
  });
  expect(bad).toMatchObject({ name: 'Bad', state: 'left_out', wouldRun: null, executable: 'rm' });
  expect(bad?.problems[0]).toMatchObject({ code: 'executable_unknown', field: 'executable' });
  expect(JSON.parse(desk.view().sent)).toEqual({
    host_exec_profiles: [
      {
        name: 'Review',
        capabilities: ['host_exec', 'stdout', 'cancel', 'cursor_cli'],
        models: ['house/deep', 'house/fast'],
      },
    ],
  });
});

test('a Cursor that comes later is found by looking again, and not by itself', async () => {
  const { desk, until, bin } = profileBench({ hasCursor: false });
  desk.save({ draft: aDraft(), editing: null });
  await until(() => desk.view().profiles[0]?.wouldRun?.problem != null);
  expect(desk.view().profiles[0]?.wouldRun).toMatchObject({
    resolved: null,
    problem: { code: 'host_exec_binary_missing' },
  });
  symlinkSync(DOUBLE, join(bin, 'cursor-agent'));
  expect(desk.view().profiles[0]?.wouldRun?.resolved).toBeNull();
  await desk.recheck();
  expect(desk.view().profiles[0]?.wouldRun).toMatchObject({ resolved: DOUBLE, problem: null });
});

test('a workspace folder that is missing or open to all is warned of, and the profile used', async () => {
  const { desk, until, home } = profileBench();
  const open = join(home, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  const missing = await desk.check({
    draft: aDraft({ workspace_root: join(home, 'missing') }),
    editing: null,
  });
  expect(missing).toMatchObject({
    isUsable: true,
    problems: [{ code: 'workspace_missing', severity: 'warning', field: 'workspace_root' }],
  });
  desk.save({ draft: aDraft({ workspace_root: open }), editing: null });
  await until(() => desk.view().profiles[0]?.problems.length === 1);
  expect(desk.view().profiles[0]?.problems).toMatchObject([
    { code: 'workspace_writable_by_others' },
  ]);
});

test('the last runs of a profile are its own, newest first, whatever the case of the name', () => {
  const { desk, stored } = profileBench();
  const { store } = stored;
  desk.save({ draft: aDraft(), editing: null });
  const specs = ['review', ' REVIEW', 'Other', 'Review'].map(hostSpec);
  for (const [at, spec] of specs.entries()) {
    store.accept(spec, 1_000 + at);
    store.transition(spec.jobId, { kind: 'launched', atMs: 2_000 });
  }
  const [first, second, , fourth] = specs;
  if (first === undefined) throw new Error('no spec');
  store.transition(first.jobId, { kind: 'ended', atMs: 3_000, verdict: aVerdict() });
  stored.store.listing.forget();
  expect(desk.view().profiles[0]).toMatchObject({
    runs: 3,
    lastRuns: [
      { jobId: fourth?.jobId, state: 'starting', acceptedAtMs: 1_003 },
      { jobId: second?.jobId },
      { jobId: first.jobId, state: 'failed', endedAtMs: 3_000 },
    ],
  });
});

test('one of the file that was also made here is told, and the one made here counts', () => {
  const { desk, profiles, writeFile } = profileBench();
  profiles.keep([{ name: 'Same', executable: 'agent' }]);
  writeFile([{ name: 'same', executable: 'cursor-agent' }]);
  const view = desk.view();
  expect(view.profiles.map(({ name, source }) => [name, source])).toEqual([['Same', 'own']]);
  expect(view.problems).toMatchObject([{ code: 'name_taken', source: 'client', profile: 'same' }]);
  expect(view.file).toMatchObject({ isOverridden: false, exists: true });
});

test('a file that everybody may write is shown with its reason, and takes nothing of ours with it', () => {
  const { desk, writeFile, file } = profileBench();
  desk.save({ draft: aDraft(), editing: null });
  writeFile([{ name: 'Theirs', executable: 'agent' }]);
  chmodSync(file, 0o666);
  expect(desk.view()).toMatchObject({
    profiles: [{ name: 'Review' }],
    problems: [{ code: 'file_writable_by_others', severity: 'error', source: 'client' }],
  });
  chmodSync(file, 0o664);
  expect(desk.view()).toMatchObject({
    profiles: [{ name: 'Review' }, { name: 'Theirs' }],
    problems: [{ code: 'file_writable_by_others', severity: 'warning' }],
  });
});
