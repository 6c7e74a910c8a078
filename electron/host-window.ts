/** The one window, on the host's page. Owns showing, hiding and coming back after a crash of the page. */
import { BrowserWindow, nativeTheme, type IpcMainInvokeEvent } from 'electron';
import type { Clock } from '../runner-core/ports.ts';
import { isOwnPage } from './url-policy.ts';
import { APP_NAME } from './words.ts';

const CRASH_WINDOW_MS = 60_000;
const MAX_CRASHES = 3;
/** `--surface-app` of both themes, so that a window does not flash before its page is there. */
const BACKGROUND = { light: '#f5f6f3', dark: '#141512' } as const;

export interface HostWindowOptions {
  readonly signInUrl: () => string;
  /** Absolute paths. */
  readonly preload: string;
  readonly icon: string;
  /** False in a packaged app. */
  readonly devTools: boolean;
  readonly clock: Clock;
  /** Windows tells the end of the person's session to windows only. */
  readonly sessionEnds: () => void;
}

export class HostWindow {
  readonly #options: HostWindowOptions;
  readonly #origin: string;
  readonly #crashesMs: number[] = [];
  #window: BrowserWindow | null = null;
  #isClosing = false;
  /** The page crashed too often to be brought back without being asked for. */
  #isDown = false;
  /** Where to go once the page has signed in. */
  #wanted: string | null = null;

  constructor(options: HostWindowOptions) {
    this.#options = options;
    this.#origin = new URL(options.signInUrl()).origin;
  }

  get origin(): string {
    return this.#origin;
  }

  /** Brings the window to the front, making it where there is none; after `close` nothing comes back. */
  reveal(): void {
    if (this.#isClosing) return;
    const window = this.#window ?? this.#open();
    if (this.#isDown) this.signInAgain();
    if (window.isMinimized()) window.restore();
    window.show();
    window.focus();
  }

  /**
   * Brings the window to the front and the page to an address of its own.
   *
   * @param fragment with its `#`
   */
  visit(fragment: string): void {
    this.#wanted = fragment;
    this.reveal();
    this.#goOn(this.#window?.webContents.getURL() ?? '');
  }

  signInAgain(): void {
    this.#isDown = false;
    this.#load(this.#options.signInUrl());
  }

  hide(): void {
    this.#window?.hide();
  }

  /** For good. */
  close(): void {
    this.#isClosing = true;
    this.#window?.destroy();
    this.#window = null;
  }

  /** Whether a call of the bridge came from the top frame of this window, on the host's own page. */
  isSender({ sender, senderFrame }: IpcMainInvokeEvent): boolean {
    const contents = this.#window?.webContents;
    return (
      senderFrame !== null &&
      contents?.id === sender.id &&
      senderFrame === sender.mainFrame &&
      isOwnPage(senderFrame.url, this.#origin)
    );
  }

  #open(): BrowserWindow {
    const { preload, icon, devTools, sessionEnds } = this.#options;
    const window = new BrowserWindow({
      title: APP_NAME,
      icon,
      width: 1280,
      height: 860,
      minWidth: 720,
      minHeight: 480,
      show: false,
      backgroundColor: nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light,
      webPreferences: {
        preload,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webviewTag: false,
        spellcheck: false,
        devTools,
      },
    });
    this.#window = window;
    window.on('close', (event) => {
      if (this.#isClosing) return;
      event.preventDefault();
      window.hide();
    });
    window.on('session-end', sessionEnds);
    window.on('closed', () => {
      if (this.#window === window) this.#window = null;
    });
    window.webContents.on('did-navigate-in-page', (_event, url, isMainFrame) => {
      if (isMainFrame) this.#goOn(url);
    });
    window.webContents.on('render-process-gone', () => {
      this.#comeBack();
    });
    this.signInAgain();
    return window;
  }

  /** While the code is still in the address, another one would take it from the page. */
  #goOn(url: string): void {
    if (this.#wanted === null || !isOwnPage(url, this.#origin)) return;
    if (new URL(url).hash.startsWith('#code=')) return;
    const wanted = new URL(this.#wanted, this.#origin).href;
    this.#wanted = null;
    this.#load(wanted);
  }

  /** A page that crashes again and again is left alone until it is asked for: tray and jobs do not need it. */
  #comeBack(): void {
    const nowMs = this.#options.clock.monotonicMs();
    this.#crashesMs.push(nowMs);
    const recent = this.#crashesMs.filter((atMs) => nowMs - atMs < CRASH_WINDOW_MS);
    if (recent.length <= MAX_CRASHES) this.signInAgain();
    else this.#isDown = true;
  }

  #load(url: string): void {
    // Rejects where another load takes over, which is no failure; the host of the page is this process.
    this.#window?.loadURL(url).catch(() => undefined);
  }
}
