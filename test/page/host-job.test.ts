/** A host job's run to read: its turns by keyboard, its raw log, and a run of thousands of turns. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { screen, withScreen } from '../support/fixture-pages.ts';
import { tabTo } from '../support/hand.ts';

/** Text for the page: its functions are not known here. */
const BODY = "document.querySelector('.convbody')";

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const on = (name: string, use: (page: Page) => Promise<void>): Promise<void> =>
  withScreen(browser, screen(name), use);
const talkOf = (page: Page): Locator => page.getByRole('group', { name: /^Conversation of/ });

test('a text that came in pieces and then whole is read once', async () => {
  await on('job-host-succeeded', async (page) => {
    const text =
      'I will read the refresh logic first, then how its tests share state between tabs.';
    await talkOf(page).getByText(text).waitFor();
    expect(await talkOf(page).getByText('I will read the refresh logic first').count()).toBe(1);
  });
});

test('the conversation is one stop of Tab: arrows go from turn to turn, Enter opens one', async () => {
  await on('job-host-succeeded', async (page) => {
    const talk = talkOf(page);
    await tabTo(talk);
    await page.keyboard.press('Home');
    const focused = talk.locator(':focus');
    expect(await focused.textContent()).toContain('Prompt');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await focused.textContent()).toContain('Search');
    expect(await focused.getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('Enter');
    expect(await focused.getAttribute('aria-expanded')).toBe('true');
    await talk.getByText('src/auth/refresh.ts:88').waitFor();
    await page.keyboard.press('End');
    expect(await focused.textContent()).toContain('Result: success');
    await page.keyboard.press('Tab');
    expect(await talk.locator(':focus').count()).toBe(0);
  });
});

test('the result is shown with its tokens, and a call with its duration and exit code', async () => {
  await on('job-host-opened', async (page) => {
    await page.getByText('48,210 tokens in, 1,904 out').waitFor();
    const call = page.getByRole('button', { name: /npm test/ });
    expect(await call.textContent()).toMatch(/exit code 1.*1\.7 s/);
    await page.getByText('keeps the old token when the service is away').waitFor();
  });
});

test('a failed run says its reason and one remedy, and leads to the end of its raw log', async () => {
  await on('job-host-failed', async (page) => {
    const why = page.getByRole('region', { name: 'Why it ended so' });
    await why.getByText('its usage limit was reached').waitFor();
    await why.getByText('Wait until the limit is over').waitFor();
    await page.getByText('host_exec_rate_limited').waitFor();
    await why.getByRole('button', { name: 'Go to the end' }).click();
    await page
      .getByRole('group', { name: /^Log of/ })
      .getByText('Rate limit exceeded')
      .waitFor();
    expect(await page.getByRole('button', { name: 'Raw log' }).getAttribute('aria-pressed')).toBe(
      'true',
    );
  });
});

test('conversation and raw log stand beside each other, or one of them', async () => {
  await on('job-host-both', async (page) => {
    const log = page.getByRole('group', { name: /^Log of/ });
    await log.getByText('"type":"system"').waitFor();
    expect(await talkOf(page).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Conversation', exact: true }).click();
    await log.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Raw log' }).click();
    await log.waitFor();
    expect(await talkOf(page).count()).toBe(0);
    expect(new URL(page.url()).hash).toContain('view=raw');
  });
});

test('a run that told no event is read in what it printed, and says it is no sandbox', async () => {
  await on('job-host-silent', async (page) => {
    await talkOf(page).getByText('Authentication required').first().waitFor();
    await page.getByText('No sandbox: Cursor runs as you').waitFor();
  });
});

test('of six thousand turns the end is drawn; earlier ones come on demand and move nothing', async () => {
  await on('job-host-long', async (page) => {
    const talk = talkOf(page);
    await talk.getByText('Result: success').waitFor();
    await page.getByText('6,008 turns').waitFor();
    const turns = talk.locator('[data-turn]');
    expect(await turns.count()).toBeLessThanOrEqual(400);
    await page.evaluate(`${BODY}.scrollTop = 0`);
    const more = talk.getByRole('button', { name: /^Show earlier turns/ });
    const first = turns.first();
    const text = await first.textContent();
    const marked = talk.getByText(text ?? '', { exact: true });
    const before = await turns.count();
    await more.click();
    await expect.poll(() => turns.count()).toBe(before + 200);
    await talk.and(page.locator(':focus')).waitFor();
    expect(await marked.first().isVisible()).toBe(true);
    expect(await page.evaluate<number>(`${BODY}.scrollTop`)).toBeGreaterThan(1_000);
  });
});

const logOf = (page: Page): Locator => page.getByRole('group', { name: /^Log of/ });
const selectedTurn = (page: Page): Locator => talkOf(page).locator('[aria-current="true"]');
const selectedLines = (page: Page): Promise<readonly string[]> =>
  logOf(page).locator('.l.sel .no').allTextContents();

test('beside each other a selected turn selects its raw lines, and a raw line its turn', async () => {
  await on('job-host-turn', async (page) => {
    expect(await selectedTurn(page).textContent()).toContain('refresh.test.ts');
    await expect.poll(() => selectedLines(page)).toEqual(['10', '11']);
    await talkOf(page).getByText('then how its tests share state').click();
    await expect.poll(() => selectedLines(page)).toEqual(['3', '4', '5']);
    await logOf(page).getByText('16', { exact: true }).click();
    await selectedTurn(page).filter({ hasText: 'npm test' }).waitFor();
    expect(await selectedLines(page)).toEqual(['16']);
  });
});

test('in one of them alone, R and a button lead to the other side, selected and in view', async () => {
  await on('job-host-succeeded', async (page) => {
    const focused = page.locator(':focus');
    await tabTo(talkOf(page));
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await focused.textContent()).toContain('npm test');
    await page.keyboard.press('r');
    await logOf(page).and(focused).waitFor();
    await expect.poll(() => selectedLines(page)).toEqual(['15', '16']);
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('r');
    await selectedTurn(page).and(focused).waitFor();
    expect(await focused.textContent()).toContain('One test fails before any change');
    await page.getByRole('button', { name: 'Its raw lines' }).click();
    await expect.poll(() => selectedLines(page)).toEqual(['17']);
    await page.getByRole('button', { name: 'Its turn' }).click();
    await selectedTurn(page).and(focused).waitFor();
  });
});

test('a link to a raw line leads on to its turn, also where earlier turns have to be fetched for it', async () => {
  await on('job-host-long', async (page) => {
    await page.evaluate("location.hash = location.hash.split('?')[0] + '?line=9'");
    await expect.poll(() => selectedLines(page)).toEqual(['9']);
    await page.getByRole('button', { name: 'Its turn' }).click();
    await selectedTurn(page).and(page.locator(':focus')).waitFor();
    expect(await selectedTurn(page).textContent()).toContain('src/auth/refresh.ts');
    expect(await selectedTurn(page).isVisible()).toBe(true);
  });
});

test('with less height the end that is followed stays in sight', async () => {
  await on('job-host-running', async (page) => {
    await page.setViewportSize({ width: 1440, height: 500 });
    const last = talkOf(page).locator('[data-turn]').last();
    await expect
      .poll(() =>
        page.evaluate<number>(`${BODY}.scrollHeight - ${BODY}.scrollTop - ${BODY}.clientHeight`),
      )
      .toBeLessThan(2);
    expect(await last.isVisible()).toBe(true);
  });
});
