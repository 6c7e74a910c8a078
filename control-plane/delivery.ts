/**
 * Turns a lease into the job a runner is handed: the stored form plus a launch and a credential made
 * for this delivery. Runs inside the caller's transaction; sending is the caller's effect.
 */
import type { JsonObject } from '../runner-core/model/json.ts';
import { SealBrokenError } from '../runner-core/sealing/key-file-box.ts';
import { DOCKER_AGENT_TYPES } from '../runner-core/model/job-spec.ts';
import {
  readPublicDefinition,
  readSecretDefinition,
  type SecretDefinition,
} from './definitions.ts';
import { harnessOf } from './host-profiles.ts';
import { newToken, tokenHash } from './identifiers.ts';
import { isHostJob, readStoredJob, withSealedParts } from './job-builder.ts';
import { buildLaunch, LaunchTooLargeError } from './launch-builder.ts';
import type { PlaneParts } from './plane-parts.ts';
import type { AssignmentRow } from './store/assignment-table.ts';
import type { ExecutionRow } from './store/execution-table.ts';

const CREDENTIAL_LIFETIME_MS = 7_200_000;
const CONFIGURATION_CHANGED =
  'The configuration changed after this execution was leased; start it again';
const CANNOT_PREPARE = 'The launch of this execution could not be prepared';

/** The lease ready to be started, or with `launch_error` where it cannot be. Notes that it was handed out. */
export function prepareDelivery(parts: PlaneParts, assignment: AssignmentRow): JsonObject {
  const job = replayedJob(parts, assignment);
  if (assignment.delivered_at_ms === null) {
    parts.store.assignments.update(assignment.id, { delivered_at_ms: parts.clock.nowMs() });
  }
  const execution = parts.store.executions.get(assignment.execution_id);
  try {
    if (execution === undefined) return { ...job, launch_error: CANNOT_PREPARE };
    return isHostJob(job) ? checkedHostJob(job) : launchedJob(parts, job, execution);
  } catch (error) {
    // What went wrong may quote a secret: only our own words go out.
    const tooLarge = error instanceof LaunchTooLargeError;
    parts.log.warn('launch refused', {
      executionId: assignment.execution_id,
      problem: tooLarge ? error.message : error instanceof Error ? error.name : 'unknown',
    });
    return { ...job, launch_error: tooLarge ? error.message : CANNOT_PREPARE };
  }
}

/** The lease as it is repeated once started: nothing to launch it with. A host job keeps its prompt. */
export function replayedJob(parts: PlaneParts, assignment: AssignmentRow): JsonObject {
  const job = readStoredJob(assignment.pending_job);
  const secret = sealedHalf(parts, assignment.execution_id);
  return secret === undefined ? job : withSealedParts(job, secret);
}

/** Undefined when the key file was exchanged: the job can then be told of, and not be launched. */
function sealedHalf(parts: PlaneParts, executionId: string): SecretDefinition | undefined {
  const execution = parts.store.executions.get(executionId);
  const definition = execution && parts.store.flows.definition(execution.definition_id);
  if (definition === undefined) return undefined;
  try {
    return readSecretDefinition(definition.sealed, parts.box);
  } catch (error) {
    if (!(error instanceof SealBrokenError)) throw error;
    parts.log.warn('a definition cannot be unsealed with this key', { executionId });
    return undefined;
  }
}

function checkedHostJob(job: JsonObject): JsonObject {
  const sound =
    job['prompt'] !== undefined &&
    harnessOf(job) !== undefined &&
    typeof job['host_exec_profile'] === 'string' &&
    job['launch_version'] === undefined;
  return sound ? job : { ...job, launch_error: CANNOT_PREPARE };
}

function launchedJob(parts: PlaneParts, job: JsonObject, execution: ExecutionRow): JsonObject {
  const leased = job['flow_launch_fingerprint'];
  if (typeof leased === 'string' && leased !== currentFingerprint(parts, execution)) {
    return { ...job, launch_error: CONFIGURATION_CHANGED };
  }
  const definition = parts.store.flows.definition(execution.definition_id);
  if (definition === undefined) return { ...job, launch_error: CANNOT_PREPARE };
  const open = readPublicDefinition(definition.body);
  if (!(DOCKER_AGENT_TYPES as readonly string[]).includes(open.agent_type)) {
    const problem = `Agent type ${open.agent_type} cannot run on a private runner`;
    return { ...job, launch_error: problem };
  }
  const token = `rt_${newToken()}`;
  const launch = buildLaunch({
    definition: open,
    secret: readSecretDefinition(definition.sealed, parts.box),
    token,
    publicUrl: parts.publicUrl(),
  });
  const nowMs = parts.clock.nowMs();
  const expiresAtMs = nowMs + CREDENTIAL_LIFETIME_MS;
  parts.store.credentials.insert(tokenHash(token), execution.id, nowMs, expiresAtMs);
  return { ...job, account_api_token: token, launch };
}

/** Of what the execution would run if it were leased now: an edit of its flow since then counts. */
function currentFingerprint(parts: PlaneParts, execution: ExecutionRow): string | undefined {
  const flow = parts.store.flows.get(execution.flow_id);
  const edited = flow !== undefined && flow.revision > execution.flow_revision;
  const id = edited ? flow.definition_id : execution.definition_id;
  return parts.store.flows.definition(id)?.fingerprint;
}
