/**
 * The double's shapes against the types that come with the package: what the shell calls must be callable as on
 * Electron itself, and what the double sends must be what Electron's listeners take. A difference is a type error
 * here; nothing in this file runs. That a difference is found at all is proved below, by differences made on purpose.
 */
import type * as Electron from 'electron';
import type { AppDouble, AppEvents } from './app.ts';
import type { BrowserWindowDouble, WindowEvents } from './browser-window.ts';
import type { Events, Members, Wrong } from './conformance-rules.ts';
import type { dialog } from './dialog.ts';
import type { Menu } from './menu.ts';
import type {
  ipcMain,
  nativeTheme,
  PowerEvents,
  PowerMonitorDouble,
  session,
  shell,
  ThemeEvents,
} from './system.ts';
import type { nativeImage, TrayDouble, TrayEvents } from './tray.ts';
import type { UtilityEvents, UtilityProcessDouble, utilityProcess } from './utility-process.ts';
import type { FrameDouble, WebContentsDouble, WebContentsEvents } from './web-contents.ts';

/** The members of a double that are Electron's and not its own. */
type AppNames =
  | 'enableSandbox'
  | 'exit'
  | 'getLocale'
  | 'isPackaged'
  | 'quit'
  | 'requestSingleInstanceLock'
  | 'setAppUserModelId'
  | 'setName'
  | 'setPath'
  | 'whenReady';
type WindowNames =
  'destroy' | 'focus' | 'hide' | 'isMinimized' | 'loadURL' | 'restore' | 'show' | 'webContents';
type SessionNames =
  'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler';
type TrayNames = 'setImage' | 'setToolTip' | 'setTitle' | 'setContextMenu' | 'destroy';

interface Checked {
  app: Members<Electron.App, AppDouble, AppNames>;
  commandLine: Members<Electron.CommandLine, AppDouble['commandLine'], 'removeSwitch'>;
  appEvents: Events<Electron.App, AppEvents>;
  window: Members<Electron.BrowserWindow, BrowserWindowDouble, WindowNames>;
  windowEvents: Events<Electron.BrowserWindow, WindowEvents>;
  contents: Members<
    Electron.WebContents,
    WebContentsDouble,
    'id' | 'getURL' | 'mainFrame' | 'setWindowOpenHandler'
  >;
  contentsEvents: Events<Electron.WebContents, WebContentsEvents>;
  frame: Members<Electron.WebFrameMain, FrameDouble, 'url'>;
  dialog: Members<Electron.Dialog, typeof dialog, 'showErrorBox' | 'showMessageBox'>;
  ipc: Members<Electron.IpcMain, typeof ipcMain, 'handle'>;
  session: Members<Electron.Session, (typeof session)['defaultSession'], SessionNames>;
  shell: Members<Electron.Shell, typeof shell, 'openExternal'>;
  menu: Members<typeof Electron.Menu, typeof Menu, 'buildFromTemplate' | 'setApplicationMenu'>;
  image: Members<typeof Electron.nativeImage, typeof nativeImage, 'createFromPath'>;
  tray: Members<Electron.Tray, TrayDouble, TrayNames>;
  trayEvents: Events<Electron.Tray, TrayEvents>;
  power: Members<Electron.PowerMonitor, PowerMonitorDouble, 'isOnBatteryPower'>;
  powerEvents: Events<Electron.PowerMonitor, PowerEvents>;
  theme: Members<Electron.NativeTheme, typeof nativeTheme, 'shouldUseDarkColors'>;
  themeEvents: Events<Electron.NativeTheme, ThemeEvents>;
  utility: Members<
    Electron.UtilityProcess,
    UtilityProcessDouble,
    'pid' | 'postMessage' | 'stdout' | 'stderr'
  >;
  fork: Members<typeof Electron.utilityProcess, typeof utilityProcess, 'fork'>;
  utilityEvents: Events<Electron.UtilityProcess, UtilityEvents>;
}

/** Does not compile while anything is wrong; the error then names it. */
export const NOTHING_IS_WRONG: [Wrong<Checked>] extends [never] ? true : Wrong<Checked> = true;

/** A double that has drifted in each way there is. */
interface Drifted {
  getLocale(): number;
  isPackaged: string;
  quit(force: boolean): void;
  requestSingleInstanceLock: boolean;
  setPath(name: number, path: string): void;
  whenWarm(): void;
}
// A type, since an interface is no map.

type DriftedEvents = {
  readonly activate: readonly [hasVisibleWindows: boolean];
  readonly 'second-start': readonly [];
};
type Found = Members<Electron.App, Drifted, keyof Drifted> & Events<Electron.App, DriftedEvents>;
/** Does not compile where a drift goes unseen; the error then names it. */
export const EVERY_DRIFT_IS_FOUND: {
  readonly [N in keyof Found]: Found[N] extends true ? N : true;
} = {
  getLocale: true,
  isPackaged: true,
  quit: true,
  requestSingleInstanceLock: true,
  setPath: true,
  whenWarm: true,
  activate: true,
  'second-start': true,
};
