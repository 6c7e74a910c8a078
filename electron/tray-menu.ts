/** The tray's menu of a view, as Electron's template. Pure: what a row does is the caller's. */
import type { MenuItemConstructorOptions } from 'electron';
import type { PauseWish } from '../main/services/owner-choice.ts';
import type { TrayView } from './tray-view.ts';
import { WORDS } from './words.ts';

export interface TrayActs {
  readonly open: () => void;
  readonly openJob: (jobId: string) => void;
  readonly stopJob: (job: { readonly jobId: string; readonly title: string }) => void;
  readonly pause: (wish: PauseWish) => void;
  /** Opens the page where a note can be written. */
  readonly pauseWithNote: () => void;
  readonly nowMs: () => number;
  readonly resume: () => void;
  readonly goOffline: () => void;
  readonly goOnline: () => void;
  readonly quit: () => void;
}

const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' };
const fact = (words: string): MenuItemConstructorOptions => ({
  label: label(words),
  enabled: false,
});

/** An ampersand marks the letter after it as a short cut, which a job's title must not do. */
const label = (words: string): string => words.replaceAll('&', '&&');

const HOUR_MS = 3_600_000;
const MORNING_HOUR = 8;

function pauseRows(view: TrayView, acts: TrayActs): MenuItemConstructorOptions[] {
  return [
    { label: WORDS.pauseNow, click: () => acts.pause({}) },
    { label: WORDS.pauseAfterJobs, click: () => acts.pause({ when: 'after_jobs' }) },
    // A menu may stay open for long: the hour begins with the click.
    { label: WORDS.pauseForAnHour, click: () => acts.pause({ untilMs: acts.nowMs() + HOUR_MS }) },
    {
      label: WORDS.pauseUntilTomorrow,
      click: () => acts.pause({ untilMs: tomorrowMorning(acts.nowMs()) }),
    },
    {
      label: WORDS.pauseOnBattery,
      type: 'checkbox',
      checked: view.pausesOnBattery,
      click: () => (view.pausesOnBattery ? acts.resume() : acts.pause({ onBattery: true })),
    },
    SEPARATOR,
    { label: WORDS.pauseWithNote, click: acts.pauseWithNote },
  ];
}

/** In the machine's own time zone. */
function tomorrowMorning(nowMs: number): number {
  const at = new Date(nowMs);
  at.setDate(at.getDate() + 1);
  return at.setHours(MORNING_HOUR, 0, 0, 0);
}

export function trayMenu(view: TrayView, acts: TrayActs): MenuItemConstructorOptions[] {
  const rows = view.jobs.map((job): MenuItemConstructorOptions => ({
    label: label(`${job.title} · ${job.words}`),
    submenu: [
      { label: WORDS.openJob, click: () => acts.openJob(job.jobId) },
      { label: WORDS.stopJob, click: () => acts.stopJob(job) },
    ],
  }));
  return [
    fact(view.words),
    fact(view.slots),
    SEPARATOR,
    ...(rows.length > 0 ? [...rows, SEPARATOR] : []),
    view.intake === 'resume'
      ? { label: WORDS.resume, click: acts.resume }
      : { label: WORDS.pause, enabled: view.intake !== null, submenu: pauseRows(view, acts) },
    view.link === 'go_online'
      ? { label: WORDS.goOnline, click: acts.goOnline }
      : { label: WORDS.goOffline, click: acts.goOffline },
    SEPARATOR,
    { label: WORDS.open, click: acts.open },
    { label: WORDS.quit, click: acts.quit },
  ];
}
