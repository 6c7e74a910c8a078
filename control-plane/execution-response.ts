/** How an execution is shown by REST. Nothing that is stored sealed is in it. */
import type { Json, JsonObject } from '../runner-core/model/json.ts';
import { readPublicDefinition } from './definitions.ts';
import { isoInstant, isoNaive } from './instants.ts';
import type { ListedExecution } from './store/execution-table.ts';

export function executionResponse(row: ListedExecution): JsonObject {
  const definition = readPublicDefinition(row.definition_body);
  return {
    id: row.id,
    flow_id: row.flow_id,
    flow_name: row.flow_name,
    agent_type: definition.agent_type,
    model_identifier: definition.model_identifier,
    host_exec_profile: definition.host_exec_profile,
    image: definition.image,
    pool: row.pool,
    timeout_seconds: row.timeout_seconds,
    status: row.status,
    runner_id: row.runner_id,
    agent_session_reference: row.agent_session_reference,
    start_time: isoInstant(row.start_time_ms),
    end_time: isoInstant(row.end_time_ms),
    error_message: row.error_message,
    failure_category: row.failure_category,
    result: parsed(row.result),
    cli_session: parsed(row.cli_session),
    evidence_receipt: parsed(row.evidence_receipt),
    resume_from: row.resume_from,
    launch_requested_at: isoInstant(row.launch_requested_at_ms),
    leased_at: isoInstant(row.leased_at_ms),
    stop_requested_at: isoInstant(row.stop_requested_at_ms),
    stop_reason: row.stop_reason,
    stop_source: row.stop_source,
    stop_confirmed_at: isoInstant(row.stop_confirmed_at_ms),
    queued_reason: row.queued_reason,
    log_line_count: row.lines_stored,
    created_at: isoNaive(row.created_at_ms),
    updated_at: isoNaive(row.updated_at_ms),
  };
}

function parsed(stored: string | null): Json {
  return stored === null ? null : (JSON.parse(stored) as Json);
}
