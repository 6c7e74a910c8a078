/** The form of a job that a lease stores: everything a runner is told except launch, tokens and prompt. */
import type { Json, JsonObject } from '../runner-core/model/json.ts';
import type { PublicDefinition } from './definitions.ts';
import type { ExecutionRow } from './store/execution-table.ts';

/** `fingerprint` is that of the definition the execution is leased with. */
export function buildStoredJob(
  execution: ExecutionRow,
  definition: PublicDefinition,
  fingerprint: string,
): JsonObject {
  const common = {
    execution_id: execution.id,
    flow_id: execution.flow_id,
    agent_type: definition.agent_type,
    agent_config: definition.agent_config,
    model_identifier: definition.model_identifier,
  };
  if (definition.host_exec_profile !== null) {
    return {
      ...common,
      host_exec_profile: definition.host_exec_profile,
      ...(definition.timeout_seconds === null
        ? {}
        : { timeout_seconds: definition.timeout_seconds }),
      completion_protocol: 'host_exec',
    };
  }
  return {
    launch_version: 1,
    flow_launch_fingerprint: fingerprint,
    ...common,
    model_provider: definition.model_provider,
    allowed_mcp_servers: definition.allowed_mcp_servers,
    allowed_mcp_tools: definition.allowed_mcp_tools,
    git_clone_config: definition.git_clone_config,
    custom_commands: definition.custom_commands,
    ...(execution.resume_from === null ? {} : { resume_from: execution.resume_from }),
  };
}

/** A stored job read back. Empty when the row was damaged, which every check then refuses. */
export function readStoredJob(pendingJob: string): JsonObject {
  const value: unknown = JSON.parse(pendingJob);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}

export function isHostJob(job: JsonObject): boolean {
  return job['completion_protocol'] === 'host_exec';
}

/** The lease asks for the workspace of an earlier run, so only that run's runner may take it. */
export function pinsWorkspace(definition: PublicDefinition): boolean {
  const runner: Json | undefined = definition.agent_config['runner'];
  if (typeof runner !== 'object' || runner === null || Array.isArray(runner)) return false;
  const wish = (runner as JsonObject)['persist_workspace'];
  if (typeof wish === 'string') return ['1', 'true', 'yes', 'on'].includes(wish.toLowerCase());
  return wish === true;
}
