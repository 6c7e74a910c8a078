/** The JSON columns of host.db: their schemas, and reading them back as the model's types. */
import * as z from 'zod';
import type { JobId } from '../../runner-core/model/ids.ts';
import { toJobId } from '../../runner-core/model/ids.ts';
import { DOCKER_AGENT_TYPES, type JobSpec } from '../../runner-core/model/job-spec.ts';
import { isJsonObject, type JsonObject } from '../../runner-core/model/json.ts';
import { leftoverSchema, type Leftover } from '../../runner-core/model/leftover.ts';
import type { LogCursor } from '../../runner-core/model/log-chunk.ts';
import type { StopCause, Verdict } from '../../runner-core/model/outcome.ts';
import { REASON_CODES, type Reason } from '../../runner-core/model/reason.ts';
import { jobMarkerSchema, type JobMarker } from '../../runner-core/wire/markers.ts';
import { PHASES, type RunFacts } from '../../runner-core/worker/protocol.ts';
import { StoredJobDamagedError } from './errors.ts';

const jobIdSchema = z.string().transform((text, context): JobId => {
  const jobId = toJobId(text);
  if (jobId !== undefined) return jobId;
  context.addIssue('not a job id');
  return z.NEVER;
});
/** Its members need no look: what JSON.parse made is JSON. */
const jsonObjectSchema: z.ZodType<JsonObject> = z.custom<JsonObject>(isJsonObject);

const specBase = {
  jobId: jobIdSchema,
  flowId: z.string().nullable(),
  // Rows of version 0.1 have neither.
  flowName: z.string().nullable().default(null),
  repository: z.string().nullable().default(null),
  modelIdentifier: z.string().nullable(),
  report: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('docker_v1') }),
    z.object({ kind: z.literal('host_exec'), profile: z.string() }),
  ]),
};
/**
 * Also used on the way in: a field that is not named here, such as a secret that slipped into an
 * object, is dropped and never reaches the disk.
 */
export const jobSpecSchema: z.ZodType<JobSpec> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('docker_launch'),
    ...specBase,
    agentType: z.enum(DOCKER_AGENT_TYPES),
    image: z.string(),
    options: z.object({
      mountDockerSocket: z.boolean(),
      persistWorkspace: z.boolean(),
      network: z.string().nullable(),
      extraMounts: z.array(z.string()),
      preserveEntrypoint: z.boolean(),
    }),
    resumeFrom: z.string().nullable(),
    agentConfig: jsonObjectSchema,
  }),
  z.object({
    kind: z.literal('host_exec'),
    ...specBase,
    agentType: z.literal('cursor'),
    profileName: z.string(),
    timeoutSeconds: z.number().nullable(),
  }),
  z.object({ kind: z.literal('unrunnable'), ...specBase, agentType: z.string() }),
]);

export const reasonSchema: z.ZodType<Reason> = z.object({
  code: z.enum(REASON_CODES),
  facts: z.record(z.string(), z.string()),
});
export const verdictSchema: z.ZodType<Verdict> = z.object({
  outcome: z.enum(['succeeded', 'failed', 'timed_out', 'stopped', 'lost']),
  status: z.enum(['SUCCEEDED', 'FAILED', 'STOPPED']),
  exitCode: z.number(),
  error: z.string(),
  result: jsonObjectSchema.nullable(),
  evidenceUpload: z.enum(['uploaded', 'failed', 'absent']).nullable(),
  reason: reasonSchema.nullable(),
});

const sourceCursorSchema = z.object({
  newest: z.string(),
  takenAtNewest: z.number(),
  taken: z.number(),
  open: z.object({ since: z.string(), emittedBytes: z.number() }).nullable(),
});
export const cursorSchema: z.ZodType<LogCursor | null> = z
  .object({ stdout: sourceCursorSchema, stderr: sourceCursorSchema })
  .nullable();

/** A marker of a kind that this version does not know is left out: markers decide nothing. */
export const markersSchema: z.ZodType<readonly JobMarker[]> = z
  .array(jobMarkerSchema.nullable().catch(null))
  .transform((markers) => markers.filter((marker) => marker !== null));
export const stopCauseSchema: z.ZodType<StopCause> = z.enum([
  'service',
  'owner',
  'shutdown',
  'time_limit',
]);
export const runFactsSchema: z.ZodType<RunFacts> = z.object({
  containerId: z.string().nullable(),
  imageId: z.string().nullable(),
  oomKilled: z.boolean(),
  exitCode: z.number().nullable(),
  // Rows of version 0.1 have none of these.
  peakMemoryBytes: z.number().nullable().default(null),
  cpuMs: z.number().nullable().default(null),
  phases: z
    .array(z.object({ phase: z.enum(PHASES), atMs: z.number() }))
    .catch([])
    .default([]),
  limits: z
    .object({
      memoryBytes: z.number().nullable(),
      cpus: z.number().nullable(),
      pids: z.number().nullable(),
      timeLimitMs: z.number(),
    })
    .nullable()
    .default(null),
});
export const batchesSchema: z.ZodType<readonly number[]> = z.array(z.number());

/** Reads one JSON column. Throws StoredJobDamagedError naming the job and the field, never the value. */
export function readStored<T>(
  schema: z.ZodType<T>,
  text: string,
  where: StoredJobDamagedError['facts'],
): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new StoredJobDamagedError(where, { cause: error });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const path = [where.field, ...(parsed.error.issues[0]?.path ?? [])].join('.');
  throw new StoredJobDamagedError({ jobId: where.jobId, field: path });
}

/** With the keys in the schema's order, so that equal leftovers are equal texts. */
export function leftoverText(leftover: Leftover): string {
  return JSON.stringify(leftoverSchema.parse(leftover));
}
