/** Part of the words: Health, what is left on this machine, and what it takes of the disk. Read through `words.ts`. */
import type { CheckState, EventView, HealthView, LeftoversView } from '../main/contract/views.ts';
import { formatCount, formatDuration, formatSpan, plural } from './format.ts';

const STATES: Readonly<Record<CheckState, string>> = {
  ok: 'Passes',
  warning: 'Needs attention',
  failed: 'Fails',
  skipped: 'Not reached',
  not_applicable: 'Not needed',
  unchecked: 'Not checked',
};

const REMOVED_WHY: Readonly<Record<LeftoversView['removed'][number]['why'], string>> = {
  unowned: 'its job had ended',
  kept_over: 'its time was over',
  owner: 'removed by you',
};

const REMOVED_KINDS: Readonly<Record<LeftoversView['removed'][number]['kind'], string>> = {
  container: 'Container',
  network: 'Network',
  compose_project: 'Compose project',
  process: 'Local command',
};

/** `9 pass, 1 needs attention, 1 is muted.` What is not counted is left out. */
function summary({ checks, attention, muted }: HealthView): string {
  const passes = checks.filter(({ state, muted: off }) => state === 'ok' && !off).length;
  const parts = [`${formatCount(passes)} ${passes === 1 ? 'passes' : 'pass'}`];
  if (attention > 0)
    parts.push(`${formatCount(attention)} ${attention === 1 ? 'needs' : 'need'} attention`);
  if (muted > 0) parts.push(`${formatCount(muted)} ${muted === 1 ? 'is' : 'are'} muted`);
  return `${parts.join(', ')}.`;
}

/** How long a check took, or all of them. */
function took(tookMs: number): string {
  return tookMs < 1_000 ? `${formatCount(Math.round(tookMs))} ms` : formatDuration(tookMs);
}

export const healthWords = {
  title: 'Health',
  /** Beside the place in the side bar. */
  attention: (count: number) => `${plural(count, 'check needs', 'checks need')} attention`,
  summary,
  checked: (when: string, tookMs: number | null) =>
    tookMs === null ? `Checked ${when}.` : `Checked ${when} in ${took(tookMs)}.`,
  unchecked: 'Not checked since the app started.',
  took,
  checking: (done: number, total: number) => `Checking, ${done} of ${total} done.`,
  runAgain: 'Run again',
  running: 'Checking…',
  way: 'Way to the service',
  machine: 'This machine',
  state: (state: CheckState) => STATES[state],
  muted: 'Muted',
  runOne: (title: string) => `Check again: ${title}`,
  tryNow: 'Try now',
  goOnline: 'Go online',
  takeBack: 'Take it back',
  copyCommand: 'Copy command',
  mute: 'Mute this check',
  unmute: 'Unmute',
  muteLabel: (title: string) => `Mute this check: ${title}`,
  unmuteLabel: (title: string) => `Unmute: ${title}`,
  mutedNow: (title: string) => `${title} is muted: it is still checked, and counted nowhere.`,
  unmutedNow: (title: string) => `${title} counts again.`,
  failedTitle: 'The checks could not be read.',

  events: 'Events',
  eventsShown: (shown: number, total: number) =>
    `${formatCount(shown)} of ${plural(total, 'event', 'events')}`,
  eventsAll: (count: number) => `Show all ${formatCount(count)}`,
  eventsFewer: (count: number) => `Show the newest ${formatCount(count)}`,
  noEvents: 'Nothing has happened yet.',
  noEventsBody:
    'When this runner comes online, loses its connection or finds Docker, it is written here with its time.',
  eventsFailed: 'The events could not be read.',
  again: ({ times }: EventView, first: string) => `${formatCount(times)} times, first ${first}`,

  disk: 'Disk',
  used: 'Taken by this runner',
  usedOf: (used: string, budget: string) => `${used} of ${budget}`,
  noBudget: (used: string) => `${used}, no budget set`,
  notMeasured: 'not measured yet',
  diskMeter: (share: number) => `${share} % of the budget is taken`,
  overBudget: 'Over the budget',
  free: 'Free on this disk',
  freeFloor: (free: string, floor: string) => `${free}, the floor is ${floor}`,
  belowFloor: 'Below the floor',
  notKnown: 'not known',
  jobLogs: 'Of it, logs of jobs',
  engineLogs: 'Beside it, Docker’s copies of running logs',
  ofCommands: 'Beside it, folders of local commands',
  about: (size: string) => `about ${size}`,
  diskHow:
    'Beyond the budget unused workspaces give way first, then the oldest logs; pinned jobs stay.',

  left: 'Left behind',
  kept: 'Kept for a look',
  keptFor: (leftMs: number) =>
    leftMs <= 0
      ? 'A stopped container, removed next.'
      : `A stopped container, removed in ${formatSpan(leftMs)}.`,
  keptJob: (id: string) => `Failed job ${id}`,
  copyLookLabel: (name: string) => `Copy command to read the log of ${name}`,
  lookCommand: (id: string) => `docker logs ${id}`,
  commandCopied: 'Command copied.',
  remove: 'Remove…',
  removeLabel: (name: string) => `Remove ${name}…`,
  waitingTitle: 'Removed once their engine answers',
  waiting: (kind: keyof typeof REMOVED_KINDS, at: string | null) =>
    at === null ? REMOVED_KINDS[kind] : `${REMOVED_KINDS[kind]}, in ${at}`,
  removedTitle: 'Removed',
  removed: (kind: keyof typeof REMOVED_KINDS, why: keyof typeof REMOVED_WHY) =>
    `${REMOVED_KINDS[kind]}, ${REMOVED_WHY[why]}`,
  olderRemoved: (count: number) =>
    `${plural(count, 'older one', 'older ones')}: preloop-host leftovers`,
  nothingLeft: 'Nothing is left behind.',
  nothingLeftBody: 'What jobs made in Docker and nobody owns is removed by itself and listed here.',
  keepHow: 'To look into the container of a failed job, set keep_failed: 2h in settings.yaml.',
  noDocker: 'Docker is away: what jobs left in it is looked for once it answers.',
} as const;

export const removeQuestion = {
  title: (name: string) => `Remove ${name}?`,
  body: (until: string) =>
    `The stopped container and what is in it are deleted. It would be kept until ${until}. The job, its log and its verdict stay.`,
  safe: 'Keep it',
  act: 'Remove now',
  done: (name: string) => `${name} is removed.`,
} as const;
