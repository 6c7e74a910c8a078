/** What the service is told of a profile that cannot be used: by kind alone, since what its owner wrote stays here. */
import type {
  ProfileProblem,
  ProfileProblemCode,
} from '../../../runner-core/model/host-profile.ts';

/** For the flow that names the profile: one sentence that holds no value, path or name of its owner's. */
export function toldProblem(problems: readonly ProfileProblem[]): string {
  const problem = firstError(problems);
  return problem === undefined ? 'It cannot be read.' : TOLD[problem.code];
}

/** Why the profile cannot be used, where something keeps it from that; otherwise the first thing said of it. */
export function firstError(problems: readonly ProfileProblem[]): ProfileProblem | undefined {
  return problems.find(({ severity }) => severity === 'error') ?? problems[0];
}

const FILE = 'The file it is kept in cannot be used.';
const NOT_SAFE = 'Another user of this machine could change what it runs.';
const NO_START = 'Its executable cannot be started here.';
const COPILOT = 'It is made for the Copilot CLI, which this host does not offer.';
const ARGUMENTS = 'One of its arguments may not be used.';
const FOLDER = 'Its workspace folder cannot be used.';
const MODELS = 'Its list of models is not as it must be.';
const VARIABLES = 'Its list of variables is not as it must be.';
const WARNED = 'It has a fault that needs a look on this machine.';

const TOLD: Readonly<Record<ProfileProblemCode, string>> = {
  file_too_large: FILE,
  file_unreadable: FILE,
  file_shape: FILE,
  file_writable_by_others: NOT_SAFE,
  file_foreign_owner: NOT_SAFE,
  too_many_profiles: 'There are too many profiles on this machine.',
  not_an_object: 'It is not written as a profile.',
  wrong_type: 'One of its settings has a value of the wrong kind.',
  name_invalid: 'Its name is not one that a profile may have.',
  name_taken: 'Another profile on this machine has its name.',
  executable_missing: 'It names no executable.',
  executable_invalid: NO_START,
  executable_unknown: 'Its executable is not the Cursor CLI.',
  executable_writable_by_others: NOT_SAFE,
  executable_foreign_owner: NOT_SAFE,
  executable_unstartable: NO_START,
  copilot_unsupported: COPILOT,
  copilot_only: COPILOT,
  argv_too_many: 'It has too many arguments.',
  argv_too_long: 'One of its arguments is too long.',
  argv_not_text: 'One of its arguments is no plain text.',
  argv_managed: ARGUMENTS,
  argv_bundled: 'One of its arguments joins several short flags.',
  argv_positional: 'One of its arguments is a word without a flag.',
  argv_value_missing: 'One of its arguments lacks its value.',
  argv_output_format: 'Its output format gives no result that could be read.',
  argv_ends_at_once: 'With its arguments Cursor would end without a result.',
  argv_unknown: WARNED,
  workspace_relative: FOLDER,
  workspace_missing: FOLDER,
  workspace_not_directory: FOLDER,
  workspace_writable_by_others: FOLDER,
  workspace_foreign_owner: FOLDER,
  timeout_invalid: 'One of its times is not as it must be.',
  model_map_too_many: MODELS,
  model_map_invalid: MODELS,
  pass_env_too_many: VARIABLES,
  pass_env_invalid: VARIABLES,
  pass_env_refused: 'It would pass on a variable that no job may have.',
  key_unknown: WARNED,
  key_ignored: WARNED,
  trust_missing: WARNED,
};
