/** The one Chromium whose windows are the app's windows. Started with the first of them. */
import { createServer } from 'node:net';
import { join } from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { chromiumPath } from '../../../scripts/setup/ensure-browser.ts';
import { appDouble } from './app.ts';
import { changed, shows } from './control.ts';

let started: Promise<BrowserContext> | null = null;
let isFirstTaken = false;
let endpoint: string | null = null;
/** Pages the app itself opened; others came out of a page. */
const wanted = new Set<Page>();
shows('chromium', () => endpoint);

async function start(): Promise<BrowserContext> {
  const given = process.env['ELECTRON_DOUBLE_CHROMIUM'];
  return given === undefined ? launch() : connect(given);
}

/** To one that as-binary.mjs has started. */
async function connect(address: string): Promise<BrowserContext> {
  const browser = await chromium.connectOverCDP(address);
  appDouble.closeWith(() => browser.close());
  const [context] = browser.contexts();
  if (context === undefined) throw new Error('this Chromium has no windows of its own');
  endpoint = address;
  changed();
  return context;
}

async function launch(): Promise<BrowserContext> {
  const port = await freePort();
  const context = await chromium.launchPersistentContext(join(appDouble.userData(), 'chromium'), {
    executablePath: chromiumPath(),
    headless: false,
    viewport: null,
    args: ['--no-sandbox', `--remote-debugging-port=${port}`],
  });
  appDouble.closeWith(() => context.close());
  endpoint = `http://127.0.0.1:${port}`;
  changed();
  return context;
}

/** An empty window. */
export async function openPage(prepare: (context: BrowserContext) => Promise<void>): Promise<Page> {
  started ??= start().then(async (context) => {
    await prepare(context);
    return context;
  });
  const context = await started;
  const first = isFirstTaken ? undefined : context.pages()[0];
  isFirstTaken = true;
  const page = first ?? (await context.newPage());
  wanted.add(page);
  page.on('popup', (popup) => {
    // Every window has to be let in by the handler of the one that opens it, and this shell lets in none.
    if (!wanted.has(popup)) void popup.close().catch(() => undefined);
  });
  return page;
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
