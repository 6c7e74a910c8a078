/** What Electron tells of battery and plug, where we cannot ask the system ourselves. */
import { linuxPower, type PowerSource } from '../main/system-power.ts';

type Subscribe<E extends string> = (event: E, changed: () => void) => unknown;
type SubscribeToBoth = Subscribe<'on-ac'> & Subscribe<'on-battery'>;

/** Electron's `powerMonitor`, as far as it is used here. */
export interface BatteryMonitor {
  isOnBatteryPower(): boolean;
  readonly on: SubscribeToBoth;
  readonly off: SubscribeToBoth;
}

/**
 * On Linux the kernel's own list comes first: it knows a machine without a battery, and Electron tells of no change
 * there, so that it is asked once a minute. On macOS and Windows Electron tells of each change.
 */
export function desktopPower(monitor: BatteryMonitor, osName: NodeJS.Platform): PowerSource {
  if (osName === 'linux') {
    const kernel = linuxPower();
    return {
      async read() {
        const reading = await kernel.read();
        return reading === 'no_battery' && monitor.isOnBatteryPower() ? 'battery' : reading;
      },
    };
  }
  return {
    read: () => Promise.resolve(monitor.isOnBatteryPower() ? 'battery' : 'plugged_in'),
    watch(changed) {
      monitor.on('on-ac', changed);
      monitor.on('on-battery', changed);
      return () => {
        monitor.off('on-ac', changed);
        monitor.off('on-battery', changed);
      };
    },
  };
}
