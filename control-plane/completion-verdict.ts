/** Judges a `complete` frame by the protocol that was leased. Pure; the frame cannot choose its protocol. */
import { isJsonObject, type JsonObject } from '../runner-core/model/json.ts';
import { DOCKER_AGENT_TYPES } from '../runner-core/model/job-spec.ts';
import {
  asciiJsonBytes,
  confirmation,
  RESULT_LIMIT_BYTES,
} from '../runner-core/wire/result-report.ts';
import { harnessOf } from './host-profiles.ts';
import { isHostJob } from './job-builder.ts';

export type CompletionStatus = 'SUCCEEDED' | 'FAILED' | 'STOPPED';

export interface CompletionVerdict {
  readonly status: CompletionStatus;
  readonly error: string;
  readonly result: JsonObject | null;
}

const NO_VALID_RESULT = 'Runner exited without a valid structured completion result';
const BAD_HOST_LEASE = 'Invalid durable host execution lease';
const BAD_LEASE = 'Invalid durable runner lease protocol';
const HOST_MISMATCH = 'Completion does not match the leased host_exec profile/protocol';
const HARNESS_MISMATCH = 'Completion does not identify the leased harness';

/** Top-level keys that only the control plane may write. */
const RESERVED: readonly string[] = [
  'trusted_publication',
  '_private_publication',
  'evidence_upload',
  'product_provenance',
  'dossier_manifest',
  'report_publication',
  'follow_up_filing',
];

/** The reported status, upper-cased, or undefined for any other word. */
export function readCompletionStatus(value: unknown): CompletionStatus | undefined {
  const word = typeof value === 'string' ? value.toUpperCase() : '';
  return word === 'SUCCEEDED' || word === 'FAILED' || word === 'STOPPED' ? word : undefined;
}

export function judgeCompletion(
  job: JsonObject,
  frame: JsonObject,
  status: CompletionStatus,
): CompletionVerdict {
  if (isHostJob(job)) return judgeHost(job, frame, status);
  if (job['host_exec_profile'] !== undefined) return failed(BAD_LEASE);
  return judgeDocker(job, frame, status);
}

function judgeDocker(
  job: JsonObject,
  frame: JsonObject,
  status: CompletionStatus,
): CompletionVerdict {
  const result = readResult(frame['result'], RESERVED);
  if (status !== 'SUCCEEDED') return { status, error: errorText(frame['error']), result };
  const sound =
    job['launch_version'] === 1 &&
    (DOCKER_AGENT_TYPES as readonly unknown[]).includes(job['agent_type']) &&
    frame['completion_protocol'] === 'docker_v1' &&
    frame['launch_version'] === 1 &&
    frame['exit_code'] === 0 &&
    confirmation(result) === 'success';
  if (!sound) return { status: 'FAILED', error: NO_VALID_RESULT, result };
  return { status, error: errorText(frame['error']), result };
}

function judgeHost(
  job: JsonObject,
  frame: JsonObject,
  status: CompletionStatus,
): CompletionVerdict {
  const harness = harnessOf(job);
  const profile = job['host_exec_profile'];
  if (typeof profile !== 'string' || harness === undefined || job['launch_version'] !== undefined) {
    return failed(BAD_HOST_LEASE);
  }
  const matches =
    frame['completion_protocol'] === 'host_exec' &&
    frame['host_exec_profile'] === profile &&
    (frame['launch_version'] ?? null) === null;
  if (!matches) return failed(HOST_MISMATCH);
  const read = readResult(frame['result'], [...RESERVED, 'host_publication']);
  const result = read === null ? null : { ...read, gateway_metered: false };
  if (status !== 'SUCCEEDED') return { status, error: errorText(frame['error']), result };
  if (frame['exit_code'] !== 0 || confirmation(read) !== 'success') {
    return { status: 'FAILED', error: NO_VALID_RESULT, result };
  }
  if (read?.['harness'] !== harness) {
    return { status: 'FAILED', error: HARNESS_MISMATCH, result: read };
  }
  return { status, error: errorText(frame['error']), result };
}

function failed(error: string): CompletionVerdict {
  return { status: 'FAILED', error, result: null };
}

/** An object within the size limit, without the keys that are not the agent's to write; else null. */
function readResult(value: unknown, reserved: readonly string[]): JsonObject | null {
  if (!isJsonObject(value) || sizeOf(value) > RESULT_LIMIT_BYTES) return null;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !reserved.includes(key)));
}

/** Nesting too deep to be measured is too deep to be stored. */
function sizeOf(value: JsonObject): number {
  try {
    return asciiJsonBytes(value);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function errorText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export type EvidenceOutcome = 'available' | 'failed' | 'missing';

/** What the lease's evidence came to; null when nothing was to be and nothing was reported. */
export function evidenceOutcome(job: JsonObject, reported: unknown): EvidenceOutcome | null {
  if (reported === null || reported === undefined || reported === '') {
    return job['evidence_direct_upload'] === true ? 'failed' : null;
  }
  if (reported === 'uploaded') return 'available';
  return reported === 'absent' ? 'missing' : 'failed';
}
