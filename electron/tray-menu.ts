/** The tray's menu of a view, as Electron's template. Pure: what a row does is the caller's. */
import type { MenuItemConstructorOptions } from 'electron';
import type { TrayView } from './tray-view.ts';
import { WORDS } from './words.ts';

export interface TrayActs {
  readonly open: () => void;
  readonly openJob: (jobId: string) => void;
  readonly stopJob: (job: { readonly jobId: string; readonly title: string }) => void;
  readonly pause: () => void;
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
      : { label: WORDS.pause, click: acts.pause, enabled: view.intake !== null },
    view.link === 'go_online'
      ? { label: WORDS.goOnline, click: acts.goOnline }
      : { label: WORDS.goOffline, click: acts.goOffline },
    SEPARATOR,
    { label: WORDS.open, click: acts.open },
    { label: WORDS.quit, click: acts.quit },
  ];
}
