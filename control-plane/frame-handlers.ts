/** What each kind of frame but `logs` does. Every handler runs in a savepoint and gives exactly one reply, or ends the loop. */
import type { JsonObject } from '../runner-core/model/json.ts';
import { complete } from './completion.ts';
import type { Effects } from './effects.ts';
import { endExecution, confirmStop, isTerminal, releaseLease, requeue } from './endings.ts';
import { goOffline } from './going-offline.ts';
import { heartbeat } from './heartbeat.ts';
import { parseUuid } from './identifiers.ts';
import { dispatchQueue } from './leases.ts';
import type { PlaneParts } from './plane-parts.ts';
import type { RunnerConnection } from './runner-connection.ts';
import { isUnstarted } from './store/assignment-table.ts';

const PUBLICATION_REJECTED = 'Publication protocol rejected; recovery retained';
const UNREGISTERED = 'Runner unregistered while the execution was running';
const REPORTABLE: ReadonlySet<string> = new Set(['PENDING', 'STARTING', 'RUNNING']);
const ECHO_MAX_CHARACTERS = 200;

export function handleFrame(
  parts: PlaneParts,
  connection: RunnerConnection,
  frame: JsonObject,
  effects: Effects,
): void {
  const type = frame['type'];
  switch (type) {
    case 'heartbeat':
      return void handleHeartbeat(parts, connection, frame, effects);
    case 'status':
      recordStatus(parts, connection.runnerId, frame);
      return void connection.reply({ type: 'ack' }, effects);
    case 'complete':
      return void handleComplete(parts, connection, frame, effects);
    case 'unregister':
      return void handleUnregister(parts, connection, effects);
    case 'publication_candidate':
    case 'publication_verified':
    case 'publication_complete':
      return void connection.reply({ type: 'error', error: PUBLICATION_REJECTED }, effects);
    default: {
      const named = typeof type === 'string' ? type : JSON.stringify(type ?? null);
      const error = `unknown ${named.slice(0, ECHO_MAX_CHARACTERS)}`;
      parts.log.warn('unknown frame', { runnerId: connection.runnerId, field: 'type' });
      return void connection.reply({ type: 'error', error }, effects);
    }
  }
}

function handleHeartbeat(
  parts: PlaneParts,
  connection: RunnerConnection,
  frame: JsonObject,
  effects: Effects,
): void {
  const done = heartbeat(parts, connection.runnerId, connection.connectionId, frame);
  if (done === undefined) return void connection.endLoop(effects);
  connection.reply(done.reply, effects);
  for (const job of done.separate) connection.reply({ type: 'job', job }, effects);
  dispatchPromptly(parts, effects);
}

/** Terminal words and unknown ones are acknowledged and ignored. */
function recordStatus(parts: PlaneParts, runnerId: string, frame: JsonObject): void {
  const { store } = parts;
  const executionId = parseUuid(frame['execution_id']);
  const lease = executionId === undefined ? undefined : store.assignments.ofExecution(executionId);
  if (lease?.runner_id !== runnerId) return;
  const given = frame['status'] ?? 'RUNNING';
  const status = typeof given === 'string' ? given.toUpperCase() : '';
  if (!REPORTABLE.has(status)) return;
  store.assignments.update(lease.id, { reported_status: status });
  const execution = store.executions.get(lease.execution_id);
  if (execution === undefined) return;
  // The hosted service lets a late RUNNING bring a stopped execution back to life.
  if (parts.behaviour === 'improved' && isTerminal(execution)) return;
  store.executions.update(execution.id, { status, updated_at_ms: parts.clock.nowMs() });
}

function handleComplete(
  parts: PlaneParts,
  connection: RunnerConnection,
  frame: JsonObject,
  effects: Effects,
): void {
  const done = complete(parts, connection.runnerId, frame);
  connection.reply(done.reply, effects);
  if (done.endsLoop) return void connection.endLoop(effects);
  dispatchPromptly(parts, effects);
}

function handleUnregister(parts: PlaneParts, connection: RunnerConnection, effects: Effects): void {
  const { store } = parts;
  const { runnerId } = connection;
  for (const lease of store.assignments.ofRunner(runnerId)) {
    releaseLease(parts, lease);
    if (parts.behaviour === 'improved')
      settleDropped(parts, lease.execution_id, isUnstarted(lease));
  }
  if (store.runners.get(runnerId)?.ephemeral === 1) store.runners.delete(runnerId);
  connection.reply({ type: 'ack' }, effects);
  connection.endLoop(effects);
  // Before anything is given out again, or it would be given to the one that leaves.
  goOffline(parts, connection);
  dispatchPromptly(parts, effects);
}

/** What the hosted service leaves RUNNING until its budget ends is failed, or queued again if it never began. */
function settleDropped(parts: PlaneParts, executionId: string, unstarted: boolean): void {
  const execution = parts.store.executions.get(executionId);
  if (execution === undefined) return;
  confirmStop(parts, execution);
  if (isTerminal(execution)) return;
  if (execution.stop_requested_at_ms !== null) {
    endExecution(parts, execution, { status: 'STOPPED', error: execution.stop_reason });
  } else if (unstarted) requeue(parts, execution);
  else endExecution(parts, execution, { status: 'FAILED', error: UNREGISTERED });
}

/** The hosted service has no wake-up: there the next poll finds the free slot. */
function dispatchPromptly(parts: PlaneParts, effects: Effects): void {
  if (parts.behaviour === 'improved') dispatchQueue(parts, effects);
}
