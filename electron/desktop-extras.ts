/** The main side of the bridge: who may ask, and what is answered. */
import { ipcMain, type IpcMainInvokeEvent } from 'electron';
import { BRIDGE_CHANNELS, type DesktopBridge } from './desktop-bridge.ts';

/** @param isOurs whether the sender is the top frame of our window, on the host's own page */
export function serveExtras(
  extras: DesktopBridge,
  isOurs: (event: IpcMainInvokeEvent) => boolean,
): void {
  const serve = (name: keyof DesktopBridge): void => {
    ipcMain.handle(BRIDGE_CHANNELS[name], async (event, ...args: unknown[]) => {
      if (!isOurs(event)) throw new Error('not for this page');
      if (args.length > 0) throw new Error(`${name} takes no arguments`);
      return extras[name]();
    });
  };
  serve('about');
  serve('signInAgain');
}
