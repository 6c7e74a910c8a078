/** Reads what a person submits as a job or as a flow's definition. Owns the checks and their words. */
import * as z from 'zod';
import { shownOfConfig, type Definition } from './definitions.ts';
import { HARNESS_OF_AGENT, PROFILE_NAME } from './host-profiles.ts';

const ENVIRONMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Set by the plane for every launch; a job cannot bring its own. */
const RESERVED_NAME =
  /^(PRELOOP_API_TOKEN|PRELOOP_URL|PRELOOP_MCP_URL|MCP_TOOL_TIMEOUT_SEC|MCP_ALLOWED_SERVERS|MCP_ALLOWED_TOOLS|MCP_CONFIG_JSON|PRELOOP_AGENT_PROMPT_.*|AGENT_PROMPT|AGENT_PROMPT_FILE)$/;

/** Used where a Docker job names no image. */
const DEFAULT_IMAGES: ReadonlyMap<string, string> = new Map([
  ['codex', 'ghcr.io/openai/codex-universal:latest'],
  ['opencode', 'docker/sandbox-templates:opencode'],
]);
const DEFAULT_HOST_AGENT = 'cursor';

const jsonObject = z.record(z.string(), z.json());
const text = z.string().min(1);

const definitionFields = {
  name: z.string().trim().min(1).max(200).optional(),
  agent_type: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,31}$/)
    .optional(),
  image: text.max(1024).optional(),
  script: text.optional(),
  env: z.record(z.string(), z.string()).optional(),
  agent_config: jsonObject.optional(),
  pool: z.string().max(200).nullish(),
  timeout_seconds: z.number().int().positive().nullish(),
  prompt: z.string().nullish(),
  model_identifier: text.max(200).nullish(),
  model_provider: text.max(100).nullish(),
  git_clone_config: jsonObject.nullish(),
  custom_commands: jsonObject.nullish(),
  allowed_mcp_servers: z.array(text).optional(),
  allowed_mcp_tools: z.array(z.json()).optional(),
  host_exec_profile: z.string().regex(PROFILE_NAME).optional(),
};

/** A typing mistake in a field's name is named, not ignored. */
const definitionSchema = z.strictObject(definitionFields).superRefine(checkDefinition);
const submissionSchema = z
  .strictObject({
    ...definitionFields,
    flow_id: z.guid().optional(),
    resume_from: z.guid().nullish(),
  })
  .superRefine((given, context) => {
    if (!onlyNamesFlow(given)) checkDefinition(given, context);
  });

type Given = z.infer<typeof definitionSchema>;

export interface Submission {
  readonly name: string | null;
  readonly flowId: string | null;
  readonly resumeFrom: string | null;
  readonly pool: string | null;
  /** Null: run the flow as it is defined. */
  readonly definition: Definition | null;
}

/** Throws z.ZodError; its issues never repeat a value. */
export function readSubmission(body: unknown): Submission {
  const given = submissionSchema.parse(body);
  return {
    name: given.name ?? null,
    flowId: given.flow_id ?? null,
    resumeFrom: given.resume_from ?? null,
    pool: given.pool ?? null,
    definition: onlyNamesFlow(given) ? null : toDefinition(given),
  };
}

/** Throws z.ZodError. */
export function readDefinition(body: unknown): { name: string | null; definition: Definition } {
  const given = definitionSchema.parse(body);
  return { name: given.name ?? null, definition: toDefinition(given) };
}

function onlyNamesFlow(given: Given & { readonly flow_id?: string | undefined }): boolean {
  return (
    given.flow_id !== undefined &&
    given.agent_type === undefined &&
    given.script === undefined &&
    given.host_exec_profile === undefined
  );
}

function checkDefinition(given: Given, context: z.RefinementCtx): void {
  const refuse = (path: readonly string[], message: string): void =>
    context.addIssue({ code: 'custom', path: [...path], message });
  for (const name of Object.keys(given.env ?? {})) {
    if (!ENVIRONMENT_NAME.test(name)) refuse(['env', name], 'is no name for a variable');
    if (RESERVED_NAME.test(name)) refuse(['env', name], 'is set by the control plane');
  }
  if (isHostJob(given)) checkHostJob(given, refuse);
  else checkDockerJob(given, refuse);
}

function checkHostJob(given: Given, refuse: (path: string[], message: string) => void): void {
  if (given.agent_type !== undefined && !HARNESS_OF_AGENT.has(given.agent_type)) {
    refuse(['agent_type'], 'runs in a container; a host profile needs cursor or copilot');
  }
  if (given.host_exec_profile === undefined) {
    refuse(['host_exec_profile'], 'is needed by this agent type');
  }
  for (const field of ['image', 'script', 'env', 'custom_commands'] as const) {
    if (given[field] !== undefined && given[field] !== null) {
      refuse([field], 'does not belong to a job that runs on the host');
    }
  }
}

function checkDockerJob(given: Given, refuse: (path: string[], message: string) => void): void {
  if (given.agent_type === undefined) refuse(['agent_type'], 'is missing');
  if (given.script === undefined) refuse(['script'], 'is missing');
  const named =
    given.image ?? given.agent_config?.['image'] ?? given.agent_config?.['docker_image'];
  if (named === undefined && !DEFAULT_IMAGES.has(given.agent_type ?? '')) {
    refuse(['image'], 'is missing, and this agent type has no default image');
  }
}

function isHostJob(given: Given): boolean {
  return given.host_exec_profile !== undefined || HARNESS_OF_AGENT.has(given.agent_type ?? '');
}

function toDefinition(given: Given): Definition {
  const agentType = given.agent_type ?? DEFAULT_HOST_AGENT;
  const profile = given.host_exec_profile ?? null;
  const agentConfig =
    profile === null ? dockerConfig(given, agentType) : { host_exec_profile: profile };
  return {
    open: {
      agent_type: agentType,
      ...shownOfConfig(agentConfig),
      model_identifier: given.model_identifier ?? null,
      model_provider: given.model_provider ?? null,
      allowed_mcp_servers: given.allowed_mcp_servers ?? [],
      host_exec_profile: profile,
      pool: given.pool ?? null,
      timeout_seconds: given.timeout_seconds ?? null,
    },
    secret: {
      agent_config: agentConfig,
      git_clone_config: given.git_clone_config ?? null,
      custom_commands: given.custom_commands ?? null,
      allowed_mcp_tools: given.allowed_mcp_tools ?? [],
      script: given.script ?? '',
      env: given.env ?? {},
      prompt: given.prompt ?? null,
    },
  };
}

function dockerConfig(given: Given, agentType: string): z.infer<typeof jsonObject> {
  const config = { ...given.agent_config };
  if (given.image !== undefined) return { ...config, image: given.image };
  if ('image' in config || 'docker_image' in config) return config;
  const fallback = DEFAULT_IMAGES.get(agentType);
  return fallback === undefined ? config : { ...config, image: fallback };
}
