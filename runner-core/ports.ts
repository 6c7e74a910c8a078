/**
 * Every interface the engine needs from outside. Each says its units and how it fails. Adapters add
 * their technology to the name (`SqliteJobStore`), doubles their nature (`MemoryJobStore`).
 */
import type { JobId, RunnerId } from './model/ids.ts';
import type { JobEvent, JobState } from './model/job-machine.ts';
import type { JobLimits, JobSpec, TrustedOption } from './model/job-spec.ts';
import type { Verdict } from './model/outcome.ts';
import type { LogChunk, LogCursor } from './model/log-chunk.ts';
import type { FromWorker, RunFacts, ToWorker } from './worker/protocol.ts';
import type { EngineIdentity, Leftover } from './model/leftover.ts';
import type { HostPlatform } from './model/host-profile.ts';
import type { HostOffers } from './wire/host-lease.ts';
import type { JobMarker } from './wire/markers.ts';
import type { ClientFrame, LogsFrame, ServerFrame } from './wire/frames.ts';

/** A pending timer; cancelling twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Wall clock, epoch milliseconds. May jump. */
  nowMs(): number;
  /** Milliseconds since an arbitrary start; never goes back and never jumps. */
  monotonicMs(): number;
  /** Calls `act` once, not before `delayMs` of monotonic time. An exception in `act` is the caller's bug. */
  after(delayMs: number, act: () => void): Timer;
  /** Resolves after `delayMs`; rejects with the signal's reason when it is aborted first. */
  wait(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export interface RandomSource {
  /** Uniform in [0, 1). */
  fraction(): number;
}

/** JSON-lines diagnostic log. Never given a secret. `event` is a short constant phrase. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}
export type LogFields = Readonly<Record<string, unknown>>;

/** A held or ended job as stored. Instants are epoch ms. Never contains a secret or the prompt. */
export interface StoredJob {
  readonly spec: JobSpec;
  readonly state: JobState;
  readonly acceptedAtMs: number;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly lines: number;
  readonly chunks: number;
  readonly bytes: number;
  /** Of the ids of its batches: 18 hex digits, drawn when the job was accepted. */
  readonly batchSalt: string;
  /** Wire batches fixed so far, and how many the service has acknowledged (in order). */
  readonly batches: number;
  readonly batchesAcknowledged: number;
  readonly linesAcknowledged: number;
  readonly cursor: LogCursor | null;
  readonly markers: readonly JobMarker[];
  /** What its worker told of its end, before all it made was gone and `ended` stored; null until then. */
  readonly told: Verdict | null;
}

/** One `logs` frame's worth. `index` counts from 0 within the job and never changes. */
export interface OutgoingBatch {
  readonly index: number;
  readonly lines: LogsFrame['lines'];
}

/**
 * Jobs, states, log index and leftovers. **Synchronous: returned means on disk** (log bodies are
 * in the job's file before the index that names them commits). Throws StoreUnavailableError when the
 * disk refuses; nothing of the failed call is then kept.
 */
export interface JobStore {
  /** Adds a job in state accepted. Throws when the id is already there. */
  accept(spec: JobSpec, atMs: number): void;
  job(jobId: JobId): StoredJob | undefined;
  /** Applies one event; returns the new state. Throws IllegalTransitionError, and for an unknown job. */
  transition(jobId: JobId, event: JobEvent): JobState;
  /** Appends chunks in order (a chunk already stored, by seq, is skipped) and moves the cursor, in one transaction. */
  appendLog(jobId: JobId, chunks: readonly LogChunk[], cursor: LogCursor | null): void;
  /**
   * Makes the calls inside `act` one commit: one flush for many jobs. When `act` throws, or the disk refuses, none
   * of them happened. Not for ends of jobs: the reserve for a full disk is not used. `act` must not wait.
   */
  together(act: () => void): void;
  /** The next worker reads on from what is stored: what found no room since is no gap, but comes again. */
  rereadLog(jobId: JobId): void;
  /** At most `limit` batches with index ≥ `from`, ready to send; continuation records left out, long lines cut. */
  outgoing(jobId: JobId, from: number, limit: number): readonly OutgoingBatch[];
  /** All batches with index < `count` are acknowledged. Never goes back. */
  acknowledgeBatches(jobId: JobId, count: number): void;
  noteMarkers(jobId: JobId, markers: readonly JobMarker[]): void;
  /** What is known of a run that goes on, joined with what an earlier worker of the job told (`joined-facts.ts`). */
  noteFacts(jobId: JobId, facts: RunFacts): void;
  /**
   * What the worker told: the verdict (`told`, kept until `ended` brings its own) and what is worth
   * showing of the run. From then on the container is not needed any more.
   */
  noteEnding(jobId: JobId, verdict: Verdict, facts: RunFacts): void;
  noteLeftover(jobId: JobId, leftover: Leftover): void;
  forgetLeftover(jobId: JobId, leftover: Leftover): void;
  leftovers(jobId: JobId): readonly Leftover[];
  /** Jobs not yet settled, oldest first. */
  unsettled(): readonly StoredJob[];
  /** Output of a job it does not know lies there: an earlier host of this folder had started it. Left out: never. */
  wasHere?(jobId: JobId): boolean;
}

/** Who we are on one server. The token is only ever in memory and sealed at rest. */
export interface RunnerIdentity {
  readonly runnerId: RunnerId;
  readonly token: string;
  readonly name: string;
}

export interface SessionEvents {
  /** A parsed frame. Frames that do not parse were logged with their field and are not given here. */
  frame(frame: ServerFrame): void;
  /** Any sign of life: frame, ping or pong. */
  alive(): void;
  /** Exactly once, after which nothing follows. `cause` is short, plain and secret-free. */
  closed(cause: string): void;
}

export interface ControlSession {
  /** Queues a frame. After the end of the session it does nothing. */
  send(frame: ClientFrame): void;
  /** Bytes queued and not yet handed to the operating system. */
  bufferedBytes(): number;
  ping(): void;
  /** Closes politely within 2 s, then cuts. Idempotent. */
  close(): Promise<void>;
  /** Cuts at once; `closed` follows. Idempotent. */
  terminate(cause: string): void;
}

/**
 * The outbound WebSocket. `open` rejects with an Error whose message is plain and secret-free, a NetworkError
 * where the way to the service failed.
 */
export interface ControlPlane {
  open(
    identity: RunnerIdentity,
    events: SessionEvents,
    signal: AbortSignal,
  ): Promise<ControlSession>;
}

export interface WorkerHandle {
  readonly pid: number | undefined;
  send(message: ToWorker): void;
  onMessage(receive: (message: FromWorker) => void): void;
  /** Resolves exactly once, never rejects. `stderrTail` is at most 4 KiB. */
  readonly exited: Promise<{
    readonly code: number | null;
    readonly signal: string | null;
    readonly stderrTail: string;
  }>;
  /** SIGKILL, or its like. Idempotent. */
  kill(): void;
}

export interface WorkerLauncher {
  /** A started worker, perhaps one kept warm. Its `ready` may already have been seen: `onMessage` replays it. */
  launch(): WorkerHandle;
  /** Ends the warm spare. */
  stop(): Promise<void>;
}

/** Who knows the engine in use. */
export interface EngineSense {
  /** Which it is; null while there is none. */
  identity(): EngineIdentity | null;
  /** A call to it got no answer: it is looked at now. */
  missed(): void;
  /** Makes sure, by one call, that it still answers. Only for a job that needs it: it may sleep. Never rejects. */
  check(): Promise<void>;
  /** Looks for another only where files of this machine say that one came; wakes none. Never rejects. */
  lookIfChanged(): Promise<void>;
}

/** Removes what a worker noted. Resolves when it is seen gone; succeeds if it already was. Rejects when the engine is away. */
export interface LeftoverRemover {
  remove(leftover: Leftover): Promise<void>;
  /**
   * All that carries our runner's labels, whoever noted it, and the compose projects of those jobs. Rejects when the
   * engine is away: that is not none.
   */
  labelled(runnerId: RunnerId): Promise<readonly (LabelledContainer | LabelledThing)[]>;
}
/** Containers of failed jobs that stay for a set time, since the owner wants to look at them. */
export interface KeptContainers {
  /**
   * Decides whether the container of a job that ended so stays, and has that on disk when it returns. Asked
   * again it answers alike. Throws StoreUnavailableError.
   */
  keep(jobId: JobId, container: ContainerLeftover, verdict: Verdict): boolean;
  /** By the engine's id. */
  isKept(containerId: string): boolean;
  /** Something that no job held here claims was removed: the owner is shown it. */
  noteUnclaimed?(jobId: JobId, leftover: Leftover): void;
}
export type ContainerLeftover = Leftover & { readonly kind: 'container' };
export interface LabelledContainer {
  readonly leftover: Leftover & { readonly kind: 'container' };
  readonly jobId: JobId;
  readonly running: boolean;
}
/** `jobId`: who made it; a network may be used by others. */
export interface LabelledThing {
  readonly leftover: Exclude<Leftover, { kind: 'container' }>;
  readonly jobId: JobId;
}

/** The local commands that flows may name here. Read anew for each heartbeat and each offer; never throws. */
export interface HostCommands {
  /** Profiles the owner turned on, and those of them that cannot be used, with why. */
  offers(): HostOffers;
  /** The host's own environment, of which a profile lets some through. */
  environment(): Readonly<Record<string, string | undefined>>;
  readonly platform: HostPlatform;
  /** Where profiles without a root of their own have their directories made; absolute. */
  readonly workspacesDir: string;
}

/** What the owner may change; read anew for each job. */
export interface OwnerSettings {
  limits(): JobLimits;
  /** Trusted options the owner allowed for this flow on this machine. */
  allowed(flowId: string | null): readonly TrustedOption[];
}
