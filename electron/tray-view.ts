/** What the tray says of an overview: one state, its words, its jobs. Pure; `tray.ts` draws it. */
import type { OverviewView, SlotView } from '../main/contract/views.ts';
import { jobs, running, verdicts } from './words.ts';

export const TRAY_STATES = [
  'offline',
  'connecting',
  'online',
  'busy',
  'paused',
  'attention',
] as const;
export type TrayState = (typeof TRAY_STATES)[number];

/** This long without a session, and the icon stops promising one. */
export const OFFLINE_AFTER_MS = 120_000;
const MAX_TITLE_LENGTH = 60;

export interface TrayView {
  readonly state: TrayState;
  /** Tooltip and first row of the menu. */
  readonly words: string;
  readonly slots: string;
  readonly jobs: readonly {
    readonly jobId: string;
    readonly title: string;
    readonly words: string;
  }[];
  /** Null where neither can be done. */
  readonly intake: 'pause' | 'resume' | null;
  readonly link: 'go_offline' | 'go_online';
  /** A pause while on battery is chosen, in force or not. */
  readonly pausesOnBattery: boolean;
}

export interface Moment {
  readonly nowMs: number;
  /** Since when there is no session; null while there is one. */
  readonly awaySinceMs: number | null;
  /** Words for an instant, for example `08:41`. */
  readonly clock: (atMs: number) => string;
}

export function trayView(overview: OverviewView, moment: Moment): TrayView {
  const state = trayState(overview, moment);
  return {
    state,
    words: wordsOf(state, overview, moment),
    slots: slotWords(overview),
    jobs: overview.held.map((job) => ({
      jobId: job.jobId,
      title: plainTitle(job.title),
      words: jobWords(job, moment),
    })),
    intake: overview.intake === 'open' ? 'pause' : overview.intake === 'paused' ? 'resume' : null,
    link: overview.intake === 'offline' ? 'go_online' : 'go_offline',
    pausesOnBattery: overview.pause?.onBattery === true,
  };
}

function trayState({ sentence, intake, session, held }: OverviewView, moment: Moment): TrayState {
  if (sentence.tone === 'attention') return 'attention';
  if (intake === 'offline') return 'offline';
  if (intake === 'draining' || intake === 'closed') return 'paused';
  if (session.kind !== 'online') {
    const { awaySinceMs, nowMs } = moment;
    const isLong = awaySinceMs !== null && nowMs - awaySinceMs >= OFFLINE_AFTER_MS;
    return isLong ? 'offline' : 'connecting';
  }
  if (intake !== 'open') return 'paused';
  return held.length > 0 ? 'busy' : 'online';
}

function wordsOf(state: TrayState, overview: OverviewView, { awaySinceMs, clock }: Moment): string {
  const { session, held, slots, unreported, sentence } = overview;
  switch (state) {
    case 'attention':
      return `Needs you: ${causeOf(sentence.state)}`;
    case 'offline': {
      const sinceMs = overview.intake === 'offline' ? session.sinceMs : awaySinceMs;
      return joined(
        joined(
          `Offline since ${clock(sinceMs ?? session.sinceMs)}`,
          held.length > 0 ? running(held.length) : '',
        ),
        unreported > 0 ? verdicts(unreported) : '',
      );
    }
    case 'connecting': {
      const tries = session.attempt > 0 ? `try ${session.attempt}` : '';
      // The instant, and not how long until then: it stays true without being drawn again.
      const next = session.retryAtMs === null ? '' : `next at ${clock(session.retryAtMs)}`;
      return joined('Connecting', [tries, next].filter((part) => part !== '').join(', '));
    }
    case 'paused':
      // A host takes nothing more, without a pause, only while it is about to end.
      if (overview.intake === 'draining') return `Finishing ${jobs(held.length)}, then quitting`;
      if (overview.intake === 'closed') return 'Quitting';
      return pausedWords(overview, clock);
    case 'busy':
      return `Online, ${held.length} of ${slots} slots busy · since ${clock(session.sinceMs)}`;
    case 'online':
      return `Online, taking jobs · since ${clock(session.sinceMs)}`;
  }
}

function pausedWords({ pause, held }: OverviewView, clock: Moment['clock']): string {
  if (pause?.when === 'after_jobs' && held.length > 0)
    return `Finishing ${jobs(held.length)}, then pausing`;
  const battery = pause?.onBattery === true ? ' while on battery' : '';
  const until = pause?.untilMs == null ? '' : ` until ${clock(pause.untilMs)}`;
  const waiting = held.filter(({ waitsForResume }) => waitsForResume).length;
  const running = held.length - waiting;
  const rest = [
    ...(running > 0 ? [`${jobs(running)} finishing`] : []),
    ...(waiting > 0 ? [`${jobs(waiting)} not started`] : []),
  ].join(', ');
  return joined(joined(`Paused${battery}${until}`, rest), plainNote(pause?.note ?? ''));
}

/** The page says first what follows, then why; in one row the why is what counts. */
function causeOf(sentences: string): string {
  const cause = sentences.split(/(?<=\.)\s+/).at(-1) ?? sentences;
  return cause.replace(/\.$/, '');
}

function slotWords({ held, slots }: OverviewView): string {
  if (held.length === 0) return slots === 1 ? 'The slot is free' : `All ${slots} slots are free`;
  return `${held.length} of ${slots} slots busy`;
}

function jobWords(job: SlotView, { clock }: Moment): string {
  const isPhaseShown = job.state === 'running' || job.waitsForResume;
  const phase = isPhaseShown ? (job.phase ?? 'running') : job.state;
  return joined(
    phase.charAt(0).toLowerCase() + phase.slice(1),
    `since ${clock(job.startedAtMs ?? job.acceptedAtMs)}`,
  );
}

const joined = (first: string, second: string): string =>
  second === '' ? first : `${first} · ${second}`;

/** The owner's own words, in one row with the rest. */
const plainNote = (note: string): string => (note === '' ? '' : plainTitle(note));

/** A title comes from the service: no control or direction marks in a native menu, and no endless row. */
function plainTitle(title: string): string {
  const plain = title.replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const characters = Array.from(plain);
  if (characters.length <= MAX_TITLE_LENGTH) return plain === '' ? 'A job without a name' : plain;
  return `${characters.slice(0, MAX_TITLE_LENGTH - 1).join('')}…`;
}

/**
 * Clock time as the person's system writes it, on 24 hours; with the day where it is another one.
 *
 * @param nowMs decides which day is today
 */
export function clockWords(locale: string, nowMs: number, timeZone?: string): Moment['clock'] {
  const zone = timeZone === undefined ? {} : { timeZone };
  const time = new Intl.DateTimeFormat(locale, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...zone,
  });
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', ...zone });
  return (atMs) =>
    day.format(atMs) === day.format(nowMs)
      ? time.format(atMs)
      : `${day.format(atMs)}, ${time.format(atMs)}`;
}
