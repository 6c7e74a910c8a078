/** Every screen in every state, for those who see little, see otherwise, or see it large. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { SHOTS } from '../../scripts/shots.ts';
import { FIXTURE_STATES } from '../fixtures/page/states.ts';
import { launchBrowser } from '../support/browser.ts';
import { screen, withScreen } from '../support/fixture-pages.ts';

/** What 1440 px are at 200 % zoom. */
const ZOOMED = { width: 720, height: 450 };
const NONE = { light: [], darkAndLarge: [], sideways: [] };
const EACH_KIND_OF_SCREEN = [
  'overview',
  'jobs',
  'job-running',
  'job-failed',
  'permissions',
  'health-unwell',
  'profiles',
  'profiles-off',
  'profiles-empty',
  'profiles-limits',
  'profile-edit',
  'profile-import',
  'profile-tried',
  'job-host-opened',
  'job-host-turn',
  'job-host-raw',
  'palette',
  'stop-dialog',
  'menu',
];

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

describe.concurrent('there is no barrier, light, or dark and large, on', () => {
  test.each(SHOTS)('$name', async (shot) => {
    await withScreen(browser, shot, async (page) => {
      const light = await violations(page, 'first');
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize(ZOOMED);
      const darkAndLarge = await violations(page, 'all');
      const sideways = z.array(z.string()).parse(await page.evaluate(SIDEWAYS));
      expect({ light, darkAndLarge, sideways }).toEqual(NONE);
    });
  });
});

describe.concurrent('in forced colours there is no barrier on', () => {
  test.each(EACH_KIND_OF_SCREEN)('%s', async (name) => {
    await withScreen(browser, screen(name), async (page) => {
      await page.emulateMedia({ forcedColors: 'active' });
      expect(await violations(page, 'first')).toEqual([]);
    });
  });
});

test('every state there are fixtures for is among these screens', () => {
  const shown = new Set<string>(SHOTS.map(({ state }) => state));
  expect(FIXTURE_STATES.filter((state) => !shown.has(state))).toEqual([]);
});

test('a barrier would be found: one is put into the page', async () => {
  await withScreen(browser, screen('overview'), async (page) => {
    await page.evaluate(`document.querySelector('main').insertAdjacentHTML('beforeend',
      '<button id="nameless"></button><p id="faint">faint</p><a href="#/" id="wide">wide</a>');
      document.querySelector('#faint').style.color = 'color-mix(in srgb, var(--surface-app), var(--text) 20%)';
      Object.assign(document.querySelector('#wide').style, { position: 'fixed', left: '700px', width: '800px' });`);
    const found = (await violations(page, 'first')).join();
    expect(found).toMatch(/button-name at #nameless/);
    expect(found).toMatch(/color-contrast at #faint/);
    await page.setViewportSize(ZOOMED);
    expect(String(await page.evaluate(SIDEWAYS))).toContain('reaches out: a#wide');
  });
});

/** Rule and place of each violation. Axe takes long to be brought into the page: only the `first` look does that. */
async function violations(page: Page, what: 'first' | 'all'): Promise<readonly string[]> {
  const axe = new AxeBuilder(what === 'first' ? { page } : { page, axeSource: 'undefined' });
  // One page, no frames: the older way of running needs no second tab.
  axe.setLegacyMode(true).options({ resultTypes: ['violations'] });
  const { violations: found } = await axe.analyze();
  return found.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary = '' }) => `${id} at ${target.join(' ')} ${failureSummary}`,
    ),
  );
}

/**
 * What scrolls sideways or reaches out of the page, except the log, which may. Text for the page: its functions are not
 * known here.
 */
const SIDEWAYS = `(() => {
  const called = (node) =>
    node.localName + '#' + node.id + '.' + node.className + ' ' + (node.textContent ?? '').slice(0, 40);
  const fits = (node) => {
    const { left, right } = node.getBoundingClientRect();
    return left >= 0 && right <= innerWidth;
  };
  /** Words that end in an ellipsis within the page are cut, which is said in a title. */
  const isCut = (node) => {
    for (let up = node.parentElement; up !== null; up = up.parentElement)
      if (getComputedStyle(up).textOverflow === 'ellipsis' && fits(up)) return true;
    return false;
  };
  const found = [];
  if (document.scrollingElement.scrollWidth > innerWidth) found.push('scrolls: the page');
  for (const node of document.querySelectorAll('body *')) {
    if (node.closest('.lines') !== null || !node.checkVisibility({ visibilityProperty: true })) continue;
    const mayScroll = /auto|scroll/.test(getComputedStyle(node).overflowX);
    if (mayScroll && node.scrollWidth > node.clientWidth) found.push('scrolls: ' + called(node));
    const isControl = node.matches('a, button, input, [tabindex="0"]') && node.clientWidth !== 1;
    if (isControl && !fits(node) && !isCut(node)) found.push('reaches out: ' + called(node));
  }
  return found;
})()`;
