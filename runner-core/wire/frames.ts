/**
 * The frames of the runner's socket, both directions, as schemas. Unknown keys are dropped, unknown
 * kinds reported as such. Job payloads stay raw here; `job-payload.ts` reads them.
 */
import * as z from 'zod';

const jobList = z.array(z.unknown());
const carriesWork = {
  job: z.unknown().optional(),
  jobs: jobList.nullish(),
  halt: z.boolean().nullish(),
  halt_execution_id: z.string().nullish(),
  halt_execution_ids: z.array(z.string()).nullish(),
};

export const serverFrameSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    runner_id: z.string(),
    log_acknowledgements: z.boolean().optional(),
    ephemeral: z.boolean().optional(),
    concurrency: z.number().int().optional(),
    error: z.string().optional(),
    ...carriesWork,
  }),
  z.object({
    type: z.literal('ack'),
    concurrency: z.number().int().optional(),
    inventory_wanted: z.boolean().optional(),
    execution_id: z.unknown().optional(),
    batch_id: z.unknown().optional(),
    error: z.string().optional(),
    ...carriesWork,
  }),
  z.object({ type: z.literal('logs_ack'), execution_id: z.string(), batch_id: z.string() }),
  z.object({ type: z.literal('job'), ...carriesWork }),
  z.object({ type: z.literal('halt'), ...carriesWork }),
  z.object({ type: z.literal('error'), error: z.string(), batch_id: z.unknown().optional() }),
]);
export type ServerFrame = z.infer<typeof serverFrameSchema>;

export const heartbeatSchema = z.object({
  type: z.literal('heartbeat'),
  concurrency: z.number().int().optional(),
  ephemeral: z.boolean().optional(),
  host_exec_profiles: z.array(z.unknown()).nullish(),
  publication_capabilities: z.unknown().optional(),
  harness_inventory_hash: z.string().optional(),
  harness_inventory: z.unknown().optional(),
});

/** What we send. The plane parses leniently, field by field, as the service does. */
export interface HeartbeatFrame {
  readonly type: 'heartbeat';
  readonly concurrency: number;
  readonly ephemeral: boolean;
  readonly host_exec_profiles: readonly HostExecAdvertisement[];
  readonly publication_capabilities: { readonly version: 1; readonly helper_ready: false };
}
export interface HostExecAdvertisement {
  readonly name: string;
  readonly capabilities: readonly string[];
  readonly models: readonly string[];
}
export interface StatusFrame {
  readonly type: 'status';
  readonly execution_id: string;
  readonly status: 'STARTING' | 'RUNNING';
}
export interface LogsFrame {
  readonly type: 'logs';
  readonly execution_id: string;
  readonly lines: readonly string[];
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

/** Reads one text frame of the service. Never throws. */
export function parseServerFrame(text: string): ParsedServerFrame {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, kind: 'malformed', field: '', problem: 'not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, kind: 'malformed', field: '', problem: 'not an object' };
  }
  const parsed = serverFrameSchema.safeParse(value);
  if (parsed.success) return { ok: true, frame: parsed.data };
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  const unknownType = issue?.code === 'invalid_union' && field === 'type';
  return {
    ok: false,
    kind: unknownType ? 'unknown_type' : 'malformed',
    field,
    problem: unknownType ? 'unknown frame type' : (issue?.message ?? 'malformed'),
  };
}
