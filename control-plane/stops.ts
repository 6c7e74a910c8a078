/** Stops asked for by the owner: of one execution, or of all by the kill switch. */
import type { Effects } from './effects.ts';
import { confirmStop, endExecution, isTerminal, requestHalt } from './endings.ts';
import type { PlaneParts } from './plane-parts.ts';
import { KILL_SCOPES, type KillScope } from './store/account-table.ts';
import type { ExecutionRow } from './store/execution-table.ts';

const STOPPED_BY_USER = 'Manually stopped by user';

/** False when it had ended already. The status is STOPPED at once; a lease stays until its runner answers. */
export function stopExecution(
  parts: PlaneParts,
  execution: ExecutionRow,
  effects: Effects,
): boolean {
  if (isTerminal(execution)) return false;
  const stopped = markStop(parts, execution, { reason: STOPPED_BY_USER, source: 'user' });
  endExecution(parts, stopped, { status: 'STOPPED', error: STOPPED_BY_USER });
  const assignment = parts.store.assignments.ofExecution(execution.id);
  if (assignment === undefined) confirmStop(parts, stopped);
  else requestHalt(parts, assignment, effects);
  return true;
}

/**
 * Bans new leases while `flows` is active, and stops what is active now: waiting executions end
 * directly, leased ones when their runner confirms.
 */
export function activateKillSwitch(
  parts: PlaneParts,
  scopes: readonly KillScope[] | undefined,
  reason: string | null,
  effects: Effects,
): void {
  const chosen = scopes ?? KILL_SCOPES;
  for (const scope of chosen) parts.store.account.activate(scope, reason, parts.clock.nowMs());
  if (!chosen.includes('flows')) return;
  for (const execution of parts.store.executions.open()) {
    // PENDING ones were never admitted, and are not now: they wait for the ban to be lifted.
    if (execution.stop_requested_at_ms !== null || execution.status === 'PENDING') continue;
    const why = reason ?? 'The account was halted';
    const stopped = markStop(parts, execution, { reason: why, source: 'account_halt' });
    const assignment = parts.store.assignments.ofExecution(execution.id);
    if (assignment !== undefined) requestHalt(parts, assignment, effects);
    else if (execution.queued_at_ms !== null) {
      endExecution(parts, stopped, { status: 'STOPPED', error: why });
      confirmStop(parts, stopped);
    }
  }
}

function markStop(
  parts: PlaneParts,
  execution: ExecutionRow,
  why: { readonly reason: string; readonly source: string },
): ExecutionRow {
  const stop = {
    stop_requested_at_ms: execution.stop_requested_at_ms ?? parts.clock.nowMs(),
    stop_reason: why.reason,
    stop_source: why.source,
  };
  parts.store.executions.update(execution.id, stop);
  return { ...execution, ...stop };
}
