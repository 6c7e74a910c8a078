/**
 * What a person does with the page from the first minute on, told once and done with either hand: on the built host
 * and a real engine, in a real browser.
 */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { reasonText } from '../../runner-core/model/reason-text.ts';
import type { WatchedPage } from './browser.ts';
import { docker } from './docker-bench.ts';
import type { Hand } from './hand.ts';
import { Product } from './product.ts';

const REPORT = `echo '{"status":"success"}' > /workspace/result.json`;
/** Goes on for longer than any test, and ends at once when it is asked to. */
const ENDLESS = `trap 'exit 143' TERM; echo started; sleep 600 & wait`;

export interface MainPath {
  readonly product: () => Product;
  /** A tab that is signed in. */
  signedIn(): Promise<Page>;
}

/** Registers the stories, and gives what further tests of the same file need. */
export function tellMainPath(hand: Hand): MainPath {
  let product: Product;
  const open: WatchedPage[] = [];
  /** What the browser may complain of in this story: the text of a fault has to match. */
  let expected: readonly RegExp[] = [];

  beforeAll(async () => {
    product = await Product.start();
  });
  afterAll(() => product.stop());
  afterEach(async () => {
    const faults = open.flatMap((watched) => watched.faults);
    for (const watched of open.splice(0)) await watched.close();
    const unexpected = faults.filter((fault) => !expected.some((pattern) => pattern.test(fault)));
    expected = [];
    expect(unexpected).toEqual([]);
  });

  const newTab = async (address: string): Promise<Page> => {
    const watched = await product.newTab();
    open.push(watched);
    await watched.page.goto(address);
    return watched.page;
  };
  const signedIn = async (): Promise<Page> => {
    const page = await newTab(await product.newAddress());
    await page.getByText('Connected since').or(page.getByText('Ready for a first job.')).waitFor();
    return page;
  };
  const openSlotOf = async (page: Page): Promise<void> => {
    await hand.press(page.getByRole('article').getByRole('link').first());
    await page.getByRole('list', { name: 'Phases' }).waitFor();
  };

  test('a newcomer signs in, runs the test job, and reads its lines while it runs', async () => {
    const page = await newTab(await product.printedAddress());
    await page.getByRole('heading', { name: 'Ready for a first job.' }).waitFor();
    await page.getByText('Online', { exact: false }).first().waitFor();
    expect(new URL(page.url()).hash).toBe('#/');
    await page.evaluate(WATCH_LINES);

    await hand.press(page.getByRole('button', { name: 'Run the test job' }));
    await page.getByText('Succeeded after').waitFor();
    await page.getByText('The job now hands over its result.').first().waitFor();
    // Not one look at the end: the page drew them one after the other, under a phase that said Run.
    const seen = await page.evaluate<string[][]>('window.drawnWhileRunning');
    const lines = seen.flat();
    expect(lines.findIndex((line) => line.includes('part 2 of 8'))).toBeGreaterThan(
      lines.findIndex((line) => line.includes('Hello from a container.')),
    );
    expect(seen.length).toBeGreaterThan(3);

    await hand.goTo(page, 'Overview');
    await page.getByRole('heading', { name: 'Taking jobs. Two slots are free.' }).waitFor();
    await page.getByRole('row', { name: /^Succeeded .*Test job/ }).waitFor();
  });

  test('an address signs in once, and the session it gave lasts over a reload', async () => {
    const address = await product.newAddress();
    const page = await newTab(address);
    await page.getByText('Online', { exact: false }).first().waitFor();
    await hand.goTo(page, 'Jobs');
    await page.getByRole('grid').waitFor();
    await page.reload();
    await page.getByRole('grid').waitFor();
    const other = await newTab(address);
    expected = [/status of 401/];
    await other.getByRole('heading', { name: 'This address was used already' }).waitFor();
  });

  test('a running job is stopped from its page, after a question', async () => {
    const id = await product.submit('stopped', ENDLESS);
    const page = await signedIn();
    await openSlotOf(page);
    await logLine(page, 'started').waitFor();
    const stop = page.getByRole('button', { name: 'Stop…' });
    const question = page.getByRole('alertdialog');
    await hand.press(stop);
    expect(await question.getByRole('heading').textContent()).toMatch(/^Stop .+\?$/);
    await hand.press(question.getByRole('button', { name: 'Keep running' }));
    await question.waitFor({ state: 'hidden' });
    expect((await (await product.plane()).execution(id)).status).toBe('RUNNING');

    await hand.press(stop);
    await hand.press(question.getByRole('button', { name: 'Stop job' }));
    await page.getByText('Stopped after').waitFor();
    await page
      .getByRole('region', { name: 'Why it ended so' })
      .getByText(/stopped/i)
      .waitFor();
    await stop.waitFor({ state: 'hidden' });
    await page
      .getByRole('listitem')
      .filter({ hasText: /^Reported/ })
      .waitFor();
    expect((await (await product.plane()).execution(id)).status).toBe('STOPPED');
    expect(
      await docker('ps', '-aq', '--filter', `label=ai.preloop.runner-host.execution=${id}`),
    ).toBe('');
  });

  test('a job that failed says why in plain words, with what to do about it', async () => {
    await product.submit('failed', `echo before; echo 'error: no such table' >&2; exit 3`);
    const page = await signedIn();
    const { what, remedy } = reasonText({ code: 'exit_nonzero', facts: { exitCode: '3' } });
    await page.getByRole('row', { name: new RegExp(`^Failed .*${what}`) }).waitFor();
    await hand.goTo(page, 'Jobs');
    await page.getByRole('grid').getByText(what).waitFor();
    await hand.openFirstJob(page);
    const why = page.getByRole('region', { name: 'Why it ended so' });
    await why.getByRole('heading', { name: what }).waitFor();
    await why.getByText(remedy).waitFor();
    await hand.press(why.getByRole('button', { name: /^Go to the/ }));
    await logLine(page, 'error: no such table').waitFor();
  });

  test('a job that wants the Docker socket is refused until the owner allows it, and again once that is revoked', async () => {
    await product.submit('socket', `test -S /var/run/docker.sock && echo it is there; ${REPORT}`, {
      agent_config: { runner: { mount_docker_socket: true } },
    });
    const page = await signedIn();
    await page.getByText(/wants a permission: Docker socket/).waitFor();
    await hand.goTo(page, 'Jobs');
    await hand.openFirstJob(page);
    const why = page.getByRole('region', { name: 'Why it ended so' });
    await why.getByText(/has not been allowed/).waitFor();
    const question = page.getByRole('alertdialog');
    await hand.press(why.getByRole('button', { name: 'Allow for this flow…' }));
    await question.getByText('full rights on this machine').waitFor();
    await hand.press(question.getByRole('button', { name: 'Allow for this flow' }));
    const again = page.getByRole('region', { name: /^Allowed\./ }).getByRole('button');
    await hand.press(again);
    await page.getByText('Succeeded after').waitFor();
    await logLine(page, 'it is there').waitFor();

    await hand.goTo(page, 'Permissions');
    const revoke = page.getByRole('button', { name: /^Revoke Docker socket/ });
    await hand.press(revoke);
    await revoke.waitFor({ state: 'hidden' });
    await page.getByRole('heading', { name: 'Nothing is allowed.' }).waitFor();
    await hand.goTo(page, 'Jobs');
    await hand.openFirstJob(page);
    await hand.press(page.getByRole('button', { name: 'Run again' }));
    await why.getByText(/has not been allowed/).waitFor();
  });

  test('a host that is killed under an open page is missed, and taken up again where it was when it is back', async () => {
    await product.submit('survivor', ENDLESS);
    const page = await signedIn();
    await openSlotOf(page);
    await logLine(page, 'started').waitFor();
    const { origin } = new URL(page.url());
    const stop = page.getByRole('button', { name: 'Stop…' });
    const banner = page.getByRole('region', { name: 'This page lost the app.' });

    expected = [/WebSocket connection to .* failed/];
    await product.kill();
    await banner.waitFor();
    expect(await stop.isDisabled()).toBe(true);
    expect(await logLine(page, 'started').isVisible()).toBe(true);

    await product.startAgain();
    await banner.waitFor({ state: 'hidden' });
    expect(new URL(await product.printedAddress()).origin).toBe(origin);
    await hand.press(stop);
    await hand.press(page.getByRole('alertdialog').getByRole('button', { name: 'Stop job' }));
    await page.getByText('Stopped after').waitFor();
    expect(await logLine(page, 'started').count()).toBe(1);
    await hand.goTo(page, 'Jobs');
    await page.getByRole('grid').getByRole('row', { name: 'survivor' }).waitFor();
    expect(await page.getByRole('grid').getByRole('row').count()).toBeGreaterThan(2);
  });

  return { product: () => product, signedIn };
}

const logLine = (page: Page, text: string): ReturnType<Page['getByText']> =>
  page
    .getByRole('list')
    .filter({ hasNot: page.getByRole('button') })
    .getByText(text, { exact: true });

/** Notes which log lines were drawn, at which turn, while the phase on show was Run. */
const WATCH_LINES = `
  window.drawnWhileRunning = [];
  const known = new Set();
  new MutationObserver(() => {
    if (document.querySelector('[aria-current="step"]')?.textContent.startsWith('Run ') !== true) return;
    const lines = [...document.querySelectorAll('[role="listitem"]')].map((row) => row.textContent);
    const fresh = lines.filter((line) => !known.has(line));
    for (const line of fresh) known.add(line);
    if (fresh.length > 0) window.drawnWhileRunning.push(fresh);
  }).observe(document, { subtree: true, childList: true, characterData: true });
`;
