import { readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  openSettingsFile,
  SettingsFileError,
  type SettingsFile,
} from '../../main/settings-file.ts';
import { DEFAULT_SETTINGS } from '../../main/settings-schema.ts';
import { RecordedLog } from '../support/recorded-log.ts';
import { tempDir } from '../support/temp-dir.ts';

const FLOW = '0e1f2a3b-4c5d-4e6f-8a7b-9c8d7e6f5a4b';

function fileWith(text?: string): { path: string; log: RecordedLog; open: () => SettingsFile } {
  const path = join(tempDir(), 'settings.yaml');
  if (text !== undefined) writeFileSync(path, text);
  const log = new RecordedLog();
  return { path, log, open: () => openSettingsFile(path, log) };
}

test('the first start makes a commented file that says nothing but the defaults', () => {
  const { path, open } = fileWith();
  const settings = open();
  expect(settings.limits()).toEqual(DEFAULT_SETTINGS.limits);
  expect(settings.concurrency()).toBe(2);
  expect(settings.allowed(FLOW)).toEqual([]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).toContain('# memory: 4 GiB');
});

test('every line the template suggests can be uncommented', () => {
  const { path, open } = fileWith();
  open();
  const text = readFileSync(path, 'utf8').replaceAll(/^( *)# ([a-z_]+: .*)$/gm, '$1$2');
  writeFileSync(path, text);
  expect(open().limits()).toEqual({
    memoryBytes: 4 * 2 ** 30,
    cpus: 2,
    pids: 1024,
    timeLimitMs: DEFAULT_SETTINGS.limits.timeLimitMs,
    logBytes: DEFAULT_SETTINGS.limits.logBytes,
  });
});

test('limits are read with their units, and none means no limit', () => {
  const text = `limits: {memory: 512 MiB, cpus: 0.5, pids: none, time_limit: 1h 30m, log: none}
concurrency: 5
allow: {${FLOW}: [network, host_mount]}
`;
  const settings = fileWith(text).open();
  expect(settings.limits()).toEqual({
    memoryBytes: 512 * 2 ** 20,
    cpus: 0.5,
    pids: null,
    timeLimitMs: 5_400_000,
    logBytes: 0,
  });
  expect(settings.concurrency()).toBe(5);
  expect(settings.allowed(FLOW)).toEqual(['network', 'host_mount']);
  expect(settings.allowed('another')).toEqual([]);
  expect(settings.allowed(null)).toEqual([]);
});

const BAD: readonly [text: string, line: number | null, field: string, remedy: RegExp][] = [
  ['limits:\n  memory: lots\n', 2, 'limits.memory', /size such as 4 GiB/],
  ['limits:\n  memory: 1 MiB\n', 2, 'limits.memory', /at least 6 MiB/],
  ['limits:\n  memory: 0x10\n', 2, 'limits.memory', /at least 6 MiB/],
  ['limits:\n  cpus: "2"\n', 2, 'limits.cpus', /number of processors/],
  ['limits:\n  pids: 1.5\n', 2, 'limits.pids', /whole number/],
  ['limits:\n  time_limit: 24\n', 2, 'limits.time_limit', /24h/],
  ['limits: 4\n', 1, 'limits', /use only memory/],
  ['# note\nlimits:\n  cpus: 1\n  ram: 1\n', 4, 'limits.ram', /use only memory, cpus/],
  ['concurrency: 99\n', 1, 'concurrency', /from 1 to 32/],
  ['allow:\n  x: network\n', 2, 'allow.x', /list such as/],
  ['allow:\n  x: [network,\n      root]\n', 3, 'allow.x.1', /docker_socket, host_mount/],
  ['allow: [x]\n', 1, 'allow', /its id and a list/],
  ['token: abc\n', 1, 'token', /use only limits, disk, /],
  ['- 1\n', null, '', /use only limits/],
  ['concurrency: 1\nconcurrency: 2\n', 2, '', /duplicate key/],
  ['limits: [\n', 2, '', /not YAML/],
  ['x: !!made/up y\n', 1, '', /not YAML/],
  ['limits: &l {cpus: 1}\nallow: *l\n', null, '', /aliases/],
  [`# ${'x'.repeat(300_000)}\n`, null, '', /longer than 256 KiB/],
];

test.each(BAD)('%j is refused at line %s, field %s', (text, line, field, remedy) => {
  const { open, path } = fileWith(text);
  const thrown = errorOf(open);
  expect(thrown?.facts).toEqual({
    path,
    line,
    field,
    remedy: expect.stringMatching(remedy) as string,
  });
  if (line !== null) expect(thrown?.message).toContain(`line ${line}`);
});

test('a change counts from the next question on', () => {
  const { path, open } = fileWith('concurrency: 1\n');
  const settings = open();
  writeFileSync(path, 'concurrency: 3\n');
  expect(settings.concurrency()).toBe(3);
});

test('while the file is bad the last good values are in force, and the log says so once', () => {
  const { path, log, open } = fileWith('concurrency: 3\n');
  const settings = open();
  writeFileSync(path, 'concurrency: many\n');
  expect([settings.concurrency(), settings.concurrency()]).toEqual([3, 3]);
  expect(settings.problem()?.facts).toMatchObject({ line: 1, field: 'concurrency' });
  expect(log.events()).toEqual(['settings not in force']);

  writeFileSync(path, 'concurrency: 4\n');
  expect(settings.concurrency()).toBe(4);
  expect(settings.problem()).toBeNull();
  expect(log.events()).toEqual(['settings not in force', 'settings in force again']);
});

test('a file that is gone leaves the last good values in force', () => {
  const { path, open } = fileWith('concurrency: 3\n');
  const settings = open();
  unlinkSync(path);
  expect(settings.concurrency()).toBe(3);
  expect(settings.problem()).toBeInstanceOf(SettingsFileError);
});

test('allowing and revoking change that line and keep every comment', () => {
  const text = `# mine\nconcurrency: 3 # three\nallow:\n  # the build\n  ${FLOW}: [network] # why\n  other: [host_mount]\n`;
  const { path, open } = fileWith(text);
  const settings = open();
  settings.allow(FLOW, 'docker_socket');
  settings.allow(FLOW, 'network');
  settings.allow('third', 'host_mount');
  settings.revoke('other', 'host_mount');
  settings.revoke('other', 'network');
  expect(settings.allowed(FLOW)).toEqual(['network', 'docker_socket']);
  expect(settings.allowed('third')).toEqual(['host_mount']);
  expect([...settings.allowedFlows().keys()]).toEqual([FLOW, 'third']);
  const written = readFileSync(path, 'utf8');
  for (const comment of ['# mine', '# three', '# the build', '# why'])
    expect(written).toContain(comment);
  expect(open().allowed(FLOW)).toEqual(['network', 'docker_socket']);
});

test('the first permission goes into the file of the first start, whose comments stay', () => {
  const { path, open } = fileWith();
  const settings = open();
  const comments = (): string[] => readFileSync(path, 'utf8').match(/#.*/g) ?? [];
  const before = comments();
  settings.allow(FLOW, 'network');
  expect(comments()).toEqual(before);
  expect(open().allowed(FLOW)).toEqual(['network']);
});

test.each(['', 'concurrency: 2\n', 'allow:\n', 'allow: {}\n', '# only this\n'])(
  'a permission can be added to %j',
  (text) => {
    const { open } = fileWith(text);
    open().allow(FLOW, 'network');
    expect(open().allowed(FLOW)).toEqual(['network']);
  },
);

test('nothing is written over a file that is bad', () => {
  const { path, open } = fileWith('concurrency: 3\n');
  const settings = open();
  writeFileSync(path, 'concurrency: many\n');
  expect(() => settings.allow(FLOW, 'network')).toThrow(SettingsFileError);
  expect(readFileSync(path, 'utf8')).toBe('concurrency: many\n');
});

function errorOf(act: () => unknown): SettingsFileError | undefined {
  try {
    act();
  } catch (error) {
    if (error instanceof SettingsFileError) return error;
    throw error;
  }
  return undefined;
}

test('what the folder may take has defaults, and each can be changed or lifted', () => {
  const file = fileWith('disk:\n  budget: 512 MiB\n  free_floor: none\n').open();
  expect(file.disk()).toEqual({
    budgetBytes: 512 * 2 ** 20,
    ageMs: 30 * 86_400_000,
    freeFloorBytes: null,
  });
});

test('folders of local commands are kept 30 days and 4 GiB, or as the owner says', () => {
  expect(fileWith('allow:\n').open().hostDirectories()).toEqual({
    ageMs: 30 * 86_400_000,
    budgetBytes: 4 * 2 ** 30,
  });
  const file = fileWith('local_command_folders:\n  age: none\n  budget: 512 MiB\n').open();
  expect(file.hostDirectories()).toEqual({ ageMs: null, budgetBytes: 512 * 2 ** 20 });
  expect(fileWith('local_command_folders:\n  age: soon\n').open).toThrow(SettingsFileError);
});
