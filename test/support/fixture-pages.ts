/** Any screen in any state, from fixtures: opened in a browser and drawn to its end. */
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { startFixturesHost } from '../../scripts/fixtures-host.ts';
import { projectDir } from '../../scripts/setup/places.mjs';
import { isExpected, NOW_MS, SHOTS, type Shot } from '../../scripts/shots.ts';
import { newPage } from './browser.ts';

const WIDE = { width: 1440, height: 900 };
/** Two frames after an act, what it changed is drawn. */
const TWO_FRAMES =
  'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))';
/** What a screen shows while it waits for an answer. */
const WAITING = '[aria-busy="true"], .job-loading';

/** The screen of this name, as `npm run shots` calls it. */
export function screen(name: string): Shot {
  const found = SHOTS.find((shot) => shot.name === name);
  if (found === undefined) throw new RangeError(`no screen is called ${name}`);
  return found;
}

/** Opens the screen, hands it to `use`, and puts everything away. Fails where the page threw or broke its policy. */
export async function withScreen(
  browser: Browser,
  shot: Shot,
  use: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const pageDir = join(projectDir, 'out', 'page');
  const host = await startFixturesHost({ port: 0, pageDir, nowMs: () => NOW_MS });
  const watched = await newPage(browser, {
    viewport: WIDE,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    ...options,
  });
  const { page } = watched;
  try {
    await page.clock.setFixedTime(NOW_MS);
    const code = shot.state === 'signed-out' ? '' : `#code=${shot.state}`;
    await page.goto(`http://127.0.0.1:${host.port}/${code}`);
    await page
      .locator(FRAMES[shot.state] ?? '.rack, .dense-rack')
      .first()
      .waitFor();
    if (shot.address !== undefined) {
      await page.evaluate(`location.hash = ${JSON.stringify(shot.address)}`);
      await drawn(page, shot);
    }
    await shot.prepare?.(page, host);
    if (shot.name === 'overview-lost') await page.locator('.banner').waitFor();
    await drawn(page, shot);
    await use(page);
    expect(watched.faults.filter((fault) => !isExpected(shot, fault))).toEqual([]);
  } finally {
    await watched.close();
    await host.stop();
  }
}

/** What is there first, where that is not the picture of the slots. */
const FRAMES: Partial<Record<Shot['state'], string>> = {
  loading: '.skeleton',
  'signed-out': '.alone',
  'wrong-version': '.alone',
};

async function drawn(page: Page, { state }: Shot): Promise<void> {
  await page.evaluate(TWO_FRAMES);
  if (state === 'loading') return;
  await page.locator(WAITING).first().waitFor({ state: 'detached' });
  await page.evaluate(TWO_FRAMES);
}
