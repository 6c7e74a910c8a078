/** Builds the launch of a Docker job: its script and its environment. Never stored, made anew for each delivery. */
import { RunnerError } from '../runner-core/model/errors.ts';
import type { Json, JsonObject } from '../runner-core/model/json.ts';
import type { PublicDefinition, SecretDefinition } from './definitions.ts';

const PROMPT_CHUNK_CHARACTERS = 98_304;
const PLAIN_PROMPT_MAX_BYTES = 65_536;
/** One NAME=value string and all of them together must stay below these, as the kernel's exec limits demand. */
const STRING_LIMIT_BYTES = 126_976;
const TOTAL_LIMIT_BYTES = 1_048_576;
const TOOL_TIMEOUT_SECONDS = '600';
const BUILT_IN_SERVER = 'preloop-mcp';
const REPORT_REQUEST =
  'Before exiting, write /workspace/result.json: a JSON object whose "status" is "success" or "failure".';

/** The environment would not fit. Names the variable, or the sum, never a value. */
export class LaunchTooLargeError extends RunnerError {
  readonly code = 'launch_too_large';
  readonly facts: { readonly what: string; readonly bytes: number; readonly limitBytes: number };
  constructor(facts: LaunchTooLargeError['facts']) {
    super(
      `The launch payload is too large: ${facts.what} has ${facts.bytes} bytes, the limit is ${facts.limitBytes}`,
    );
    this.facts = facts;
  }
}

export interface LaunchInput {
  readonly definition: PublicDefinition;
  readonly secret: SecretDefinition;
  readonly token: string;
  /** Origin of this plane. */
  readonly publicUrl: string;
}

/** Throws LaunchTooLargeError. */
export function buildLaunch(input: LaunchInput): JsonObject {
  const env: Record<string, string> = {
    ...input.secret.env,
    PRELOOP_API_TOKEN: input.token,
    MCP_TOOL_TIMEOUT_SEC: TOOL_TIMEOUT_SECONDS,
    PRELOOP_MCP_URL: mcpUrl(input),
    ...toolVariables(input),
    ...(input.definition.agent_type === 'codex' ? codexVariables(input.secret.env) : {}),
    ...promptVariables(input.secret.prompt),
  };
  guardSize(env);
  return { version: 1, script: input.secret.script, env };
}

function mcpUrl({ publicUrl }: LaunchInput): string {
  return `${publicUrl}/mcp/v1`;
}

function toolVariables(input: LaunchInput): Record<string, string> {
  const servers = input.definition.allowed_mcp_servers;
  const tools = toolsByServer(input.secret.allowed_mcp_tools);
  const entry = {
    url: mcpUrl(input),
    transport: 'http-streaming',
    headers: { Authorization: `Bearer ${input.token}` },
  };
  const config = {
    mcpServers: servers.includes(BUILT_IN_SERVER) ? { [BUILT_IN_SERVER]: entry } : {},
    allowed_tools: tools,
  };
  return {
    ...(servers.length > 0 ? { MCP_ALLOWED_SERVERS: servers.join(',') } : {}),
    ...(Object.keys(tools).length > 0 ? { MCP_ALLOWED_TOOLS: JSON.stringify(tools) } : {}),
    MCP_CONFIG_JSON: JSON.stringify(config),
  };
}

/** Tools are objects such as {server_name, tool_name} or {name}; the latter are the built-in server's. */
function toolsByServer(tools: readonly Json[]): Record<string, string[]> {
  const grouped = new Map<string, string[]>();
  for (const tool of tools) {
    if (typeof tool !== 'object' || tool === null || Array.isArray(tool)) continue;
    const { tool_name, name, server_name } = tool as Record<string, Json | undefined>;
    const called = tool_name ?? name;
    const server = server_name ?? BUILT_IN_SERVER;
    if (typeof called !== 'string' || typeof server !== 'string') continue;
    grouped.set(server, [...(grouped.get(server) ?? []), called]);
  }
  return Object.fromEntries(grouped);
}

function codexVariables(own: Readonly<Record<string, string>>): Record<string, string> {
  return {
    CODEX_ENV_PYTHON_VERSION: own['CODEX_ENV_PYTHON_VERSION'] ?? '3.12',
    CODEX_ENV_NODE_VERSION: own['CODEX_ENV_NODE_VERSION'] ?? '22',
  };
}

function promptVariables(prompt: string | null): Record<string, string> {
  const text = prompt === null || prompt === '' ? '' : `${prompt}\n\n${REPORT_REQUEST}`;
  const bytes = Buffer.from(text, 'utf8');
  const encoded = bytes.toString('base64');
  const variables: Record<string, string> = { AGENT_PROMPT_FILE: '/tmp/preloop/prompt.txt' };
  let chunks = 0;
  for (let at = 0; at < encoded.length; at += PROMPT_CHUNK_CHARACTERS) {
    variables[`PRELOOP_AGENT_PROMPT_${chunks++}`] = encoded.slice(at, at + PROMPT_CHUNK_CHARACTERS);
  }
  variables['PRELOOP_AGENT_PROMPT_CHUNKS'] = String(chunks);
  variables['PRELOOP_AGENT_PROMPT_BYTES'] = String(bytes.length);
  if (bytes.length <= PLAIN_PROMPT_MAX_BYTES) variables['AGENT_PROMPT'] = text;
  return variables;
}

function guardSize(env: Readonly<Record<string, string>>): void {
  let total = 0;
  for (const [name, value] of Object.entries(env)) {
    const bytes = Buffer.byteLength(name) + 1 + Buffer.byteLength(value);
    if (bytes >= STRING_LIMIT_BYTES) {
      throw new LaunchTooLargeError({ what: name, bytes, limitBytes: STRING_LIMIT_BYTES });
    }
    total += bytes;
  }
  if (total >= TOTAL_LIMIT_BYTES) {
    const what = 'the whole environment';
    throw new LaunchTooLargeError({ what, bytes: total, limitBytes: TOTAL_LIMIT_BYTES });
  }
}
