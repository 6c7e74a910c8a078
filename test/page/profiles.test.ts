/** Host profiles by hand and by keyboard: turned on and off, made, copied, removed, imported, tried. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../support/browser.ts';
import { screen, withScreen } from '../support/fixture-pages.ts';
import { tabTo } from '../support/hand.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const on = (name: string, use: (page: Page) => Promise<void>): Promise<void> =>
  withScreen(browser, screen(name), use);
const card = (page: Page, name: string): Locator => page.getByRole('article', { name });
const turn = (page: Page, name: string): Locator => card(page, name).getByRole('switch');

test('G C leads to the profiles, and so does the palette', async () => {
  await on('overview', async (page) => {
    const heading = page.getByRole('heading', { name: 'Host profiles', level: 1 });
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await heading.waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await heading.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('host prof');
    await page.keyboard.press('Enter');
    await heading.waitFor();
  });
});

test('one click turns a profile on where another is on, and off again', async () => {
  await on('profiles', async (page) => {
    const notes = turn(page, 'cursor-notes');
    await notes.click();
    await card(page, 'cursor-notes').getByText('Advertised').waitFor();
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    await notes.click();
    await card(page, 'cursor-notes').getByText('Off', { exact: true }).waitFor();
  });
});

test('before the first one is on it is said what that means, and the safe answer has the focus', async () => {
  await on('profiles-unwell', async (page) => {
    const only = turn(page, 'cursor-review');
    await only.click();
    await only.and(page.locator('[aria-checked="false"]')).waitFor();
    await tabTo(only);
    await page.keyboard.press('Space');
    const question = page.getByRole('alertdialog');
    await question.getByText('This is no sandbox').waitFor();
    await question.locator('button:focus', { hasText: 'Leave it off' }).waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    await only.and(page.locator(':focus')).waitFor();
    expect(await only.getAttribute('aria-checked')).toBe('false');
    await page.keyboard.press('Space');
    await question.getByRole('button', { name: 'Turn it on' }).click();
    await only.and(page.locator('[aria-checked="true"]')).waitFor();
  });
});

test('what is left out says why and what to do, is counted beside the place, and is turned off but not on', async () => {
  await on('profiles', async (page) => {
    const fix = card(page, 'cursor-fix');
    await fix.getByText('--model belongs to this app, not to the arguments.').waitFor();
    await page.getByRole('link', { name: /Host profiles.*2 profiles/ }).waitFor();
    expect(await fix.getByRole('link', { name: /^Try/ }).count()).toBe(0);
    await turn(page, 'cursor-fix').click();
    await page.getByText('cursor-fix is off.').first().waitFor();
    expect(await turn(page, 'cursor-fix').isDisabled()).toBe(true);
  });
});

test('the command line is copied as it would run, with a word in the place of the prompt', async () => {
  await withScreen(
    browser,
    screen('profiles'),
    async (page) => {
      await card(page, 'cursor-review')
        .getByRole('button', { name: 'Copy the command line' })
        .click();
      await page.getByText('Command line copied').first().waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
        'cursor-agent --print --output-format stream-json --trust --mode=ask --workspace ' +
          '/home/birch/agent-runs/.preloop-host-exec/<job> --model <model> -- <prompt>',
      );
    },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  );
});

test('a profile is made by keyboard alone; a fault stands under its field and is read with it', async () => {
  await on('profiles', async (page) => {
    await tabTo(page.getByRole('link', { name: 'New profile' }));
    await page.keyboard.press('Enter');
    const name = page.getByLabel('Name', { exact: true });
    await tabTo(name);
    expect(await page.locator('.message').count()).toBe(0);
    await page.keyboard.type('no good');
    await tabTo(page.getByRole('button', { name: 'Add an argument' }));
    await page.getByText('The name is missing, or has').waitFor();
    await page.keyboard.press('Enter');
    await page.getByLabel('Argument 1', { exact: true }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('--force');
    await page.keyboard.press('Enter');
    const argument = page.getByLabel('Argument 1', { exact: true });
    await page.getByText('--force belongs to this app').waitFor();
    // What was to be saved has faults: the first of them has the focus.
    await name.and(page.locator(':focus')).waitFor();
    const describedBy = (await argument.getAttribute('aria-describedby')) ?? '';
    expect(await page.locator(`[id="${describedBy}"]`).textContent()).toContain('--force belongs');
    await name.fill('made-here');
    await argument.fill('--mode=plan');
    await page.getByText('It can be saved.').waitFor();
    await page.locator('.would-line').getByText('--mode=plan').waitFor();
    await name.press('Enter');
    await page.getByText('made-here is saved, off.').first().waitFor();
    await card(page, 'made-here').getByText('Off', { exact: true }).waitFor();
  });
});

test('a profile of the client’s file is read only; its copy is ours and can be edited', async () => {
  await on('profiles', async (page) => {
    const notes = card(page, 'cursor-notes');
    expect(await notes.getByRole('link', { name: /^Edit/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'More of cursor-notes' }).click();
    expect(await page.getByRole('menuitem', { name: 'Remove…' }).count()).toBe(0);
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { level: 1, name: 'Edit cursor-notes-2' }).waitFor();
  });
});

test('a profile is removed only after its question', async () => {
  await on('profile-remove-dialog', async (page) => {
    await page.locator('button:focus', { hasText: 'Keep it' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor({ state: 'hidden' });
    expect(await card(page, 'cursor-fix').count()).toBe(1);
    await page.getByRole('button', { name: 'More of cursor-fix' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await card(page, 'cursor-fix').waitFor({ state: 'detached' });
  });
});

test('an import says of each profile what came of it, and a text that is none says why', async () => {
  await on('profile-import', async (page) => {
    const done = page.getByRole('region', { name: 'What came of it' });
    await done.getByText('Added, off').waitFor();
    await done.getByText('Refused').waitFor();
    await page.getByLabel('Profile file').fill('not json');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await done.getByText('The file is not JSON.').waitFor();
    await page.locator('input[type="file"]').setInputFiles({
      name: 'mine.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{}'),
    });
    await page.getByText('mine.json is read.').first().waitFor();
    expect(await page.getByLabel('Profile file').inputValue()).toBe('{}');
  });
});

test('a run of Try it is shown as it goes, can be stopped, and says what would have been reported', async () => {
  await on('profile-try', async (page) => {
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
    await page.getByText('Two findings so far.').waitFor();
    const reported = page.getByRole('region', { name: 'What would have been reported' });
    expect(await reported.count()).toBe(0);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await reported.getByText('STOPPED', { exact: true }).waitFor();
    await page
      .getByRole('button', { name: 'Run', exact: true })
      .and(page.locator(':enabled'))
      .waitFor();
  });
});

test('one that changed since it was turned on says so, and one click turns it on as it is now', async () => {
  await on('profiles', async (page) => {
    const nightly = card(page, 'cursor-nightly');
    await nightly.getByText('Off, since it changed').waitFor();
    await nightly
      .getByText('It would run something else than when it was turned on, so it went off.')
      .waitFor();
    await nightly.locator('.would-line').getByText('/opt/cursor/bin/cursor-agent').waitFor();
    await turn(page, 'cursor-nightly').click();
    await nightly.getByText('Advertised').waitFor();
    expect(await nightly.getByText('It would run something else').count()).toBe(0);
  });
});

test('the switch above all of them takes every offer back, and asks before it makes them again', async () => {
  await on('profiles', async (page) => {
    const review = card(page, 'cursor-review');
    const all = page.getByRole('switch', { name: 'Local commands on this machine' });
    await all.click();
    await page.getByText('Local commands are off on this machine.').waitFor();
    await review.getByText('On, but local commands are off').waitFor();
    expect(await turn(page, 'cursor-review').getAttribute('aria-checked')).toBe('true');
    await turn(page, 'cursor-notes').click();
    await page
      .getByText('cursor-notes is on, and offered once local commands are on again.')
      .first()
      .waitFor();
    const question = page.getByRole('alertdialog');
    await page.getByRole('button', { name: 'Turn local commands on…' }).click();
    await question.getByText('2 profiles are on and are offered to Preloop at once.').waitFor();
    await question.locator('button:focus', { hasText: 'Leave them off' }).waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    await all.click();
    await question.getByRole('button', { name: 'Turn them on' }).click();
    await review.getByText('Advertised').waitFor();
    expect(await page.getByText('Local commands are off on this machine.').count()).toBe(0);
  });
});

test('the switch of this machine stands before the profiles, and before there is one', async () => {
  await on('profiles', async (page) => {
    const all = page.getByRole('switch', { name: 'Local commands on this machine' });
    await page.getByText('On: 1 profile offered').waitFor();
    await all.and(page.getByRole('main').getByRole('switch').first()).waitFor();
  });
  await on('profiles-empty', async (page) => {
    const all = page.getByRole('switch', { name: 'Local commands on this machine' });
    await page.getByText('Nothing is offered until a profile is turned on.').waitFor();
    await all.and(page.locator('[aria-checked="false"]')).waitFor();
    await all.click();
    await all.and(page.locator('[aria-checked="true"]')).waitFor();
    expect(await page.getByRole('alertdialog').count()).toBe(0);
  });
});

test('Cursor that was not started yet is said to be not checked, and is looked for on demand', async () => {
  await on('profiles-off', async (page) => {
    await page.getByText('Not checked yet').waitFor();
    expect(await page.getByText('version not told').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Check version and login' }).isEnabled()).toBe(
      true,
    );
  });
});

test('what this is not is one step away from the empty list', async () => {
  await on('profiles-empty', async (page) => {
    await page.getByRole('main').getByRole('link', { name: 'What this is not' }).click();
    await page.getByText('This is no sandbox.').waitFor();
    for (const what of ['Your files', 'Your login', 'Your hooks', 'Your network'])
      expect(await page.getByText(what, { exact: true }).count()).toBe(1);
  });
});
