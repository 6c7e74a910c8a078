/**
 * The Engine API calls we use, as a port: shapes, failure behaviour and time limits. The adapter is in
 * `dockerode-engine.ts`; tests bring a scripted one.
 */
import type { Readable } from 'node:stream';
import type { RegistryCredentials } from './registry-auth.ts';

export const OLDEST_API = '1.41';

/** Why a call to the engine failed. `away`: no answer at all; `timeout`: none within the call's own limit. */
export type EngineErrorKind =
  'away' | 'denied' | 'timeout' | 'not_found' | 'conflict' | 'bad_request' | 'refused';

/** A failed call. `message` is the engine's own text, at most 2,000 characters; callers mask it before showing. */
export class EngineError extends Error {
  readonly code = 'engine_error';
  override readonly name = 'EngineError';
  /** HTTP status; null when there was no answer. */
  readonly statusCode: number | null;
  readonly kind: EngineErrorKind;

  constructor(
    facts: { readonly statusCode: number | null; readonly kind: EngineErrorKind },
    message: string,
    options?: ErrorOptions,
  ) {
    super(message.trim().slice(0, 2_000), options);
    this.statusCode = facts.statusCode;
    this.kind = facts.kind;
  }
}

/** True for an EngineError of one of `kinds`, or of any where none is named. */
export function isEngineError(error: unknown, ...kinds: EngineErrorKind[]): error is EngineError {
  return error instanceof EngineError && (kinds.length === 0 || kinds.includes(error.kind));
}

export interface EngineVersion {
  readonly version: string;
  readonly apiVersion: string;
  /** `linux` or `windows`: what containers it runs. */
  readonly os: string;
  readonly arch: string;
}
export interface ImageInfo {
  readonly id: string;
  /** `NAME=value`, as the image sets them. */
  readonly environment: readonly string[];
}
export interface ContainerInfo {
  readonly id: string;
  readonly name: string;
  readonly imageId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `NAME=value`; holds the job's secrets. */
  readonly environment: readonly string[];
  readonly status: string;
  readonly running: boolean;
  readonly exitCode: number;
  readonly oomKilled: boolean;
  readonly networkMode: string;
  /** Epoch ms by the engine's clock; null before the start. */
  readonly startedAtMs: number | null;
}
/** What a container uses, at one instant. Null for what the engine does not count. */
export interface ContainerUsage {
  /** Without the page cache that can be given back. */
  readonly memoryBytes: number | null;
  /** Since its start, over all processors. */
  readonly cpuMs: number | null;
}
export interface ListedContainer {
  readonly id: string;
  readonly name: string;
  readonly running: boolean;
  readonly labels: Readonly<Record<string, string>>;
}
export interface NetworkInfo {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Ids of the containers attached to it now. */
  readonly containers: readonly string[];
}
/** The create body as the API takes it. `container-body.ts` is the only maker. */
export interface CreateBody {
  readonly Image: string;
  readonly Entrypoint?: readonly string[];
  readonly Cmd: readonly string[];
  readonly Env: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly HostConfig: Readonly<Record<string, unknown>>;
}
/**
 * Where a raw log stream starts. `since` is `seconds.nanoseconds`, inclusive, kept digit for digit; null:
 * the start. `tail`: only so many of the newest records there are.
 */
export interface LogRequest {
  readonly since: string | null;
  readonly tail?: number;
}
/** Progress of a pull over all layers; `totalBytes` 0 until the engine has said. */
export interface PullProgress {
  readonly doneBytes: number;
  readonly totalBytes: number;
}

/**
 * Every call but `wait`, `logStream` and `pull` has a time limit of its own and rejects with EngineError.
 * Labels select by equality, all of them.
 */
export interface DockerEngine {
  version(): Promise<EngineVersion>;
  /** The engine's own id; null where it gives none. Some give another with each answer. */
  engineId(): Promise<string | null>;
  /** Undefined when the engine has no such image. */
  image(reference: string): Promise<ImageInfo | undefined>;
  /** Rejects with the signal's reason when aborted; the engine then drops the pull. */
  pull(reference: string, options: PullOptions): Promise<void>;
  /** The new container's id. */
  createContainer(name: string, body: CreateBody): Promise<string>;
  /** Resolves also when it runs already. */
  startContainer(id: string): Promise<void>;
  /** Resolves also when it is not running or gone. */
  signalContainer(id: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** The exit code, when the container is no longer running. No time limit. */
  wait(id: string): Promise<number>;
  container(id: string): Promise<ContainerInfo | undefined>;
  /** Undefined when it is gone. Of one that has exited every figure is null. */
  usage(id: string): Promise<ContainerUsage | undefined>;
  /** Ends it if need be, removes it with its anonymous volumes. Resolves also when it is gone. */
  removeContainer(id: string): Promise<void>;
  containers(labels: Readonly<Record<string, string>>): Promise<readonly ListedContainer[]>;
  /** Docker's multiplexed stream with timestamps, undivided, followed until the container's exit. */
  logStream(id: string, request: LogRequest, signal: AbortSignal): Promise<Readable>;
  network(id: string): Promise<NetworkInfo | undefined>;
  /** All of this name, lowest id first, each without its containers: engines let two be made at once. */
  networksNamed(name: string): Promise<readonly NetworkInfo[]>;
  /** The new network's id. */
  createNetwork(name: string, labels: Readonly<Record<string, string>>): Promise<string>;
  /** Takes a container off a network, running or not. Resolves also when it is not on it. */
  leaveNetwork(networkId: string, containerId: string): Promise<void>;
  /** Resolves also when it is gone; rejects (`denied`) while a container uses it. */
  removeNetwork(id: string): Promise<void>;
  networks(labels: Readonly<Record<string, string>>): Promise<readonly NetworkInfo[]>;
  volumes(labels: Readonly<Record<string, string>>): Promise<readonly string[]>;
  removeVolume(name: string): Promise<void>;
  /** Closes idle connections and ends open streams. Idempotent. */
  close(): void;
}
export interface PullOptions {
  readonly credentials: RegistryCredentials | null;
  readonly progress: (progress: PullProgress) => void;
  readonly signal: AbortSignal;
}
