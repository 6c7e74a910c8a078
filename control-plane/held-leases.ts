/**
 * Compares a runner's leases with what it says it holds. The list is an extension of ours: an optional
 * heartbeat field `held_execution_ids`, which the hosted service ignores. Improved behaviour only.
 */
import type { JsonObject } from '../runner-core/model/json.ts';
import { confirmStop, endExecution, isTerminal, releaseLease } from './endings.ts';
import { parseUuid } from './identifiers.ts';
import type { PlaneParts } from './plane-parts.ts';
import { HEARTBEAT_TTL_MS } from './pools.ts';
import { isUnstarted } from './store/assignment-table.ts';

const LOST = 'The runner no longer holds this execution';

/** The list, or undefined when the runner gives none. */
export function readHeldIds(frame: JsonObject): ReadonlySet<string> | undefined {
  const listed = frame['held_execution_ids'];
  if (!Array.isArray(listed)) return undefined;
  return new Set(listed.map(parseUuid).filter((id) => id !== undefined));
}

/**
 * Ends started leases the runner has lost, and returns the executions it holds without a lease: those
 * went elsewhere while it was away, and are to be halted.
 */
export function reconcileHeld(
  parts: PlaneParts,
  runnerId: string,
  held: ReadonlySet<string>,
): readonly string[] {
  const leases = parts.store.assignments.ofRunner(runnerId);
  for (const lease of leases) {
    if (isUnstarted(lease) || held.has(lease.execution_id)) continue;
    releaseLease(parts, lease);
    const execution = parts.store.executions.get(lease.execution_id);
    if (execution === undefined) continue;
    confirmStop(parts, execution);
    if (!isTerminal(execution)) endExecution(parts, execution, { status: 'FAILED', error: LOST });
  }
  const leased = new Set(leases.map((lease) => lease.execution_id));
  return [...held].filter((id) => !leased.has(id) && parts.store.executions.get(id) !== undefined);
}

/**
 * Releases halted leases that never started and that the runner, though it was told and is alive, has
 * not answered for: it does not hold them, and their slot would stay taken for good.
 */
export function releaseUnansweredHalts(parts: PlaneParts, runnerId: string): void {
  const nowMs = parts.clock.nowMs();
  for (const lease of parts.store.assignments.ofRunner(runnerId)) {
    if (lease.halt_requested_at_ms === null || !isUnstarted(lease)) continue;
    if (nowMs - lease.halt_requested_at_ms < HEARTBEAT_TTL_MS) continue;
    releaseLease(parts, lease);
    const execution = parts.store.executions.get(lease.execution_id);
    if (execution === undefined) continue;
    confirmStop(parts, execution);
    if (!isTerminal(execution)) {
      endExecution(parts, execution, { status: 'STOPPED', error: execution.stop_reason });
    }
  }
}
