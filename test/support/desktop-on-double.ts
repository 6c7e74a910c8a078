/** Starts the built main bundle, unchanged, on the Electron double, and drives it. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { projectDir } from '../../scripts/setup/places.mjs';
import { StateWatch, type Desktop, type DesktopOptions } from './desktop.ts';
import { fromDoubleSchema, type Order } from './electron-double/state.ts';

const LAST_WORDS_LENGTH = 4_000;

export interface DesktopOnDouble extends Desktop {
  readonly pid: number;
}

export interface OnDoubleOptions extends DesktopOptions {
  /** The main bundle; the project's own where nothing is said. */
  readonly bundle?: string;
}

/** Resolves at once; what the app comes to is seen by `until` and `exited`. */
export function startOnDouble(options: OnDoubleOptions): Promise<DesktopOnDouble> {
  const { dataDir, display, args = [] } = options;
  const { bundle = join(projectDir, 'out/electron-main.js') } = options;
  const register = join(projectDir, 'test/support/electron-double/register.mjs');
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', '--import', register, bundle, '--data-dir', dataDir, ...args],
    {
      env: { ...process.env, DISPLAY: display },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  const watch = new StateWatch();
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let browser: Promise<Browser> | null = null;
  let lastId = 0;
  let lastWords = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      lastWords = (lastWords + text).slice(-LAST_WORDS_LENGTH);
    });
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      const why = `the app ended with code ${code ?? 'none'}: ${lastWords}`;
      watch.end(why);
      for (const { reject } of pending.values()) reject(new Error(why));
      resolve(code);
    });
  });
  child.on('message', (value) => {
    const message = fromDoubleSchema.parse(value);
    if ('state' in message) {
      watch.show(message.state);
      return;
    }
    const waiting = pending.get(message.id);
    pending.delete(message.id);
    if ('problem' in message) waiting?.reject(new Error(message.problem));
    else waiting?.resolve(message.result);
  });
  return Promise.resolve({
    dataDir,
    pid: child.pid ?? 0,
    exited,
    get state() {
      return watch.last;
    },
    until: (passes) => watch.until(passes),
    order(order: Order) {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject });
        child.send({ id, order });
      });
    },
    async page() {
      const { chromium: endpoint } = await watch.until(
        (state) => state.chromium !== null && state.windows.some(({ url }) => url !== ''),
      );
      browser ??= chromium.connectOverCDP(endpoint ?? '');
      const [page] = (await browser).contexts()[0]?.pages() ?? [];
      if (page === undefined) throw new Error('there is no window');
      return page;
    },
    async kill() {
      // Its lifeline; the app ends without a word to the shell, and Chromium and the utility processes with it.
      if (child.connected) child.disconnect();
      await exited;
    },
  });
}
