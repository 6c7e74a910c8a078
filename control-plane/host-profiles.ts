/** What a runner says it can run on its host. Owns the normalisation that register and heartbeat share. */
import { isJsonObject, type JsonObject } from '../runner-core/model/json.ts';

export const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;
export const MAX_PROFILES = 64;
export const MAX_CAPABILITIES = 16;
export const MAX_MODELS = 64;
const KNOWN_CAPABILITIES: ReadonlySet<string> = new Set([
  'host_exec',
  'cursor_cli',
  'copilot_cli',
  'stdout',
  'cancel',
]);

export interface HostProfile {
  readonly name: string;
  readonly capabilities: readonly string[];
  /** Absent when the runner gave no list. */
  readonly models?: readonly string[];
}
export interface Capabilities {
  readonly host_exec_profiles: readonly HostProfile[];
}

/** Agent types that run on the host itself, with the capability a profile must have for each. */
export const HARNESS_OF_AGENT: ReadonlyMap<string, string> = new Map([
  ['cursor', 'cursor_cli'],
  ['copilot', 'copilot_cli'],
]);

/** The capability that this job's agent type needs, or undefined when it does not run on a host. */
export function harnessOf(job: JsonObject): string | undefined {
  const agentType = job['agent_type'];
  return typeof agentType === 'string' ? HARNESS_OF_AGENT.get(agentType) : undefined;
}

/** Drops what is unfit and keeps the rest; never fails. Anything but a list means no profiles. */
export function normaliseProfiles(advertised: unknown): Capabilities {
  const kept = new Map<string, HostProfile>();
  const entries: readonly unknown[] = Array.isArray(advertised) ? advertised : [];
  for (const entry of entries.slice(0, MAX_PROFILES)) {
    if (!isJsonObject(entry)) continue;
    const name = entry['name'];
    if (typeof name !== 'string' || !PROFILE_NAME.test(name)) continue;
    if (kept.has(name.toLowerCase())) continue;
    kept.set(name.toLowerCase(), readProfile(name, entry));
  }
  return { host_exec_profiles: [...kept.values()] };
}

function readProfile(name: string, entry: JsonObject): HostProfile {
  const listed = strings(entry['capabilities']).slice(0, MAX_CAPABILITIES);
  const known = listed.filter((capability) => KNOWN_CAPABILITIES.has(capability));
  const capabilities = unique(known.includes('host_exec') ? known : ['host_exec', ...known]);
  if (!Array.isArray(entry['models'])) return { name, capabilities };
  const models = unique(strings(entry['models']).filter((model) => MODEL_NAME.test(model)));
  return { name, capabilities, models: models.slice(0, MAX_MODELS) };
}

/** Whether a runner with these capabilities may take the host job described. */
export function offersProfile(
  capabilities: Capabilities,
  need: {
    readonly profile: string;
    readonly agentType: string;
    readonly modelIdentifier: string | null;
  },
): boolean {
  const harness = HARNESS_OF_AGENT.get(need.agentType);
  const profile = capabilities.host_exec_profiles.find(
    ({ name }) => name.toLowerCase() === need.profile.toLowerCase(),
  );
  if (harness === undefined || profile === undefined) return false;
  if (!profile.capabilities.includes('host_exec')) return false;
  if (!profile.capabilities.includes(harness)) return false;
  return need.modelIdentifier === null || (profile.models ?? []).includes(need.modelIdentifier);
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
