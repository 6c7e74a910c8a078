/** What the desktop shell makes of Electron's word on battery and plug. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { desktopPower } from '../../electron/desktop-power.ts';

class BatteryOf extends EventEmitter {
  isOnBattery = false;
  isOnBatteryPower(): boolean {
    return this.isOnBattery;
  }
  turn(isOnBattery: boolean): void {
    this.isOnBattery = isOnBattery;
    this.emit(isOnBattery ? 'on-battery' : 'on-ac');
  }
}

test.each(['darwin', 'win32'] as const)(
  'on %s each change is told, until nobody wants to know',
  async (osName) => {
    const monitor = new BatteryOf();
    const power = desktopPower(monitor, osName);
    expect(await power.read()).toBe('plugged_in');
    let told = 0;
    const unwatch = power.watch?.(() => void told++);
    monitor.turn(true);
    expect([told, await power.read()]).toEqual([1, 'battery']);
    monitor.turn(false);
    expect([told, await power.read()]).toEqual([2, 'plugged_in']);
    unwatch?.();
    monitor.turn(true);
    expect([told, monitor.listenerCount('on-ac')]).toEqual([2, 0]);
  },
);

test('on Linux, where Electron tells of no change, nothing is waited for', () => {
  expect(desktopPower(new BatteryOf(), 'linux')).not.toHaveProperty('watch');
});
