/** The small parts: power, theme, permissions, links to the outside, and the page's calls. */
import type { IpcMainInvokeEvent, Session } from 'electron';
import { changed, obeys, shows } from './control.ts';
import { Emitter, PreventableEvent } from './emitter.ts';
import { strict } from './strict.ts';
import type { FrameDouble, WebContentsDouble } from './web-contents.ts';

export type PowerEvents = {
  readonly resume: readonly [];
  readonly 'on-ac': readonly [];
  readonly 'on-battery': readonly [];
  /** Documented, and left out of Electron's types: an event that asks the system for time. */
  readonly shutdown: readonly [event?: PreventableEvent];
};
export type ThemeEvents = { readonly updated: readonly [] };

export class PowerMonitorDouble extends Emitter<PowerEvents> {
  #isOnBattery = false;

  constructor() {
    super('powerMonitor', ['resume', 'shutdown', 'on-ac', 'on-battery']);
    obeys('power', ({ event: name }) => {
      const event = new PreventableEvent();
      if (name === 'on-ac' || name === 'on-battery') this.#isOnBattery = name === 'on-battery';
      if (name === 'shutdown') this.raise(name, event);
      else this.raise(name);
      return { delayed: event.defaultPrevented };
    });
  }

  isOnBatteryPower(): boolean {
    return this.#isOnBattery;
  }
}
export const powerMonitor = strict('powerMonitor', new PowerMonitorDouble());

class NativeThemeDouble extends Emitter<ThemeEvents> {
  readonly shouldUseDarkColors = false;
  constructor() {
    super('nativeTheme', ['updated']);
  }
}
export const nativeTheme = strict('nativeTheme', new NativeThemeDouble());

type RequestHandler = Parameters<Session['setPermissionRequestHandler']>[0];
type CheckHandler = Parameters<Session['setPermissionCheckHandler']>[0];
type DeviceHandler = Parameters<Session['setDevicePermissionHandler']>[0];

/** The shell decides by the permission's name alone; whoever looks at more fails on this. */
const nothing = strict('permission argument', {}) as never;

class SessionDouble {
  #request: RequestHandler = null;
  #check: CheckHandler = null;
  #device: DeviceHandler = null;

  constructor() {
    obeys('ask_permission', ({ permission }) => this.#ask(permission as never));
  }

  setPermissionRequestHandler(handler: RequestHandler): void {
    this.#request = handler;
  }

  setPermissionCheckHandler(handler: CheckHandler): void {
    this.#check = handler;
  }

  setDevicePermissionHandler(handler: DeviceHandler): void {
    this.#device = handler;
  }

  /** Without a handler Electron grants everything, and so does this. */
  async #ask(permission: never): Promise<{ request: boolean; check: boolean; device: boolean }> {
    const request = this.#request;
    return {
      request:
        request === null ||
        (await new Promise<boolean>((resolve) => {
          request(nothing, permission, resolve, nothing);
        })),
      check: this.#check?.(null, permission, '', nothing) ?? true,
      device: this.#device?.(nothing) ?? true,
    };
  }
}
export const session = strict('session', {
  defaultSession: strict('session.defaultSession', new SessionDouble()),
});

const openedOutside: string[] = [];
export const shell = strict('shell', {
  openExternal(url: string): Promise<void> {
    openedOutside.push(url);
    changed();
    return Promise.resolve();
  },
});
shows('openedOutside', () => [...openedOutside]);

type InvokeHandler = (event: IpcMainInvokeEvent, ...args: unknown[]) => unknown;
const invokeHandlers = new Map<string, InvokeHandler>();

export const ipcMain = strict('ipcMain', {
  handle(channel: string, handler: InvokeHandler): void {
    if (invokeHandlers.has(channel))
      throw new Error(`Attempted to register a second handler for '${channel}'`);
    invokeHandlers.set(channel, handler);
  },
});

/** A page's `ipcRenderer.invoke`, with its failure as Electron words it. */
export async function invoke(
  from: { readonly sender: WebContentsDouble; readonly senderFrame: FrameDouble },
  channel: string,
  args: readonly unknown[],
): Promise<unknown> {
  const handler = invokeHandlers.get(channel);
  try {
    if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
    const event = strict('IpcMainInvokeEvent', from);
    // The shell compares both by identity and reads the frame's address; no more of them is here.
    return await handler(event as unknown as IpcMainInvokeEvent, ...args);
  } catch (error) {
    throw new Error(`Error invoking remote method '${channel}': ${String(error)}`, {
      cause: error,
    });
  }
}
