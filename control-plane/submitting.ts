/** Starts executions and defines flows. Owns how submissions become stored rows. */
import { newId } from '../runner-core/system.ts';
import { freezeDefinition, readPublicDefinition, type Definition } from './definitions.ts';
import type { Effects } from './effects.ts';
import { HttpProblem } from './http-problem.ts';
import { uuid5 } from './identifiers.ts';
import { tryLease } from './leases.ts';
import type { PlaneParts } from './plane-parts.ts';
import { resolvePool } from './pools.ts';
import type { DefinitionRow, FlowRow } from './store/flow-table.ts';
import type { Submission } from './submission.ts';

const MIN_BUDGET_SECONDS = 60;
const MAX_BUDGET_SECONDS = 86_400;

/** Returns the id of the new execution. Throws HttpProblem 404 for a flow that is only named and not known. */
export function submit(parts: PlaneParts, given: Submission, effects: Effects): string {
  const { store, clock } = parts;
  const nowMs = clock.nowMs();
  const { flow, definition } = flowOf(parts, given);
  const open = readPublicDefinition(definition.body);
  const id = newId();
  store.executions.insert({
    id,
    flow_id: flow.id,
    flow_revision: flow.revision,
    definition_id: definition.id,
    pool: resolvePool(given.pool, open.pool, store.account.get().default_runner_pool),
    resume_from: given.resumeFrom?.toLowerCase() ?? null,
    status: 'PENDING',
    runner_id: null,
    agent_session_reference: null,
    start_time_ms: nowMs,
    end_time_ms: null,
    error_message: null,
    failure_category: null,
    result: null,
    cli_session: null,
    evidence_receipt: null,
    setup_failed: 0,
    launch_requested_at_ms: null,
    stop_requested_at_ms: null,
    stop_reason: null,
    stop_source: null,
    stop_confirmed_at_ms: null,
    queued_reason: null,
    queued_at_ms: nowMs,
    leased_at_ms: null,
    timeout_seconds: budgetSeconds(open.timeout_seconds ?? parts.defaultBudgetSeconds),
    lines_stored: 0,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  });
  tryLease(parts, id, effects);
  return id;
}

/** Creates or replaces a flow's definition. Executions that have not started follow it. */
export function defineFlow(
  parts: PlaneParts,
  flowId: string,
  name: string | null,
  definition: Definition,
): FlowRow {
  const row = freezeDefinition(definition, parts.box);
  parts.store.flows.insertDefinition(row);
  const known = parts.store.flows.get(flowId);
  const nowMs = parts.clock.nowMs();
  if (known === undefined) return insertFlow(parts, flowId, name ?? defaultName(row), row);
  const changes = {
    name: name ?? known.name,
    revision: known.revision + 1,
    definition_id: row.id,
    updated_at_ms: nowMs,
  };
  parts.store.flows.update(flowId, changes);
  return { ...known, ...changes };
}

function flowOf(
  parts: PlaneParts,
  given: Submission,
): { readonly flow: FlowRow; readonly definition: DefinitionRow } {
  const { flows } = parts.store;
  if (given.definition === null) {
    const flow = flows.get(given.flowId?.toLowerCase() ?? '');
    const definition = flow === undefined ? undefined : flows.definition(flow.definition_id);
    if (flow === undefined || definition === undefined) {
      throw new HttpProblem(404, 'Flow not found');
    }
    return { flow, definition };
  }
  const definition = freezeDefinition(given.definition, parts.box);
  flows.insertDefinition(definition);
  const name = given.name ?? defaultName(definition);
  const id = given.flowId?.toLowerCase() ?? uuid5(parts.store.account.get().id, name);
  const known = flows.get(id);
  if (known === undefined) return { flow: insertFlow(parts, id, name, definition), definition };
  // What was submitted last is what the flow runs when it is only named. It is no edit of the flow:
  // executions submitted before keep what they were submitted with.
  flows.update(id, { definition_id: definition.id, updated_at_ms: parts.clock.nowMs() });
  return { flow: known, definition };
}

function insertFlow(
  parts: PlaneParts,
  id: string,
  name: string,
  definition: DefinitionRow,
): FlowRow {
  const nowMs = parts.clock.nowMs();
  const flow: FlowRow = {
    id,
    name,
    revision: 0,
    definition_id: definition.id,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  };
  parts.store.flows.insert(flow);
  return flow;
}

function defaultName(definition: DefinitionRow): string {
  return `${readPublicDefinition(definition.body).agent_type} job`;
}

function budgetSeconds(wished: number): number {
  return Math.min(MAX_BUDGET_SECONDS, Math.max(MIN_BUDGET_SECONDS, wished));
}
