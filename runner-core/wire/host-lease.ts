/**
 * Whether this machine takes a leased host job: the checks of the protocol, in its order. A lease names a profile and
 * brings a prompt; whatever looks like a command, a credential or a right of its own is refused, by its presence alone.
 */
import { aliasOf, profileNamed, type HostProfile } from '../model/host-profile.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { reasonText } from '../model/reason-text.ts';
import { reason, type ReasonCode } from '../model/reason.ts';
import { shownLaunchError } from './launch-check.ts';
import { utf8Bytes } from './text-bytes.ts';

const PROMPT_MAX_BYTES = 65_536;
export const CURSOR_AGENT_TYPE = 'cursor';
export const CURSOR_HARNESS = 'cursor_cli';

/** What this machine offers: the profiles that are on, and why others are not. */
export interface HostOffers {
  readonly profiles: readonly HostProfile[];
  /** Profiles that exist and cannot be used; `why` is plain words. */
  readonly leftOut: readonly { readonly name: string; readonly why: string }[];
}
export const NO_HOST_OFFERS: HostOffers = { profiles: [], leftOut: [] };

export interface HostLeaseProblem {
  readonly code: ReasonCode;
  readonly facts: Readonly<Record<string, string>>;
  /** Of the verdict: the code, then plain words. */
  readonly error: string;
}

/** Top-level keys that a host lease may not have, not even as null, and the code each is refused with. */
const REFUSED_KEYS: ReadonlyMap<string, ReasonCode> = new Map<string, ReasonCode>([
  ...(
    [
      ...['executable', 'argv', 'env', 'cursor_api_key', 'api_key', 'launch', 'launch_version'],
      ...['script', 'environment', 'account_api_token', 'copilot_github_token', 'github_token'],
      ...['gh_token', 'allow_tools', 'deny_tools', 'allow_all_tools', 'runner_prompt_preamble'],
    ] as const
  ).map((key) => [key, 'host_exec_field_refused'] as const),
  ['session_id', 'resume_unavailable'],
  ['resume_from', 'resume_unavailable'],
  ['custom_commands', 'host_setup_commands_not_allowed'],
]);
const SEED_KEY = /(?:^|_)seeds?(?:_|$)/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SHOWN_MODEL_MAX_CHARS = 128;

/** The first thing that keeps this machine from taking a host lease; undefined where it may be taken. */
export function hostLeaseProblem(
  job: JsonObject,
  offers: HostOffers,
): HostLeaseProblem | undefined {
  if (isPresent(job['publication'])) return problem('host_publication_not_allowed');
  const launchError = job['launch_error'];
  if (typeof launchError === 'string' && launchError !== '') {
    const shown = shownLaunchError(launchError);
    return { code: 'launch_error', facts: { detail: shown }, error: `launch_error: ${shown}` };
  }
  for (const [key, code] of REFUSED_KEYS)
    if (Object.hasOwn(job, key))
      return problem(code, code === 'host_exec_field_refused' ? { field: key } : {});
  const cloning = job['git_clone_config'];
  if (isJsonObject(cloning) && cloning['create_pull_request'] === true)
    return problem('host_exec_pull_request_refused');
  return (
    protocolProblem(job) ??
    profileProblem(job, offers) ??
    unofferedFeature(job) ??
    payloadProblem(job)
  );
}

/** What keeps a prompt from being an argument, in words that continue "the prompt …". */
export function promptProblem(prompt: string): string | undefined {
  if (prompt.includes('\0')) return 'contains a NUL';
  if (!prompt.isWellFormed()) return 'is not valid UTF-8';
  if (utf8Bytes(prompt) > PROMPT_MAX_BYTES) return `is longer than ${PROMPT_MAX_BYTES} bytes`;
  return undefined;
}

/** A prompt that is no text is an empty one. */
export function promptOf(job: JsonObject): string {
  const prompt = job['prompt'];
  return typeof prompt === 'string' ? prompt : '';
}

/** Whole seconds, at least 1; null where the job sets none. Anything but a number above 0 counts for none. */
export function leasedTimeoutSeconds(job: JsonObject): number | null {
  const given = job['timeout_seconds'];
  if (typeof given !== 'number' || !Number.isFinite(given) || given <= 0) return null;
  return Math.max(1, Math.trunc(given));
}

function protocolProblem(job: JsonObject): HostLeaseProblem | undefined {
  if (job['agent_type'] !== CURSOR_AGENT_TYPE)
    return problem('host_exec_protocol_invalid', { field: 'agent_type', problem: 'is not cursor' });
  if (job['completion_protocol'] !== 'host_exec')
    return problem('host_exec_protocol_invalid', {
      field: 'completion_protocol',
      problem: 'is not host_exec',
    });
  return undefined;
}

function profileProblem(job: JsonObject, offers: HostOffers): HostLeaseProblem | undefined {
  const leased = job['host_exec_profile'];
  const name = typeof leased === 'string' ? leased.trim() : '';
  const profile = name === '' ? undefined : profileNamed(offers.profiles, name);
  if (profile === undefined) {
    const leftOut = offers.leftOut.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (leftOut !== undefined)
      return problem('host_exec_profile_unusable', { profile: leftOut.name, detail: leftOut.why });
    if (offers.profiles.length === 0 && offers.leftOut.length === 0)
      return problem('host_exec_off');
    // Only what could be a name here is repeated to people and to the service.
    const known = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name) ? { profile: name } : undefined;
    return problem('host_exec_profile_unknown', known);
  }
  const harness = isJsonObject(job['host_exec']) ? job['host_exec']['harness'] : undefined;
  if (isPresent(harness) && harness !== CURSOR_HARNESS)
    return problem('host_exec_protocol_invalid', {
      field: 'host_exec.harness',
      problem: `is not ${CURSOR_HARNESS}`,
    });
  return modelProblem(job['model_identifier'], profile);
}

function modelProblem(model: Json | undefined, profile: HostProfile): HostLeaseProblem | undefined {
  if (model === undefined || model === null || model === '') return undefined;
  const asked = typeof model === 'string' ? model : undefined;
  if (asked !== undefined && aliasOf(profile, asked) !== undefined) return undefined;
  const shown = asked?.replace(/\p{Cc}+/gu, ' ').slice(0, SHOWN_MODEL_MAX_CHARS) ?? '';
  return problem('host_exec_model_not_mapped', { profile: profile.name, model: shown });
}

/** What newer services can ask of newer runners, each with a code of its own. */
function unofferedFeature(job: JsonObject): HostLeaseProblem | undefined {
  if (isPresent(job['host_exec_mcp'])) return problem('host_exec_mcp_unavailable');
  const checkout = job['host_exec_checkout'];
  const isNone =
    isJsonObject(checkout) &&
    Array.isArray(checkout['repositories']) &&
    checkout['repositories'].length === 0;
  if (isPresent(checkout) && !isNone) return problem('host_checkout_not_allowed');
  const cloning = job['git_clone_config'];
  if (isJsonObject(cloning) && isFilled(cloning['setup_commands']))
    return problem('host_setup_commands_not_allowed');
  const config = job['agent_config'];
  if (hasSeeds(job) || (isJsonObject(config) && hasSeeds(config)))
    return problem('host_workspace_seeds_not_allowed');
  if (isPresent(job['host_exec_publication'])) return problem('host_publication_not_allowed');
  if (isPresent(job['host_exec_resume'])) return problem('resume_unavailable');
  return undefined;
}

function payloadProblem(job: JsonObject): HostLeaseProblem | undefined {
  const executionId = job['execution_id'];
  if (typeof executionId !== 'string' || !UUID.test(executionId))
    return problem('bad_payload', { field: 'execution_id', problem: 'is not a UUID' });
  const unfit = promptProblem(promptOf(job));
  return unfit === undefined
    ? undefined
    : problem('bad_payload', { field: 'prompt', problem: unfit });
}

function hasSeeds(object: JsonObject): boolean {
  return Object.entries(object).some(([key, value]) => SEED_KEY.test(key) && isFilled(value));
}

function isPresent(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}
function isFilled(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function problem(code: ReasonCode, facts: Readonly<Record<string, string>> = {}): HostLeaseProblem {
  return { code, facts, error: `${code}: ${reasonText(reason(code, facts)).what}` };
}
