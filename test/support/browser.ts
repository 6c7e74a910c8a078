/** A real Chromium without a window, and pages in it that note what goes wrong inside them. */
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { windowlessChromiumPath } from '../../scripts/setup/ensure-browser.ts';

/** Far above what anything here takes: a page that is late is late by then. */
const WITHIN_MS = 30_000;

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: windowlessChromiumPath(),
    // Chromium refuses to run its sandbox as root.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

export interface WatchedPage {
  readonly page: Page;
  /** Errors thrown in the page, and what the browser complained of: a policy that was broken, a file that is missing. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

/** A tab of a profile of its own. */
export async function newPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(WITHIN_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  return { page, faults, close: () => context.close() };
}
