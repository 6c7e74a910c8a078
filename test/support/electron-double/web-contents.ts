/** A window's page: the real one in Chromium, its navigations put to the shell first. */
import type { BluetoothDevice, WindowOpenHandlerResponse } from 'electron';
import type { CDPSession, Frame, Page } from 'playwright-core';
import { changed } from './control.ts';
import { Emitter, PreventableEvent } from './emitter.ts';
import { strict } from './strict.ts';

export class NavigationEvent extends PreventableEvent {
  readonly url: string;
  readonly isMainFrame: boolean;

  constructor(url: string, isMainFrame: boolean) {
    super();
    this.url = url;
    this.isMainFrame = isMainFrame;
  }
}

export type WebContentsEvents = {
  readonly 'will-navigate': readonly [details: NavigationEvent];
  readonly 'will-redirect': readonly [details: NavigationEvent];
  readonly 'will-frame-navigate': readonly [details: NavigationEvent];
  readonly 'did-navigate-in-page': readonly [
    event: PreventableEvent,
    url: string,
    isMainFrame: boolean,
  ];
  readonly 'will-attach-webview': readonly [event: PreventableEvent];
  readonly 'select-bluetooth-device': readonly [
    event: PreventableEvent,
    devices: BluetoothDevice[],
    choose: (deviceId: string) => void,
  ];
  readonly 'render-process-gone': readonly [event: PreventableEvent];
};

export interface FrameDouble {
  readonly url: string;
}

type OpenHandler = (details: { readonly url: string }) => WindowOpenHandlerResponse;

let lastId = 0;

export class WebContentsDouble extends Emitter<WebContentsEvents> {
  readonly id: number;
  readonly mainFrame: FrameDouble;
  readonly #open: () => Promise<Page>;
  #page: Page | null = null;
  #ready: Promise<Page>;
  #loads = 0;
  #hasCrashed = false;
  #openHandler: OpenHandler | null = null;

  /** @param open an empty page; called again after a crash, since Playwright is done with a page that crashed */
  constructor(open: () => Promise<Page>) {
    super('WebContents', [
      'will-navigate',
      'will-redirect',
      'will-frame-navigate',
      'did-navigate-in-page',
      'will-attach-webview',
      'select-bluetooth-device',
      'render-process-gone',
    ]);
    this.#open = open;
    this.#ready = this.#attach();
    lastId += 1;
    this.id = lastId;
    const url = (): string => this.getURL();
    this.mainFrame = strict('WebFrameMain', {
      get url() {
        return url();
      },
    });
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.#openHandler = handler;
  }

  /** Empty before the first load. */
  getURL(): string {
    const url = this.#page?.url() ?? '';
    return url === 'about:blank' ? '' : url;
  }

  // What follows is for the other parts of the double.

  frameOf(frame: Frame): FrameDouble {
    return frame === this.#page?.mainFrame() ? this.mainFrame : { url: frame.url() };
  }

  get hasCrashed(): boolean {
    return this.#hasCrashed;
  }

  get page(): Promise<Page> {
    return this.#ready;
  }

  /** Puts a real page under this. */
  async #attach(): Promise<Page> {
    const page = await this.#open();
    this.#page = page;
    page.on('framenavigated', changed);
    page.once('crash', () => {
      this.#ready = this.#attach();
      void this.#ready.then(() => page.close()).catch(() => undefined);
      this.#hasCrashed = true;
      this.raise('render-process-gone', new PreventableEvent());
      changed();
    });
    const session = await page.context().newCDPSession(page);
    const { targetInfo } = await session.send('Target.getTargetInfo');
    // The id of a page's main frame is that of its target.
    session.on('Fetch.requestPaused', (paused) => {
      void this.#decide(session, paused, paused.frameId === targetInfo.targetId).catch(
        () => undefined,
      );
    });
    session.on('Page.windowOpen', ({ url }) => {
      if (this.#openHandler === null) throw new Error('every window would open');
      const { action } = this.#openHandler({ url });
      if (action !== 'deny') throw new Error('the double opens no further windows');
    });
    session.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
      this.raise(
        'did-navigate-in-page',
        new PreventableEvent(),
        url,
        frameId === targetInfo.targetId,
      );
      changed();
    });
    await session.send('Page.enable');
    await session.send('Fetch.enable', {
      patterns: [{ urlPattern: '*', resourceType: 'Document', requestStage: 'Request' }],
    });
    return page;
  }

  /** The shell's own loads are not put to it, as in Electron; redirects of theirs are. */
  async load(url: string): Promise<void> {
    this.#hasCrashed = false;
    const page = await this.#ready;
    this.#loads += 1;
    try {
      await page.goto(url, { waitUntil: 'load' });
    } finally {
      this.#loads -= 1;
      changed();
    }
  }

  /** Kills the page's process. */
  async crash(): Promise<void> {
    const page = await this.#ready;
    const session = await page.context().newCDPSession(page);
    // Its answer never comes.
    void session.send('Page.crash').catch(() => undefined);
  }

  async #decide(
    session: CDPSession,
    paused: {
      readonly requestId: string;
      readonly request: { readonly url: string };
      readonly redirectedRequestId?: string;
    },
    isMainFrame: boolean,
  ): Promise<void> {
    const { requestId, request, redirectedRequestId } = paused;
    const event = new NavigationEvent(request.url, isMainFrame);
    if (redirectedRequestId !== undefined) this.raise('will-redirect', event);
    else if (!isMainFrame || this.#loads === 0) {
      this.raise('will-frame-navigate', event);
      if (isMainFrame) this.raise('will-navigate', event);
    }
    if (event.defaultPrevented)
      await session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    else await session.send('Fetch.continueRequest', { requestId });
  }
}
