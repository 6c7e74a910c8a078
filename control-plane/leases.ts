/** Gives an execution a slot of a runner. Owns admission, the choice of the runner, and the lease itself. */
import { newId } from '../runner-core/system.ts';
import { readPublicDefinition, type PublicDefinition } from './definitions.ts';
import { prepareDelivery } from './delivery.ts';
import type { Effects } from './effects.ts';
import { offersProfile, type Capabilities } from './host-profiles.ts';
import { buildStoredJob } from './job-builder.ts';
import type { PlaneParts } from './plane-parts.ts';
import { byFreeSlots, capacityOf, isReachable, labelsOf, poolMatches } from './pools.ts';
import type { ExecutionRow } from './store/execution-table.ts';
import type { RunnerRow } from './store/runner-table.ts';

/**
 * Tries to lease `execution` now. False: it goes on waiting, because it is not admitted, nobody fits,
 * or it is leased or ended already. Runs inside the caller's transaction; a push is left as an effect.
 */
export function tryLease(parts: PlaneParts, executionId: string, effects: Effects): boolean {
  const { store, clock } = parts;
  const found = store.executions.get(executionId);
  if (found?.queued_at_ms == null || found.stop_requested_at_ms !== null) return false;
  if (store.account.isKilled('flows') || store.assignments.ofExecution(executionId) !== undefined) {
    return false;
  }
  const nowMs = clock.nowMs();
  const execution = followFlow(parts, found);
  if (execution.launch_requested_at_ms === null || execution.status !== 'STARTING') {
    store.executions.update(executionId, {
      launch_requested_at_ms: execution.launch_requested_at_ms ?? nowMs,
      status: 'STARTING',
      updated_at_ms: nowMs,
    });
  }
  const row = store.flows.definition(execution.definition_id);
  if (row === undefined) return false;
  const definition = readPublicDefinition(row.body);
  const runner = chooseRunner(parts, execution, definition);
  if (runner === undefined) {
    noteWaiting(parts, execution);
    return false;
  }
  store.assignments.insert({
    id: newId(),
    runner_id: runner.id,
    execution_id: executionId,
    pending_job: JSON.stringify(
      buildStoredJob(execution, definition, row.fingerprint, flowNameOf(parts, execution)),
    ),
    assigned_at_ms: nowMs,
    halt_requested_at_ms: null,
    reported_status: 'PENDING',
    delivered_at_ms: null,
  });
  store.executions.update(executionId, {
    runner_id: runner.id,
    agent_session_reference: `runner:${runner.id}:${executionId}`,
    queued_at_ms: null,
    queued_reason: null,
    leased_at_ms: nowMs,
    updated_at_ms: nowMs,
  });
  refreshStatus(parts, runner.id);
  pushJob(parts, executionId, effects);
  return true;
}

/**
 * Leases what can be leased now, in order of waiting. Cheap while nobody has a slot for anything: an
 * execution is looked at closely only when its pool has one.
 */
export function dispatchQueue(parts: PlaneParts, effects: Effects): void {
  let open = openRunners(parts);
  for (const { id, pool } of parts.store.executions.queued()) {
    if (open.length === 0) return;
    if (!open.some((runner) => poolMatches(pool, runner))) continue;
    if (tryLease(parts, id, effects)) open = openRunners(parts);
  }
}

interface OpenRunner {
  readonly id: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly free: number;
  readonly row: RunnerRow;
}

/** Reachable runners with a free slot. */
function openRunners(parts: PlaneParts): readonly OpenRunner[] {
  const nowMs = parts.clock.nowMs();
  return parts.store.runners
    .all()
    .filter((row) => isReachable(row, nowMs))
    .map((row) => ({
      id: row.id,
      name: row.name,
      labels: labelsOf(row),
      free: freeSlots(parts, row),
      row,
    }))
    .filter(({ free }) => free > 0);
}

/** Stores `busy` or `online` for a runner that is not offline. */
export function refreshStatus(parts: PlaneParts, runnerId: string): void {
  const runner = parts.store.runners.get(runnerId);
  if (runner === undefined || runner.status === 'offline') return;
  const status = freeSlots(parts, runner) === 0 ? 'busy' : 'online';
  if (status !== runner.status) parts.store.runners.update(runnerId, { status });
}

export function capacity(runner: RunnerRow): number {
  return capacityOf(runner.concurrency, runner.reported_concurrency);
}

export function freeSlots(parts: PlaneParts, runner: RunnerRow): number {
  return Math.max(0, capacity(runner) - parts.store.assignments.count(runner.id));
}

/** An execution still waiting when its flow is edited runs the flow as it is now. */
function followFlow(parts: PlaneParts, execution: ExecutionRow): ExecutionRow {
  const flow = parts.store.flows.get(execution.flow_id);
  if (flow === undefined || flow.revision <= execution.flow_revision) return execution;
  const followed = { definition_id: flow.definition_id, flow_revision: flow.revision };
  parts.store.executions.update(execution.id, followed);
  return { ...execution, ...followed };
}

/** Told by the improved behaviour only: the hosted service sends no name. */
function flowNameOf(parts: PlaneParts, execution: ExecutionRow): string | null {
  if (parts.behaviour === 'hosted') return null;
  return parts.store.flows.get(execution.flow_id)?.name ?? null;
}

function chooseRunner(
  parts: PlaneParts,
  execution: ExecutionRow,
  definition: PublicDefinition,
): RunnerRow | undefined {
  const pinnedTo = workspaceOwner(parts, execution, definition);
  if (pinnedTo === null) return undefined;
  return openRunners(parts)
    .filter((runner) => poolMatches(execution.pool, runner))
    .filter((runner) => pinnedTo === undefined || runner.id === pinnedTo)
    .filter(({ row }) => canRun(row, definition))
    .toSorted(byFreeSlots)[0]?.row;
}

/** Undefined: anybody may take it. Null: its owner is unknown, so nobody may. */
function workspaceOwner(
  parts: PlaneParts,
  execution: ExecutionRow,
  definition: PublicDefinition,
): string | null | undefined {
  if (execution.resume_from === null || !definition.pins_workspace) return undefined;
  return parts.store.executions.get(execution.resume_from)?.runner_id ?? null;
}

/** Docker jobs have no check: a runner without Docker reports them as failed. */
function canRun(runner: RunnerRow, definition: PublicDefinition): boolean {
  if (definition.host_exec_profile === null) return true;
  return offersProfile(JSON.parse(runner.capabilities) as Capabilities, {
    profile: definition.host_exec_profile,
    agentType: definition.agent_type,
    modelIdentifier: definition.model_identifier,
  });
}

function noteWaiting(parts: PlaneParts, execution: ExecutionRow): void {
  const reference = `runner:queued:${execution.pool}:${execution.id}`;
  if (execution.agent_session_reference === reference) return;
  const reason = `Waiting for a runner of pool ${execution.pool}`;
  parts.store.executions.update(execution.id, {
    agent_session_reference: reference,
    queued_reason: reason,
  });
}

/** Only if this process holds the runner's socket; otherwise the next heartbeat or hello brings it. */
function pushJob(parts: PlaneParts, executionId: string, effects: Effects): void {
  const assignment = parts.store.assignments.ofExecution(executionId);
  if (assignment === undefined) return;
  const socket = parts.live.get(assignment.runner_id);
  if (socket === undefined) return;
  const job = prepareDelivery(parts, assignment);
  effects.add(() => socket.send({ type: 'job', job }));
}
