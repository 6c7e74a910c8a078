import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HostProfiles } from '../../../main/services/host-profiles.ts';
import { StoreUnavailableError } from '../../../runner-core/model/errors.ts';
import { RecordingLog } from '../../support/listener-bench.ts';

const CURSOR = { name: 'Cursor', executable: 'cursor-agent', argv: ['--mode=ask'] };
const BAD = { name: 'Bad', executable: 'rm' };

async function bench(environment: Readonly<Record<string, string>> = {}) {
  const homeDir = await mkdtemp(join(tmpdir(), 'preloop-profiles-'));
  onTestFinished(() => rm(homeDir, { recursive: true, force: true }));
  await mkdir(join(homeDir, '.preloop'));
  const file = join(homeDir, '.preloop', 'runner-host-profiles.json');
  const facts = new Map<string, string>();
  const disk = { isFull: false };
  const log = new RecordingLog();
  let announced = 0;
  const refused = new Set<string>();
  const looked: string[] = [];
  const open = (): HostProfiles =>
    new HostProfiles({
      log,
      facts: {
        get: (name) => facts.get(name),
        set: (name, value) => {
          if (disk.isFull)
            throw new StoreUnavailableError({
              act: 'write its settings',
              systemCode: 'SQLITE_FULL',
            });
          facts.set(name, value);
        },
      },
      environment,
      homeDir,
      osName: 'linux',
      workspacesDir: '/var/host-workspaces',
      executables: {
        refusal: (executable) =>
          refused.has(executable)
            ? {
                code: 'missing',
                reason: `no ${executable} in /home/x`,
                remedy: 'Install it.',
                told: 'Not here.',
              }
            : null,
        refresh: () => undefined,
        look: (executable) => {
          looked.push(executable);
          return Promise.resolve({ step: 'executable', code: 'missing', detail: '' });
        },
      },
      changed: () => void (announced += 1),
    });
  const write = (profiles: readonly object[], to = file): Promise<void> =>
    writeFile(to, JSON.stringify({ profiles }), { mode: 0o600 });
  return {
    profiles: open(),
    open,
    write,
    file,
    facts,
    disk,
    log,
    refused,
    looked,
    announced: () => announced,
  };
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

test.each([
  ['a key', { argv: ['-akey_SECRET0123456789'] }],
  ['a header', { argv: ['-HAuthorization: Bearer SECRET.abc'] }],
  ['a folder', { argv: ['-w/home/SECRET/acme'] }],
  ['a value', { argv: ['--api-key=SECRET'] }],
  ['a word', { argv: ['SECRET'] }],
  ['an unknown flag', { argv: ['--x:SECRET', 'word'] }],
  ['a variable', { pass_env: ['PRELOOP_SECRET'] }],
  ['a path', { executable: '/home/SECRET/rm', workspace_root: 'SECRET/runs' }],
  ['a rule', { allow_tools: ['SECRET'] }],
])(
  'of a profile that %s made unusable the service hears the kind of fault alone',
  async (_, fault) => {
    const { profiles, write } = await bench();
    await write([CURSOR]);
    profiles.turn('Cursor', true);
    await write([{ ...CURSOR, ...fault }]);
    const { leftOut } = profiles.offers();
    expect(leftOut).toHaveLength(1);
    expect(leftOut[0]?.why).not.toMatch(/SECRET|[/\\=]/);
  },
);

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

const stateOf = (profiles: HostProfiles, name = 'Cursor'): string | undefined =>
  profiles.list().profiles.find((each) => each.name === name)?.state;

test.each([
  ['executable', { executable: 'agent' }],
  ['arguments', { argv: ['--mode=plan'] }],
  ['folder', { workspace_root: '/srv/runs' }],
  ['variables', { pass_env: ['GH_TOKEN'] }],
  ['rights', { force_writes: true }],
  ['trust', { trust_workspace: false }],
])(
  'one that is on goes off where the file gives it other %s, until one turn turns it on again',
  async (_, change) => {
    const { profiles, open, write, log } = await bench();
    await write([CURSOR]);
    profiles.turn('Cursor', true);
    await write([{ ...CURSOR, ...change }]);
    expect(profiles.offers()).toEqual({
      profiles: [],
      leftOut: [{ name: 'Cursor', why: 'It changed since it was turned on.' }],
    });
    expect(profiles.list().profiles).toMatchObject([{ isOn: false, state: 'changed' }]);
    expect(log.of('profile changed since it was turned on')).toHaveLength(1);
    // Seen once, it stays, even where the change is taken back and the host starts again.
    await write([CURSOR]);
    expect(stateOf(open())).toBe('changed');
    profiles.turn('cursor', true);
    expect(namesOf(profiles)).toEqual(['Cursor']);
  },
);

test('a fault of the file that is mended is told at the next look, once', async () => {
  const { profiles, write, file, announced } = await bench();
  await write([CURSOR]);
  profiles.turn('Cursor', true);
  await chmod(file, 0o666);
  expect(stateOf(profiles)).toBeUndefined();
  await Promise.resolve();
  await chmod(file, 0o600);
  expect(stateOf(profiles)).toBe('advertised');
  profiles.list();
  await Promise.resolve();
  expect(announced()).toBe(3);
});

test('its limits, its models and the case of its name may change while it is on', async () => {
  const { profiles, write } = await bench();
  await write([CURSOR]);
  profiles.turn('Cursor', true);
  const changes = { timeout_seconds: 60, stall_seconds: 5, model_map: { 'house/fast': 'gpt-5' } };
  await write([{ ...CURSOR, name: 'CURSOR', ...changes }]);
  expect(namesOf(profiles)).toEqual(['CURSOR']);
});

test('a name that vanished and came back is off, and so is one that another source has then', async () => {
  const { profiles, write, announced } = await bench();
  await write([CURSOR, { ...CURSOR, name: 'Other' }]);
  profiles.turn('Cursor', true);
  profiles.turn('Other', true);
  await write([]);
  expect(namesOf(profiles)).toEqual([]);
  await Promise.resolve();
  expect(announced()).toBe(3);
  await write([CURSOR]);
  expect(stateOf(profiles)).toBe('off');
  profiles.turn('Cursor', true);
  profiles.keep([CURSOR]);
  expect(profiles.list().profiles).toMatchObject([{ source: 'own', isOn: false }]);
});

test('while the file as a whole cannot be read, what was on in it is not taken for gone', async () => {
  const { profiles, write, file } = await bench();
  await write([CURSOR]);
  profiles.turn('Cursor', true);
  await writeFile(file, '{', { mode: 0o600 });
  expect(namesOf(profiles)).toEqual([]);
  await write([CURSOR]);
  expect(namesOf(profiles)).toEqual(['Cursor']);
});

test('what went off by itself is off where the disk refuses to note it, too', async () => {
  const { profiles, write, disk } = await bench();
  await write([CURSOR]);
  profiles.turn('Cursor', true);
  disk.isFull = true;
  await write([]);
  expect(namesOf(profiles)).toEqual([]);
  await write([CURSOR]);
  expect(namesOf(profiles)).toEqual([]);
  expect(() => profiles.turn('Cursor', true)).toThrow(StoreUnavailableError);
  expect(stateOf(profiles)).toBe('off');
});

test('a list of mere names, which says nothing of what they would run, turns nothing on', async () => {
  const { profiles, write, facts } = await bench();
  await write([CURSOR]);
  facts.set('host_commands_allowed', 'true');
  facts.set('host_profiles_on', '["cursor"]');
  expect(namesOf(profiles)).toEqual([]);
});

test('the first profile that is on turns local commands on; off, nothing is offered and each keeps its switch', async () => {
  const { profiles, open, write } = await bench();
  await write([CURSOR, { ...CURSOR, name: 'Other' }]);
  expect(profiles.list().isAllowed).toBe(false);
  profiles.turn('Cursor', true);
  expect(profiles.list().isAllowed).toBe(true);
  profiles.allow(false);
  expect(profiles.offers()).toEqual({ profiles: [], leftOut: [] });
  expect(stateOf(open())).toBe('all_off');
  // Others wait: one more must not let them all loose.
  profiles.turn('Other', true);
  expect(profiles.list().isAllowed).toBe(false);
  expect(namesOf(profiles)).toEqual([]);
  profiles.allow(true);
  expect(namesOf(profiles)).toEqual(['Cursor', 'Other']);
});

test('one whose executable cannot be started is left out with its reason, and told without paths', async () => {
  const { profiles, write, refused } = await bench();
  await write([CURSOR]);
  refused.add('cursor-agent');
  expect(stateOf(profiles)).toBe('off');
  profiles.turn('Cursor', true);
  expect(profiles.offers()).toEqual({
    profiles: [],
    leftOut: [{ name: 'Cursor', why: 'Not here.' }],
  });
  expect(profiles.list().profiles).toMatchObject([
    {
      isOn: true,
      state: 'left_out',
      problems: [{ code: 'executable_unstartable', severity: 'error', field: 'executable' }],
    },
  ]);
  refused.clear();
  expect(namesOf(profiles)).toEqual(['Cursor']);
});

test('only the executables of what is on are looked for before the service is told of any', async () => {
  const { profiles, write, looked } = await bench();
  await write([CURSOR, { ...CURSOR, name: 'Other', executable: 'agent' }]);
  await profiles.look();
  profiles.turn('Other', true);
  await profiles.look();
  expect(looked).toEqual(['agent']);
});
