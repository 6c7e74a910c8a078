/** The checks of a job's `launch`, in the protocol's order, and of the environment made from it. */
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { DOCKER_AGENT_TYPES, type DockerAgentType } from '../model/job-spec.ts';
import type { ReasonCode } from '../model/reason.ts';
import type { FieldProblem } from './job-options.ts';
import { utf8Bytes } from './text-bytes.ts';

/** Keeps one environment string below Linux's limit; for the script and for each value. */
export const LAUNCH_TEXT_MAX_BYTES = 98_304;
/** Linux's limit of one `NAME=value` string, its closing NUL included. */
const ENVIRONMENT_STRING_MAX_BYTES = 131_072;
const LAUNCH_ERROR_MAX_BYTES = 512;
const VARIABLE_NAME = /^[A-Z_][A-Z0-9_]*$/;
const SHOWN_NAME_MAX_CHARS = 64;

export type LaunchCheck =
  | { readonly kind: 'fit'; readonly agentType: DockerAgentType }
  | {
      readonly kind: 'refused';
      readonly code: ReasonCode;
      readonly facts: Readonly<Record<string, string>>;
      readonly error: string;
    };

/** The first thing that is wrong with a Docker job's launch. Names fields, never their values. */
export function checkLaunch(job: JsonObject): LaunchCheck {
  const launchError = job['launch_error'];
  if (typeof launchError === 'string' && launchError !== '') return launchErrorRefusal(launchError);
  const launch = job['launch'];
  if (!isJsonObject(launch)) return invalid('launch', 'is not an object');
  if (launch['version'] !== 1) return invalid('launch.version', 'is not 1');
  const agentType = DOCKER_AGENT_TYPES.find((known) => known === job['agent_type']);
  if (agentType === undefined) {
    return {
      kind: 'refused',
      code: 'agent_unsupported',
      facts: {
        agentType: shortText(job['agent_type']),
        supported: DOCKER_AGENT_TYPES.join(', '),
      },
      error: `The agent type is not one this runner supports (${DOCKER_AGENT_TYPES.join(', ')}).`,
    };
  }
  return (
    checkScript(launch['script']) ?? checkVariables(launch['env']) ?? { kind: 'fit', agentType }
  );
}

/**
 * A string the container could not be started with: one with a NUL, or one the kernel refuses for its
 * length. `launch` has its own limits; this finds what the job's other fields bring.
 */
export function checkEnvironment(
  environment: Readonly<Record<string, string>>,
): FieldProblem | undefined {
  for (const [name, value] of Object.entries(environment)) {
    if (value.includes('\0')) return { field: `variable ${name}`, problem: 'contains a NUL' };
    if (utf8Bytes(name) + utf8Bytes(value) + 2 > ENVIRONMENT_STRING_MAX_BYTES)
      return { field: `variable ${name}`, problem: 'is too long for an environment variable' };
  }
  return undefined;
}

function checkScript(script: Json | undefined): LaunchCheck | undefined {
  if (typeof script === 'string' && script.trim() === '')
    return invalid('launch.script', 'is blank');
  return checkText('launch.script', script);
}

function checkVariables(env: Json | undefined): LaunchCheck | undefined {
  if (!isJsonObject(env)) return invalid('launch.env', 'is not an object');
  for (const [index, [name, value]] of Object.entries(env).entries()) {
    if (!VARIABLE_NAME.test(name))
      return invalid(`launch.env entry ${index}`, 'has a name that is not allowed');
    const refusal = checkText(`launch.env.${name.slice(0, SHOWN_NAME_MAX_CHARS)}`, value);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function checkText(field: string, value: Json | undefined): LaunchCheck | undefined {
  if (typeof value !== 'string') return invalid(field, 'is not a string');
  if (utf8Bytes(value) > LAUNCH_TEXT_MAX_BYTES)
    return invalid(field, `is longer than ${LAUNCH_TEXT_MAX_BYTES} bytes`);
  return value.includes('\0') ? invalid(field, 'contains a NUL') : undefined;
}

/** What the service says of a job it could not prepare; an overlong text is replaced. */
export function shownLaunchError(text: string): string {
  return utf8Bytes(text) <= LAUNCH_ERROR_MAX_BYTES
    ? text
    : 'The service could not prepare this job.';
}

function launchErrorRefusal(text: string): LaunchCheck {
  const shown = shownLaunchError(text);
  return { kind: 'refused', code: 'launch_error', facts: { detail: shown }, error: shown };
}

function invalid(field: string, problem: string): LaunchCheck {
  return {
    kind: 'refused',
    code: 'launch_invalid',
    facts: { field, problem },
    error: `The job's ${field} ${problem}.`,
  };
}

function shortText(value: Json | undefined): string {
  return typeof value === 'string' ? value.slice(0, SHOWN_NAME_MAX_CHARS) : '';
}
