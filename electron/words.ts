/** Every string of the desktop shell that a person reads. */
import { leaveWords, type HeldKinds } from '../main/contract/leave-words.ts';

export const APP_NAME = 'Preloop Runner Host';

export const WORDS = {
  open: `Open Runner Host`,
  pause: 'Pause',
  pauseNow: 'Now',
  pauseAfterJobs: 'After running jobs',
  pauseForAnHour: 'For an hour',
  pauseUntilTomorrow: 'Until tomorrow 08:00',
  pauseOnBattery: 'While on battery',
  pauseWithNote: 'With a note…',
  resume: 'Resume',
  goOffline: 'Go offline',
  goOnline: 'Go online',
  quit: 'Quit…',
  openJob: 'Open',
  stopJob: 'Stop…',
  cannotStart: 'Runner Host cannot start',
  wrongFlag: 'Runner Host does not know what to do',
} as const;

export const stopQuestion = (title: string): Question => ({
  message: `Stop ${title}?`,
  detail: 'Its container is ended within 12 s, and Preloop is told that you stopped it.',
  buttons: ['Keep running', 'Stop job'],
  stay: 0,
});

export const QUIT_ANSWERS = ['finish', 'stop', 'leave', 'stay'] as const;

/** @param kinds of jobs in a slot, at least one */
export function quitQuestion(kinds: HeldKinds): Question {
  const held = kinds.containers + kinds.commands;
  const them = held === 1 ? 'it' : 'them';
  const said = leaveWords(kinds);
  return {
    message: held === 1 ? 'Quit while a job runs?' : `Quit while ${held} jobs run?`,
    detail:
      kinds.containers === 0
        ? said
        : `Left running, ${said.slice(0, 1).toLowerCase()}${said.slice(1)}`,
    // In the order of QUIT_ANSWERS.
    buttons: [
      `Finish ${them}, then quit`,
      `Stop ${them} and quit`,
      `Quit, leave ${kinds.commands === 0 ? them : 'containers'} running`,
      'Stay',
    ],
    stay: 3,
  };
}

export const linkQuestion = (url: URL): Question => ({
  message: `Open ${url.host} in your browser?`,
  detail: url.href.length > 300 ? `${url.href.slice(0, 300)}…` : url.href,
  buttons: ['Stay', 'Open'],
  stay: 0,
});

/** A question with one button that changes nothing; Escape and closing the dialog choose that one. */
export interface Question {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly string[];
  /** Index of that button. */
  readonly stay: number;
}

export const jobs = (count: number): string => (count === 1 ? '1 job' : `${count} jobs`);
export const running = (count: number): string =>
  `${jobs(count)} ${count === 1 ? 'runs' : 'run'} on`;
export const verdicts = (count: number): string =>
  count === 1 ? '1 verdict waits' : `${count} verdicts wait`;
