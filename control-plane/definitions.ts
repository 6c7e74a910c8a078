/**
 * What an execution runs: the checked form of a submission, its secret half, and how both are frozen
 * in the store. Whatever may hold a secret, configurations included, is only ever stored sealed.
 */
import * as z from 'zod';
import { newId } from '../runner-core/system.ts';
import { SealBrokenError, type SealedBox } from '../runner-core/sealing/key-file-box.ts';
import { isJsonObject, type Json, type JsonObject } from '../runner-core/model/json.ts';
import { canonicalHash } from './canonical-json.ts';
import type { DefinitionRow } from './store/flow-table.ts';

const jsonObject = z.record(z.string(), z.json());

/** The half that may be seen: stored as JSON text and shown in lists. */
const publicDefinitionSchema = z.object({
  agent_type: z.string(),
  image: z.string().nullable(),
  model_identifier: z.string().nullable(),
  model_provider: z.string().nullable(),
  allowed_mcp_servers: z.array(z.string()),
  /** It asks for the workspace of an earlier run, so only that run's runner may take it. */
  pins_workspace: z.boolean(),
  host_exec_profile: z.string().nullable(),
  pool: z.string().nullable(),
  timeout_seconds: z.number().int().nullable(),
});
export type PublicDefinition = z.infer<typeof publicDefinitionSchema>;

const secretDefinitionSchema = z.object({
  agent_config: jsonObject,
  git_clone_config: jsonObject.nullable(),
  custom_commands: jsonObject.nullable(),
  allowed_mcp_tools: z.array(z.json()),
  script: z.string(),
  env: z.record(z.string(), z.string()),
  prompt: z.string().nullable(),
});
export type SecretDefinition = z.infer<typeof secretDefinitionSchema>;

const configs = {
  agent_config: true,
  git_clone_config: true,
  custom_commands: true,
  allowed_mcp_tools: true,
} as const;
const earlierSecretSchema = secretDefinitionSchema.omit(configs);
const earlierBodySchema = publicDefinitionSchema
  .omit({ image: true, pins_workspace: true })
  .extend(secretDefinitionSchema.pick(configs).shape);

export interface Definition {
  readonly open: PublicDefinition;
  readonly secret: SecretDefinition;
}

/** What may be seen of an agent's configuration, which itself is stored sealed. */
export function shownOfConfig(
  agentConfig: JsonObject,
): Pick<PublicDefinition, 'image' | 'pins_workspace'> {
  const image = agentConfig['image'] ?? agentConfig['docker_image'];
  return {
    image: typeof image === 'string' ? image : null,
    pins_workspace: pinsWorkspace(agentConfig['runner']),
  };
}

function pinsWorkspace(runner: Json | undefined): boolean {
  const wish = isJsonObject(runner) ? runner['persist_workspace'] : false;
  if (typeof wish === 'string') return ['1', 'true', 'yes', 'on'].includes(wish.toLowerCase());
  return wish === true;
}

/** A new row for `definition`. */
export function freezeDefinition(definition: Definition, box: SealedBox): DefinitionRow {
  return {
    id: newId(),
    body: JSON.stringify(definition.open),
    sealed: box.seal(JSON.stringify(definition.secret)),
    fingerprint: fingerprintOf(definition),
  };
}

/**
 * The row as it is stored now, of one from before configurations were sealed: there they stand in the body.
 * Where the key does not open the sealed half they are dropped, since such a job cannot be launched anyhow.
 */
export function resealed(row: DefinitionRow, box: SealedBox): DefinitionRow {
  const { agent_config, git_clone_config, custom_commands, allowed_mcp_tools, ...shown } =
    earlierBodySchema.parse(JSON.parse(row.body));
  const moved = { agent_config, git_clone_config, custom_commands, allowed_mcp_tools };
  const body = JSON.stringify({ ...shown, ...shownOfConfig(agent_config) });
  try {
    const kept = earlierSecretSchema.parse(JSON.parse(box.open(row.sealed)));
    return { ...row, body, sealed: box.seal(JSON.stringify({ ...kept, ...moved })) };
  } catch (error) {
    if (error instanceof SealBrokenError) return { ...row, body };
    throw error;
  }
}

export function readPublicDefinition(body: string): PublicDefinition {
  return publicDefinitionSchema.parse(JSON.parse(body));
}

/** Throws SealBrokenError when the key file was exchanged. */
export function readSecretDefinition(sealed: Uint8Array, box: SealedBox): SecretDefinition {
  return secretDefinitionSchema.parse(JSON.parse(box.open(sealed)));
}

/**
 * Opaque to runners: equal as long as a leased job could still be launched as it was leased. The
 * prompt is no part of it, as at the hosted service. The script is, since here nobody derives it.
 */
function fingerprintOf({ open, secret }: Definition): string {
  const parts: JsonObject = {
    agent_type: open.agent_type,
    agent_config: secret.agent_config,
    git_clone_config: secret.git_clone_config,
    custom_commands: secret.custom_commands,
    allowed_mcp_servers: open.allowed_mcp_servers,
    allowed_mcp_tools: secret.allowed_mcp_tools,
    model: { model_identifier: open.model_identifier, provider_name: open.model_provider },
    script: secret.script,
  };
  return canonicalHash(parts);
}
