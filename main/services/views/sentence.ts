/**
 * The one sentence over everything: why this runner is or is not taking jobs, and the one thing to do about it.
 * Pure. The order is what matters first to a person; the first that is true is said.
 */
import type { EngineView, OverviewView, SentenceView, SessionView } from '../../contract/views.ts';
import type { Refusal } from '../../../runner-core/model/session-state.ts';
import type { TakenBy } from '../take-over.ts';
import { SOUND_STORAGE, storageSentence, type StorageState } from './storage-words.ts';
import { asSentence, capital, clockText, counted, momentText, numberWord } from './plain-text.ts';

export interface SentenceInput {
  /** Left out: nothing is wrong with it. */
  readonly storage?: StorageState;
  readonly session: SessionView;
  readonly engine: EngineView;
  readonly intake: OverviewView['intake'];
  readonly pause: OverviewView['pause'];
  readonly slots: number;
  readonly held: number;
  /** Of those held, what the owner's pause keeps from starting. */
  readonly unstarted?: number;
  /** Ids of those held that can go on only once their engine is there; left out: none. */
  readonly awaitingEngine?: readonly string[];
  readonly unreported: number;
  readonly jobsInAll: number;
  /** Profiles that the service is told of; left out: none. */
  readonly localCommands?: number;
  readonly name: string;
  readonly embedded: boolean;
  readonly serverUrl: string;
  readonly canRunTestJob: boolean;
  /** Left out or null: not known yet. */
  readonly takenBy?: TakenBy | null;
  /** Why there is no identity on the service. */
  readonly enrolment: { readonly problem: string; readonly remedy: string } | null;
  /** Decides which day is today. */
  readonly nowMs: number;
  /** Undefined: the machine's own. */
  readonly timeZone: string | undefined;
}

export function sentence(input: SentenceInput): SentenceView {
  return (
    refused(input) ??
    notSetUp(input) ??
    storageSentence(input.storage ?? SOUND_STORAGE) ??
    holdingBack(input) ??
    away(input) ??
    withoutDocker(input) ??
    takingJobs(input)
  );
}

function refused({ session, name, takenBy }: SentenceInput): SentenceView | null {
  return session.refusal === null ? null : refusalSentence(session.refusal, name, takenBy);
}

const UNTIL_DECIDED = 'This app takes no jobs until you decide.';

/** Who took the runner over, as far as the service's record tells. */
export function takenByWords(takenBy: TakenBy | null): {
  readonly who: string;
  readonly limit: string | null;
} {
  switch (takenBy?.kind) {
    case 'here':
      return {
        who: 'Another process on this machine',
        // The record keeps what was registered: it does not change where a copy of the data folder is used.
        limit: "So Preloop's record says, and it would of a copy of the data folder elsewhere too.",
      };
    case 'elsewhere':
      return { who: `Another process on ${takenBy.hostname}`, limit: null };
    case 'unknown':
      return { who: 'Another process', limit: 'Where it runs cannot be told from here.' };
    case undefined:
      return { who: 'Another process', limit: null };
  }
}

/** Why the service will not have this runner, and the one thing to do. */
export function refusalSentence(
  refusal: Refusal,
  name: string,
  takenBy: TakenBy | null = null,
): SentenceView {
  if (refusal === 'replaced') {
    const { who, limit } = takenByWords(takenBy);
    return {
      tone: 'attention',
      state: `${who} took over the runner ${name}.`,
      consequence: limit === null ? UNTIL_DECIDED : `${limit} ${UNTIL_DECIDED}`,
      remedy: { action: 'take_back', label: 'Take it back' },
    };
  }
  const anew = refusal === 'gone' || refusal === 'deleted';
  return {
    tone: 'attention',
    state: "Preloop no longer accepts this runner's credential.",
    consequence: anew ? 'The runner was deleted there.' : 'It was replaced there or has ended.',
    remedy: { action: 'none', label: `Start once with --enrol ${anew ? 'new' : 'again'}` },
  };
}

function notSetUp({ session, enrolment, embedded }: SentenceInput): SentenceView | null {
  if (session.kind !== 'signed_out') return null;
  if (enrolment === null) return connecting(embedded);
  return {
    tone: 'attention',
    state: asSentence(enrolment.problem),
    consequence: asSentence(enrolment.remedy),
    remedy: null,
  };
}

function holdingBack(input: SentenceInput): SentenceView | null {
  const { intake, held, session, timeZone } = input;
  const finishing = finishingWords(held, input.unstarted ?? 0);
  const remedy = { action: 'resume', label: 'Resume now' } as const;
  switch (intake) {
    case 'paused':
      return { tone: 'paused', ...pausedWords(input, finishing), remedy };
    case 'draining':
    case 'closed':
      return {
        tone: 'paused',
        state: held === 0 ? 'Closing.' : `Finishing ${counted(held, 'job')}, then closing.`,
        consequence: `No new one starts.${engineWaitWords(input.awaitingEngine ?? [])}`,
        remedy: null,
      };
    case 'offline':
      return {
        tone: 'paused',
        state: `You went offline at ${clockText(session.sinceMs, timeZone)}.`,
        consequence: offlineWords(held),
        remedy: { action: 'go_online', label: 'Go online' },
      };
    case 'open':
      return null;
  }
}

function finishingWords(held: number, unstarted: number): string {
  if (held === 0) return 'No new job starts.';
  const running = held - unstarted;
  const parts = [
    ...(running === 0
      ? []
      : [`${numberWord(running)} ${running === 1 ? 'job is' : 'jobs are'} finishing`]),
    ...(unstarted === 0
      ? []
      : [
          `${running === 0 ? counted(unstarted, 'job') : numberWord(unstarted)} ${unstarted === 1 ? 'waits' : 'wait'} until you resume`,
        ]),
    'no new one starts',
  ];
  return `${capital(parts.join(', '))}.`;
}

/** What keeps a host that is to close from it, perhaps for ever. */
function engineWaitWords(jobIds: readonly string[]): string {
  const [first, ...more] = jobIds.map((jobId) => jobId.slice(0, 8));
  if (first === undefined) return '';
  return more.length === 0
    ? ` Job ${first} waits for its Docker engine; stop it to close without that.`
    : ` Jobs ${[first, ...more].join(', ')} wait for their Docker engine; stop them to close without that.`;
}

function pausedWords(
  { pause, held, nowMs, timeZone }: SentenceInput,
  finishing: string,
): Pick<SentenceView, 'state' | 'consequence'> {
  const note = pause?.note == null ? '' : ` Your note: ${asSentence(pause.note)}`;
  if (pause?.when === 'after_jobs' && held > 0)
    return {
      state: `Finishing ${counted(held, 'job')}, then pausing.`,
      consequence: `No new one starts.${note}`,
    };
  const until =
    pause?.untilMs == null ? '' : ` until ${momentText(pause.untilMs, nowMs, timeZone)}`;
  const battery = pause?.onBattery === true ? ' while on battery' : '';
  return { state: `Paused${battery}${until}.`, consequence: `${finishing}${note}` };
}

function offlineWords(held: number): string {
  if (held === 0) return 'No jobs come in.';
  return held === 1
    ? 'One running job goes on and reports later.'
    : `${capital(numberWord(held))} running jobs go on and report later.`;
}

function away({ session, unreported, embedded, timeZone }: SentenceInput): SentenceView | null {
  if (session.kind !== 'dialling' && session.kind !== 'waiting') return null;
  if (session.attempt === 0) return connecting(embedded);
  if (session.kind === 'dialling') {
    const state = `Offline since ${clockText(session.sinceMs, timeZone)}.`;
    return { tone: 'paused', state, consequence: 'Trying now.', remedy: null };
  }
  const verdicts = unreported === 1 ? '1 verdict waits' : `${unreported} verdicts wait`;
  const cause = session.cause === null ? '' : `${asSentence(session.cause)} `;
  return {
    tone: 'paused',
    state: `Offline since ${clockText(session.sinceMs, timeZone)}.`,
    consequence: `${cause}${unreported === 0 ? 'It is tried again on its own.' : `${capital(verdicts)} to be reported.`}`,
    remedy: { action: 'try_now', label: 'Try now' },
  };
}

function connecting(embedded: boolean): SentenceView {
  return {
    tone: 'quiet',
    state: embedded ? 'Starting.' : 'Connecting to Preloop.',
    consequence: embedded ? 'Jobs can run in a moment.' : 'Jobs come in once it answers.',
    remedy: null,
  };
}

const DOCKER_STATES: Readonly<Record<Exclude<EngineView['kind'], 'ready'>, string>> = {
  looking: 'Looking for Docker.',
  not_installed: 'Docker is not installed.',
  not_running: 'Docker is not running.',
  no_permission: 'Docker is there, but this user may not use it.',
  waking_up: 'Docker is starting.',
  too_old: 'Docker is too old.',
  unreachable: 'Docker cannot be reached.',
};

function withoutDocker(input: SentenceInput): SentenceView | null {
  const { kind, remedy } = input.engine;
  if (kind === 'ready') return null;
  const isOffered = (input.localCommands ?? 0) > 0;
  // What could be taken finds no slot, with Docker or without.
  if ((kind === 'looking' || isOffered) && input.held >= input.slots) return null;
  if (kind !== 'looking' && isOffered)
    return {
      tone: 'quiet',
      state: `Taking local commands only. ${DOCKER_STATES[kind]}`,
      consequence: 'Jobs for containers wait until it is there.',
      remedy: { action: 'check_engine', label: 'Check again' },
    };
  if (kind === 'looking')
    return {
      tone: 'quiet',
      state: DOCKER_STATES.looking,
      consequence: 'Jobs need it.',
      remedy: null,
    };
  if (kind === 'waking_up')
    return {
      tone: 'paused',
      state: `Not taking jobs yet. ${DOCKER_STATES[kind]}`,
      consequence: 'Jobs wait until it answers.',
      remedy: { action: 'check_engine', label: 'Check again' },
    };
  return {
    tone: 'attention',
    state: `Not taking jobs. ${DOCKER_STATES[kind]}`,
    consequence: remedy === null ? 'Jobs wait until it is there.' : asSentence(remedy),
    remedy: { action: 'check_engine', label: 'Check again' },
  };
}

function takingJobs(input: SentenceInput): SentenceView {
  const { held, slots, jobsInAll, embedded, canRunTestJob, pause } = input;
  const free = slots - held;
  if (free <= 0) {
    return {
      tone: 'quiet',
      state: slots === 1 ? 'The slot is busy.' : `All ${slots} slots are busy.`,
      consequence: embedded ? 'The next job waits here.' : 'The next job waits at Preloop.',
      remedy: null,
    };
  }
  if (jobsInAll === 0 && canRunTestJob) {
    return {
      tone: 'quiet',
      state: 'Ready for a first job.',
      consequence: embedded ? 'Nothing leaves this machine.' : 'Nothing ran here yet.',
      remedy: { action: 'run_test_job', label: 'Run a test job' },
    };
  }
  const word = capital(numberWord(free));
  return {
    tone: 'quiet',
    state: 'Taking jobs.',
    consequence: `${word} ${free === 1 ? 'slot is' : 'slots are'} free.${pause?.onBattery === true ? ' Pauses while on battery.' : ''}`,
    remedy: null,
  };
}
