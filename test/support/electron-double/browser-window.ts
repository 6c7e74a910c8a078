/** `BrowserWindow`: a window of a real Chromium. */
import type { BrowserWindowConstructorOptions } from 'electron';
import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { appDouble } from './app.ts';
import { openPage } from './chromium.ts';
import { changed, obeys, shows } from './control.ts';
import { Emitter, PreventableEvent } from './emitter.ts';
import { BINDING, preloadScript } from './preload-world.ts';
import { onlyKeys, strict } from './strict.ts';
import { invoke } from './system.ts';
import { WebContentsDouble } from './web-contents.ts';

const OPTIONS = [
  'title',
  'icon',
  'width',
  'height',
  'minWidth',
  'minHeight',
  'show',
  'backgroundColor',
  'webPreferences',
];
const PREFERENCES = [
  'preload',
  'sandbox',
  'contextIsolation',
  'nodeIntegration',
  'nodeIntegrationInWorker',
  'nodeIntegrationInSubFrames',
  'webviewTag',
  'spellcheck',
  'devTools',
];

export type WindowEvents = {
  readonly close: readonly [event: PreventableEvent];
  readonly closed: readonly [];
  readonly 'session-end': readonly [];
};

const windows = new Map<number, BrowserWindowDouble>();
shows('windows', () => [...windows.values()].map((window) => window.shown()));
obeys('close_window', ({ window }) => windows.get(window)?.closeByHand());
obeys('crash_page', ({ window }) => windows.get(window)?.contents.crash());
obeys('call_from_frame', ({ window, channel }) => windows.get(window)?.callFromFrame(channel));

export class BrowserWindowDouble extends Emitter<WindowEvents> {
  readonly webContents: WebContentsDouble;
  readonly #contents: WebContentsDouble;
  readonly #preferences: Readonly<Record<string, unknown>>;
  #isVisible: boolean;
  #isDestroyed = false;

  constructor(options: BrowserWindowConstructorOptions) {
    super('BrowserWindow', ['close', 'closed', 'session-end']);
    appDouble.requireReady('BrowserWindow');
    onlyKeys('window option', options, OPTIONS);
    const preferences = options.webPreferences ?? {};
    onlyKeys('web preference', preferences, PREFERENCES);
    this.#preferences = { ...preferences };
    this.#isVisible = options.show !== false;
    const { preload } = preferences;
    const script = preload === undefined ? '' : readFileSync(preload, 'utf8');
    this.#contents = new WebContentsDouble(() => openPage((context) => prepare(context, script)));
    this.webContents = strict('WebContents', this.#contents);
    const { width = 800, height = 600 } = options;
    void this.#bounds({ width, height });
    windows.set(this.#contents.id, this);
    appDouble.contentsCreated(this.webContents);
    changed();
    return strict<BrowserWindowDouble>('BrowserWindow', this);
  }

  async loadURL(url: string): Promise<void> {
    this.#use();
    await this.#contents.load(url);
  }

  show(): void {
    this.#use();
    this.#isVisible = true;
    void this.#bounds({ windowState: 'normal' });
  }

  hide(): void {
    this.#use();
    this.#isVisible = false;
    // There are no hidden windows here; one that is put away is the nearest.
    void this.#bounds({ windowState: 'minimized' });
  }

  focus(): void {
    this.#use();
  }

  isMinimized(): boolean {
    this.#use();
    return false;
  }

  restore(): void {
    this.#use();
  }

  /** At once; `close` is not raised. */
  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    windows.delete(this.#contents.id);
    void this.#contents.page.then((page) => page.close()).catch(() => undefined);
    this.raise('closed');
    if (windows.size === 0) appDouble.allWindowsClosed();
    changed();
  }

  // What follows is for the other parts of the double.

  get contents(): WebContentsDouble {
    return this.#contents;
  }

  shown(): {
    id: number;
    visible: boolean;
    url: string;
    crashed: boolean;
    preferences: Record<string, unknown>;
  } {
    return {
      id: this.#contents.id,
      visible: this.#isVisible,
      url: this.#contents.getURL(),
      crashed: this.#contents.hasCrashed,
      preferences: { ...this.#preferences },
    };
  }

  closeByHand(): void {
    const event = new PreventableEvent();
    this.raise('close', event);
    if (!event.defaultPrevented) this.destroy();
  }

  /** No preload runs in a sub frame, so none can call; were one to, this is what the shell would get. */
  async callFromFrame(channel: string): Promise<unknown> {
    const page = await this.#contents.page;
    const frame = page.frames().find((one) => one !== page.mainFrame());
    if (frame === undefined) throw new Error('this window has no sub frame');
    const from = { sender: this.webContents, senderFrame: this.#contents.frameOf(frame) };
    return invoke(from, channel, []);
  }

  async isOn(page: Page): Promise<boolean> {
    return (await this.#contents.page) === page;
  }

  /** Only looks: a window that goes meanwhile has none, and that is no failure. */
  async #bounds(bounds: {
    windowState?: 'normal' | 'minimized';
    width?: number;
    height?: number;
  }): Promise<void> {
    try {
      const page = await this.#contents.page;
      // Not detached: it goes with the page, of which a crash puts another here.
      const session = await page.context().newCDPSession(page);
      const { windowId } = await session.send('Browser.getWindowForTarget');
      await session.send('Browser.setWindowBounds', { windowId, bounds });
    } catch (error) {
      if (!this.#isDestroyed && !saysThatItIsGone(error)) throw error;
    }
  }

  #use(): void {
    if (this.#isDestroyed) throw new Error('Object has been destroyed');
    changed();
  }
}

/**
 * The page or all of Chromium ended under the call. Chromium says so before the driver has heard of it,
 * so neither `isClosed` nor the crash event can be asked instead.
 */
function saysThatItIsGone(error: unknown): boolean {
  return (
    error instanceof Error && /closed|crashed|No session|not found|detached/i.test(error.message)
  );
}

/** Once for all windows: the preload, and the way its calls come back. */
async function prepare(context: BrowserContext, preload: string): Promise<void> {
  await context.exposeBinding(BINDING, async ({ page, frame }, call: unknown) => {
    const { channel, args } = call as { channel: string; args: unknown[] };
    const window = await windowOf(page);
    if (window === undefined) return { problem: 'this page is no window of the app' };
    const { contents } = window;
    try {
      const from = { sender: window.webContents, senderFrame: contents.frameOf(frame) };
      return { result: await invoke(from, channel, args) };
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  });
  await context.addInitScript({ content: preloadScript(preload) });
}

async function windowOf(page: Page): Promise<BrowserWindowDouble | undefined> {
  for (const window of windows.values()) if (await window.isOn(page)) return window;
  return undefined;
}
