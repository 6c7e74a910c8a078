/** How executions end, whoever ends them, and how their leases are released or flagged to halt. */
import type { JsonObject } from '../runner-core/model/json.ts';
import type { Effects } from './effects.ts';
import { failureCategory } from './failure-category.ts';
import { refreshStatus } from './leases.ts';
import type { PlaneParts } from './plane-parts.ts';
import type { AssignmentRow } from './store/assignment-table.ts';
import type { ExecutionRow } from './store/execution-table.ts';

const TERMINAL: ReadonlySet<string> = new Set([
  'SUCCEEDED',
  'FAILED',
  'STOPPED',
  'CANCELLED',
  'CANCELED',
  'TIMEOUT',
  'TIMED_OUT',
  'ABORTED',
]);

export function isTerminal(execution: Pick<ExecutionRow, 'status'>): boolean {
  return TERMINAL.has(execution.status);
}

export interface Ending {
  readonly status: 'SUCCEEDED' | 'FAILED' | 'STOPPED';
  /** Null or empty: the stored text stays. */
  readonly error: string | null;
  /** Absent: the stored result stays. */
  readonly result?: JsonObject;
}

/** Writes the terminal state and revokes the runtime keys. The lease, if any, is left to the caller. */
export function endExecution(parts: PlaneParts, execution: ExecutionRow, ending: Ending): void {
  const { store, clock } = parts;
  const nowMs = clock.nowMs();
  const error = ending.error === '' ? null : ending.error;
  store.executions.update(execution.id, {
    status: ending.status,
    end_time_ms: nowMs,
    failure_category: failureCategory({
      status: ending.status,
      error: error ?? execution.error_message,
      setupFailed: execution.setup_failed === 1,
    }),
    queued_at_ms: null,
    queued_reason: null,
    updated_at_ms: nowMs,
    ...(error === null ? {} : { error_message: error }),
    ...(ending.result === undefined ? {} : { result: JSON.stringify(ending.result) }),
  });
  store.credentials.deactivate(execution.id);
}

/** The runner is done with this execution: what was asked of it is confirmed. */
export function confirmStop(parts: PlaneParts, execution: ExecutionRow): void {
  if (execution.stop_requested_at_ms === null || execution.stop_confirmed_at_ms !== null) return;
  parts.store.executions.update(execution.id, { stop_confirmed_at_ms: parts.clock.nowMs() });
}

export function releaseLease(parts: PlaneParts, assignment: AssignmentRow): void {
  parts.store.assignments.delete(assignment.id);
  refreshStatus(parts, assignment.runner_id);
}

/**
 * Flags the lease so that every heartbeat reply names it until it is gone. Improved: told at once as
 * well, since a runner would otherwise hear of it up to 15 s later.
 */
export function requestHalt(parts: PlaneParts, assignment: AssignmentRow, effects: Effects): void {
  if (assignment.halt_requested_at_ms === null) {
    const halt_requested_at_ms = parts.clock.nowMs();
    parts.store.assignments.update(assignment.id, { halt_requested_at_ms });
  }
  if (parts.behaviour === 'hosted') return;
  const socket = parts.live.get(assignment.runner_id);
  if (socket !== undefined) {
    effects.add(() => socket.send({ type: 'halt', ...haltFields([assignment.execution_id]) }));
  }
}

/** The fields by which a frame names halted executions; none at all when there are none. */
export function haltFields(executionIds: readonly string[]): JsonObject {
  const first = executionIds[0];
  if (first === undefined) return {};
  return { halt: true, halt_execution_id: first, halt_execution_ids: executionIds };
}

/** Puts an execution that never started back in the queue, at its end. */
export function requeue(parts: PlaneParts, execution: ExecutionRow): void {
  const nowMs = parts.clock.nowMs();
  parts.store.executions.update(execution.id, {
    runner_id: null,
    agent_session_reference: null,
    queued_at_ms: nowMs,
    leased_at_ms: null,
    updated_at_ms: nowMs,
  });
  parts.store.credentials.deactivate(execution.id);
}
