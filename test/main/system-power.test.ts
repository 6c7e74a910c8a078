/** What each system says of battery and plug, and how often a program is asked for it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  linuxPower,
  readPmset,
  readWindowsBatteries,
  systemPower,
  type PowerReading,
} from '../../main/system-power.ts';
import type { HelperEnd, HelperRun } from '../../runner-core/process/run-helper.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { tempDir } from '../support/temp-dir.ts';

type Supplies = Readonly<Record<string, Readonly<Record<string, string>>>>;
const BATTERY = { type: 'Battery', status: 'Discharging' };

test.each<[string, Supplies, PowerReading]>([
  ['no supply at all', {}, 'no_battery'],
  ['a plug alone', { AC: { type: 'Mains', online: '1' } }, 'no_battery'],
  ['the battery of a mouse', { hid: { ...BATTERY, scope: 'Device' } }, 'no_battery'],
  ['a battery that discharges', { BAT0: BATTERY, AC: { type: 'Mains', online: '0' } }, 'battery'],
  ['a plug beside it', { BAT0: BATTERY, AC: { type: 'Mains', online: '1' } }, 'plugged_in'],
  ['a charger by USB', { BAT0: BATTERY, ucsi: { type: 'USB', online: '1' } }, 'plugged_in'],
  ['a battery that is full', { BAT0: { type: 'Battery', status: 'Full' } }, 'plugged_in'],
])('with %s Linux says %s', async (_name, supplies, expected) => {
  const folder = tempDir();
  for (const [name, files] of Object.entries(supplies)) {
    mkdirSync(join(folder, name));
    for (const [file, text] of Object.entries(files))
      writeFileSync(join(folder, name, file), `${text}\n`);
  }
  expect(await linuxPower(folder).read()).toBe(expected);
});

test('a machine without the list tells of no battery', async () => {
  expect(await linuxPower('/nowhere/power_supply').read()).toBe('no_battery');
});

const ON_BATTERY = `Now drawing from 'Battery Power'
 -InternalBattery-0 (id=4653155)\t89%; discharging; 5:08 remaining present: true
`;

test.each<[string, string, PowerReading]>([
  ['a laptop unplugged', ON_BATTERY, 'battery'],
  [
    'a laptop that just lost its plug',
    `Now drawing from 'Battery Power'
 -InternalBattery-0 (id=22020195)\t100%; discharging; (no estimate) present: true
`,
    'battery',
  ],
  [
    'a laptop that charges',
    `Now drawing from 'AC Power'
 -InternalBattery-0 (id=4653155)\t57%; charging; 1:19 remaining present: true
`,
    'plugged_in',
  ],
  [
    'a laptop that is held at 80 %',
    `Now drawing from 'AC Power'
 -InternalBattery-0 (id=21233763)\t80%; AC attached; not charging present: true
`,
    'plugged_in',
  ],
  ['a desktop', "Now drawing from 'AC Power'\n", 'no_battery'],
  [
    'a desktop behind a UPS',
    `Now drawing from 'UPS Power'
 -Back-UPS ES 700G FW:871.O4 .I USB FW:O4 (id=59703296)\t97%; discharging; 0:32 remaining present: true
`,
    'no_battery',
  ],
  ['words of another system', 'pmset: unknown option', 'unknown'],
])('pmset of %s is understood', (_name, text, expected) => {
  expect(readPmset(text)).toBe(expected);
});

test.each<[string, string, PowerReading]>([
  ['discharging', '1\r\n', 'battery'],
  ['on mains', '2\r\n', 'plugged_in'],
  ['full', '3\r\n', 'plugged_in'],
  ['critical', '5\r\n', 'battery'],
  ['charging', '6\r\n', 'plugged_in'],
  ['two, one at rest while the other discharges', '3\r\n1\r\n', 'battery'],
  ['none', '', 'no_battery'],
  ['undefined', '10\r\n', 'unknown'],
])('a Windows battery that is %s is understood', (_name, text, expected) => {
  expect(readWindowsBatteries(text)).toBe(expected);
});

function helped(osName: NodeJS.Platform, end: HelperEnd) {
  const clock = new FakeClock();
  const runs: HelperRun[] = [];
  const power = systemPower({
    osName,
    clock,
    environment: { SystemRoot: String.raw`D:\Windows`, PRELOOP_TOKEN: 'secret' },
    runHelper: (run) => {
      runs.push(run);
      return Promise.resolve(end);
    },
  });
  return { clock, runs, read: () => power?.read() };
}

test.each([
  ['darwin', '/usr/bin/pmset', ON_BATTERY],
  ['win32', String.raw`D:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`, '1\r\n'],
] as const)('on %s a program is asked once a minute at most', async (osName, command, stdout) => {
  const { clock, runs, read } = helped(osName, { kind: 'exited', exitCode: 0, stdout });
  expect(await Promise.all([read(), read()])).toEqual(['battery', 'battery']);
  await clock.advance(59_999);
  await read();
  expect(runs.map((run) => run.command)).toEqual([command]);
  expect(Object.values(runs[0]?.env ?? {})).not.toContain('secret');
  await clock.advance(1);
  await read();
  expect(runs).toHaveLength(2);
});

test.each<HelperEnd>([
  { kind: 'exited', exitCode: 1, stdout: '' },
  { kind: 'timed_out' },
  { kind: 'not_found' },
])('a program that does not answer leaves it unknown: %j', async (end) => {
  expect(await helped('win32', end).read()).toBe('unknown');
});

test('a system we cannot ask has no source', () => {
  expect(systemPower({ osName: 'freebsd', clock: new FakeClock(), environment: {} })).toBeNull();
});
