/**
 * Front door of the engine's long-lived half: wires its parts, opens reconcile, session and dispatcher
 * in order, drains and stops them. Everything outside talks to the engine through this class.
 */
import type {
  Clock,
  ControlPlane,
  JobStore,
  LeftoverRemover,
  Log,
  OwnerSettings,
  RandomSource,
  RunnerIdentity,
  StoredJob,
  WorkerLauncher,
} from '../ports.ts';
import type { JobId } from '../model/ids.ts';
import type { StopCause } from '../model/outcome.ts';
import type { SessionState } from '../model/session-state.ts';
import type { HeartbeatFrame, ServerFrame } from '../wire/frames.ts';
import type { EngineAddress, Phase } from '../worker/protocol.ts';
import { Dispatcher } from './dispatcher.ts';
import { HeldJobs } from './held-jobs.ts';
import { JobRun, type RunStage } from './job-run.ts';
import { LeftoverSweeper } from './leftover-sweeper.ts';
import { Reconcile } from './reconcile.ts';
import { Reporter } from './reporter.ts';
import { SessionKeeper } from './session-keeper.ts';
import type { Link } from './session-socket.ts';
import { settledWithin } from './settled-within.ts';
import { Survivors } from './survivors.ts';
import { Watchers, type Unwatch } from './watchers.ts';

/** Longer than a stop takes: 12 s, a kill the system is slow to confirm, and the store. */
export const STOP_LIMIT_MS = 20_000;
/** What a host that is left may still take to see its workers gone. */
export const LEAVE_LIMIT_MS = 6_000;
/** The reporter may still send this long before the session is closed. */
export const LAST_REPORTS_MS = 5_000;

export interface ListenerDeps {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  readonly store: JobStore;
  readonly controlPlane: ControlPlane;
  /** Not stopped here: whoever made it ends its warm spare. */
  readonly launcher: WorkerLauncher;
  readonly remover: LeftoverRemover;
  readonly settings: OwnerSettings;
  /** Read at each dial; null until the owner has enrolled this machine. */
  readonly identity: () => RunnerIdentity | null;
  /** Origin of the service, for the environment of jobs. */
  readonly serverUrl: string;
  /** Slots the owner offers, 1 to 32; read for each heartbeat and each offer. */
  readonly concurrency: () => number;
  /** Null while no engine answers: no Docker job is taken then, and none settled. */
  readonly engine: () => EngineAddress | null;
  /** Same at each start of this data folder; becomes a label of what workers make. */
  readonly hostInstance: string;
  /** Absolute folder for persisted workspaces. */
  readonly workspacesDir: string;
}

/** A job this host holds, as it may be shown. `phase` and `progress` are only in memory. */
export interface HeldJob {
  readonly job: StoredJob;
  readonly stage: RunStage;
  readonly phase: Phase | null;
  readonly progress: string | null;
}

export type ListenerChange =
  | { readonly kind: 'session'; readonly state: SessionState }
  | { readonly kind: 'job'; readonly jobId: JobId };

/** `leave`: containers stay and are adopted at the next start. */
export type StopHow = 'drain' | 'stop' | 'leave';
const FORCE: Readonly<Record<StopHow, number>> = { drain: 0, stop: 1, leave: 2 };

export class Listener {
  readonly #deps: ListenerDeps;
  readonly #watchers: Watchers<ListenerChange>;
  readonly #held: HeldJobs;
  readonly #sweeper: LeftoverSweeper;
  readonly #survivors: Survivors;
  readonly #reporter: Reporter;
  readonly #dispatcher: Dispatcher;
  readonly #reconcile: Reconcile;
  readonly #keeper: SessionKeeper;
  #stopping: Promise<void> | null = null;
  #how: StopHow | null = null;
  #raiseHow: (() => void) | null = null;

  constructor(deps: ListenerDeps) {
    this.#deps = deps;
    const { clock, log, store, remover, engine } = deps;
    const runnerId = (): RunnerIdentity['runnerId'] | null => deps.identity()?.runnerId ?? null;
    const changed = (jobId: JobId): void => this.#watchers.tell({ kind: 'job', jobId });
    this.#watchers = new Watchers(log);
    this.#sweeper = new LeftoverSweeper({ clock, log, store, remover });
    this.#reporter = new Reporter({ clock, log, store, changed });
    this.#held = new HeldJobs((jobId) => {
      this.#reporter.ended(jobId);
      changed(jobId);
    });
    this.#survivors = new Survivors({
      clock,
      log,
      store,
      remover,
      runnerId,
      hasEngine: () => engine() !== null,
    });
    const newRun = (jobId: JobId, stage?: 'awaiting_redelivery' | 'awaiting_engine'): JobRun =>
      new JobRun(
        {
          ...deps,
          sweeper: this.#sweeper,
          runnerId: () => runnerId() ?? '',
          changed,
          logStored: (id) => this.#reporter.logStored(id),
        },
        jobId,
        stage,
      );
    const parts = {
      ...deps,
      held: this.#held,
      survivors: this.#survivors,
      reporter: this.#reporter,
      sweeper: this.#sweeper,
      newRun,
    };
    this.#dispatcher = new Dispatcher(parts);
    this.#reconcile = new Reconcile(parts);
    this.#keeper = new SessionKeeper(
      { ...deps, heartbeat: () => this.#heartbeat() },
      {
        online: (link) => this.#online(link),
        frame: (frame) => this.#frame(frame),
        offline: () => this.#offline(),
      },
    );
    this.#keeper.watch((state) => this.#watchers.tell({ kind: 'session', state }));
  }

  /** Takes up what a previous host left, then dials. Throws only what the store throws. */
  async start(): Promise<void> {
    await this.#reconcile.start();
    if (this.#how === null) this.#keeper.goOnline();
  }

  get session(): SessionState {
    return this.#keeper.state;
  }

  get intake(): 'open' | 'paused' | 'draining' | 'closed' {
    return this.#dispatcher.intake;
  }

  /** The jobs that occupy a slot, as stored, with what only memory knows. */
  held(): readonly HeldJob[] {
    return this.#held.all().flatMap((run) => {
      const job = this.#deps.store.job(run.jobId);
      const { stage, phase, progress } = run;
      return job === undefined ? [] : [{ job, stage, phase, progress }];
    });
  }

  /** For showing state: says what to read anew. */
  onChange(show: (change: ListenerChange) => void): Unwatch {
    return this.#watchers.add(show);
  }

  /** Connected, nothing new; what is held goes on. */
  pause(): void {
    if (this.#dispatcher.intake === 'open') this.#dispatcher.intake = 'paused';
  }

  resume(): void {
    if (this.#dispatcher.intake === 'paused') this.#dispatcher.intake = 'open';
  }

  goOffline(): void {
    this.#keeper.goOffline();
  }

  goOnline(): void {
    if (this.#how === null) this.#keeper.goOnline();
  }

  /** After sleep: checks the session now, with a new socket. */
  redial(): void {
    this.#keeper.redial();
  }

  /** The owner acted on a refusal, enrolled anew, or wants no more waiting. */
  retry(): void {
    if (this.#how === null) this.#keeper.retry();
  }

  /** False when the job is not held (any more). */
  stopJob(jobId: JobId, cause: StopCause): boolean {
    const run = this.#held.get(jobId);
    run?.stop(cause);
    return run !== undefined;
  }

  /** Takes nothing new; resolves when nothing is held. Reports go on. */
  drain(): Promise<void> {
    if (this.#dispatcher.intake !== 'closed') this.#dispatcher.intake = 'draining';
    return this.#held.empty();
  }

  /** Resolves when nothing is held and all that is stored was told and acknowledged. */
  async idle(): Promise<void> {
    do {
      await this.#held.empty();
      await this.#reporter.caughtUp();
    } while (this.#held.count > 0 || !this.#reporter.isCaughtUp);
  }

  /**
   * Ends the engine. Idempotent; a harder `how` overrides a softer one under way. `drain` waits without
   * limit; `stop` and `leave` are bounded. The runner stays enrolled: nothing is unregistered.
   */
  stop(how: StopHow): Promise<void> {
    if (this.#how === null || FORCE[how] > FORCE[this.#how]) this.#how = how;
    this.#raiseHow?.();
    this.#stopping ??= this.#end();
    return this.#stopping;
  }

  async #end(): Promise<void> {
    const { clock, log } = this.#deps;
    await this.#endHeld();
    this.#dispatcher.intake = 'closed';
    if (this.#keeper.state.kind === 'online') {
      const inTime = await settledWithin(clock, LAST_REPORTS_MS, this.#reporter.caughtUp());
      if (!inTime) log.info('reports left for the next start');
    }
    this.#reconcile.stop();
    this.#survivors.stop();
    this.#sweeper.stop();
    this.#reporter.stop();
    await this.#keeper.stop();
  }

  /** As softly as asked, starting over when a harder way is asked for meanwhile. */
  async #endHeld(): Promise<void> {
    for (;;) {
      const how = this.#how;
      const raised = new Promise<void>((resolve) => {
        this.#raiseHow = () => {
          if (this.#how !== how) resolve();
        };
      });
      await Promise.race([raised, this.#endHeldBy(how ?? 'stop')]);
      if (this.#how === how) return;
    }
  }

  async #endHeldBy(how: StopHow): Promise<void> {
    const { clock, log } = this.#deps;
    if (how === 'drain') return this.drain();
    this.#dispatcher.intake = 'closed';
    if (how === 'stop') {
      for (const run of this.#held.all()) run.stop('shutdown');
      const canEnd = this.#held.all().filter((run) => run.stage !== 'awaiting_engine');
      await settledWithin(clock, STOP_LIMIT_MS, Promise.all(canEnd.map((run) => run.over)));
    }
    if (how === 'leave' || this.#held.count > 0) log.info('jobs left', { jobs: this.#held.count });
    for (const run of this.#held.all()) run.leave();
    await settledWithin(clock, LEAVE_LIMIT_MS, this.#held.empty());
  }

  #online(link: Link): void {
    this.#dispatcher.online(link);
    // Verdicts of jobs that ended meanwhile go first; the frame that follows may offer those jobs again.
    this.#reporter.online(link);
  }

  #frame(frame: ServerFrame): void {
    const listed = this.#dispatcher.frame(frame);
    if (frame.type !== 'hello') return;
    this.#survivors.greeted(listed);
    this.#reconcile.online();
  }

  #offline(): void {
    this.#dispatcher.offline();
    this.#reporter.offline();
    this.#reconcile.offline();
  }

  /** Every field, every time: the service takes what is left out as withdrawn. */
  #heartbeat(): HeartbeatFrame {
    const held = this.#unsettled();
    return {
      type: 'heartbeat',
      concurrency: this.#deps.concurrency(),
      ephemeral: false,
      host_exec_profiles: [],
      publication_capabilities: { version: 1, helper_ready: false },
      ...(held === null ? {} : { held_execution_ids: held }),
    };
  }

  /** Null where the disk refuses: better no list than one that lacks jobs at work. */
  #unsettled(): readonly JobId[] | null {
    try {
      return this.#deps.store.unsettled().map((job) => job.spec.jobId);
    } catch (error) {
      this.#deps.log.error('held jobs not listed', { error });
      return null;
    }
  }
}
