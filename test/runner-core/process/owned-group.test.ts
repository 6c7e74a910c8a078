/** Whose number a signal goes to. The system is a table that the test writes. */
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { OwnedGroup, type GroupSystem } from '../../../runner-core/process/owned-group.ts';
import { endStarted, startGroup } from '../../../runner-core/process/process-group.ts';
import { newId, systemClock } from '../../../runner-core/system.ts';

const LEADER = 4_000;
interface Seen {
  readonly pid: number;
  readonly group: number;
}

/** `hasTable` false: as on systems that only tell whether somebody is there. */
function bench({ hasTable = true } = {}) {
  let seen: readonly Seen[] = [{ pid: LEADER, group: LEADER }];
  const system: GroupSystem = {
    hasMembers: (wanted) => seen.some(({ group }) => group === wanted),
    hasProcess: (wanted) => seen.some(({ pid }) => pid === wanted),
    table: () => Promise.resolve(hasTable ? seen : null),
  };
  const group = new OwnedGroup(LEADER, system);
  return { group, now: (...all: readonly Seen[]) => void (seen = all) };
}
const TAG = { variable: 'PRELOOP_TEST_TAG', value: newId() };
const shell = (script: string) =>
  startGroup({
    command: '/bin/sh',
    args: ['-c', script],
    cwd: '/',
    environment: {},
    isQuoted: false,
  });
const member = { pid: 4_001, group: LEADER };
const stranger = { pid: LEADER, group: LEADER };

test('while its leader runs, or was not waited for, the number is the group’s', async () => {
  const { group, now } = bench();
  expect(await group.isAlive()).toBe(true);
  now();
  expect(await group.isAlive()).toBe(true);
  expect(group.number).toBe(LEADER);
});

test('a group that is empty when its leader is waited for is forgotten at once, whoever has its number later', async () => {
  const { group, now } = bench();
  now();
  group.leaderReaped();
  expect(group.number).toBeNull();
  now(stranger, member);
  expect(await group.isAlive()).toBe(false);
  expect(group.number).toBeNull();
});

test.each([true, false])(
  'members that outlive the leader keep it, until none is seen (with a table: %s)',
  async (hasTable) => {
    const { group, now } = bench({ hasTable });
    now(member);
    group.leaderReaped();
    expect(await group.isAlive()).toBe(true);
    expect(group.number).toBe(LEADER);
    now();
    expect(await group.isAlive()).toBe(false);
    now(member);
    expect(await group.isAlive()).toBe(false);
    expect(group.number).toBeNull();
  },
);

test.each([true, false])(
  'a process with the number of a leader that is gone is a stranger, and so is its group (with a table: %s)',
  async (hasTable) => {
    const { group, now } = bench({ hasTable });
    now(member);
    group.leaderReaped();
    now(stranger, member);
    expect(await group.isAlive()).toBe(false);
    expect(group.number).toBeNull();
  },
);

test('a leader that ends during a look is not taken for a stranger', async () => {
  const { group, now } = bench();
  now(stranger, member);
  const looking = group.isAlive();
  group.leaderReaped();
  expect(await looking).toBe(true);
  expect(group.number).toBe(LEADER);
});

test('the group of a program that has ended alone is forgotten when its end is told', async () => {
  const started = await shell('exit 0');
  expect(started.owned.number).toBe(started.pid);
  expect(await started.exited).toEqual({ code: 0, signal: null });
  expect(started.owned.number).toBeNull();
});

test('whoever has the number of a group that is gone is left alone', async () => {
  const other = await shell('exec sleep 300');
  onTestFinished(() => void process.kill(other.pid, 'SIGKILL'));
  const owned = new OwnedGroup(other.pid);
  owned.leaderReaped();
  expect(await endStarted(systemClock, { owned }, TAG)).toBe(true);
  expect(() => process.kill(other.pid, 0)).not.toThrow();
  const first = await Promise.race([other.exited, Promise.resolve('runs')]);
  expect(first).toBe('runs');
});

test('a member without the tag that outlives its leader is ended with the group', async () => {
  const started = await shell("trap '' TERM; sleep 300 & exit 0");
  // Its end is the end of the pipe it holds.
  const closed = once(started.stdout.resume(), 'close');
  await started.exited;
  expect(started.owned.number).toBe(started.pid);
  expect(await endStarted(systemClock, started, TAG)).toBe(true);
  await closed;
  expect(started.owned.number).toBeNull();
});
