/**
 * The one sentence over everything: why this runner is or is not taking jobs, and the one thing to do about it.
 * Pure. The order is what matters first to a person; the first that is true is said.
 */
import type { EngineView, OverviewView, SentenceView, SessionView } from '../../contract/views.ts';
import type { Refusal } from '../../../runner-core/model/session-state.ts';
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
  readonly unreported: number;
  readonly jobsInAll: number;
  readonly name: string;
  readonly embedded: boolean;
  readonly serverUrl: string;
  readonly canRunTestJob: boolean;
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
    withoutDocker(input.engine) ??
    takingJobs(input)
  );
}

function refused({ session, name }: SentenceInput): SentenceView | null {
  return session.refusal === null ? null : refusalSentence(session.refusal, name);
}

/** Why the service will not have this runner, and the one thing to do. */
export function refusalSentence(refusal: Refusal, name: string): SentenceView {
  if (refusal === 'replaced') {
    return {
      tone: 'attention',
      state: `Another process took over the runner ${name}.`,
      consequence: 'This app takes no jobs until you decide.',
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
  const finishing =
    held === 0
      ? 'No new job starts.'
      : `${capital(numberWord(held))} ${held === 1 ? 'job is' : 'jobs are'} finishing, no new one starts.`;
  const remedy = { action: 'resume', label: 'Resume now' } as const;
  switch (intake) {
    case 'paused':
      return { tone: 'paused', ...pausedWords(input, finishing), remedy };
    case 'draining':
    case 'closed':
      return {
        tone: 'paused',
        state: held === 0 ? 'Closing.' : `Finishing ${counted(held, 'job')}, then closing.`,
        consequence: 'No new one starts.',
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

function withoutDocker({ kind, remedy }: EngineView): SentenceView | null {
  if (kind === 'ready') return null;
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
