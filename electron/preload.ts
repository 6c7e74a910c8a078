/** Runs beside the page, sandboxed: exposes the names of `desktop-bridge.ts` and nothing else. */
import { contextBridge, ipcRenderer } from 'electron';
import { BRIDGE_CHANNELS, BRIDGE_NAME, type DesktopBridge } from './desktop-bridge.ts';

// Each function takes no arguments and passes none on, and the page never sees an event of Electron's.
const bridge: DesktopBridge = {
  about: () => ipcRenderer.invoke(BRIDGE_CHANNELS.about),
  signInAgain: () => ipcRenderer.invoke(BRIDGE_CHANNELS.signInAgain),
};

contextBridge.exposeInMainWorld(BRIDGE_NAME, Object.freeze(bridge));
