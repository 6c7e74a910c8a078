/** Health and what belongs to it, by hand: mute, run again, remove what was kept, pin, take back. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { screen, withScreen } from '../support/fixture-pages.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const on = (name: string, use: (page: Page) => Promise<void>): Promise<void> =>
  withScreen(browser, screen(name), use);

test('the checks stand in the order in which one explains the next', async () => {
  await on('health', async (page) => {
    expect(await page.locator('.check-line > b').allTextContents()).toEqual([
      'Name',
      'Proxy',
      'Certificate',
      'Web',
      'Live connection',
      'Clock',
      'Docker',
      'Images',
      'Disk',
      'Store',
      'Cursor',
    ]);
    expect(await page.locator('.check-fix').count()).toBe(0);
  });
});

test('a muted check stays, is counted nowhere, and counts again once unmuted', async () => {
  await on('health-unwell', async (page) => {
    const place = page.getByRole('link', { name: /Health/ }).first();
    const certificate = page.getByRole('listitem').filter({ hasText: 'Corp Inspection CA' });
    await place.filter({ hasText: '3 checks need attention' }).waitFor();
    await page.getByRole('button', { name: 'Mute this check: Certificate' }).click();
    await place.filter({ hasText: '2 checks need attention' }).waitFor();
    await certificate.filter({ hasText: 'Muted' }).waitFor();
    await page.locator('button:focus', { hasText: 'Unmute' }).waitFor();
    expect(await certificate.locator('.check-fix').count()).toBe(0);
    await page.getByRole('button', { name: 'Unmute: Certificate' }).click();
    await place.filter({ hasText: '3 checks need attention' }).waitFor();
    await certificate.filter({ hasText: 'Fails' }).waitFor();
    await page.locator('button:focus', { hasText: 'Mute this check' }).waitFor();
  });
});

test('G E leads to Health, and so does the palette', async () => {
  await on('overview', async (page) => {
    await page.keyboard.press('g');
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('health');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
  });
});

test('all events are shown on demand, under the day each last happened on', async () => {
  await on('health', async (page) => {
    const events = page.getByRole('region', { name: 'Events' });
    expect(await events.getByRole('listitem').count()).toBe(20);
    await events.getByRole('button', { name: 'Show all 57' }).click();
    expect(await events.getByRole('listitem').count()).toBe(57);
    const days = await events.getByRole('heading', { level: 3 }).allTextContents();
    expect(days.slice(0, 3)).toEqual(['Today', 'Yesterday', 'Sunday 15 November']);
    expect(await events.getByText('14 times, first 08:32').count()).toBe(1);
  });
});

test('a kept container is removed only after its question, whose safe answer has the focus', async () => {
  await on('health-unwell', async (page) => {
    const remove = page.getByRole('button', { name: /^Remove preloop/ });
    expect(await remove.count()).toBe(2);
    await remove.first().focus();
    await page.keyboard.press('Enter');
    await page.locator('button:focus', { hasText: 'Keep it' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    await page.locator('button:focus', { hasText: 'Remove…' }).waitFor();
    expect(await remove.count()).toBe(2);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove now' }).click();
    await page.getByText('is removed.').first().waitFor();
    await remove.nth(1).waitFor({ state: 'detached' });
    expect(await remove.count()).toBe(1);
  });
});

test('what another process took over is taken back from where the check fails', async () => {
  await on('health-taken-over', async (page) => {
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByText('Online, taking jobs').first().waitFor();
  });
});

test('without the app the checks stay readable and nothing that needs it can be pressed', async () => {
  await on('health-lost', async (page) => {
    const main = page.getByRole('main');
    expect(await main.getByText('Corp Inspection CA').count()).toBeGreaterThan(0);
    for (const name of ['Run again', 'Mute this check: Docker', 'Unmute: Store', /^Remove preloop/])
      expect(await main.getByRole('button', { name }).first().isDisabled()).toBe(true);
    expect(
      await main.getByRole('button', { name: 'Copy command', exact: true }).first().isEnabled(),
    ).toBe(true);
  });
});

test('a job is pinned and unpinned, and the button says which', async () => {
  await on('job-failed', async (page) => {
    const pin = page.getByRole('button', { name: 'Keep this job and its log' });
    expect(await pin.getAttribute('aria-pressed')).toBe('false');
    await pin.click();
    await page.locator('[aria-pressed="true"][title^="Pinned"]').waitFor();
    await pin.click();
    await page.locator('[aria-pressed="false"][title^="Keep"]').waitFor();
  });
});
