/** Starts the built main bundle, unchanged, on the Electron double, and drives it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { dirname, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { electronMain } from '../../scripts/setup/electron-binary.mjs';
import { projectDir } from '../../scripts/setup/places.mjs';
import { DesktopChannel } from './desktop-channel.ts';
import { LINE_VARIABLE } from './desktop-line.ts';
import { lastWordsOf, type Desktop, type DesktopOptions } from './desktop.ts';

export interface OnDoubleOptions extends DesktopOptions {
  /** The main bundle; the project's own where nothing is said. */
  readonly bundle?: string;
}

/** Resolves at once; what the app comes to is seen by `until` and `exited`. */
export async function startOnDouble(options: OnDoubleOptions): Promise<Desktop> {
  const { dataDir, display, args = [], bundle = electronMain } = options;
  const register = join(projectDir, 'test/support/electron-double/register.mjs');
  const channel = await DesktopChannel.open();
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', '--import', register, bundle, '--data-dir', dataDir, ...args],
    {
      // A killed app leaves its browser's files: they lie where the story removes everything.
      env: {
        ...process.env,
        DISPLAY: display,
        TMPDIR: dirname(dataDir),
        [LINE_VARIABLE]: channel.path,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const lastWords = lastWordsOf(child);
  const exited = exitOf(child).then(async (code) => {
    await channel.end(`the app ended with code ${code ?? 'none'}: ${lastWords()}`);
    return code;
  });
  let browser: Promise<Browser> | null = null;
  return {
    dataDir,
    pid: child.pid ?? 0,
    exited,
    get state() {
      return channel.watch.last;
    },
    until: (passes) => channel.watch.until(passes),
    order: (order) => channel.order(order),
    async page() {
      const { chromium: endpoint } = await channel.watch.until(
        (state) => state.chromium !== null && state.windows.some(({ url }) => url !== ''),
      );
      browser ??= chromium.connectOverCDP(endpoint ?? '');
      const [page] = (await browser).contexts()[0]?.pages() ?? [];
      if (page === undefined) throw new Error('there is no window');
      return page;
    },
    async startAgain() {
      const again = await startOnDouble(options);
      return again.exited;
    },
    async kill() {
      // Without a word to the shell, and Chromium and the utility processes go with it.
      channel.hangUp();
      await exited;
    },
  };
}

/** With all it has written. */
function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('close', (code) => resolve(code)));
}
