/** Reads store, engine and session for what the page is shown; how it looks is made by `views/`. */
import type { RequestInput, RequestResult } from '../contract/requests.ts';
import type { TopicView } from '../contract/topics.ts';
import { JOB_STATES, permissionViewSchema, type JobStateName } from '../contract/views.ts';
import type { LogStretch } from '../api/topic-feed.ts';
import type { PageViews } from '../api/page-source.ts';
import type { EngineChoice } from '../../runner-core/docker/engine-choice.ts';
import type { HeldJob, Listener } from '../../runner-core/listener/listener.ts';
import { toJobId, type JobId } from '../../runner-core/model/ids.ts';
import { occupiesSlot } from '../../runner-core/model/job-machine.ts';
import { RECORD_FLAG } from '../../runner-core/model/log-chunk.ts';
import type { OutcomeKind } from '../../runner-core/model/outcome.ts';
import type { Clock, OwnerSettings, RunnerIdentity } from '../../runner-core/ports.ts';
import type { SettingsFile } from '../settings-file.ts';
import type { ListFilter } from '../store/job-listing.ts';
import { listedFrom } from '../store/listed-rows.ts';
import type { SqliteJobStore } from '../store/sqlite-job-store.ts';
import type { OwnerChoice } from './owner-choice.ts';
import type { ConversationShelf } from './profiles/conversation-shelf.ts';
import type { ProfileDesk } from './profiles/profile-desk.ts';
import type { TakenBy } from './take-over.ts';
import type { UnexpectedEnd } from './unexpected.ts';
import { jobRow } from './views/job-row.ts';
import { jobView } from './views/job-view.ts';
import { SOUND_STORAGE, type StorageState } from './views/storage-words.ts';
import { overview, type HeldSlot, type OverviewInput } from './views/overview.ts';

const LAST_JOBS = 24;
const LAST_LINES = 3;
const LAST_LINE_CHARACTERS = 400;
/** Jobs looked through for permissions that are still missing. */
const REFUSED_JOBS = 50;
/** Summed over every job's row: too dear for each view. */
const LOG_BYTES_FOR_MS = 10_000;

const ENDED: readonly OutcomeKind[] = ['succeeded', 'failed', 'timed_out', 'stopped', 'lost'];
const ALL: ListFilter = { shown: [], text: '' };

export interface HostViewsDeps {
  readonly clock: Clock;
  readonly store: Pick<SqliteJobStore, 'kept' | 'listing'>;
  readonly listener: Pick<Listener, 'session' | 'intake' | 'held'>;
  readonly settings: Pick<SettingsFile, 'allowedFlows' | 'problem'> & OwnerSettings;
  readonly engine: () => EngineChoice | null;
  readonly identity: () => RunnerIdentity | null;
  /** Used until this machine has a name on the service. */
  readonly machineName: string;
  readonly version: string;
  readonly server: () => { readonly url: string; readonly embedded: boolean };
  readonly slots: () => number;
  readonly testJob: () => OverviewInput['testJob'];
  readonly leftovers: () => OverviewInput['leftovers'];
  /** How many profiles the service is told of. */
  readonly localCommands: () => number;
  readonly takenBy?: () => TakenBy | null;
  readonly lastEnd?: UnexpectedEnd | null;
  readonly enrolment: () => OverviewInput['enrolment'];
  readonly skew: () => OverviewInput['clockSkewMs'];
  readonly choice: Pick<OwnerChoice, 'pause' | 'offlineSinceMs'>;
  readonly storage?: () => StorageState;
  readonly health: { view(): TopicView<'health'> };
  readonly timeline: { view(limit: number): TopicView<'events'> };
  readonly desk: Pick<ProfileDesk, 'view' | 'tryView'>;
  readonly conversations: Pick<ConversationShelf, 'head'>;
  readonly timeZone?: string;
}

export class HostViews implements PageViews {
  readonly #deps: HostViewsDeps;
  /** Never the same for two states of the list, nor for two starts of the host. */
  #revision: number;
  #awaySinceMs: number | null = null;
  #logBytes = { bytes: 0, goodUntilMs: Number.NEGATIVE_INFINITY };

  constructor(deps: HostViewsDeps) {
    this.#deps = deps;
    this.#revision = deps.clock.nowMs();
    this.sessionChanged();
  }

  /** A row of the list may have changed. */
  jobsChanged(): void {
    this.#revision += 1;
  }

  sessionChanged(): void {
    const { kind, sinceMs } = this.#deps.listener.session;
    if (kind === 'waiting') this.#awaySinceMs ??= sinceMs;
    else if (kind !== 'dialling') this.#awaySinceMs = null;
  }

  overview(): TopicView<'overview'> {
    const { clock, store, listener, settings, version, server, slots } = this.#deps;
    const identity = this.#deps.identity();
    const { listing } = store;
    return overview({
      name: identity?.name ?? this.#deps.machineName,
      runnerId: identity?.runnerId ?? null,
      version,
      server: server(),
      session: listener.session,
      awaySinceMs: this.#awaySinceMs,
      engine: this.#deps.engine(),
      intake: listener.intake,
      storage: this.#deps.storage?.() ?? SOUND_STORAGE,
      pause: this.#deps.choice.pause,
      offlineSinceMs: this.#deps.choice.offlineSinceMs,
      slots: slots(),
      held: listener.held().map((held) => this.#slot(held)),
      lastJobs: listing.page({ shown: ENDED, text: '' }, 0, LAST_JOBS),
      today: listing.tallySince(midnightBefore(clock.nowMs())),
      jobsInAll: listing.total(ALL),
      unreported: listing.unreported(),
      logBytes: this.#logBytesOnDisk(),
      leftovers: this.#deps.leftovers(),
      localCommands: this.#deps.localCommands(),
      testJob: this.#deps.testJob(),
      refused: listing.wantingPermission(REFUSED_JOBS),
      allowed: (flowId) => settings.allowed(flowId),
      takenBy: this.#deps.takenBy?.() ?? null,
      lastEnd: this.#deps.lastEnd ?? null,
      enrolment: this.#deps.enrolment(),
      clockSkewMs: this.#deps.skew(),
      nowMs: clock.nowMs(),
      timeZone: this.#deps.timeZone,
    });
  }

  jobs(): TopicView<'jobs'> {
    return { revision: this.#revision, total: this.#deps.store.listing.total(ALL) };
  }

  jobsPage({ filter, offset, limit }: RequestInput<'jobs.page'>): RequestResult<'jobs.page'> {
    const { listing } = this.#deps.store;
    const wanted: ListFilter = { shown: filter.states ?? [], text: filter.text ?? '' };
    const found = listing.counts();
    const counts = Object.fromEntries(
      JOB_STATES.map((state) => [state, found.get(state) ?? 0]),
    ) as Record<JobStateName, number>;
    return {
      rows: listing.page(wanted, offset, limit).map(jobRow),
      total: listing.total(wanted),
      counts,
      revision: this.#revision,
    };
  }

  job(text: string): TopicView<'job'> {
    const { store, settings, listener } = this.#deps;
    const jobId = toJobId(text);
    const job = jobId === undefined ? undefined : store.kept.job(jobId);
    if (job === undefined) return null;
    const { url, embedded } = this.#deps.server();
    return jobView({
      job,
      held: listener.held().find((held) => held.job.spec.jobId === jobId) ?? null,
      allowed: settings.allowed(job.spec.flowId),
      limits: settings.limits(),
      consoleOrigin: embedded ? null : url,
      embedded,
    });
  }

  permissions(): TopicView<'permissions'> {
    const { settings } = this.#deps;
    const allowed = [...settings.allowedFlows()].flatMap(([flowId, options]) =>
      // A file may still name an option that needs no permission any more.
      options.flatMap((option) => permissionViewSchema.safeParse({ flowId, option }).data ?? []),
    );
    return { allowed, problem: settings.problem()?.message ?? null };
  }

  health(): TopicView<'health'> {
    return this.#deps.health.view();
  }

  events(limit: number): TopicView<'events'> {
    return this.#deps.timeline.view(limit);
  }

  profiles(): TopicView<'profiles'> {
    return this.#deps.desk.view();
  }

  profileTry(id: string): TopicView<'profile_try'> {
    return this.#deps.desk.tryView(id);
  }

  conversation(jobId: string): TopicView<'job_conversation'> {
    return this.#deps.conversations.head(jobId);
  }

  log(text: string, fromRecord: number, limit: number): LogStretch {
    const { kept } = this.#deps.store;
    const jobId = toJobId(text);
    const job = jobId === undefined ? undefined : kept.job(jobId);
    if (jobId === undefined || job === undefined)
      return { view: { records: [], nextRecord: fromRecord, complete: false }, more: false };
    const isOver = !occupiesSlot(job.state);
    if (job.logRemovedAtMs !== null || job.records <= fromRecord)
      return { view: { records: [], nextRecord: fromRecord, complete: isOver }, more: false };
    const { records, nextRecord } = kept.logPageFromRecord(jobId, fromRecord, limit);
    const more = records.length > 0 && nextRecord < job.records;
    return { view: { records: [...records], nextRecord, complete: isOver && !more }, more };
  }

  #slot(held: HeldJob): HeldSlot {
    const listed = listedFrom(held.job);
    const { kept, listing } = this.#deps.store;
    return {
      held,
      listed,
      lastLines: lastLines(kept, listed.jobId, listed.lines),
      runTimesMs: listed.flowId === null ? [] : listing.runTimes(listed.flowId),
    };
  }

  #logBytesOnDisk(): number {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs >= this.#logBytes.goodUntilMs) {
      const bytes = this.#deps.store.kept.logBytesOnDisk();
      this.#logBytes = { bytes, goodUntilMs: nowMs + LOG_BYTES_FOR_MS };
    }
    return this.#logBytes.bytes;
  }
}

function lastLines(kept: SqliteJobStore['kept'], jobId: JobId, lines: number): readonly string[] {
  if (lines === 0) return [];
  const from = Math.max(0, lines - LAST_LINES);
  return kept
    .logPage(jobId, from, LAST_LINES)
    .records.filter(({ flags }) => (flags & RECORD_FLAG.continuation) === 0)
    .map(({ text }) => text.slice(0, LAST_LINE_CHARACTERS));
}

/** In the machine's own time zone: today is the owner's. */
function midnightBefore(nowMs: number): number {
  return new Date(nowMs).setHours(0, 0, 0, 0);
}
