/**
 * Local commands as their owner has them: a profile made and turned on in the page, jobs of it leased from the embedded
 * plane, and their runs read, on the built host in a real Chromium. The command is the stand-in for Cursor.
 */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reasonText } from '../../runner-core/model/reason-text.ts';
import { DOUBLE } from '../../scripts/host-exec/ground.ts';
import type { WatchedPage } from '../support/browser.ts';
import { Product } from '../support/product.ts';

let product: Product;
let watched: WatchedPage;
let page: Page;
beforeAll(async () => {
  product = await Product.start();
  watched = await product.newTab();
  ({ page } = watched);
  await page.goto(await product.newAddress());
  await page.getByText('Connected since').or(page.getByText('Ready for a first job.')).waitFor();
  await makeAndTurnOn();
});
afterAll(async () => {
  const { faults } = watched;
  await watched.close();
  await product.stop();
  expect(faults).toEqual([]);
});

const talk = (): Locator => page.getByRole('group', { name: /^Conversation of/ });
const log = (): Locator => page.getByRole('group', { name: /^Log of/ });
const why = (): Locator => page.getByRole('region', { name: 'Why it ended so' });
const status = async (id: string): Promise<string> =>
  (await (await product.plane()).execution(id)).status;

/** Made in the page, and offered only once it is turned on. */
async function makeAndTurnOn(): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Host profiles' }).click();
  await page.getByRole('main').getByRole('link', { name: 'New profile' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('demo');
  await page.getByLabel('Executable', { exact: true }).fill(DOUBLE);
  await page.getByText('It can be saved.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  const demo = page.getByRole('article', { name: 'demo' });
  await demo.getByText('Off', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Show exactly what is sent' }).click();
  expect(await page.locator('.sent').textContent()).not.toContain('demo');

  await demo.getByRole('switch').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Turn it on' }).click();
  await demo.getByText('Advertised').waitFor();
  await page.locator('.sent').getByText('demo').waitFor();
}

/** Leases a job of the profile, and opens its page. */
async function lease(name: string, scenario: string): Promise<string> {
  const plane = await product.plane();
  const { id } = await plane.submit({
    name,
    host_exec_profile: 'demo',
    prompt: `play ${scenario}`,
  });
  await page.getByRole('navigation').getByRole('link', { name: 'Jobs' }).click();
  await page.getByRole('grid').getByRole('row', { name }).click();
  await page.getByRole('list', { name: 'Phases' }).waitFor();
  return id;
}

async function reported(): Promise<void> {
  await page
    .getByRole('listitem')
    .filter({ hasText: /^Reported/ })
    .waitFor();
}

test('its run is read as a conversation beside its raw log, and ends as succeeded', async () => {
  const id = await lease('reads well', 'good');
  await page.getByText('Succeeded after').waitFor();
  await reported();
  expect(await status(id)).toBe('SUCCEEDED');

  await talk().getByText('I will read it.').first().waitFor();
  const call = talk().getByRole('button', { name: /^Read\b.*a\.ts/ });
  expect(await call.getAttribute('aria-expanded')).toBe('false');
  expect(await call.textContent()).toMatch(/\d+(\.\d+)? s$/);
  await call.click();
  await talk().locator('.turn-out').getByText('x').waitFor();
  await talk().getByText('Result: success').waitFor();
  await talk().getByText('11 tokens in, 5 out, 3 from the cache').waitFor();

  await page.getByRole('button', { name: 'Both', exact: true }).click();
  await log().getByText('"type":"system"').waitFor();
  // The call was opened, so it is selected: the log marks its two lines.
  await talk().getByText('Done.').first().click();
  const marked = log().locator('.l.sel');
  await marked.getByText('Done.').waitFor();
  expect(await marked.count()).toBe(1);
  await log().getByText('"subtype":"completed"').first().waitFor();
  await log().locator('.l', { hasText: '"subtype":"completed"' }).first().locator('.gut').click();
  await talk().locator('[aria-current="true"]').filter({ hasText: 'a.ts' }).waitFor();
});

test('one that fails says its reason in plain words, with one remedy', async () => {
  const id = await lease('not signed in', 'not_signed_in');
  await page.getByText('Failed after').waitFor();
  const { what, remedy } = reasonText({ code: 'host_exec_not_signed_in', facts: {} });
  await why().getByRole('heading', { name: what }).waitFor();
  await why().getByText(remedy).waitFor();
  expect(await why().getByRole('heading').count()).toBe(1);
  await talk().getByText('Authentication required').first().waitFor();
  await reported();
  expect(await status(id)).toBe('FAILED');
});

test('one that is halted ends as stopped, with what it told until then', async () => {
  const id = await lease('goes on', 'hang');
  await talk().getByText('Prompt').waitFor();
  await (await product.plane()).stop(id);
  await page.getByText('Stopped after').waitFor();
  const { what } = reasonText({ code: 'stopped_by_service', facts: {} });
  await why().getByRole('heading', { name: what }).waitFor();
  await reported();
  expect(await status(id)).toBe('STOPPED');
  await talk().getByText('Prompt').waitFor();
});

test('once local commands are off, what is on is offered no longer', async () => {
  await page.getByRole('navigation').getByRole('link', { name: 'Host profiles' }).click();
  const demo = page.getByRole('article', { name: 'demo' });
  await page.getByRole('switch', { name: 'Local commands on this machine' }).click();
  await demo.getByText('On, but local commands are off').waitFor();
  await page.getByRole('button', { name: 'Show exactly what is sent' }).click();
  expect(await page.locator('.sent').textContent()).not.toContain('demo');
});
