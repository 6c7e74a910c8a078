/** The rows of the tray's menu, and what each does. */
import { expect, test } from 'vitest';
import { trayMenu, type TrayActs } from '../../electron/tray-menu.ts';
import { clockWords, trayView } from '../../electron/tray-view.ts';
import { TRAY_STATES } from '../../electron/tray-view.ts';
import { trayIconFile, trayShade } from '../../electron/tray-icon.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../scripts/setup/places.mjs';
import type { OverviewView } from '../../main/contract/views.ts';
import { overview, SINCE_MS, slot } from '../support/overview-builder.ts';

function menuOf(changes: Partial<OverviewView>): {
  rows: (string | null)[];
  click: (...path: string[]) => void;
  done: string[];
} {
  const done: string[] = [];
  const note =
    (what: string) =>
    (of?: unknown): void =>
      void done.push(typeof of === 'string' ? `${what} ${of}` : what);
  const acts: TrayActs = {
    open: note('open'),
    openJob: note('openJob'),
    stopJob: (job) => void done.push(`stopJob ${job.jobId} ${job.title}`),
    pause: (wish) => void done.push(`pause ${JSON.stringify(wish)}`),
    pauseWithNote: note('pauseWithNote'),
    nowMs: () => SINCE_MS,
    resume: note('resume'),
    goOffline: note('goOffline'),
    goOnline: note('goOnline'),
    quit: note('quit'),
  };
  const view = trayView(overview(changes), {
    nowMs: SINCE_MS,
    awaySinceMs: null,
    clock: clockWords('en-GB', SINCE_MS, 'UTC'),
  });
  const menu = trayMenu(view, acts);
  return {
    rows: menu.map(({ label }) => label ?? null),
    done,
    click(...path) {
      let items = menu;
      for (const words of path) {
        const item = items.find(({ label }) => label === words);
        if (item === undefined) throw new Error(`no row ${words}`);
        if (Array.isArray(item.submenu)) items = item.submenu;
        else item.click?.({} as never, undefined, {});
      }
    },
  };
}

test('a free host has its state, pause, offline, open and quit, in this order', () => {
  expect(menuOf({}).rows).toEqual([
    'Online, taking jobs · since 08:41',
    'All 2 slots are free',
    null,
    'Pause',
    'Go offline',
    null,
    'Open Runner Host',
    'Quit…',
  ]);
});

test('each job has a row of its own, and an ampersand of its title is no short cut', () => {
  const menu = menuOf({ held: [slot({ title: 'Lint & test' }), slot({ jobId: 'job-2' })] });
  expect(menu.rows.slice(3, 6)).toEqual([
    'Lint && test · running · since 08:42',
    'Sweep dependencies · running · since 08:42',
    null,
  ]);
  menu.click('Sweep dependencies · running · since 08:42', 'Stop…');
  menu.click('Lint && test · running · since 08:42', 'Open');
  expect(menu.done).toEqual(['stopJob job-2 Sweep dependencies', 'openJob job-1']);
});

test('a paused host offers to resume, one that is offline to go online', () => {
  const paused = menuOf({ intake: 'paused' });
  paused.click('Resume');
  const offline = menuOf({ intake: 'offline' });
  offline.click('Go online');
  expect([paused.done, offline.done]).toEqual([['resume'], ['goOnline']]);
  expect(offline.rows).not.toContain('Go offline');
});

test('every state has its image in every shade, also for fine screens', () => {
  const missing = TRAY_STATES.flatMap((state) =>
    (['template', 'light', 'dark'] as const).flatMap((shade) => {
      const file = trayIconFile(state, shade);
      return [file, file.replace('.png', '@2x.png')];
    }),
  ).filter((file) => !existsSync(join(projectDir, 'resources/tray', file)));
  expect(missing).toEqual([]);
});

test.each([
  ['darwin', undefined, true, 'template'],
  ['win32', undefined, true, 'light'],
  ['win32', undefined, false, 'dark'],
  ['linux', 'ubuntu:GNOME', false, 'light'],
  ['linux', 'KDE', false, 'dark'],
  ['linux', undefined, false, 'dark'],
] as const)('on %s %s with a dark theme %s the icon is %s', (osName, desktop, isDark, shade) => {
  expect(trayShade(osName, desktop, isDark)).toBe(shade);
});

const PAUSE = {
  when: 'now',
  untilMs: null,
  onBattery: false,
  active: true,
  note: null,
  sinceMs: SINCE_MS,
} as const;

test('each way to pause asks for what it says, and the hour begins with the click', () => {
  const menu = menuOf({});
  for (const row of [
    'Now',
    'After running jobs',
    'For an hour',
    'While on battery',
    'With a note…',
  ])
    menu.click('Pause', row);
  expect(menu.done).toEqual([
    'pause {}',
    'pause {"when":"after_jobs"}',
    `pause {"untilMs":${SINCE_MS + 3_600_000}}`,
    'pause {"onBattery":true}',
    'pauseWithNote',
  ]);
});

test('until tomorrow is eight in the morning of the next day', () => {
  const menu = menuOf({});
  menu.click('Pause', 'Until tomorrow 08:00');
  const at = new Date(SINCE_MS);
  at.setDate(at.getDate() + 1);
  at.setHours(8, 0, 0, 0);
  expect(menu.done).toEqual([`pause {"untilMs":${at.getTime()}}`]);
});

test('a pause that waits for the battery is taken back where it was chosen', () => {
  const menu = menuOf({ pause: { ...PAUSE, onBattery: true, active: false } });
  menu.click('Pause', 'While on battery');
  expect(menu.done).toEqual(['resume']);
});

test.each<[Partial<OverviewView>, string]>([
  [
    { intake: 'paused', held: [slot()], pause: { ...PAUSE, untilMs: SINCE_MS + 3_600_000 } },
    'Paused until 09:41 · 1 job finishing',
  ],
  [
    { intake: 'paused', held: [slot()], pause: { ...PAUSE, when: 'after_jobs' } },
    'Finishing 1 job, then pausing',
  ],
  [
    { intake: 'paused', pause: { ...PAUSE, onBattery: true, note: 'back\nsoon' } },
    'Paused while on battery · back soon',
  ],
  [
    { intake: 'offline', held: [slot()], unreported: 1 },
    'Offline since 08:41 · 1 job runs on · 1 verdict waits',
  ],
])('the first row says how long: %j', (changes, words) => {
  expect(menuOf(changes).rows[0]).toBe(words);
});
