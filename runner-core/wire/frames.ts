/**
 * The frames of the runner's socket, both directions, as schemas. Unknown keys are dropped, unknown
 * kinds reported as such. Job payloads stay raw here; `job-payload.ts` reads them.
 */
import * as z from 'zod';
import { isJsonObject } from '../model/json.ts';

const carriesWork = {
  job: z.unknown().optional(),
  jobs: z.array(z.unknown()).optional(),
  halt: z.boolean().optional(),
  halt_execution_id: z.string().optional(),
  halt_execution_ids: z.array(z.string()).optional(),
};
/** An error on a frame of any type counts as one, and most of them are final (`errors.ts`). */
const mayFail = { error: z.string().optional() };
/** Fields that only inform: a value of the wrong type is taken as absent, the frame still counts. */
const informativeCount = z.number().int().optional().catch(undefined);
const informativeFlag = z.boolean().optional().catch(undefined);

export const serverFrameSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    runner_id: z.string(),
    log_acknowledgements: informativeFlag,
    ephemeral: informativeFlag,
    concurrency: informativeCount,
    /** Started leases that are not among the jobs; of the embedded plane only. */
    held_execution_ids: z.array(z.string()).optional().catch(undefined),
    ...mayFail,
    ...carriesWork,
  }),
  z.object({
    type: z.literal('ack'),
    concurrency: informativeCount,
    inventory_wanted: informativeFlag,
    execution_id: z.unknown().optional(),
    batch_id: z.unknown().optional(),
    ...mayFail,
    ...carriesWork,
  }),
  z.object({
    type: z.literal('logs_ack'),
    execution_id: z.string(),
    batch_id: z.string(),
    ...mayFail,
  }),
  z.object({ type: z.literal('job'), ...mayFail, ...carriesWork }),
  z.object({ type: z.literal('halt'), ...mayFail, ...carriesWork }),
  z.object({ type: z.literal('error'), error: z.string(), batch_id: z.unknown().optional() }),
]);
export type ServerFrame = z.infer<typeof serverFrameSchema>;

/**
 * A heartbeat as the service reads it: what is absent or invalid counts as absent, field by field, and
 * is withdrawn, save `host_exec_profiles`, which null clears and absence leaves as they were.
 */
export const heartbeatSchema = z.object({
  type: z.literal('heartbeat'),
  concurrency: informativeCount,
  ephemeral: informativeFlag,
  host_exec_profiles: z.array(z.unknown()).nullish().catch(undefined),
  publication_capabilities: z.unknown().optional(),
  harness_inventory_hash: z.string().optional().catch(undefined),
  harness_inventory: z.unknown().optional(),
});

/** What we send: every field every time, since what a heartbeat leaves out is withdrawn. */
export interface HeartbeatFrame {
  readonly type: 'heartbeat';
  readonly concurrency: number;
  readonly ephemeral: boolean;
  readonly host_exec_profiles: readonly HostExecAdvertisement[];
  readonly publication_capabilities: { readonly version: 1; readonly helper_ready: false };
  /**
   * Jobs taken and not yet settled. An extension that the hosted service ignores; the embedded plane ends
   * what it believes started here and is not listed. Left out: no statement.
   */
  readonly held_execution_ids?: readonly string[];
}
export interface HostExecAdvertisement {
  readonly name: string;
  readonly capabilities: readonly string[];
  readonly models: readonly string[];
}
export interface StatusFrame {
  readonly type: 'status';
  readonly execution_id: string;
  /** PENDING, of a lease that was reported as started: it was not, and its launch is needed again. */
  readonly status: 'PENDING' | 'STARTING' | 'RUNNING';
}
/** Lines that are not strings yet; whoever sends them writes them straight into a frame. */
export interface PackedLines {
  readonly length: number;
  /** An upper bound of what `writeJson` writes. */
  readonly maxJsonBytes: number;
  /** Writes the lines as JSON array text in UTF-8 to `target` from `at` on; returns where it ends. */
  writeJson(target: Uint8Array, at: number): number;
  toArray(): readonly string[];
}
export interface LogsFrame {
  readonly type: 'logs';
  readonly execution_id: string;
  readonly lines: readonly string[] | PackedLines;
  readonly batch_id?: string;
}
export interface CompleteFrame {
  readonly type: 'complete';
  readonly execution_id: string;
  readonly status: 'SUCCEEDED' | 'FAILED' | 'STOPPED';
  readonly exit_code: number;
  readonly result: unknown;
  readonly error: string;
  readonly launch_version?: 1;
  readonly completion_protocol: 'docker_v1' | 'host_exec';
  readonly host_exec_profile?: string;
  readonly evidence_upload?: 'uploaded' | 'failed' | 'absent';
}
export interface UnregisterFrame {
  readonly type: 'unregister';
}
export type ClientFrame =
  HeartbeatFrame | StatusFrame | LogsFrame | CompleteFrame | UnregisterFrame;

export type ParsedServerFrame =
  | { readonly ok: true; readonly frame: ServerFrame }
  /** `field` is the path of the first offending value, '' for the whole frame; `problem` is plain words without the value. */
  | {
      readonly ok: false;
      readonly kind: 'malformed' | 'unknown_type';
      readonly field: string;
      readonly problem: string;
    };

/**
 * Reads one text frame of the service. Never throws. A null stands for an absent field, as the
 * service's own language has it.
 */
export function parseServerFrame(text: string): ParsedServerFrame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return malformed('', 'not JSON');
  }
  if (!isJsonObject(value)) return malformed('', 'not an object');
  const type = value['type'];
  if (typeof type !== 'string') return malformed('type', 'not a string');
  const present = Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
  const parsed = serverFrameSchema.safeParse(present);
  if (parsed.success) return { ok: true, frame: parsed.data };
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  if (field === 'type')
    return { ok: false, kind: 'unknown_type', field, problem: 'unknown frame type' };
  return malformed(field, issue?.message ?? 'malformed');
}

function malformed(field: string, problem: string): ParsedServerFrame {
  return { ok: false, kind: 'malformed', field, problem };
}
