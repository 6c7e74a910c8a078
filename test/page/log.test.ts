/** The log in a real browser: its keys, what a hostile job tries, and the states that a log is seldom in. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { launchBrowser } from '../support/browser.ts';
import { screen, withScreen } from '../support/fixture-pages.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const CLIPBOARD: BrowserContextOptions = { permissions: ['clipboard-read', 'clipboard-write'] };
const on = (name: string, use: (page: Page) => Promise<void>): Promise<void> =>
  withScreen(browser, screen(name), use, CLIPBOARD);

const numbers = (page: Page, line: number, row = '.l') =>
  page.locator(`${row} .no`).getByText(String(line), { exact: true });
const shows = (page: Page, line: number): Promise<void> => numbers(page, line).waitFor();
const hides = (page: Page, line: number): Promise<void> =>
  numbers(page, line).waitFor({ state: 'detached' });
const selects = (page: Page, line: number): Promise<void> =>
  numbers(page, line, '.l.sel').waitFor();
const press = async (page: Page, ...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};
/** What was copied, once the page has said that it was. */
async function copied(page: Page, said: string, ...keys: readonly string[]): Promise<string> {
  await press(page, ...keys);
  await page.getByText(said).first().waitFor();
  return z.string().parse(await page.evaluate('navigator.clipboard.readText()'));
}
const strings = async (page: Page, expression: string): Promise<readonly string[]> =>
  z.array(z.string()).parse(await page.evaluate(expression));

describe('keys of a log that is over', () => {
  test('it opens at its first error; e and E go from one to the next and back', async () => {
    await on('job-failed', async (page) => {
      await selects(page, 377);
      await press(page, 'e');
      await selects(page, 378);
      await press(page, 'e');
      await selects(page, 1_017);
      await press(page, 'E', 'E');
      await selects(page, 377);
    });
  });

  test('start, end and pages: letters, Home, End and Space', async () => {
    await on('job-failed', async (page) => {
      await page.locator('.lines').focus();
      for (const [start, end] of [
        ['g', 'Shift+G'],
        ['Home', 'End'],
      ] as const) {
        await press(page, start);
        await shows(page, 1);
        await press(page, 'Space');
        await hides(page, 1);
        await press(page, 'Shift+Space');
        await shows(page, 1);
        await press(page, end);
        await shows(page, 2_929);
      }
    });
  });

  test('times change with t, wrapping with w', async () => {
    await on('job-failed', async (page) => {
      for (const mode of ['clock', 'off', 'start']) {
        await press(page, 't');
        await page.locator(`.lines.t-${mode}`).waitFor();
      }
      await press(page, 'w');
      await page.locator('.lines.wrapped').waitFor();
      await press(page, 'w');
      await page.locator('.lines:not(.wrapped)').waitFor();
    });
  });

  test('a colon asks for a line or a time, says what it cannot read, and gives the focus back', async () => {
    await on('job-failed', async (page) => {
      await press(page, ':');
      await page.keyboard.type('soon');
      await press(page, 'Enter');
      await page.getByRole('alert').getByText('Type a line number').waitFor();
      await press(page, 'Escape');
      await press(page, ':');
      await page.keyboard.type('1200');
      await press(page, 'Enter');
      await selects(page, 1_200);
      await press(page, ':');
      await page.keyboard.type('+1:00');
      await press(page, 'Enter');
      await page.locator('.l.sel .tm').getByText('1:00.0').waitFor();
      expect(await page.evaluate('document.activeElement.className')).toContain('lines');
    });
  });

  test('rows are selected with Shift, copied with and without times, and linked to with y', async () => {
    await on('job-failed', async (page) => {
      await page.locator('.lines').focus();
      await selects(page, 377);
      await press(page, 'Shift+ArrowDown');
      await selects(page, 378);
      const plain = await copied(page, '2 lines copied.', 'Control+c');
      expect(plain).toBe(
        ' FAIL  src/queue/drain.test.ts > drains > gives up after the retry limit\n' +
          'AssertionError: expected 5 calls, got 3',
      );
      await press(page, 'Shift+ArrowDown');
      await selects(page, 379);
      const timed = await copied(page, '3 lines copied.', 'Control+Shift+C');
      expect(timed.split('\n').map((line) => line.split('\t')[0])).toEqual([
        '0:36.4',
        '0:36.5',
        '0:36.6',
      ]);
      expect(await copied(page, 'Link to line 377 copied.', 'y')).toMatch(/#\/jobs\/.+\?line=377$/);
      await press(page, 'Escape');
      await page.locator('.l.sel').first().waitFor({ state: 'detached' });
    });
  });

  test('find: Mod-F to the field, Enter and n from hit to hit, Escape back into the log', async () => {
    await on('job-failed', async (page) => {
      await press(page, 'Control+f');
      await page.keyboard.type('AssertionError');
      await page.getByRole('status').getByText('4 hits').waitFor();
      await press(page, 'Enter');
      await page.getByRole('status').getByText('1 of 4').waitFor();
      await page.locator('.lines').focus();
      await press(page, 'n');
      await page.getByRole('status').getByText('2 of 4').waitFor();
      await press(page, 'Shift+N');
      await page.getByRole('status').getByText('1 of 4').waitFor();
      await page.locator('.hit.cur').waitFor();
      await press(page, 'Control+f');
      await press(page, 'Escape');
      await page.locator('.hit').first().waitFor({ state: 'detached' });
      expect(await page.evaluate('document.activeElement.className')).toContain('lines');
    });
  });
});

test('f stops following and begins it again; new lines are counted, and told politely', async () => {
  await on('job-running', async (page) => {
    const following = page.getByRole('button', { name: 'Following' });
    await following.waitFor();
    await page.locator('.lines').focus();
    await press(page, 'f');
    await page.getByRole('button', { name: /\d new lines/ }).waitFor();
    await page.getByRole('status').getByText('new lines in the log').waitFor();
    await press(page, 'f');
    await following.waitFor();
    await page.locator('.new-lines').waitFor({ state: 'detached' });
  });
});

test('i opens and closes the details where they are a drawer', async () => {
  await on('job-running', async (page) => {
    await page.setViewportSize({ width: 900, height: 700 });
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.waitFor({ state: 'hidden' });
    await press(page, 'i');
    await details.waitFor();
    await press(page, 'Escape');
    await details.waitFor({ state: 'hidden' });
  });
});

test('what a hostile log prints stays text: no element, no link but http, nothing that turns text around', async () => {
  await on('job-hostile', async (page) => {
    await page.locator('.lines').focus();
    await press(page, 'Home');
    await shows(page, 1);
    expect(
      await strings(
        page,
        '[...document.querySelectorAll(".lines :not(div, span, a, button)")].map((node) => node.localName)',
      ),
    ).toEqual([]);
    expect(
      await strings(page, '[...document.querySelectorAll(".lines a")].map((link) => link.href)'),
    ).toEqual(['https://good.example/a?b=c#d', 'http://127.0.0.1/']);
    const outsideBoxes = await strings(
      page,
      `[...document.querySelectorAll('.l')].flatMap((row) => [row.textContent, row.getAttribute('aria-label')])`,
    );
    expect(outsideBoxes.length).toBeGreaterThan(20);
    expect(outsideBoxes.join('')).not.toMatch(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/,
    );
    await numbers(page, 3).waitFor();
    expect(outsideBoxes.join('')).toContain('userRLOgnp.exePDF');
  });
});

test('a line of a mebibyte is cut, shown whole on demand, and copied as one line', async () => {
  await on('job-hostile', async (page) => {
    await press(page, ':');
    await page.keyboard.type('21');
    await press(page, 'Enter');
    await selects(page, 21);
    const row = page.locator('.l.sel .tx');
    expect((await row.innerText()).length).toBeLessThan(2_100);
    await row.getByRole('button', { name: 'show all, 64 KiB' }).click();
    await row.getByRole('button').waitFor({ state: 'detached' });
    expect((await row.innerText()).length).toBe(65_536);
    await page.locator('.lines').focus();
    await press(page, ...Array.from({ length: 15 }, () => 'Shift+ArrowDown'));
    const line = await copied(page, '16 lines copied.', 'Control+c');
    expect([line.length, line.includes('\n')]).toEqual([16 * 65_536, false]);
  });
});

test('a log that was removed says so and offers nothing to do with it', async () => {
  await on('job-removed', async (page) => {
    await page.getByText('The log was removed to make room.').waitFor();
    await page.getByText('9,052 lines were printed').waitFor();
    expect(await page.getByLabel('Find in this log').isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Download the whole log' }).isDisabled()).toBe(
      true,
    );
    expect(await page.locator('.l').count()).toBe(0);
  });
});

test('a job that printed nothing cannot be downloaded', async () => {
  await on('job-no-log', async (page) => {
    await page.getByText('This job printed nothing.').waitFor();
    expect(await page.getByRole('button', { name: 'Download the whole log' }).isDisabled()).toBe(
      true,
    );
    await page.getByRole('button', { name: 'More' }).click();
    const item = page.getByRole('menuitem', { name: 'Download log' });
    expect(await item.getAttribute('aria-disabled')).toBe('true');
  });
});

test('numbers of eight digits and times of a long job have room in the gutter', async () => {
  await on('job-vast', async (page) => {
    for (const mode of ['start', 'clock'] as const) {
      await page.locator(`.lines.t-${mode} .l:not(.l-wait)`).first().waitFor();
      const narrow = await strings(
        page,
        `[...document.querySelectorAll('.l .no, .l .tm')].filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)`,
      );
      expect(narrow).toEqual([]);
      await press(page, 't');
    }
  });
});

test('of a log that is loaded in part, errors and hits are said to be of that part', async () => {
  await on('job-vast', async (page) => {
    await page.getByText(/errors in the [\d,]+ lines at hand/).waitFor();
    await press(page, 'Control+f');
    await page.keyboard.type('retry');
    await page
      .getByRole('status')
      .getByText(/in the [\d,]+ lines at hand, of 12,345,678/)
      .waitFor();
  });
});

test('the focus of the rows is one ring', async () => {
  await on('job-failed', async (page) => {
    await page.locator('.lines').focus();
    await press(page, 'ArrowDown');
    expect(
      await strings(
        page,
        `[getComputedStyle(document.querySelector('.lines')).boxShadow, getComputedStyle(document.querySelector('.logmain'), '::after').borderTopWidth]`,
      ),
    ).toEqual(['none', '2px']);
  });
});
