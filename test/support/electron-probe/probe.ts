/**
 * Runs in Electron's main process before the shell: tells the test what a person would see, and does what a person or
 * the system would do. Only what cannot be seen or answered otherwise is put in place of Electron's own: questions,
 * links to the outside, and the files behind images.
 */
import {
  app,
  BrowserWindow,
  ipcMain,
  powerMonitor,
  type IpcMainInvokeEvent,
  type WebContents,
} from 'electron';
import * as z from 'zod';
import { DesktopLine, LINE_VARIABLE } from '../desktop-line.ts';
import { toAppSchema, type DesktopState, type Order } from '../desktop-state.ts';
import {
  answerQuestion,
  errorBoxes,
  openedOutside,
  openQuestions,
  watchQuestions,
} from './questions.ts';
import { askPermission, watchPermissions } from './permissions.ts';
import { replaced } from './replaced.ts';
import { clickMenu, clickTray, trayState, watchTray } from './tray.ts';

type InvokeHandler = (event: IpcMainInvokeEvent, ...args: unknown[]) => unknown;

/** Electron tells neither the entry of a utility process nor its start; its name it does. */
const ENTRIES: Readonly<Record<string, string>> = {
  'Preloop worker': 'worker.js',
  'Preloop plane': 'control-plane.js',
};

const preferencesSchema = z.record(z.string(), z.unknown()).nullable();

let isTelling = false;
let begin = (): void => undefined;
const begun = new Promise<void>((resolve) => (begin = resolve));
const bridge = new Map<string, InvokeHandler>();

/** Once a turn, however much changed. */
function changed(): void {
  if (isTelling) return;
  isTelling = true;
  setImmediate(() => {
    isTelling = false;
    void line.tell({ state: state() });
  });
}

function state(): DesktopState {
  return {
    tray: trayState(),
    windows: BrowserWindow.getAllWindows().map((window) => ({
      id: window.webContents.id,
      visible: window.isVisible(),
      url: window.webContents.getURL(),
      crashed: window.webContents.isCrashed(),
      preferences: preferencesOf(window.webContents),
    })),
    dialogs: openQuestions(),
    errors: errorBoxes(),
    openedOutside: openedOutside(),
    utilities: app.getAppMetrics().flatMap(({ pid, name = '' }) => {
      const entry = ENTRIES[name];
      return entry === undefined ? [] : [{ pid, entry }];
    }),
    chromium: null,
  };
}

/** What a window was made with. Electron has it, and its types do not. */
function preferencesOf(contents: WebContents): Record<string, unknown> {
  const method: unknown = Reflect.get(contents, 'getLastWebPreferences');
  if (typeof method !== 'function') throw new Error('Electron no longer tells its web preferences');
  return preferencesSchema.parse(Reflect.apply(method, contents, [])) ?? {};
}

function windowOf(id: number): Pick<BrowserWindow, 'close' | 'webContents'> {
  const window = BrowserWindow.getAllWindows().find(({ webContents }) => webContents.id === id);
  if (window === undefined) throw new Error(`there is no window ${id}`);
  return window;
}

const ACTS: { readonly [K in Order['kind']]: (order: Extract<Order, { kind: K }>) => unknown } = {
  begin: () => {
    begin();
  },
  click_menu: ({ path }) => {
    clickMenu(path);
  },
  click_tray: () => {
    clickTray();
  },
  answer: ({ dialog, button }) => {
    answerQuestion(dialog, button);
  },
  power: ({ event: name }) => {
    const event = {
      defaultPrevented: false,
      preventDefault() {
        this.defaultPrevented = true;
      },
    };
    if (name === 'on-ac' || name === 'on-battery')
      powerMonitor.isOnBatteryPower = () => name === 'on-battery';
    powerMonitor.emit(name, event);
    return { delayed: event.defaultPrevented };
  },
  close_window: ({ window }) => {
    windowOf(window).close();
  },
  crash_page: ({ window }) => {
    windowOf(window).webContents.forcefullyCrashRenderer();
  },
  quit: () => {
    app.quit();
  },
  call_from_frame: ({ window, channel }) => callFromFrame(windowOf(window), channel),
  ask_permission: ({ permission }) => askPermission(permission),
};

function callFromFrame(
  { webContents }: Pick<BrowserWindow, 'webContents'>,
  channel: string,
): unknown {
  const handler = bridge.get(channel);
  const [senderFrame] = webContents.mainFrame.frames;
  if (handler === undefined || senderFrame === undefined)
    throw new Error('no handler, or no frame');
  // The shell looks at no more of an event than this.
  return handler({ sender: webContents, senderFrame } as unknown as IpcMainInvokeEvent);
}

async function hear(value: unknown): Promise<void> {
  const { id, order } = toAppSchema.parse(value);
  try {
    await line.tell({ id, result: (await ACTS[order.kind](order as never)) ?? null });
  } catch (error) {
    await line.tell({ id, problem: error instanceof Error ? error.message : String(error) });
  }
}

const line = new DesktopLine(process.env[LINE_VARIABLE], (value) => void hear(value));

watchQuestions(changed);
watchTray(changed);
replaced(ipcMain, 'handle', (given) => (channel: string, handler: InvokeHandler) => {
  bridge.set(channel, handler);
  given(channel, handler);
});
// What was told last has to leave before the process does.
replaced(app, 'exit', (given) => (code?: number) => {
  void line.tell({ state: state() }).then(() => given(code));
});
// As Playwright's own loader does where it is used: the shell waits until the test has hold of it.
replaced(app, 'whenReady', (given) => async () => {
  await given();
  watchPermissions();
  await begun;
});
app.on('browser-window-created', (_event, window) => {
  for (const event of ['show', 'hide', 'closed'] as const) window.on(event as 'show', changed);
  window.webContents.on('did-navigate', changed);
  window.webContents.on('did-navigate-in-page', changed);
  window.webContents.on('render-process-gone', changed);
});
