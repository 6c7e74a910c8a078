/**
 * Front door of the engine's long-lived half: wires its parts, opens reconcile, session and dispatcher
 * in order, drains and stops them. Everything outside talks to the engine through this class.
 */
import type {
  Clock,
  ControlPlane,
  EngineSense,
  HostCommands,
  JobStore,
  KeptContainers,
  LeftoverRemover,
  Log,
  OwnerSettings,
  RandomSource,
  RunnerIdentity,
  StoredJob,
  WorkerLauncher,
} from '../ports.ts';
import type { JobId, RunnerId } from '../model/ids.ts';
import type { StopCause } from '../model/outcome.ts';
import type { Refusal, SessionState } from '../model/session-state.ts';
import type { HeartbeatFrame, ServerFrame } from '../wire/frames.ts';
import type { EngineAddress, Phase } from '../worker/protocol.ts';
import { CommitTurns } from './commit-turns.ts';
import { Dispatcher, type Intake, type Unstarted } from './dispatcher.ts';
import { Heartbeats, offeredSlots } from './heartbeat-frame.ts';
import { HeldJobs } from './held-jobs.ts';
import { JobRun, type RunStage } from './job-run.ts';
import { LeftoverSweeper } from './leftover-sweeper.ts';
import { Reconcile } from './reconcile.ts';
import { Reporter } from './reporter.ts';
import { SessionKeeper } from './session-keeper.ts';
import type { Link } from './session-socket.ts';
import { settledWithin } from './settled-within.ts';
import { StartGate } from './start-gate.ts';
import { Survivors } from './survivors.ts';
import { Watchers, type Unwatch } from './watchers.ts';

/** Longer than a stop takes: 12 s, a kill the system is slow to confirm, and the store. */
export const STOP_LIMIT_MS = 20_000;
/** What a host that is left may still take to see its workers gone. */
export const LEAVE_LIMIT_MS = 6_000;
/** The reporter may still send this long before the session is closed. */
export const LAST_REPORTS_MS = 5_000;
/** An ephemeral runner waits this long for a session to take its leave in, and for the answer. */
export const LEAVE_TAKING_MS = 2_000;

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
  /** Whose labels earlier containers carry, where there is no identity to dial with yet; left out: nobody's. */
  readonly knownRunner?: () => RunnerId | null;
  /** Origin of the service, for the environment of jobs. */
  readonly serverUrl: string;
  /** Slots the owner offers, 1 to 32; read for each heartbeat and each offer. */
  readonly concurrency: () => number;
  /** Null while no engine answers: no Docker job is taken then, and none settled. */
  readonly engine: () => EngineAddress | null;
  /** Left out: the engine is always there, and the same. */
  readonly engines?: EngineSense;
  /** Why this machine takes no job now, such as a full disk; null or left out: it does. */
  readonly refusal?: () => string | null;
  /** Why there is none, in plain words. */
  readonly engineProblem?: () => string | null;
  readonly kept?: KeptContainers;
  /** Same at each start of this data folder; becomes a label of what workers make. */
  readonly hostInstance: string;
  /** Absolute folder for persisted workspaces. */
  readonly workspacesDir: string;
  /** Where else something of Cursor's is started; left out: nowhere. */
  readonly startGate?: StartGate;
  /** Left out: no local command is offered. */
  readonly hostCommands?: HostCommands;
  /** This runner is for one stay: the service forgets it once `unregister` was sent. */
  readonly ephemeral?: boolean;
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
  readonly #heartbeats: Heartbeats;
  #stopping: Promise<void> | null = null;
  #how: StopHow | null = null;
  #raiseHow: (() => void) | null = null;
  #link: Link | null = null;
  #hasLeft = false;

  constructor(deps: ListenerDeps) {
    this.#deps = deps;
    const { clock, log, store, engine, identity, knownRunner } = deps;
    const { startGate = new StartGate(clock) } = deps;
    const runnerId = (): RunnerId | null => identity()?.runnerId ?? knownRunner?.() ?? null;
    const changed = (jobId: JobId): void => this.#watchers.tell({ kind: 'job', jobId });
    this.#watchers = new Watchers(log);
    this.#heartbeats = new Heartbeats({ ...deps, mayHold: () => this.#mayHold() });
    this.#sweeper = new LeftoverSweeper(deps);
    this.#reporter = new Reporter({ clock, log, store, changed });
    this.#held = new HeldJobs((jobId) => {
      this.#reporter.ended(jobId);
      changed(jobId);
    });
    this.#survivors = new Survivors({
      ...deps,
      runnerId,
      hasEngine: () => engine() !== null,
      known: () => this.#dispatcher.containersKnown(),
    });
    const turns = new CommitTurns(clock, store);
    const newRun = (jobId: JobId, stage?: 'awaiting_redelivery' | 'awaiting_engine'): JobRun =>
      new JobRun(
        {
          ...deps,
          turns,
          sweeper: this.#sweeper,
          startGate,
          runnerId: () => runnerId() ?? '',
          changed,
          logStored: (id) => this.#reporter.logStored(id),
          lookLater: (id) => this.#survivors.lookLater(id),
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
    this.#reconcile = new Reconcile({
      ...parts,
      startOffered: (run) => this.#dispatcher.startOffered(run),
      askAgain: (jobId) => this.#dispatcher.askAgain(jobId),
    });
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

  /**
   * Takes up what a previous host left, then dials, unless told not to, or it was refused before in a way
   * that only the owner ends. Throws only what the store throws.
   */
  async start({
    dial = true,
    refusal = null,
  }: { readonly dial?: boolean; readonly refusal?: Refusal | null } = {}): Promise<void> {
    await this.#reconcile.start();
    if (this.#how !== null) return;
    if (refusal !== null) this.#keeper.standBy(refusal);
    else if (dial) this.#keeper.goOnline();
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

  /** Connected, nothing new; what runs goes on. Asked again it changes what becomes of unstarted jobs. */
  pause({ unstarted }: { readonly unstarted: Unstarted }): void {
    if (this.intake === 'open' || this.intake === 'paused') this.#turn('paused', unstarted);
  }

  resume(): void {
    if (this.intake === 'paused') this.#turn('open');
  }

  goOffline(): void {
    this.#keeper.goOffline();
  }

  goOnline(): void {
    if (this.#how === null) this.#keeper.goOnline();
  }

  /** Tells the service at once what is offered now. */
  announce(): void {
    this.#link?.send(this.#heartbeat());
  }

  /** An engine was found: what a previous host left there is taken up now. */
  engineFound(): void {
    this.#reconcile.engineFound();
    this.#dispatcher.containersKnown();
  }

  /** After sleep: a new socket. */
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
    if (this.intake === 'open' || this.intake === 'paused') this.#turn('draining');
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
    this.#dispatcher.turn('closed');
    if (this.#keeper.state.kind === 'online') {
      const inTime = await settledWithin(clock, LAST_REPORTS_MS, this.#reporter.caughtUp());
      if (!inTime) log.info('reports left for the next start');
    }
    this.#reconcile.stop();
    this.#dispatcher.stop();
    this.#survivors.stop();
    this.#sweeper.stop();
    this.#reporter.stop();
    if (this.#deps.ephemeral === true) await this.#takeLeave();
    await this.#keeper.stop();
  }

  /**
   * The service forgets this runner and drops what it leased here, so nothing may be held or unreported.
   * Without an answer the runner stays there, silent, until the service sweeps it.
   */
  async #takeLeave(): Promise<void> {
    const { clock, log } = this.#deps;
    if (this.#heartbeats.held()?.length !== 0) {
      log.warn('runner stays registered', { why: 'jobs are held or unreported' });
      return;
    }
    const answered = new Promise<void>((resolve) => {
      const say = (): void => this.#link?.send({ type: 'unregister' }, () => resolve());
      if (this.#link !== null) say();
      else {
        this.#watchers.add((change) => {
          if (change.kind === 'session' && change.state.kind === 'online') queueMicrotask(say);
        });
        this.#keeper.retry();
      }
    });
    this.#hasLeft = await settledWithin(clock, LEAVE_TAKING_MS, answered);
    log.info('unregistered', { answered: this.#hasLeft });
  }

  /** True once an ephemeral runner's leave was heard. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  #turn(intake: Intake, unstarted?: Unstarted): void {
    const isNew = this.intake !== intake;
    this.#dispatcher.turn(intake, unstarted);
    // The service must not promise a slot in the meantime, nor let a free one wait.
    if (isNew) this.announce();
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
    this.#dispatcher.turn('closed');
    const ending = this.#held.all().filter((run) => how === 'stop' || !run.canBeLeft);
    for (const run of ending) run.stop('shutdown');
    await settledWithin(clock, STOP_LIMIT_MS, Promise.all(ending.map((run) => run.over)));
    if (how === 'leave' || this.#held.count > 0) log.info('jobs left', { jobs: this.#held.count });
    for (const run of this.#held.all()) run.leave();
    await settledWithin(clock, LEAVE_LIMIT_MS, this.#held.empty());
  }

  #online(link: Link): void {
    this.#link = link;
    this.#dispatcher.online(link);
    // Verdicts of jobs that ended meanwhile go first; the frame that follows may offer those jobs again.
    this.#reporter.online(link);
  }

  #frame(frame: ServerFrame): void {
    const listed = this.#dispatcher.frame(frame);
    if (frame.type !== 'hello') return;
    if (this.#deps.ephemeral === true && frame.ephemeral !== true)
      this.#deps.log.warn('service does not forget this runner by itself');
    this.#survivors.greeted(listed);
    this.#reconcile.online(listed);
  }

  #offline(): void {
    this.#link = null;
    this.#dispatcher.offline();
    this.#reporter.offline();
    this.#reconcile.offline();
  }

  #heartbeat(): HeartbeatFrame {
    const slots = this.#deps.concurrency();
    return this.#heartbeats.frame(offeredSlots(slots, this.intake, this.#held.count));
  }

  /** Beside what is stored; null where containers at work here may not be known yet. */
  #mayHold(): readonly JobId[] | null {
    const found = this.#survivors.mayHold();
    return found === null ? null : [...found, ...this.#dispatcher.mayBeHere()];
  }
}
