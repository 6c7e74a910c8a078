import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HostProfiles } from '../../../main/services/host-profiles.ts';
import { RecordingLog } from '../../support/listener-bench.ts';

const CURSOR = { name: 'Cursor', executable: 'cursor-agent', argv: ['--mode=ask'] };
const BAD = { name: 'Bad', executable: 'rm' };

async function bench(environment: Readonly<Record<string, string>> = {}) {
  const homeDir = await mkdtemp(join(tmpdir(), 'preloop-profiles-'));
  onTestFinished(() => rm(homeDir, { recursive: true, force: true }));
  await mkdir(join(homeDir, '.preloop'));
  const file = join(homeDir, '.preloop', 'runner-host-profiles.json');
  const facts = new Map<string, string>();
  const log = new RecordingLog();
  let announced = 0;
  const open = (): HostProfiles =>
    new HostProfiles({
      log,
      facts: { get: (name) => facts.get(name), set: (name, value) => void facts.set(name, value) },
      environment,
      homeDir,
      osName: 'linux',
      workspacesDir: '/var/host-workspaces',
      changed: () => void (announced += 1),
    });
  const write = (profiles: readonly object[], to = file): Promise<void> =>
    writeFile(to, JSON.stringify({ profiles }), { mode: 0o600 });
  return { profiles: open(), open, write, file, homeDir, log, announced: () => announced };
}

const namesOf = (profiles: HostProfiles): readonly string[] =>
  profiles.offers().profiles.map(({ name }) => name);

test('nothing is offered until its owner turns it on, and nothing but that then', async () => {
  const { profiles, open, write, announced } = await bench();
  await write([CURSOR, { ...CURSOR, name: 'Second' }]);
  expect(profiles.list().profiles.map(({ name, isOn }) => [name, isOn])).toEqual([
    ['Cursor', false],
    ['Second', false],
  ]);
  expect(namesOf(profiles)).toEqual([]);
  profiles.turn('CURSOR', true);
  expect(namesOf(profiles)).toEqual(['Cursor']);
  expect(namesOf(open())).toEqual(['Cursor']);
  profiles.turn('cursor', false);
  expect(namesOf(profiles)).toEqual([]);
  expect(announced()).toBe(2);
});

test('a bad profile is left out alone, with its reason, and cannot be turned on', async () => {
  const { profiles, write } = await bench();
  await write([CURSOR, BAD]);
  profiles.turn('Cursor', true);
  expect(namesOf(profiles)).toEqual(['Cursor']);
  const bad = profiles.list().profiles.find(({ name }) => name === 'Bad');
  expect(bad?.profile).toBeNull();
  expect(bad?.problems[0]?.reason).not.toBe('');
  expect(() => profiles.turn('Bad', true)).toThrow();
});

test('one that was on and went bad is told as such to the flow that names it', async () => {
  const { profiles, write } = await bench();
  await write([CURSOR]);
  profiles.turn('Cursor', true);
  await write([{ ...CURSOR, executable: 'rm' }]);
  expect(profiles.offers()).toMatchObject({ profiles: [], leftOut: [{ name: 'Cursor' }] });
});

test('an edit of the file counts at the next look, and its fault is logged once', async () => {
  const { profiles, write, file, log } = await bench();
  await write([CURSOR]);
  expect(profiles.list().profiles).toHaveLength(1);
  await writeFile(file, '{', { mode: 0o600 });
  expect(profiles.list().profiles).toHaveLength(0);
  profiles.list();
  expect(log.of('profile problem')).toHaveLength(1);
});

test('a file that others may write is not used', async () => {
  const { profiles, write, file } = await bench();
  await write([CURSOR]);
  await chmod(file, 0o666);
  expect(profiles.list()).toMatchObject({
    profiles: [],
    problems: [{ code: 'file_writable_by_others', source: 'client' }],
  });
});

test('without a file there are no profiles and no problem; the variable names another file', async () => {
  const { profiles } = await bench();
  expect(profiles.list()).toMatchObject({ profiles: [], problems: [] });
  const relative = await bench({ PRELOOP_RUNNER_HOST_PROFILES: 'profiles.json' });
  await relative.write([CURSOR]);
  expect(relative.profiles.list()).toMatchObject({
    profiles: [],
    problems: [{ code: 'file_unreadable' }],
  });
});

test('profiles kept here stand beside those of the file, and before one of the same name', async () => {
  const { profiles, write } = await bench();
  await write([CURSOR, { ...CURSOR, name: 'Other' }]);
  profiles.keep([{ ...CURSOR, name: 'cursor', force_writes: true }]);
  expect(profiles.list().profiles.map(({ name, source }) => [name, source])).toEqual([
    ['cursor', 'own'],
    ['Other', 'client'],
  ]);
  profiles.turn('Cursor', true);
  expect(profiles.offers().profiles).toMatchObject([{ name: 'cursor', forceWrites: true }]);
});

test('directories may be in our own folder and in those that profiles name', async () => {
  const { profiles, write } = await bench();
  await write([{ ...CURSOR, workspace_root: '/srv/runs' }]);
  expect(profiles.roots()).toEqual(['/var/host-workspaces', '/srv/runs']);
});
