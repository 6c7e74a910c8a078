/**
 * All that listener and worker say to each other, with the schemas each side parses the other by.
 * `log` is checked by hand: it is the one hot message.
 */
import * as z from 'zod';
import { leftoverSchema, type EngineIdentity, type Leftover } from '../model/leftover.ts';
import type { HostProfile } from '../model/host-profile.ts';
import type {
  DockerLaunchSpec,
  HostExecSpec,
  JobLimits,
  TrustedOption,
} from '../model/job-spec.ts';
import type { LogChunk, LogCursor } from '../model/log-chunk.ts';
import type { StopCause, Verdict } from '../model/outcome.ts';
import type { JobMarker } from '../wire/markers.ts';

/** What a worker has to know beside the job itself. */
export interface JobContext {
  /** Labels of everything the worker makes. */
  readonly runnerId: string;
  readonly hostInstance: string;
  readonly limits: JobLimits;
  readonly allowed: readonly TrustedOption[];
  /** How the engine is reached, already resolved by the host. */
  readonly engine: EngineAddress;
  /** Noted with all that is made there; null where it is not known. */
  readonly identity: EngineIdentity | null;
  /** Absolute folder for persisted workspaces, ours. */
  readonly workspacesDir: string;
}
/** As `docker-endpoint.ts` found it. */
export type EngineAddress =
  | { readonly kind: 'socket'; readonly path: string }
  | {
      readonly kind: 'tcp';
      readonly host: string;
      readonly port: number;
      /** Folder with some of ca.pem, cert.pem, key.pem; null for plain TCP. */
      readonly tlsDir: string | null;
    };

/** What a worker has to know beside a host job itself. */
export interface HostContext {
  readonly profile: HostProfile;
  /** What the command may see of the host's own environment, already chosen by the profile. */
  readonly environment: Readonly<Record<string, string>>;
  /** For profiles without a root of their own; absolute. */
  readonly workspacesDir: string;
  /** The owner's limit for every job; 0: none. */
  readonly timeLimitMs: number;
  readonly logBytes: number;
}

export type ToWorker =
  | {
      readonly kind: 'run';
      readonly spec: DockerLaunchSpec;
      readonly environment: Readonly<Record<string, string>>;
      readonly context: JobContext;
      /** An earlier worker of the job may have made a container and died before it was noted: it is looked for first. */
      readonly mayBeMade: boolean;
    }
  | {
      readonly kind: 'adopt';
      readonly spec: DockerLaunchSpec;
      readonly container: Leftover & { readonly kind: 'container' };
      readonly context: JobContext;
      readonly cursor: LogCursor | null;
      /** The next chunk gets `nextSeq` and `nextLine`. */
      readonly nextSeq: number;
      readonly nextLine: number;
      readonly stopCause: StopCause | null;
    }
  /** A local command; such a job is never adopted, since nobody else can read its output. */
  | {
      readonly kind: 'run_host';
      readonly spec: HostExecSpec;
      readonly prompt: string;
      readonly context: HostContext;
    }
  /** No other local command is starting on this host: this one may. */
  | { readonly kind: 'start_granted' }
  /** The leftover is on disk: it may be started now. */
  | { readonly kind: 'noted'; readonly leftover: Leftover }
  | { readonly kind: 'log_stored'; readonly throughSeq: number }
  /** What `ended` told is on disk: what the job made may go now, but for a container to keep. */
  | { readonly kind: 'verdict_noted'; readonly keepContainer?: boolean }
  /** Further values to mask, from a redelivered launch. */
  | { readonly kind: 'secrets'; readonly environment: Readonly<Record<string, string>> }
  /** TERM now, KILL after `graceMs`. */
  | { readonly kind: 'stop'; readonly cause: StopCause; readonly graceMs: number };

export const PHASES = [
  'preparing',
  'pulling',
  'creating',
  'starting',
  'running',
  'collecting',
  'cleaning',
] as const;
export type Phase = (typeof PHASES)[number];

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'made'; readonly leftover: Leftover }
  /** Asks for a turn to start a local command, answered by `start_granted`; and tells that the turn is over. */
  | { readonly kind: 'start_wanted' }
  | { readonly kind: 'start_over' }
  /** `progress` is short and plain, for example '41 of 120 MB'. `running` means the container started. */
  | { readonly kind: 'phase'; readonly phase: Phase; readonly progress: string | null }
  | {
      readonly kind: 'log';
      readonly chunks: readonly LogChunk[];
      /** Where the source was read to once these are stored; null: unchanged (lines of our own). */
      readonly cursor: LogCursor | null;
      readonly markers: readonly JobMarker[];
    }
  /** A call that a running container depends on got no answer: once for each absence. */
  | { readonly kind: 'engine_missed' }
  /** What is known of the run so far, every few seconds while the container runs. */
  | { readonly kind: 'facts'; readonly facts: RunFacts }
  /** The last message; all chunks were sent before it. Answered by `verdict_noted`, after which the worker cleans up and exits. */
  | { readonly kind: 'ended'; readonly verdict: Verdict; readonly facts: RunFacts };

/** What is worth showing of a run afterwards. */
export interface RunFacts {
  readonly containerId: string | null;
  readonly imageId: string | null;
  readonly oomKilled: boolean;
  readonly exitCode: number | null;
  /** Highest seen while it ran, without the page cache that can be given back; null: it was too short to be looked at. */
  readonly peakMemoryBytes: number | null;
  /** Processor time used up to the last look, over all processors. */
  readonly cpuMs: number | null;
  /** When each phase began, oldest first; a phase that repeats is there again. */
  readonly phases: readonly PhaseStart[];
  /** As the container was given them; null where none was made. */
  readonly limits: ContainerLimits | null;
}

export const NO_FACTS: RunFacts = {
  containerId: null,
  imageId: null,
  oomKilled: false,
  exitCode: null,
  peakMemoryBytes: null,
  cpuMs: null,
  phases: [],
  limits: null,
};

export interface PhaseStart {
  readonly phase: Phase;
  readonly atMs: number;
}

export type ContainerLimits = Pick<JobLimits, 'memoryBytes' | 'cpus' | 'pids' | 'timeLimitMs'>;

const cursorSchema = z.object({ stdout: z.unknown(), stderr: z.unknown() });
const verdictSchema = z.object({
  outcome: z.enum(['succeeded', 'failed', 'timed_out', 'stopped', 'lost']),
  status: z.enum(['SUCCEEDED', 'FAILED', 'STOPPED']),
  exitCode: z.number().int(),
  error: z.string(),
  result: z.record(z.string(), z.unknown()).nullable(),
  evidenceUpload: z.enum(['uploaded', 'failed', 'absent']).nullable(),
  reason: z.object({ code: z.string(), facts: z.record(z.string(), z.string()) }).nullable(),
});
const limit = z.number().nullable();
const factsSchema = z.object({
  containerId: z.string().nullable(),
  imageId: z.string().nullable(),
  oomKilled: z.boolean(),
  exitCode: z.number().int().nullable(),
  peakMemoryBytes: z.number().nullable(),
  cpuMs: z.number().nullable(),
  phases: z.array(z.object({ phase: z.enum(PHASES), atMs: z.number() })),
  limits: z
    .object({ memoryBytes: limit, cpus: limit, pids: limit, timeLimitMs: z.number() })
    .nullable(),
});
const coldFromWorkerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('engine_missed') }),
  z.object({ kind: z.literal('made'), leftover: leftoverSchema }),
  z.object({ kind: z.literal('start_wanted') }),
  z.object({ kind: z.literal('start_over') }),
  z.object({ kind: z.literal('phase'), phase: z.enum(PHASES), progress: z.string().nullable() }),
  z.object({
    kind: z.literal('ended'),
    verdict: verdictSchema,
    facts: factsSchema,
  }),
  z.object({ kind: z.literal('facts'), facts: factsSchema }),
]);

/** A worker's message, or the field that is wrong with it. A worker that sends one such is ended. */
export function parseFromWorker(
  value: unknown,
): FromWorker | { readonly kind: 'malformed'; readonly field: string } {
  const hot = readLogMessage(value);
  if (hot !== undefined) return hot;
  const parsed = coldFromWorkerSchema.safeParse(value);
  if (parsed.success) return parsed.data as FromWorker;
  return { kind: 'malformed', field: parsed.error.issues[0]?.path.join('.') ?? '' };
}

function readLogMessage(
  value: unknown,
): FromWorker | { kind: 'malformed'; field: string } | undefined {
  if (typeof value !== 'object' || value === null || (value as { kind?: unknown }).kind !== 'log')
    return undefined;
  const { chunks, cursor, markers } = value as {
    chunks?: unknown;
    cursor?: unknown;
    markers?: unknown;
  };
  if (!Array.isArray(chunks) || !chunks.every(isChunk))
    return { kind: 'malformed', field: 'chunks' };
  if (cursor !== null && !cursorSchema.safeParse(cursor).success)
    return { kind: 'malformed', field: 'cursor' };
  if (!Array.isArray(markers)) return { kind: 'malformed', field: 'markers' };
  return value as FromWorker;
}

function isChunk(value: unknown): value is LogChunk {
  const chunk = value as Partial<LogChunk> | null;
  return (
    typeof chunk === 'object' &&
    chunk !== null &&
    [chunk.seq, chunk.firstLine, chunk.lines, chunk.records, chunk.rawBytes, chunk.codec].every(
      Number.isSafeInteger,
    ) &&
    typeof chunk.firstAtMs === 'number' &&
    typeof chunk.lastAtMs === 'number' &&
    chunk.body instanceof Uint8Array &&
    Array.isArray(chunk.batches)
  );
}
