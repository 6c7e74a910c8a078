/** The plane's periodic look at what waits and what runs too long. Owns the poll and its three limits. */
import type { Timer } from '../runner-core/ports.ts';
import type { Effects } from './effects.ts';
import { endExecution, isTerminal, releaseLease, requestHalt, requeue } from './endings.ts';
import { dispatchQueue } from './leases.ts';
import { spanText } from './instants.ts';
import { transact, type PlaneParts } from './plane-parts.ts';

const POLL_MS = 5_000;
const QUEUE_TIMEOUT_SECONDS = 900;
/** Silence after which a runner loses a lease it never started (improved only). */
const LEASE_EXPIRY_MS = 120_000;

export class QueuePoll {
  readonly #parts: PlaneParts;
  #timer: Timer | undefined;

  constructor(parts: PlaneParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = this.#parts.clock.after(POLL_MS, () => {
      this.start();
      try {
        transact(this.#parts, (effects) => lookThrough(this.#parts, effects));
      } catch (error) {
        this.#parts.log.error('queue poll failed', { problem: String(error) });
      }
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }
}

function lookThrough(parts: PlaneParts, effects: Effects): void {
  if (parts.behaviour === 'improved') expireLeases(parts);
  failOverdueWaits(parts);
  dispatchQueue(parts, effects);
  failOverBudget(parts, effects);
}

/** The hosted service counts from the start, ours from the newest queueing, so that a requeued one gets its time. */
function failOverdueWaits(parts: PlaneParts): void {
  const nowMs = parts.clock.nowMs();
  for (const execution of parts.store.executions.queued()) {
    const sinceMs =
      parts.behaviour === 'improved' && execution.queued_at_ms !== null
        ? execution.queued_at_ms
        : execution.start_time_ms;
    if (nowMs - sinceMs < QUEUE_TIMEOUT_SECONDS * 1_000) continue;
    const within = spanText(QUEUE_TIMEOUT_SECONDS);
    endExecution(parts, execution, {
      status: 'FAILED',
      error: `No matching self-hosted runner for pool ${execution.pool} was found within ${within}`,
    });
  }
}

function failOverBudget(parts: PlaneParts, effects: Effects): void {
  for (const execution of parts.store.executions.overBudget(parts.clock.nowMs())) {
    if (isTerminal(execution)) continue;
    endExecution(parts, execution, {
      status: 'FAILED',
      error: `Execution timed out after ${execution.timeout_seconds} seconds`,
    });
    const assignment = parts.store.assignments.ofExecution(execution.id);
    if (assignment !== undefined) requestHalt(parts, assignment, effects);
  }
}

/**
 * A lease that no runner can have seen goes back to the queue when its runner stays silent. One that
 * was handed out may be running, unseen; it goes back only if the runner lists what it holds, so that
 * a late one is noticed and halted when the runner returns.
 */
function expireLeases(parts: PlaneParts): void {
  const nowMs = parts.clock.nowMs();
  for (const assignment of parts.store.assignments.unstarted()) {
    const runner = parts.store.runners.get(assignment.runner_id);
    const execution = parts.store.executions.get(assignment.execution_id);
    if (runner === undefined || execution === undefined) continue;
    const heardMs = runner.last_heartbeat_ms ?? runner.created_at_ms;
    if (nowMs - heardMs < LEASE_EXPIRY_MS) continue;
    if (assignment.delivered_at_ms !== null && runner.reports_held === 0) continue;
    if (execution.stop_requested_at_ms !== null && !isTerminal(execution)) continue;
    releaseLease(parts, assignment);
    if (!isTerminal(execution)) requeue(parts, execution);
    parts.log.info('lease expired', { executionId: execution.id, runnerId: runner.id });
  }
}
