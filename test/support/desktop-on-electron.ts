/** Starts the built main bundle on Electron itself, by Playwright's driver, with a probe in it that tells and obeys. */
import { dirname } from 'node:path';
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { _electron, chromium, type Browser, type Page } from 'playwright-core';
import { electronMain } from '../../scripts/setup/electron-binary.mjs';
import { DesktopChannel } from './desktop-channel.ts';
import { LINE_VARIABLE } from './desktop-line.ts';
import { lastWordsOf, type Desktop, type DesktopOptions } from './desktop.ts';
import { writeProbe } from './electron-probe/probe-file.ts';

/** Chromium does not run sandboxed as root. */
const SANDBOX = process.getuid?.() !== 0;

/** @throws where ELECTRON_BINARY names no Electron: these stories are never passed over in silence */
export async function startOnElectron(options: DesktopOptions): Promise<Desktop> {
  const { dataDir, display, args = [] } = options;
  const executablePath = process.env['ELECTRON_BINARY'] ?? '';
  if (executablePath === '')
    throw new Error('ELECTRON_BINARY names no Electron; npm run test:electron looks for one');
  const own = [electronMain, '--data-dir', dataDir, ...args];
  const environment = { ...process.env, DISPLAY: display, TMPDIR: dirname(dataDir) };
  const channel = await DesktopChannel.open();
  const port = await freePort();
  const probe = await writeProbe(`${dataDir}-probe.cjs`);
  const app = await _electron.launch({
    executablePath,
    args: [`--remote-debugging-port=${port}`, '-r', probe, ...own],
    env: withText({ ...environment, [LINE_VARIABLE]: channel.path }),
    chromiumSandbox: SANDBOX,
  });
  const child = app.process();
  const lastWords = lastWordsOf(child);
  const exited = exitOf(child).then(async (code) => {
    await channel.end(`the app ended with code ${code ?? 'none'}: ${lastWords()}`);
    return code;
  });
  await channel.order({ kind: 'begin' });
  let browser: Promise<Browser> | null = null;
  let crashed: Page | null = null;
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
      await channel.watch.until(({ windows }) => windows.some(({ url }) => url !== ''));
      const page = app.windows()[0] ?? (await app.firstWindow());
      page.once('crash', (gone) => (crashed = gone));
      if (crashed !== page) return page;
      // Playwright is done with a page that crashed, though Electron has revived it; who connects anew sees it well.
      browser ??= chromium.connectOverCDP(`http://127.0.0.1:${port}`);
      const [revived] = (await browser).contexts()[0]?.pages() ?? [];
      if (revived === undefined) throw new Error('there is no window');
      return revived;
    },
    async startAgain() {
      const again = spawn(executablePath, [...(SANDBOX ? [] : ['--no-sandbox']), ...own], {
        env: environment,
        stdio: 'ignore',
      });
      return await exitOf(again);
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Once its helpers are gone too, which write to the same ends and to its data folder. */
function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('close', (code) => resolve(code)));
}

function withText(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        resolve(typeof address === 'object' && address !== null ? address.port : 0),
      );
    });
  });
}
