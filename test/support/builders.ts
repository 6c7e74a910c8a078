/** Ready-made values of the engine's model; each test changes what it is about. */
import { encodeChunk } from '../../runner-core/log/chunk-codec.ts';
import { toJobId, toRunnerId, type JobId, type RunnerId } from '../../runner-core/model/ids.ts';
import type { JsonObject } from '../../runner-core/model/json.ts';
import type { DockerLaunchSpec } from '../../runner-core/model/job-spec.ts';
import type { Leftover } from '../../runner-core/model/leftover.ts';
import {
  CHUNK_CODEC,
  START_OF_LOG,
  type LogChunk,
  type LogCursor,
} from '../../runner-core/model/log-chunk.ts';
import type { Verdict } from '../../runner-core/model/outcome.ts';
import type { RunnerIdentity } from '../../runner-core/ports.ts';
import { splitBatches } from '../../runner-core/wire/log-batch.ts';
import { dockerJob } from './docker-job.ts';

/** The job id of a number, a UUID: tests call their jobs 1, 2, 3. */
export function jobIdOf(number: number): JobId {
  const jobId = toJobId(`5f0c2a34-8d1e-4b7a-9c55-${number.toString(16).padStart(12, '0')}`);
  if (jobId === undefined) throw new RangeError(`job ${number}`);
  return jobId;
}

export function runnerIdOf(text: string): RunnerId {
  const runnerId = toRunnerId(text);
  if (runnerId === undefined) throw new RangeError(`runner ${text}`);
  return runnerId;
}

export const IDENTITY: RunnerIdentity = {
  runnerId: runnerIdOf('9a1d0000-0000-4000-8000-000000000001'),
  token: 'token_example_not_real',
  name: 'test runner',
};

/** A leased job as the service sends it, complete with its launch. */
export function jobPayload(number: number, changes: JsonObject = {}): JsonObject {
  return dockerJob({ execution_id: jobIdOf(number), ...changes });
}

/** The same once it was reported started: neither launch nor credentials. */
export function startedPayload(number: number): JsonObject {
  const { launch, account_api_token, ...rest } = jobPayload(number);
  if (launch === undefined || account_api_token === undefined) throw new Error('no longer needed');
  return rest;
}

/** A leased job that this host can never run. */
export function unrunnablePayload(number: number): JsonObject {
  return jobPayload(number, { agent_config: {} });
}

export function dockerSpec(
  number: number,
  changes: Partial<DockerLaunchSpec> = {},
): DockerLaunchSpec {
  return {
    kind: 'docker_launch',
    jobId: jobIdOf(number),
    flowId: null,
    flowName: null,
    repository: null,
    agentType: 'codex',
    modelIdentifier: null,
    report: { kind: 'docker_v1' },
    image: 'debian:bookworm',
    options: {
      mountDockerSocket: false,
      persistWorkspace: false,
      network: null,
      extraMounts: [],
      preserveEntrypoint: false,
    },
    resumeFrom: null,
    agentConfig: {},
    ...changes,
  };
}

export const SUCCEEDED: Verdict = {
  outcome: 'succeeded',
  status: 'SUCCEEDED',
  exitCode: 0,
  error: '',
  result: { status: 'success' },
  evidenceUpload: null,
  reason: null,
};

export function containerOf(number: number): Leftover & { kind: 'container' } {
  return {
    kind: 'container',
    id: number.toString(16).padStart(64, '0'),
    name: `preloop-${jobIdOf(number)}`,
  };
}

/** A chunk of these lines, all from standard output at `atMs`. */
export function chunkOf(
  seq: number,
  lines: readonly string[],
  { firstLine = 0, atMs = 0 }: { readonly firstLine?: number; readonly atMs?: number } = {},
): LogChunk {
  const records = lines.map((text) => ({ atMs, flags: 0, text }));
  const { codec, body } = encodeChunk(records, CHUNK_CODEC.plain);
  const sizes = lines.map((line) => Buffer.byteLength(line));
  return {
    seq,
    firstLine,
    lines: lines.length,
    records: lines.length,
    rawBytes: sizes.reduce((sum, size) => sum + size, 0),
    firstAtMs: atMs,
    lastAtMs: atMs,
    codec,
    body,
    batches: splitBatches(sizes),
  };
}

/** `count` chunks of one line each, so that each is a batch of its own: `line 1`, `line 2`, … */
export function lineChunks(count: number, firstSeq = 1): LogChunk[] {
  return Array.from({ length: count }, (_, offset) => {
    const seq = firstSeq + offset;
    return chunkOf(seq, [`line ${seq}`], { firstLine: seq - 1 });
  });
}

/** A cursor after `taken` records of standard output. */
export function cursorAfter(taken: number): LogCursor {
  return {
    ...START_OF_LOG,
    stdout: { newest: `2026-01-01T00:00:00.${taken}Z`, takenAtNewest: 1, taken, open: null },
  };
}
