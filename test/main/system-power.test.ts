/** What the kernel's list of supplies says of battery and plug. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linuxPower } from '../../main/system-power.ts';
import { tempDir } from '../support/temp-dir.ts';

type Supplies = Readonly<Record<string, Readonly<Record<string, string>>>>;
const BATTERY = { type: 'Battery', status: 'Discharging' };

test.each<[string, Supplies, boolean | null]>([
  ['no supply at all', {}, null],
  ['a plug alone', { AC: { type: 'Mains', online: '1' } }, null],
  ['the battery of a mouse', { hid: { ...BATTERY, scope: 'Device' } }, null],
  ['a battery that discharges', { BAT0: BATTERY, AC: { type: 'Mains', online: '0' } }, true],
  ['a plug beside it', { BAT0: BATTERY, AC: { type: 'Mains', online: '1' } }, false],
  ['a charger by USB', { BAT0: BATTERY, ucsi: { type: 'USB', online: '1' } }, false],
  ['a battery that is full', { BAT0: { type: 'Battery', status: 'Full' } }, false],
])('with %s the machine is on battery: %s', async (_name, supplies, expected) => {
  const folder = tempDir();
  for (const [name, files] of Object.entries(supplies)) {
    mkdirSync(join(folder, name));
    for (const [file, text] of Object.entries(files))
      writeFileSync(join(folder, name, file), `${text}\n`);
  }
  expect(await linuxPower(folder).onBattery()).toBe(expected);
});

test('a machine without the list tells of no battery', async () => {
  expect(await linuxPower('/nowhere/power_supply').onBattery()).toBeNull();
});
