/** The two parts of a leased job: what the lease stores in plain text, and the sealed rest added on delivery. */
import { isJsonObject, type JsonObject } from '../runner-core/model/json.ts';
import type { PublicDefinition, SecretDefinition } from './definitions.ts';
import type { ExecutionRow } from './store/execution-table.ts';

/**
 * `fingerprint` is that of the definition the execution is leased with; `flowName` null leaves the name out, as
 * the hosted service does.
 */
export function buildStoredJob(
  execution: ExecutionRow,
  definition: PublicDefinition,
  fingerprint: string,
  flowName: string | null,
): JsonObject {
  const common = {
    execution_id: execution.id,
    flow_id: execution.flow_id,
    ...(flowName === null ? {} : { flow_name: flowName }),
    agent_type: definition.agent_type,
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
    ...(execution.resume_from === null ? {} : { resume_from: execution.resume_from }),
  };
}

/**
 * `job` with the half of its definition that is stored sealed, as every delivery and repeat has it.
 * Launch and token are not in it; a host job's prompt is.
 */
export function withSealedParts(job: JsonObject, secret: SecretDefinition): JsonObject {
  if (isHostJob(job)) return { ...job, agent_config: secret.agent_config, prompt: secret.prompt };
  return {
    ...job,
    agent_config: secret.agent_config,
    allowed_mcp_tools: secret.allowed_mcp_tools,
    git_clone_config: secret.git_clone_config,
    custom_commands: secret.custom_commands,
  };
}

/** A stored job read back. Empty when the row was damaged, which every check then refuses. */
export function readStoredJob(pendingJob: string): JsonObject {
  const value: unknown = JSON.parse(pendingJob);
  return isJsonObject(value) ? value : {};
}

export function isHostJob(job: JsonObject): boolean {
  return job['completion_protocol'] === 'host_exec';
}
