/**
 * The double's shapes against the types that come with the package: what the shell calls must be callable
 * as on Electron itself, and what the double sends must be what Electron's listeners take. A difference is a
 * type error here; nothing in this file runs.
 */
import type * as Electron from 'electron';
import type { AppDouble, AppEvents } from './app.ts';
import type { BrowserWindowDouble, WindowEvents } from './browser-window.ts';
import type { dialog } from './dialog.ts';
import type { Menu } from './menu.ts';
import type { ipcMain, PowerEvents, session, shell, ThemeEvents } from './system.ts';
import type { nativeImage, TrayDouble, TrayEvents } from './tray.ts';
import type { UtilityEvents, UtilityProcessDouble, utilityProcess } from './utility-process.ts';
import type { WebContentsDouble, WebContentsEvents } from './web-contents.ts';

type AnyFunction = (...args: never[]) => unknown;

/**
 * A member of the double fits where it takes what Electron's takes. Where both give back plain data, that has to
 * fit as well; things of Electron's own (an image, a window) are other doubles, compared by themselves.
 */
type Fits<Real, Double> = Double extends AnyFunction
  ? Real extends AnyFunction
    ? Real extends (...args: Parameters<Double>) => unknown
      ? true
      : ['takes other arguments', Parameters<Real>]
    : 'is no function in Electron'
  : Double extends Real
    ? true
    : ['is another type in Electron', Real];

/** `true` for each member that fits, else what is wrong with it. */
type Members<Real, Double, Names extends keyof Double> = {
  [N in Names]: N extends keyof Real ? Fits<Real[N], Double[N]> : 'is not in Electron';
};
/** `true` for each event where what Electron sends has all that the double sends. */
type Events<Real extends { on: AnyFunction }, Map> = {
  [E in keyof Map]: Map[E] extends readonly unknown[]
    ? Real['on'] extends (event: E, listener: (...args: Comparable<Map[E]>) => void) => unknown
      ? true
      : ['is no such event in Electron, or sends something else', E]
    : never;
};
/** Contents are compared by themselves. */
type Comparable<Args extends readonly unknown[]> = {
  -readonly [I in keyof Args]: Args[I] extends WebContentsDouble ? unknown : Args[I];
};

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
type WindowNames = 'destroy' | 'focus' | 'hide' | 'isMinimized' | 'loadURL' | 'restore' | 'show';

interface Checked {
  app: Members<Electron.App, AppDouble, AppNames>;
  commandLine: Members<Electron.CommandLine, AppDouble['commandLine'], 'removeSwitch'>;
  appEvents: Events<Electron.App, AppEvents>;
  window: Members<Electron.BrowserWindow, BrowserWindowDouble, WindowNames>;
  windowEvents: Events<Electron.BrowserWindow, WindowEvents>;
  contents: Members<Electron.WebContents, WebContentsDouble, 'id' | 'getURL'>;
  contentsEvents: Events<Electron.WebContents, WebContentsEvents>;
  dialog: Members<Electron.Dialog, typeof dialog, 'showErrorBox'>;
  ipc: Members<Electron.IpcMain, typeof ipcMain, 'handle'>;
  session: Members<
    Electron.Session,
    (typeof session)['defaultSession'],
    'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'
  >;
  shell: Members<Electron.Shell, typeof shell, 'openExternal'>;
  menu: Members<typeof Electron.Menu, typeof Menu, 'buildFromTemplate'>;
  image: Members<typeof Electron.nativeImage, typeof nativeImage, 'createFromPath'>;
  tray: Members<Electron.Tray, TrayDouble, 'setToolTip' | 'setTitle' | 'destroy'>;
  trayEvents: Events<Electron.Tray, TrayEvents>;
  power: Events<Electron.PowerMonitor, PowerEvents>;
  theme: Events<Electron.NativeTheme, ThemeEvents>;
  utility: Members<
    Electron.UtilityProcess,
    UtilityProcessDouble,
    'pid' | 'postMessage' | 'stdout' | 'stderr'
  >;
  fork: Members<typeof Electron.utilityProcess, typeof utilityProcess, 'fork'>;
  utilityEvents: Events<Electron.UtilityProcess, UtilityEvents>;
}
type Wrong = {
  [Part in keyof Checked]: Exclude<Checked[Part][keyof Checked[Part]], true>;
}[keyof Checked];

/** Does not compile while anything is wrong; the error then names it. */
export const NOTHING_IS_WRONG: [Wrong] extends [never] ? true : Wrong = true;
