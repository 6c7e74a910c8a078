/** Handles `complete`: judges it, releases the lease, writes the ending and revokes the keys, all in the caller's transaction. */
import type { JsonObject } from '../runner-core/model/json.ts';
import { EXECUTION_GONE, INVALID_COMPLETION_STATUS } from '../runner-core/wire/errors.ts';
import {
  evidenceOutcome,
  judgeCompletion,
  readCompletionStatus,
  type CompletionVerdict,
} from './completion-verdict.ts';
import { confirmStop, endExecution, isTerminal, releaseLease } from './endings.ts';
import { parseUuid } from './identifiers.ts';
import { readStoredJob } from './job-builder.ts';
import { readResult } from './log-markers.ts';
import type { PlaneParts } from './plane-parts.ts';
import type { ExecutionRow } from './store/execution-table.ts';
import { storedText } from './stored-text.ts';

/** Written by the control plane itself; a report does not take them away. */
const KEPT_KEYS = ['pr_url', 'pr_source_branch', '_private_publication', 'trusted_publication'];

export interface CompletionReply {
  readonly reply: JsonObject;
  readonly endsLoop: boolean;
}

export function complete(parts: PlaneParts, runnerId: string, frame: JsonObject): CompletionReply {
  const { store } = parts;
  const executionId = parseUuid(frame['execution_id']);
  const assignment =
    executionId === undefined ? undefined : store.assignments.ofExecution(executionId);
  if (assignment?.runner_id !== runnerId) return { reply: { type: 'ack' }, endsLoop: false };
  const status = readCompletionStatus(frame['status']);
  if (status === undefined) {
    return { reply: { type: 'error', error: INVALID_COMPLETION_STATUS }, endsLoop: false };
  }
  const job = readStoredJob(assignment.pending_job);
  const verdict = judgeCompletion(job, frame, status);
  const execution = store.executions.get(assignment.execution_id);
  if (execution === undefined) {
    return { reply: { type: 'error', error: EXECUTION_GONE }, endsLoop: true };
  }
  releaseLease(parts, assignment);
  confirmStop(parts, execution);
  // An ending that is already stored stands: the late report only frees the slot.
  if (!isTerminal(execution)) {
    writeEnding(parts, execution, verdict);
    const outcome = evidenceOutcome(job, frame['evidence_upload']);
    if (outcome !== null) {
      const evidence_receipt = JSON.stringify({ outcome });
      store.executions.update(execution.id, { evidence_receipt });
    }
  }
  store.credentials.deactivate(execution.id);
  return { reply: { type: 'ack' }, endsLoop: false };
}

function writeEnding(parts: PlaneParts, execution: ExecutionRow, verdict: CompletionVerdict): void {
  const { status, result } = verdict;
  const error = storedText(verdict.error);
  if (result === null) {
    endExecution(parts, execution, { status, error });
    return;
  }
  const earlier = Object.entries(readResult(execution.result));
  const kept = Object.fromEntries(earlier.filter(([key]) => KEPT_KEYS.includes(key)));
  endExecution(parts, execution, { status, error, result: { ...result, ...kept } });
}
