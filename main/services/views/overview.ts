/** The Overview, whole. Pure: what it is made of is read by `host-views.ts`. */
import type { OverviewView, SlotView } from '../../contract/views.ts';
import type { EngineChoice } from '../../../runner-core/docker/engine-choice.ts';
import type { HeldJob } from '../../../runner-core/listener/listener.ts';
import type { TrustedOption } from '../../../runner-core/model/job-spec.ts';
import type { SessionState } from '../../../runner-core/model/session-state.ts';
import type { DayTally } from '../../store/job-listing.ts';
import type { ListedJob } from '../../store/listed-rows.ts';
import type { TakenBy } from '../take-over.ts';
import type { UnexpectedEnd } from '../unexpected.ts';
import { endWords } from './end-words.ts';
import { engineView } from './engine-view.ts';
import { jobRow } from './job-row.ts';
import { wantsPermission } from './job-view.ts';
import { phaseWords } from './phase-words.ts';
import { sentence, type SentenceInput } from './sentence.ts';
import { sessionView } from './session-view.ts';
import { SOUND_STORAGE, storageFaults, type StorageState } from './storage-words.ts';
import { storageView } from './storage-view.ts';
import { usualTime } from './usual-time.ts';

const MOST_WANTING = 5;

export interface HeldSlot {
  readonly held: HeldJob;
  readonly listed: ListedJob;
  readonly lastLines: readonly string[];
  /** Of earlier runs of its flow, ms. */
  readonly runTimesMs: readonly number[];
}

export interface OverviewInput {
  /** Left out: nothing is wrong with it. */
  readonly storage?: StorageState;
  readonly name: string;
  readonly runnerId: string | null;
  readonly version: string;
  readonly server: OverviewView['server'];
  readonly session: SessionState;
  /** When it was last lost; null while it is online. */
  readonly awaySinceMs: number | null;
  readonly engine: EngineChoice | null;
  readonly intake: 'open' | 'paused' | 'draining' | 'closed';
  readonly pause: OverviewView['pause'];
  /** When the owner went offline, perhaps before the last start; null while that is not chosen. */
  readonly offlineSinceMs: number | null;
  readonly slots: number;
  readonly held: readonly HeldSlot[];
  /** Ended, newest first. */
  readonly lastJobs: readonly ListedJob[];
  readonly today: DayTally;
  readonly jobsInAll: number;
  readonly unreported: number;
  readonly logBytes: number;
  readonly leftovers: OverviewView['leftovers'];
  readonly localCommands: number;
  readonly testJob: OverviewView['testJob'];
  /** Refused for want of a permission, newest first. */
  readonly refused: readonly ListedJob[];
  readonly allowed: (flowId: string | null) => readonly TrustedOption[];
  readonly takenBy?: TakenBy | null;
  /** How the host before this one ended; left out or null: as it should. */
  readonly lastEnd?: UnexpectedEnd | null;
  readonly enrolment: SentenceInput['enrolment'];
  readonly clockSkewMs: OverviewView['clockSkewMs'];
  readonly nowMs: number;
  readonly timeZone: string | undefined;
}

export function overview(input: OverviewInput): OverviewView {
  const session = sessionOf(input);
  const engine = engineView(input.engine);
  const intake = shownIntake(input);
  const held = input.held.map((slot) => slotView(slot, waitsForResume(input, slot)));
  const { name, runnerId, version, server, slots, jobsInAll, unreported, logBytes, testJob } =
    input;
  return {
    name,
    runnerId,
    version,
    server,
    sentence: sentence({
      ...input,
      session,
      engine,
      intake,
      held: held.length,
      awaitingEngine: input.held
        .filter((slot) => slot.held.stage === 'awaiting_engine')
        .map((slot) => slot.listed.jobId),
      unstarted: held.filter((slot) => slot.waitsForResume).length,
      embedded: server.embedded,
      serverUrl: server.url,
      canRunTestJob: testJob !== null,
    }),
    session,
    engine,
    intake,
    pause: input.pause,
    faults: [...storageFaults(input.storage ?? SOUND_STORAGE), ...endFaults(input)],
    slots,
    held,
    lastJobs: input.lastJobs.map(jobRow),
    today: todayOf(input.today),
    jobsInAll,
    testJob,
    unreported,
    logBytes,
    storage: storageView(input.storage ?? SOUND_STORAGE, input.held),
    leftovers: input.leftovers,
    localCommands: input.localCommands,
    wantingPermission: wanting(input),
    clockSkewMs: input.clockSkewMs,
  };
}

function sessionOf({
  session,
  awaySinceMs,
  offlineSinceMs,
}: OverviewInput): OverviewView['session'] {
  const view = sessionView(session, awaySinceMs);
  if (session.kind !== 'closed' || offlineSinceMs === null) return view;
  return { ...view, sinceMs: offlineSinceMs };
}

function endFaults({ lastEnd, nowMs, timeZone }: OverviewInput): OverviewView['faults'] {
  if (lastEnd == null) return [];
  const { state, consequence } = endWords(lastEnd, nowMs, timeZone);
  return [{ id: 'ended_unexpectedly', what: state, why: consequence }];
}

/** Closed while jobs are still taken in: the owner went offline. */
function shownIntake({ intake, session }: OverviewInput): OverviewView['intake'] {
  const stays = intake === 'open' || intake === 'paused';
  return stays && session.kind === 'closed' ? 'offline' : intake;
}

/** A job of an earlier start that no container was made for yet; a pause after running jobs lets it start. */
function waitsForResume({ intake, pause }: OverviewInput, { held }: HeldSlot): boolean {
  return (
    intake === 'paused' && pause?.when !== 'after_jobs' && held.stage === 'awaiting_redelivery'
  );
}

function slotView(
  { held, listed, lastLines, runTimesMs }: HeldSlot,
  isHeldBack: boolean,
): SlotView {
  return {
    ...jobRow(listed),
    phase: phaseWords(held, isHeldBack),
    progress: held.progress,
    lastLines: [...lastLines],
    waitsForResume: isHeldBack,
    usual: usualTime(runTimesMs),
  };
}

/** A job that ran out of time or was lost did not succeed: it counts with the failed. */
function todayOf({ total, byOutcome, medianWaitMs, medianRunMs }: DayTally): OverviewView['today'] {
  const of = (outcome: 'succeeded' | 'failed' | 'stopped' | 'timed_out' | 'lost'): number =>
    byOutcome.get(outcome) ?? 0;
  return {
    total,
    succeeded: of('succeeded'),
    failed: of('failed') + of('timed_out') + of('lost'),
    stopped: of('stopped'),
    medianWaitMs,
    medianRunMs,
  };
}

/** Each flow and option once, by its newest job. */
function wanting({ refused, allowed }: OverviewInput): OverviewView['wantingPermission'] {
  const found = new Map<string, OverviewView['wantingPermission'][number]>();
  for (const job of refused) {
    const wants = wantsPermission(job, job.reason, allowed(job.flowId));
    if (wants === null) continue;
    const key = `${wants.flowId} ${wants.option}`;
    if (found.has(key)) continue;
    found.set(key, { jobId: job.jobId, title: jobRow(job).title, ...wants });
    if (found.size === MOST_WANTING) break;
  }
  return [...found.values()];
}
