/**
 * `npm run shots [-- WORD…]`: every screen × state × theme × width as a picture in out/shots/, from fixtures
 * and the built page. With words, only those pictures whose name contains one of them. What the page's
 * policy forbade, or an error in it, fails the run: a picture of a broken page proves nothing.
 * `npm run shots -- --readme` takes the two pictures of the README instead, into docs/pictures/.
 */
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { JOB_CASES, jobCaseAddress } from '../test/fixtures/page/job-cases.ts';
import { jobIdAt } from '../test/fixtures/page/rows.ts';
import type { FixtureState } from '../test/fixtures/page/states.ts';
import { startFixturesHost, type FixturesHost } from './fixtures-host.ts';
import { projectDir } from './setup/places.mjs';
import { chromiumPath } from './setup/ensure-browser.ts';

/** A Tuesday afternoon, in the time zone that the pictures are taken in. */
export const NOW_MS = Date.UTC(2026, 10, 17, 14, 32, 7);
const THEMES = ['light', 'dark'] as const;
const WIDTHS = [
  { width: 1440, height: 900 },
  { width: 900, height: 700 },
] as const;
/** A page gives no sign that all is drawn; every state here is drawn well within this time. */
const SETTLE_MS = 250;
/** What the README shows: as small as both still read well, since each byte stays in the history. */
const README: readonly ReadmePicture[] = [
  { name: 'overview', theme: 'light', size: { width: 1120, height: 640 } },
  { name: 'job-running', theme: 'dark', size: { width: 1120, height: 580 } },
];
const README_MOST_BYTES = 200_000;
/** 1440 px at 200 % zoom, for the screens whose layout changes most. */
const ZOOMED = { width: 720, height: 800 } as const;

interface Picture {
  readonly size: { readonly width: number; readonly height: number };
  readonly theme: (typeof THEMES)[number];
  readonly path: string;
}

interface ReadmePicture extends Omit<Picture, 'path'> {
  /** Of the screen; with its theme the picture's own. */
  readonly name: string;
}

export interface Shot {
  readonly name: string;
  readonly state: FixtureState | 'loading' | 'wrong-version' | 'signed-out';
  /** Behind the `#`. */
  readonly address?: string;
  readonly prepare?: (page: Page, host: FixturesHost) => Promise<void>;
  readonly zoomed?: boolean;
}

const press = (keys: string) => (page: Page) => page.keyboard.press(keys);
const runningJob = `/jobs/${jobIdAt(900_000)}`;
const failedJob = `/jobs/${jobIdAt(2)}`;

export const SHOTS: readonly Shot[] = [
  { name: 'overview', state: 'typical', zoomed: true },
  { name: 'overview-empty', state: 'empty' },
  { name: 'overview-overfull', state: 'overfull' },
  { name: 'overview-paused', state: 'paused' },
  { name: 'overview-draining', state: 'draining' },
  { name: 'overview-offline', state: 'offline' },
  { name: 'overview-waiting', state: 'waiting' },
  { name: 'overview-refused', state: 'refused' },
  { name: 'overview-docker-down', state: 'docker-down' },
  { name: 'overview-permission', state: 'permission' },
  { name: 'overview-long', state: 'long' },
  { name: 'overview-unwell', state: 'unwell' },
  { name: 'overview-taken-over', state: 'taken-over' },
  { name: 'overview-loading', state: 'loading' },
  {
    name: 'overview-lost',
    state: 'typical',
    prepare: (_page, host) => cutOff(host),
  },
  { name: 'jobs', state: 'typical', address: '/jobs', zoomed: true },
  { name: 'jobs-keyboard', state: 'typical', address: '/jobs', prepare: walkTheList },
  { name: 'jobs-failed', state: 'typical', address: '/jobs?state=failed.timed_out' },
  { name: 'jobs-none-match', state: 'typical', address: '/jobs?text=nothing%20is%20called%20this' },
  { name: 'jobs-empty', state: 'empty', address: '/jobs' },
  { name: 'jobs-many', state: 'many', address: '/jobs' },
  { name: 'jobs-long', state: 'long', address: '/jobs' },
  { name: 'jobs-loading', state: 'loading', address: '/jobs' },
  { name: 'job-running', state: 'typical', address: runningJob, zoomed: true },
  { name: 'job-failed', state: 'typical', address: failedJob },
  ...JOB_CASES.map((name) => ({
    name: `job-${name}`,
    state: 'typical' as const,
    address: jobCaseAddress(name),
    zoomed: name.startsWith('host-'),
  })),
  { name: 'job-unknown', state: 'typical', address: '/jobs/nobody-knows' },
  { name: 'permissions', state: 'typical', address: '/permissions' },
  { name: 'permissions-wanted', state: 'permission', address: '/permissions' },
  { name: 'permissions-empty', state: 'empty', address: '/permissions' },
  { name: 'health', state: 'typical', address: '/health', zoomed: true },
  { name: 'health-unwell', state: 'unwell', address: '/health', zoomed: true },
  { name: 'health-checking', state: 'checking', address: '/health' },
  { name: 'health-docker-down', state: 'docker-down', address: '/health' },
  { name: 'health-waiting', state: 'waiting', address: '/health' },
  { name: 'health-taken-over', state: 'taken-over', address: '/health' },
  { name: 'health-empty', state: 'empty', address: '/health' },
  { name: 'health-long', state: 'long', address: '/health' },
  { name: 'health-loading', state: 'loading', address: '/health' },
  {
    name: 'health-lost',
    state: 'unwell',
    address: '/health',
    prepare: (_page, host) => cutOff(host),
  },
  { name: 'profiles', state: 'typical', address: '/profiles', zoomed: true },
  { name: 'profiles-empty', state: 'empty', address: '/profiles', zoomed: true },
  { name: 'profiles-off', state: 'paused', address: '/profiles', zoomed: true },
  {
    name: 'profiles-changed',
    state: 'typical',
    address: '/profiles',
    prepare: (page) => page.getByRole('article').last().scrollIntoViewIfNeeded(),
    zoomed: true,
  },
  { name: 'profiles-unwell', state: 'unwell', address: '/profiles', zoomed: true },
  { name: 'profiles-long', state: 'long', address: '/profiles', zoomed: true },
  { name: 'profiles-loading', state: 'loading', address: '/profiles' },
  { name: 'profiles-limits', state: 'typical', address: '/profiles?limits=', zoomed: true },
  { name: 'profile-new', state: 'typical', address: '/profiles?new=' },
  {
    name: 'profile-edit',
    state: 'typical',
    address: '/profiles?edit=cursor-fix',
    prepare: (page) => page.getByText('fault to mend').waitFor(),
    zoomed: true,
  },
  {
    name: 'profile-import',
    state: 'typical',
    address: '/profiles?import=',
    prepare: importTwo,
    zoomed: true,
  },
  {
    name: 'profile-try',
    state: 'typical',
    address: '/profiles?try=cursor-review',
    prepare: tryIt,
    zoomed: true,
  },
  {
    name: 'profile-tried',
    state: 'typical',
    address: '/profiles?try=cursor-notes',
    prepare: tryIt,
    zoomed: true,
  },
  {
    name: 'profile-on-dialog',
    state: 'unwell',
    address: '/profiles',
    prepare: askToTurnOn,
  },
  {
    name: 'profiles-allow-dialog',
    state: 'paused',
    address: '/profiles',
    prepare: (page) => page.getByRole('button', { name: 'Turn local commands on…' }).click(),
  },
  {
    name: 'profile-remove-dialog',
    state: 'typical',
    address: '/profiles',
    prepare: askToRemoveOne,
  },
  {
    name: 'job-host-both',
    state: 'typical',
    address: `${jobCaseAddress('host-running')}?view=both`,
  },
  {
    name: 'job-host-turn',
    state: 'typical',
    address: `${jobCaseAddress('host-succeeded')}?view=both`,
    prepare: selectATurn,
  },
  {
    name: 'job-host-raw',
    state: 'typical',
    address: `${jobCaseAddress('host-succeeded')}?line=9`,
    zoomed: true,
  },
  {
    name: 'job-host-opened',
    state: 'typical',
    address: jobCaseAddress('host-succeeded'),
    prepare: openATurn,
  },
  { name: 'remove-dialog', state: 'unwell', address: '/health', prepare: askToRemove },
  { name: 'palette', state: 'typical', prepare: press('Control+k') },
  { name: 'shortcuts', state: 'typical', prepare: press('?') },
  { name: 'stop-dialog', state: 'typical', prepare: askToStop },
  { name: 'allow-dialog', state: 'permission', prepare: askToAllow },
  { name: 'menu', state: 'typical', prepare: (page) => page.getByTitle('birch-14').click() },
  {
    name: 'pause-menu',
    state: 'typical',
    prepare: (page) => page.getByLabel('How to pause').click(),
  },
  { name: 'pause-dialog', state: 'typical', address: '/?ask=pause' },
  { name: 'quit-dialog', state: 'typical', prepare: askToQuit },
  { name: 'unknown-address', state: 'typical', address: '/nowhere' },
  { name: 'signed-out', state: 'signed-out' },
  { name: 'wrong-version', state: 'wrong-version' },
];

function cutOff(host: FixturesHost): Promise<void> {
  host.setAway(true);
  return Promise.resolve();
}

async function walkTheList(page: Page): Promise<void> {
  await page.getByLabel('Filter jobs').press('ArrowDown');
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowDown');
}

async function askToStop(page: Page): Promise<void> {
  await page.getByRole('article').first().focus();
  await page.keyboard.press('s');
}

async function askToQuit(page: Page): Promise<void> {
  await page.getByTitle('birch-14').click();
  await page.getByRole('menuitem', { name: 'Quit…' }).click();
}

async function askToRemove(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Remove preloop/ })
    .first()
    .click();
}

async function importTwo(page: Page): Promise<void> {
  const good = { name: 'imported', executable: 'agent' };
  const bad = { name: 'of no use', executable: 'sh' };
  await page.getByLabel('Profile file').fill(JSON.stringify({ profiles: [good, bad] }));
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('heading', { name: 'What came of it' }).waitFor();
}

async function tryIt(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('group', { name: /^Conversation of/ }).waitFor();
}

async function askToTurnOn(page: Page): Promise<void> {
  const only = page.getByRole('article').getByRole('switch');
  await only.click();
  await page.getByText('A running job goes on.').first().waitFor();
  await only.click();
  await page.getByRole('alertdialog').waitFor();
}

async function askToRemoveOne(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More of cursor-fix' }).click();
  await page.getByRole('menuitem', { name: 'Remove…' }).click();
  await page.getByRole('alertdialog').waitFor();
}

async function openATurn(page: Page): Promise<void> {
  await page.getByRole('button', { name: /npm test/ }).click();
}

async function selectATurn(page: Page): Promise<void> {
  const log = page.getByRole('group', { name: /^Log of/ });
  await log.getByText('"type":"result"').waitFor();
  await page.getByRole('button', { name: /refresh\.test\.ts/ }).click();
}

async function askToAllow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Allow for this flow' }).first().click();
}

async function main(words: readonly string[]): Promise<number> {
  const forReadme = words.includes('--readme');
  const folder = join(projectDir, ...(forReadme ? ['docs', 'pictures'] : ['out', 'shots']));
  await mkdir(folder, { recursive: true });
  const wanted = SHOTS.filter(({ name }) =>
    forReadme
      ? README.some((picture) => picture.name === name)
      : words.length === 0 || words.some((word) => name.includes(word)),
  );
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox'],
  });
  const faults: string[] = [];
  try {
    for (const shot of wanted) {
      const pictures = forReadme ? readmePictures(shot, folder) : allPictures(shot, folder);
      const found = await take(browser, shot, pictures);
      faults.push(...found.map((fault) => `${shot.name}: ${fault}`));
      if (forReadme) faults.push(...(await tooLarge(pictures)));
    }
  } finally {
    await browser.close();
  }
  console.log(`${wanted.length} screens in ${folder}`);
  for (const fault of faults) console.log(`FAULT ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

/** Light and dark of one size after each other, so that the page is laid out once for both. */
function allPictures(shot: Shot, folder: string): readonly Picture[] {
  const sizes = shot.zoomed === true ? [...WIDTHS, ZOOMED] : WIDTHS;
  return sizes.flatMap((size) =>
    THEMES.map((theme) => {
      const path = join(folder, `${shot.name}-${size.width}-${theme}.png`);
      return { size, theme, path };
    }),
  );
}

function readmePictures(shot: Shot, folder: string): readonly Picture[] {
  return README.filter(({ name }) => name === shot.name).map(({ size, theme }) => {
    return { size, theme, path: join(folder, `${shot.name}-${theme}.png`) };
  });
}

async function tooLarge(pictures: readonly Picture[]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { path } of pictures) {
    const { size } = await stat(path);
    if (size > README_MOST_BYTES) faults.push(`${path} has ${size} bytes`);
  }
  return faults;
}

/** Takes these pictures of one screen; returns what went wrong in the page. */
async function take(
  browser: Browser,
  shot: Shot,
  pictures: readonly Picture[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  const host = await startFixturesHost({
    port: 0,
    pageDir: join(projectDir, 'out', 'page'),
    nowMs: () => NOW_MS,
  });
  const context = await browser.newContext({ reducedMotion: 'reduce', timezoneId: 'UTC' });
  try {
    const page = await context.newPage();
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !isExpected(shot, text)) faults.push(text);
    });
    await page.setViewportSize(WIDTHS[0]);
    await page.clock.setFixedTime(NOW_MS);
    const code = shot.state === 'signed-out' ? '' : `#code=${shot.state}`;
    await page.goto(`http://127.0.0.1:${host.port}/${code}`);
    await settled(page, shot.state);
    if (shot.address !== undefined) {
      await page.evaluate(`location.hash = ${JSON.stringify(shot.address)}`);
      await page.waitForTimeout(SETTLE_MS);
    }
    await shot.prepare?.(page, host);
    await page.waitForTimeout(shot.state === 'loading' ? 500 : SETTLE_MS);
    for (const { size, theme, path } of pictures) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: theme });
      await page.screenshot({ path, animations: 'disabled' });
    }
  } finally {
    await context.close();
    await host.stop();
  }
  return faults;
}

async function settled(page: Page, state: Shot['state']): Promise<void> {
  if (state === 'loading') await page.waitForSelector('.side');
  else
    await page.waitForSelector(
      state === 'signed-out' || state === 'wrong-version' ? '.alone' : '.rack, .dense-rack',
    );
}

/** A host that went away cannot but be reported by the browser. */
export function isExpected(shot: Shot, text: string): boolean {
  return shot.name.endsWith('-lost') && /WebSocket|ERR_|Failed to load/.test(text);
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
