/** `app`: its life, and the lock that lets in one instance for each folder of user data. */
import {
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
  closeSync,
} from 'node:fs';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { changed, mayBegin, obeys, onTestGone, told } from './control.ts';
import { Emitter, PreventableEvent } from './emitter.ts';
import { strict } from './strict.ts';
import type { WebContentsDouble } from './web-contents.ts';

// A type, since an interface is no EventMap.
export type AppEvents = {
  readonly 'second-instance': readonly [
    event: PreventableEvent,
    argv: string[],
    workingDirectory: string,
    additionalData: unknown,
  ];
  readonly activate: readonly [event: PreventableEvent, hasVisibleWindows: boolean];
  readonly 'before-quit': readonly [event: PreventableEvent];
  readonly 'window-all-closed': readonly [];
  readonly 'web-contents-created': readonly [event: PreventableEvent, contents: WebContentsDouble];
};

const secondSchema = z.object({ argv: z.array(z.string()), cwd: z.string() });
const LOCK_FOLDER = 'instance';

export class AppDouble extends Emitter<AppEvents> {
  readonly isPackaged = false;
  readonly commandLine = strict('app.commandLine', {
    removeSwitch(name: string): void {
      throw new Error(`only a packaged app removes ${name}, and the double is none`);
    },
  });
  readonly #closers: (() => Promise<void>)[] = [];
  #userData: string | null = null;
  #isReady = false;
  #hasLock = false;
  #isLeaving = false;

  constructor() {
    super('app', [
      'second-instance',
      'activate',
      'before-quit',
      'window-all-closed',
      'web-contents-created',
    ]);
    obeys('quit', () => this.quit());
    // As hard as a kill for the app, but Chromium is gone when this process is.
    onTestGone(() => this.exit(1));
  }

  enableSandbox(): void {
    if (this.#isReady) throw new Error('app.enableSandbox can only be called before app is ready');
  }

  /** Of no consequence here. */
  setName(name: string): void {
    if (name === '') throw new Error('an app has a name');
  }

  /** Windows only. */
  setAppUserModelId(id: string): void {
    if (id === '') throw new Error('an app has an id');
  }

  getLocale(): string {
    if (!this.#isReady) return '';
    return 'en-GB';
  }

  setPath(name: 'userData', path: string): void {
    if (!isAbsolute(path)) throw new Error('Path must be absolute');
    this.#userData = path;
  }

  async whenReady(): Promise<void> {
    // Never within the first turn, as in Electron.
    await new Promise((resolve) => void setImmediate(resolve));
    await mayBegin();
    this.#isReady = true;
  }

  requestSingleInstanceLock(): boolean {
    const folder = join(this.userData(), LOCK_FOLDER);
    mkdirSync(folder, { recursive: true });
    const lock = join(folder, 'lock');
    if (!takeLock(lock)) {
      const second = { argv: process.argv, cwd: process.cwd() };
      writeFileSync(join(folder, `second-${process.pid}.json`), JSON.stringify(second));
      return false;
    }
    this.#hasLock = true;
    watch(folder, () => this.#seeSeconds(folder)).unref();
    return true;
  }

  /** Asks first: `before-quit` may prevent it. */
  quit(): void {
    const event = new PreventableEvent();
    this.raise('before-quit', event);
    if (!event.defaultPrevented) this.exit(0);
  }

  /** At once, without asking. */
  exit(exitCode = 0): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    changed();
    void (async () => {
      await Promise.allSettled(this.#closers.map((close) => close()));
      if (this.#hasLock) rmSync(join(this.userData(), LOCK_FOLDER), { recursive: true });
      await told();
      process.exit(exitCode);
    })();
  }

  // What follows is for the other parts of the double.

  userData(): string {
    if (this.#userData === null) throw new Error('the shell keeps its data in a folder it names');
    return this.#userData;
  }

  requireReady(what: string): void {
    if (!this.#isReady) throw new Error(`${what} cannot be used before the app is ready`);
  }

  closeWith(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  contentsCreated(contents: WebContentsDouble): void {
    this.raise('web-contents-created', new PreventableEvent(), contents);
  }

  allWindowsClosed(): void {
    // Electron's default is to quit.
    if (!this.#isLeaving && !this.raise('window-all-closed')) this.quit();
  }

  #seeSeconds(folder: string): void {
    for (const name of readdirSync(folder)) {
      if (!name.startsWith('second-')) continue;
      const file = join(folder, name);
      const text = readFileSync(file, 'utf8');
      if (text === '') continue; // Not written yet; another event follows.
      rmSync(file);
      const { argv, cwd } = secondSchema.parse(JSON.parse(text));
      this.raise('second-instance', new PreventableEvent(), argv, cwd, null);
    }
  }
}

/** The file holds its owner's process id; one that is dead has no lock. */
function takeLock(lock: string): boolean {
  for (;;) {
    try {
      const file = openSync(lock, 'wx');
      writeFileSync(file, String(process.pid));
      closeSync(file);
      return true;
    } catch {
      if (isAlive(Number(readFileSync(lock, 'utf8')))) return false;
      rmSync(lock);
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The whole of it, for the double's other parts. */
export const appDouble = new AppDouble();
export const app = strict('app', appDouble);
