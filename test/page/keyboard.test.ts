/** The page used by keyboard alone: the same path as with a pointer, and where the focus is on the way. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { focusOf, type Focus } from '../support/focus.ts';
import { screen, withScreen } from '../support/fixture-pages.ts';
import { keyboard, tabTo } from '../support/hand.ts';
import { tellMainPath } from '../support/main-path.ts';

describe('on the built host', () => {
  tellMainPath(keyboard);
});

describe('on fixtures', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  const on = (name: string, use: (page: Page) => Promise<void>): Promise<void> =>
    withScreen(browser, screen(name), use);

  test.each([
    'overview',
    'overview-empty',
    'overview-permission',
    'overview-lost',
    'jobs',
    'job-running',
    'job-failed',
    'permissions',
    'health-unwell',
    'pause-dialog',
    'remove-dialog',
    'profiles',
    'profiles-off',
    'profile-edit',
    'profile-import',
    'profile-tried',
    'profile-on-dialog',
    'job-host-succeeded',
    'job-host-long',
    'palette',
    'shortcuts',
    'stop-dialog',
    'signed-out',
  ])('every stop of Tab can be seen: %s', async (name) => {
    await on(name, async (page) => {
      const stops = await allStops(page);
      expect(stops.length).toBeGreaterThan(0);
      expect(stops.filter(({ ring, inView }) => !ring || !inView)).toEqual([]);
    });
  });

  test('with 200 % zoom and in forced colours the stops can be seen as well', async () => {
    const options = { viewport: { width: 720, height: 450 }, forcedColors: 'active' } as const;
    for (const name of ['overview', 'job-running'])
      await withScreen(
        browser,
        screen(name),
        async (page) => {
          const stops = await allStops(page);
          expect(stops.filter(({ ring, inView }) => !ring || !inView)).toEqual([]);
        },
        options,
      );
  });

  test('a question has its focus on the safe answer, and gives it back to where it was asked', async () => {
    await on('overview', async (page) => {
      const bay = page.getByRole('article').first();
      const question = page.getByRole('alertdialog');
      await tabTo(bay);
      await page.keyboard.press('s');
      await hasFocus(question.getByRole('button', { name: 'Keep running' }));
      expect(await focusOf(page)).toMatchObject({ ring: true, inView: true });
      await page.keyboard.press('Escape');
      await hasFocus(bay);
      const stop = bay.getByRole('button');
      await tabTo(stop);
      await page.keyboard.press('Enter');
      await hasFocus(question.getByRole('button', { name: 'Keep running' }));
      await page.keyboard.press('Enter');
      await question.waitFor({ state: 'hidden' });
      await hasFocus(stop);
    });
  });

  test('what may be allowed is asked first, and Esc goes back to the button', async () => {
    await on('overview-permission', async (page) => {
      const allow = page.getByRole('button', { name: 'Allow for this flow…' }).first();
      await tabTo(allow);
      await page.keyboard.press('Enter');
      await hasFocus(page.getByRole('button', { name: 'Not now' }));
      await page.keyboard.press('Escape');
      await hasFocus(allow);
    });
  });

  test('palette and list of shortcuts open from anywhere and give the focus back', async () => {
    await on('jobs', async (page) => {
      const grid = page.getByRole('grid');
      await tabTo(grid);
      for (const keys of ['Control+k', '?']) {
        await page.keyboard.press(keys);
        await page.getByRole('dialog').waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
        await hasFocus(grid);
      }
    });
  });

  test('the palette goes to a place that is typed', async () => {
    await on('overview', async (page) => {
      await page.keyboard.press('Control+k');
      await hasFocus(page.getByRole('combobox'));
      await page.keyboard.type('perm');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Permissions' }).waitFor();
    });
  });

  test.each([
    ['overview', 'birch-14', 'Keyboard shortcuts'],
    ['job-running', 'More', 'Copy link'],
  ])('a menu is walked with arrows and closed with Esc: %s, %s', async (name, trigger, item) => {
    await on(name, async (page) => {
      const opener = page.getByRole('button', { name: trigger });
      await tabTo(opener);
      await page.keyboard.press('Enter');
      const wanted = page.getByRole('menuitem', { name: item });
      await wanted.waitFor();
      const focused = wanted.and(page.locator(':focus'));
      for (let step = 0; step < 8 && (await focused.count()) === 0; step += 1)
        await page.keyboard.press('ArrowDown');
      await hasFocus(wanted);
      await page.keyboard.press('Escape');
      await wanted.waitFor({ state: 'hidden' });
      await hasFocus(opener);
    });
  });

  test('the list is filtered, walked and opened without leaving the keys', async () => {
    await on('jobs', async (page) => {
      await page.keyboard.press('/');
      await hasFocus(page.getByLabel('Filter jobs'));
      await page.keyboard.type('ledger');
      await page.keyboard.press('ArrowDown');
      const grid = page.getByRole('grid');
      await hasFocus(grid);
      await page.keyboard.press('j');
      await page.keyboard.press('ArrowDown');
      const active = grid.locator('[aria-selected="true"]');
      expect(await active.getAttribute('aria-rowindex')).toBe('4');
      await active.getByText('ledger').first().waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'ledger' }).waitFor();
    });
  });

  test('a profile is made, turned on and tried with its fault told on the way, and its events are read', async () => {
    await on('profiles', async (page) => {
      await keyboard.press(page.getByRole('link', { name: 'New profile' }));
      const name = page.getByLabel('Name', { exact: true });
      await tabTo(name);
      await page.keyboard.type('by-keys');
      await keyboard.press(page.getByRole('button', { name: 'Add an argument' }));
      const argument = page.getByLabel('Argument 1', { exact: true });
      await hasFocus(argument);
      await page.keyboard.type('--force');
      await page.keyboard.press('Tab');
      const fault = page.getByText('--force belongs to this app');
      await fault.waitFor();
      // In words beside the field, and with the field for those who hear it.
      expect(await argument.getAttribute('aria-invalid')).toBe('true');
      const said = (await argument.getAttribute('aria-describedby')) ?? '';
      expect(await page.locator(`[id="${said}"]`).textContent()).toContain('--force belongs');
      await page.getByRole('status').getByText('1 fault to mend').waitFor();
      await page.keyboard.press('Shift+Tab');
      await hasFocus(argument);
      await page.keyboard.press('Control+a');
      await page.keyboard.type('--mode=ask');
      await page.getByText('It can be saved.').waitFor();
      expect(await argument.getAttribute('aria-invalid')).toBe('false');
      await keyboard.press(page.getByRole('button', { name: 'Save' }));

      const made = page.getByRole('article', { name: 'by-keys' });
      await tabTo(made.getByRole('switch'));
      await page.keyboard.press('Space');
      await made.getByText('Advertised').waitFor();
      await keyboard.press(made.getByRole('link', { name: /^Try it/ }));
      await keyboard.press(page.getByRole('button', { name: 'Run', exact: true }));
      const talk = page.getByRole('group', { name: /^Conversation of/ });
      await talk.getByText('Two findings so far.').waitFor();
      await tabTo(talk);
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      expect(await talk.locator(':focus').textContent()).toContain('Search');
      await page.keyboard.press('Enter');
      await talk.getByText('src/auth/refresh.ts:88').waitFor();
    });
  });

  test('a host job is opened, a call of it unfolded and folded, and its raw log shown', async () => {
    await on('job-host-succeeded', async (page) => {
      const talk = page.getByRole('group', { name: /^Conversation of/ });
      await tabTo(talk);
      await page.keyboard.press('Home');
      for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowDown');
      const call = talk.locator(':focus');
      expect(await call.textContent()).toContain('src/auth/refresh.ts');
      const output = talk.getByText('export async function renew() {}');
      await page.keyboard.press('Enter');
      await output.waitFor();
      await page.keyboard.press('Enter');
      await output.waitFor({ state: 'detached' });
      expect(await focusOf(page)).toMatchObject({ ring: true, inView: true });
      await keyboard.press(page.getByRole('button', { name: 'Raw log' }));
      await page
        .getByRole('group', { name: /^Log of/ })
        .getByText('"type":"system"')
        .waitFor();
    });
  });

  test('the log is reached as a region, searched, and left to be read on', async () => {
    await on('job-failed', async (page) => {
      const log = page.getByRole('group', { name: /^Log of/ });
      for (
        let step = 0;
        step < 8 && (await log.and(page.locator(':focus')).count()) === 0;
        step += 1
      )
        await page.keyboard.press('F6');
      await hasFocus(log);
      expect(await focusOf(page)).toMatchObject({ ring: true, inView: true });
      await page.keyboard.press('Control+f');
      await hasFocus(page.getByLabel('Find in this log'));
      await page.keyboard.type('retry table');
      await page.keyboard.press('Enter');
      await page.getByText(/^\d+ of \d+$/).waitFor();
      await page.keyboard.press('Escape');
      await hasFocus(log);
    });
  });

  test('single letters can be switched off', async () => {
    await on('shortcuts', async (page) => {
      await tabTo(page.getByRole('checkbox'));
      await page.keyboard.press('Space');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.keyboard.press('g');
      await page.keyboard.press('j');
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
      expect(new URL(page.url()).hash).toBe('#/');
    });
  });
});

/** Once around with Tab: each stop, until the first comes again. */
async function allStops(page: Page): Promise<readonly Focus[]> {
  const stops: Focus[] = [];
  await page.evaluate('window.firstStop = null');
  while (stops.length < 150) {
    await page.keyboard.press('Tab');
    const focus = await focusOf(page);
    if (focus.kind === 'page') {
      if (stops.length > 0) return stops;
      continue;
    }
    // A dialog has no outside: its first stop follows its last.
    const again = await page.evaluate<boolean>(
      'document.activeElement === (window.firstStop ??= document.activeElement)',
    );
    if (again && stops.length > 0) return stops;
    stops.push(focus);
  }
  return expect.unreachable('Tab comes to no end');
}

/** Focus moves once what closes is gone. */
async function hasFocus(control: Locator): Promise<void> {
  await control.and(control.page().locator(':focus')).waitFor();
}
