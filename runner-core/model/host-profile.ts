/**
 * A host profile: a fixed local command that a flow may name, as its owner wrote it. Pure data; what is a valid
 * profile is decided in `runner-core/host-exec/read-profiles.ts`.
 */

/** The systems whose rules differ here. Every other Unix goes by `linux`. */
export type HostPlatform = 'linux' | 'darwin' | 'win32';

/** Says to the service what a profile can do: always these four for Cursor. */
export const CURSOR_CAPABILITIES = ['host_exec', 'stdout', 'cancel', 'cursor_cli'] as const;

/** Without `timeoutSeconds` of its own a profile gets these. */
export const DEFAULT_TIMEOUT_SECONDS = 1_800;

export interface HostProfile {
  /** Matched without regard to case; unique so. */
  readonly name: string;
  /** As written: a command's name, or an absolute path. Resolved when a job starts. */
  readonly executable: string;
  readonly argv: readonly string[];
  /** Absolute and existing; null: a folder of the host's own. */
  readonly workspaceRoot: string | null;
  /** 0: `DEFAULT_TIMEOUT_SECONDS`. */
  readonly timeoutSeconds: number;
  readonly forceWrites: boolean;
  /** What a flow may ask for, to what Cursor is told. Ask with `aliasOf`, since keys are free words. */
  readonly modelMap: Readonly<Record<string, string>>;
  /** Names of further variables of the owner's that Cursor gets. */
  readonly passEnv: readonly string[];
  /** Adds `--trust` for the directory just made, where nothing else gives it. On unless turned off. */
  readonly trustWorkspace: boolean;
  /** How long a run that gave its result may take to exit; more than 0. */
  readonly lingerSeconds: number;
  /** Whether a run that gave a good result and had to be ended counts as success. Off unless turned on. */
  readonly lingeredIsSuccess: boolean;
  /** Silence after which a run is ended; any output counts, and an open tool call. 0: never. */
  readonly stallSeconds: number;
}

/** What Cursor is told for a model a flow asked for; undefined where the profile does not have it. */
export function aliasOf(profile: HostProfile, model: string): string | undefined {
  return Object.hasOwn(profile.modelMap, model) ? profile.modelMap[model] : undefined;
}

/** The profile a lease names, without regard to case and outer spaces. */
export function profileNamed(
  profiles: readonly HostProfile[],
  name: string,
): HostProfile | undefined {
  const wanted = name.trim().toLowerCase();
  return profiles.find((profile) => profile.name.toLowerCase() === wanted);
}

/** What is wrong with a profile, or with a whole file. Values are named only where they hold no secret. */
export interface ProfileProblem {
  readonly code: ProfileProblemCode;
  /** `error`: the profile (or the file) is left out. `warning`: it is used as it is. */
  readonly severity: 'error' | 'warning';
  /** Place in the list, from 0; null for the whole file. */
  readonly index: number | null;
  /** The profile's name where it has a readable one. */
  readonly profile: string | null;
  /** Key in the file, such as `argv.2` or `model_map`; '' for the whole. */
  readonly field: string;
  /** One sentence. */
  readonly reason: string;
  /** One remedy. */
  readonly remedy: string;
}

export const PROFILE_PROBLEM_CODES = [
  'file_too_large',
  'file_unreadable',
  'file_shape',
  'file_writable_by_others',
  'file_foreign_owner',
  'too_many_profiles',
  'not_an_object',
  'wrong_type',
  'name_invalid',
  'name_taken',
  'executable_missing',
  'executable_invalid',
  'executable_unknown',
  'executable_writable_by_others',
  'executable_foreign_owner',
  'executable_unstartable',
  'copilot_unsupported',
  'copilot_only',
  'argv_too_many',
  'argv_too_long',
  'argv_not_text',
  'argv_managed',
  'argv_bundled',
  'argv_positional',
  'argv_value_missing',
  'argv_output_format',
  'argv_ends_at_once',
  'argv_unknown',
  'workspace_relative',
  'workspace_missing',
  'workspace_not_directory',
  'workspace_writable_by_others',
  'workspace_foreign_owner',
  'timeout_invalid',
  'model_map_too_many',
  'model_map_invalid',
  'pass_env_too_many',
  'pass_env_invalid',
  'pass_env_refused',
  'key_unknown',
  'key_ignored',
  'trust_missing',
] as const;
export type ProfileProblemCode = (typeof PROFILE_PROBLEM_CODES)[number];

/** All that is said of a profile to the service. */
export interface AdvertisedProfile {
  readonly name: string;
  readonly capabilities: readonly string[];
  readonly models: readonly string[];
}
