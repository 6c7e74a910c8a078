/** Part of the words: pausing this runner, and ending it. Read through `words.ts`. */
import { plural } from './format.ts';

export const pauseWords = {
  more: 'How to pause',
  kinds: {
    now: 'Now, until I resume',
    after_jobs: 'After running jobs',
    hour: 'For an hour',
    tomorrow: 'Until tomorrow 08:00',
  },
  onBattery: 'While on battery',
  withNote: 'With a note…',
} as const;

export const pauseQuestion = {
  title: 'Pause this runner?',
  body: (held: number) =>
    held === 0
      ? 'No new job starts until you resume.'
      : `No new job starts. ${plural(held, 'running job goes', 'running jobs go')} on.`,
  howLong: 'How long',
  until: 'Until',
  untilWhen: 'Until when, today or tomorrow',
  note: 'Note, shown beside the pause',
  safe: 'Keep taking jobs',
  act: 'Pause',
} as const;

export const quitQuestion = {
  titleIdle: 'Quit Runner Host?',
  bodyIdle: 'No job runs. None comes in until it is started again.',
  actIdle: 'Quit',
  title: (held: number) => (held === 1 ? 'Quit while a job runs?' : `Quit while ${held} jobs run?`),
  safe: 'Stay',
  ways: {
    drain: {
      text: 'Finish first',
      act: 'Finish, then quit',
      body: (held: number) =>
        `No new job starts. The app ends once ${held === 1 ? 'the job has' : 'all have'} ended and Preloop knows.`,
    },
    stop: {
      text: 'Stop them',
      act: 'Stop and quit',
      body: (held: number) =>
        `${held === 1 ? 'It is' : 'They are'} ended within 12 s, and Preloop is told that ${held === 1 ? 'it was' : 'they were'} stopped.`,
    },
    leave: {
      text: 'Leave running',
      act: 'Quit, leave running',
      body: (held: number) =>
        `${held === 1 ? 'Its container goes' : 'Their containers go'} on, and the next start takes ${held === 1 ? 'it' : 'them'} up again. No line is lost.`,
    },
  },
} as const;
