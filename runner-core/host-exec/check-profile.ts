/** One profile as it was written, to one that can be used, or to everything that is wrong with it. */
import { posix, win32 } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { HostPlatform, HostProfile, ProfileProblem } from '../model/host-profile.ts';
import { ARGV_MAX, argvProblems } from './check-argv.ts';
import { isAbsolutePath } from './resolve-executable.ts';

export type FoundProblem = Omit<ProfileProblem, 'index' | 'profile'>;
export interface CheckedProfile {
  /** null: it cannot be used, and one of the problems is an error. */
  readonly profile: HostProfile | null;
  readonly problems: readonly FoundProblem[];
}

export const MODELS_MAX = 64;
export const PASS_ENV_MAX = 64;
const DEFAULT_LINGER_SECONDS = 20;
/** A year; nobody means more. What no timer can keep (`deadline.ts`) is taken as far as one can. */
const MOST_SECONDS = 31_536_000;
const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const CURSOR_NAMES = ['cursor-agent', 'agent'];
const EXTENSION = /\.(?:ps1|exe|cmd|bat|com)$/;
const KNOWN_KEYS = new Set([
  ...['name', 'executable', 'argv', 'workspace_root', 'timeout_seconds', 'pass_env', 'model_map'],
  ...['force_writes', 'pass_model', 'allow_tools', 'deny_tools', 'allow_all_tools'],
  ...['allow_checkout', 'allow_publish'],
  // Ours; the public client ignores what it does not know.
  ...['trust_workspace', 'linger_seconds', 'lingered_is_success', 'stall_seconds'],
]);

/** Checks one profile and gives what was found, in the order of its keys. */
export function checkProfile(value: unknown, platform: HostPlatform): CheckedProfile {
  if (!isJsonObject(value)) {
    const reason = 'The profile is not an object.';
    const remedy = 'Write it between braces, as the others are.';
    return {
      profile: null,
      problems: [{ code: 'not_an_object', severity: 'error', field: '', reason, remedy }],
    };
  }
  const fields = new Fields(value);
  const name = fields.text('name').trim();
  if (!PROFILE_NAME.test(name))
    fields.error(
      'name_invalid',
      'name',
      'The name is missing, or has characters other than letters, digits, dot, dash and underscore.',
      'Give it a name of at most 64 such characters that begins with a letter or a digit.',
    );
  const executable = fields.text('executable').trim();
  checkExecutable(fields, executable, platform);
  const argv = checkArgv(fields);
  const workspaceRoot = fields.text('workspace_root');
  if (workspaceRoot !== '' && !isAbsolutePath(workspaceRoot, platform))
    fields.error(
      'workspace_relative',
      'workspace_root',
      'The workspace folder is not a full path.',
      'Write the full path, or leave it empty for a folder of this host.',
    );
  const timeoutSeconds = fields.seconds('timeout_seconds', 0);
  const passEnv = checkPassEnv(fields);
  const modelMap = checkModelMap(fields);
  const forceWrites = fields.flag('force_writes', false);
  const trustWorkspace = fields.flag('trust_workspace', true);
  // As for the time limit, 0 stands for the default: at once would end runs that are on their way out.
  const lingerSeconds = fields.seconds('linger_seconds', 0) || DEFAULT_LINGER_SECONDS;
  const lingeredIsSuccess = fields.flag('lingered_is_success', false);
  const stallSeconds = fields.seconds('stall_seconds', 0);
  checkOtherKeys(fields, value);
  if (!trustWorkspace && !forceWrites && !argv.some((argument) => argument.startsWith('--trust')))
    fields.warn(
      'trust_missing',
      'trust_workspace',
      'Nothing tells Cursor to trust the folder of a job, so newer builds refuse every run.',
      'Turn trust on, or add --trust to the arguments.',
    );
  const profile: HostProfile = {
    name,
    executable,
    argv,
    workspaceRoot: workspaceRoot === '' ? null : cleaned(workspaceRoot, platform),
    timeoutSeconds,
    forceWrites,
    modelMap,
    passEnv,
    trustWorkspace,
    lingerSeconds,
    lingeredIsSuccess,
    stallSeconds,
  };
  const isUsable = fields.problems.every(({ severity }) => severity === 'warning');
  return { profile: isUsable ? profile : null, problems: fields.problems };
}

/** Reads the keys of one profile by their type and collects what is wrong. */
class Fields {
  readonly #value: JsonObject;
  readonly problems: FoundProblem[] = [];

  constructor(value: JsonObject) {
    this.#value = value;
  }

  of(key: string): Json | null {
    return Object.hasOwn(this.#value, key) ? (this.#value[key] ?? null) : null;
  }
  text(key: string): string {
    const value = this.of(key) ?? '';
    return typeof value === 'string' ? value : this.#wrongType(key, 'a text', '');
  }
  flag(key: string, otherwise: boolean): boolean {
    const value = this.of(key) ?? otherwise;
    return typeof value === 'boolean' ? value : this.#wrongType(key, 'true or false', otherwise);
  }
  seconds(key: string, otherwise: number): number {
    const value = this.of(key) ?? otherwise;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) {
      if (value > MOST_SECONDS)
        this.error(
          'timeout_invalid',
          key,
          `${key} is more than a year.`,
          `Write at most ${MOST_SECONDS}; 0 stands for the default.`,
        );
      return value;
    }
    this.error(
      'timeout_invalid',
      key,
      `${key} is not a whole number of seconds, 0 or more.`,
      'Write whole seconds; 0 stands for the default.',
    );
    return otherwise;
  }
  texts(key: string): readonly string[] {
    const value = this.of(key) ?? [];
    if (!Array.isArray(value)) return this.#wrongType(key, 'a list of texts', []);
    const entries = value as readonly Json[];
    const texts = entries.filter((entry) => typeof entry === 'string');
    return texts.length === entries.length ? texts : this.#wrongType(key, 'a list of texts', []);
  }
  error(code: FoundProblem['code'], field: string, reason: string, remedy: string): void {
    this.problems.push({ code, severity: 'error', field, reason, remedy });
  }
  warn(code: FoundProblem['code'], field: string, reason: string, remedy: string): void {
    this.problems.push({ code, severity: 'warning', field, reason, remedy });
  }

  #wrongType<T>(key: string, wanted: string, otherwise: T): T {
    this.error('wrong_type', key, `${key} is not ${wanted}.`, `Write ${wanted}.`);
    return otherwise;
  }
}

function checkExecutable(fields: Fields, executable: string, platform: HostPlatform): void {
  const field = 'executable';
  if (executable === '') {
    fields.error('executable_missing', field, 'No executable is named.', 'Write cursor-agent.');
    return;
  }
  if (executable.includes('\0') || !executable.isWellFormed()) {
    fields.error('executable_invalid', field, 'The executable is not a path.', 'Write it anew.');
    return;
  }
  const base = platform === 'win32' ? win32.basename(executable) : posix.basename(executable);
  const name = base.toLowerCase().replace(EXTENSION, '');
  if (name === 'copilot')
    fields.error(
      'copilot_unsupported',
      field,
      'Profiles of the Copilot CLI are not offered by this host.',
      'Use cursor-agent, or leave the profile to the public client.',
    );
  else if (!CURSOR_NAMES.includes(name))
    fields.error(
      'executable_unknown',
      field,
      'The executable is called neither cursor-agent nor agent.',
      'Name one of the two, or a link of that name.',
    );
  const isBare = base === executable && !(platform === 'win32' && /^[A-Za-z]:/.test(executable));
  if (!isBare && !isAbsolutePath(executable, platform))
    fields.error(
      'executable_invalid',
      field,
      'The executable is neither a name nor a full path.',
      'Write the full path, or the name alone.',
    );
}

function checkArgv(fields: Fields): readonly string[] {
  const argv = fields.texts('argv');
  if (argv.length > ARGV_MAX)
    fields.error(
      'argv_too_many',
      'argv',
      `There are more than ${ARGV_MAX} arguments.`,
      'Remove some.',
    );
  for (const { code, severity, index, reason, remedy } of argvProblems(argv.slice(0, ARGV_MAX)))
    fields.problems.push({ code, severity, field: `argv.${index}`, reason, remedy });
  return argv;
}

function checkPassEnv(fields: Fields): readonly string[] {
  const names = fields.texts('pass_env');
  if (names.length > PASS_ENV_MAX)
    fields.error(
      'pass_env_too_many',
      'pass_env',
      `There are more than ${PASS_ENV_MAX} variables.`,
      'Remove those that Cursor does not need.',
    );
  for (const [index, name] of names.slice(0, PASS_ENV_MAX).entries()) {
    const field = `pass_env.${index}`;
    if (!VARIABLE_NAME.test(name))
      fields.error(
        'pass_env_invalid',
        field,
        'The entry is not the name of a variable.',
        'Write the name alone, without a value.',
      );
    // Windows does not tell the spellings apart, and nobody names another variable so by chance.
    else if (/^preloop_/i.test(name))
      fields.error(
        'pass_env_refused',
        field,
        `${name} is one of Preloop's own, which may hold the credentials of this runner.`,
        'Remove it.',
      );
  }
  return names;
}

function checkModelMap(fields: Fields): Readonly<Record<string, string>> {
  const field = 'model_map';
  const value = fields.of(field) ?? {};
  if (!isJsonObject(value)) {
    fields.error(
      'wrong_type',
      field,
      `${field} is not an object.`,
      'Write "flow name": "Cursor name".',
    );
    return {};
  }
  const entries = Object.entries(value);
  if (entries.length > MODELS_MAX)
    fields.error(
      'model_map_too_many',
      field,
      `There are more than ${MODELS_MAX} models.`,
      'Remove some.',
    );
  const models: [string, string][] = [];
  for (const [key, alias] of entries) {
    if (typeof alias === 'string' && MODEL_NAME.test(key) && MODEL_NAME.test(alias)) {
      models.push([key, alias]);
      continue;
    }
    fields.error(
      'model_map_invalid',
      MODEL_NAME.test(key) ? `${field}.${key}` : field,
      'One side of a model is empty, or has characters that no model name has.',
      'Use letters, digits and . _ : / - on both sides, at most 128 of them.',
    );
  }
  return Object.fromEntries(models);
}

function checkOtherKeys(fields: Fields, value: JsonObject): void {
  for (const key of ['allow_tools', 'deny_tools', 'allow_all_tools']) {
    const given = fields.of(key);
    if (given === null || given === false || (Array.isArray(given) && given.length === 0)) continue;
    fields.error(
      'copilot_only',
      key,
      `${key} is a rule for the Copilot CLI, which Cursor would not follow.`,
      'Remove it.',
    );
  }
  for (const key of ['allow_checkout', 'allow_publish'])
    if (fields.of(key) === true)
      fields.warn(
        'key_ignored',
        key,
        `${key} has no effect: this host neither clones nor publishes for a local command.`,
        'Nothing needs to be done.',
      );
  if (fields.of('pass_model') !== null)
    fields.warn(
      'key_ignored',
      'pass_model',
      'pass_model has no effect: only models in model_map can be asked for.',
      'Remove it.',
    );
  for (const key of Object.keys(value))
    if (!KNOWN_KEYS.has(key))
      fields.warn(
        'key_unknown',
        key.replace(/\p{Cc}+/gu, ' ').slice(0, 64),
        'The key is not known and has no effect.',
        'Check its spelling.',
      );
}

function cleaned(path: string, platform: HostPlatform): string {
  const normal = platform === 'win32' ? win32.normalize(path) : posix.normalize(path);
  return normal.length > 1 && /[^:]\/$/.test(normal) ? normal.slice(0, -1) : normal;
}
