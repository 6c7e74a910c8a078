/** What `agent_config` says of the container: its image and the options under `runner`. */
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { RunnerOptions } from '../model/job-spec.ts';

/** Hands its arguments to Bash itself, after it has set up the languages. */
const ENTRYPOINT_PRESERVED_IMAGE = 'ghcr.io/openai/codex-universal:latest';
const TRUE_WORDS: readonly string[] = ['1', 'true', 'yes', 'on'];
/** Docker's own rule for names; it also keeps out `container:<id>`, another container's network. */
const NETWORK_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;
const WINDOWS_DRIVE = /^[A-Za-z]:[\\/]/;
const MOUNT_MODES: readonly string[] = ['ro', 'rw'];

export interface FieldProblem {
  /** Path of the field in the job. */
  readonly field: string;
  /** Plain words without the value. */
  readonly problem: string;
}

/** The image: `image` where it is not blank, else `docker_image`; trimmed; '' where neither names one. */
export function imageOf(agentConfig: JsonObject): string {
  return textOf(agentConfig['image']) || textOf(agentConfig['docker_image']);
}

/** The options of a job, or the first that cannot be followed. */
export function parseRunnerOptions(agentConfig: JsonObject): RunnerOptions | FieldProblem {
  const given = agentConfig['runner'] ?? {};
  if (!isJsonObject(given)) return problem('agent_config.runner', 'is not an object');
  const network = given['network'] ?? '';
  if (typeof network !== 'string') return problem('agent_config.runner.network', 'is not a string');
  const networkName = network.trim();
  if (networkName !== '' && !NETWORK_NAME.test(networkName))
    return problem('agent_config.runner.network', 'is not a name Docker allows for a network');
  const mounts = parseMounts(given['extra_mounts'] ?? []);
  if ('field' in mounts) return mounts;
  const preserve = given['preserve_image_entrypoint'];
  return {
    mountDockerSocket: isTrue(given['mount_docker_socket']),
    persistWorkspace: isTrue(given['persist_workspace']),
    network: networkName === '' ? null : networkName,
    extraMounts: mounts,
    preserveEntrypoint:
      typeof preserve === 'boolean'
        ? preserve
        : imageOf(agentConfig) === ENTRYPOINT_PRESERVED_IMAGE,
  };
}

/** A mount's parts. `mode` null: not given, which Docker takes as `rw`. */
export interface MountParts {
  readonly hostPath: string;
  readonly containerPath: string;
  readonly mode: 'ro' | 'rw' | null;
}

/**
 * The parts of `host:container[:ro|rw]`, or undefined. The host's path may start with a Windows drive
 * (`C:\data:/data`), which the reference runner cannot express.
 */
export function mountParts(text: string): MountParts | undefined {
  const drive = WINDOWS_DRIVE.test(text) ? text.slice(0, 2) : '';
  const [first = '', containerPath = '', mode, ...more] = text.slice(drive.length).split(':');
  const hostPath = drive + first;
  if (more.length > 0 || !containerPath.startsWith('/')) return undefined;
  if (drive === '' && !hostPath.startsWith('/')) return undefined;
  if (mode === undefined) return { hostPath, containerPath, mode: null };
  const known = mode.toLowerCase();
  return MOUNT_MODES.includes(known)
    ? { hostPath, containerPath, mode: known === 'ro' ? 'ro' : 'rw' }
    : undefined;
}

function parseMounts(value: Json): readonly string[] | FieldProblem {
  const field = 'agent_config.runner.extra_mounts';
  if (!Array.isArray(value)) return problem(field, 'is not a list');
  const mounts: string[] = [];
  for (const [index, entry] of (value as readonly Json[]).entries()) {
    if (typeof entry !== 'string') return problem(`${field}.${index}`, 'is not a string');
    const mount = entry.trim();
    if (mountParts(mount) === undefined)
      return problem(`${field}.${index}`, 'is not host:container[:ro|rw] with absolute paths');
    mounts.push(mount);
  }
  return mounts;
}

/** True, or a word for it. Numbers are not: the reference runner takes them as false. */
function isTrue(value: Json | undefined): boolean {
  if (typeof value === 'string') return TRUE_WORDS.includes(value.trim().toLowerCase());
  return value === true;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value.trim() : '';
}

function problem(field: string, text: string): FieldProblem {
  return { field, problem: text };
}
