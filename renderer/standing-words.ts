/** Part of the words: pausing this runner, and ending it. Read through `words.ts`. */
import { leaveWords, type HeldKinds } from '../main/contract/leave-words.ts';
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
      text: () => 'Finish first',
      act: () => 'Finish, then quit',
      body: ({ containers, commands }: HeldKinds) =>
        `No new job starts. The app ends once ${containers + commands === 1 ? 'the job has' : 'all have'} ended and Preloop knows.`,
    },
    stop: {
      text: () => 'Stop them',
      act: () => 'Stop and quit',
      body: ({ containers, commands }: HeldKinds) =>
        containers + commands === 1
          ? 'It is ended within 12 s, and Preloop is told that it was stopped.'
          : 'They are ended within 12 s, and Preloop is told that they were stopped.',
    },
    leave: {
      text: ({ commands }: HeldKinds) =>
        commands === 0 ? 'Leave running' : 'Leave containers running',
      act: ({ commands }: HeldKinds) =>
        commands === 0 ? 'Quit, leave running' : 'Quit, leave containers running',
      body: leaveWords,
    },
  },
} as const;
