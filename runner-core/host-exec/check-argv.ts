/**
 * Which of the owner's arguments for Cursor stand: those that the runner manages, that change where or with what
 * rights Cursor works, or that would swallow what the runner adds are refused in every spelling.
 */
import type { ProfileProblemCode } from '../model/host-profile.ts';
import { utf8Bytes } from '../wire/text-bytes.ts';

export const ARGV_MAX = 32;
export const ARGUMENT_MAX_BYTES = 4_096;

export interface ArgumentProblem {
  readonly code: ProfileProblemCode;
  readonly severity: 'error' | 'warning';
  readonly index: number;
  readonly reason: string;
  readonly remedy: string;
}

const WRITES = 'Remove it; turn on writing in the profile (force_writes) instead.';
const MODELS = "Remove it and add the model to the profile's model list.";
const FOLDER = 'Remove it; each job gets a folder of its own.';
const SESSION = 'Remove it; each job starts a session of its own.';
const SECRET = 'Remove it and sign in with cursor-agent login.';
const PLACE = 'Remove it; a job works on this machine, in its own folder.';
const RIGHTS = "Remove it and set it up in Cursor's own settings.";

/** Flags the runner owns or no job may have, each with what to do instead. */
const MANAGED: ReadonlyMap<string, string> = new Map([
  ...each(FOLDER, '--workspace', '-w'),
  ...each(MODELS, '--model', '-m'),
  ...each(SESSION, '--resume', '-r', '--continue', '--session-id'),
  ...each(SECRET, '--api-key', '-a', '--auth-token'),
  ...each(WRITES, '--force', '--yolo', '-f'),
  ...each(PLACE, '--worktree', '--worktree-base', '--cloud', '-c', '--background', '-b'),
  ...each(PLACE, '--add-dir', '--endpoint', '-e'),
  ...each(RIGHTS, '--approve-mcps', '--plugin-dir', '--header', '-H', '--sandbox', '--insecure'),
]);
/** Cursor prints something and ends: such a profile can never give a result. */
const ENDS_AT_ONCE = ['--help', '-h', '--version', '-v', '--list-models'];
/** Flags that take no value, and those that need one. */
const SWITCHES = ['--print', '-p', '--stream-partial-output', '--trust', '--plan'];
const TAKES_VALUE = ['--output-format', '--mode', '--sandbox'];
/** What is told of a flag nobody knows: what follows its name without a = may be a key all the same. */
const FLAG_NAME = /^--?[A-Za-z0-9][A-Za-z0-9-]*/;
const OUTPUT_FORMATS = ['stream-json', 'json'];

/** Everything that is wrong with the arguments of a profile, in their order. */
export function argvProblems(argv: readonly string[]): readonly ArgumentProblem[] {
  const problems: ArgumentProblem[] = [];
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? '';
    const next = argv[index + 1];
    const problem = textProblem(argument) ?? flagProblem(argument, next);
    if (problem !== undefined) problems.push({ severity: 'error', ...problem, index });
    // Its value is judged with it.
    if (TAKES_VALUE.includes(argument) && next !== undefined && !next.startsWith('-')) index += 1;
  }
  return problems;
}

type Found = Omit<ArgumentProblem, 'index' | 'severity'> & { readonly severity?: 'warning' };

function textProblem(argument: string): Found | undefined {
  if (argument.includes('\0') || !argument.isWellFormed())
    return {
      code: 'argv_not_text',
      reason: 'The argument holds bytes that no argument may have.',
      remedy: 'Write it anew as plain text.',
    };
  if (utf8Bytes(argument) <= ARGUMENT_MAX_BYTES) return undefined;
  return {
    code: 'argv_too_long',
    reason: `The argument is longer than ${ARGUMENT_MAX_BYTES} bytes.`,
    remedy: 'Shorten it.',
  };
}

function flagProblem(argument: string, next: string | undefined): Found | undefined {
  const [flag, value] = split(argument);
  if (flag === '--')
    return {
      code: 'argv_managed',
      reason: 'The separator -- belongs to the runner, which puts it in front of the prompt.',
      remedy: 'Remove it and what follows.',
    };
  const remedy = MANAGED.get(flag);
  if (remedy !== undefined && !isStricterSandbox(flag, value ?? next))
    return {
      code: 'argv_managed',
      reason: `${flag} is not for a profile's arguments.`,
      remedy,
    };
  if (remedy !== undefined) return undefined;
  if (!flag.startsWith('-') || flag === '-')
    return {
      code: 'argv_positional',
      reason: 'The argument is a word of its own: a command of Cursor, or a prompt.',
      remedy: 'Remove it, or write it with its flag as --flag=value.',
    };
  if (!flag.startsWith('--') && flag.length > 2) return bundled(flag);
  if (ENDS_AT_ONCE.includes(flag))
    return {
      code: 'argv_ends_at_once',
      reason: `With ${flag} Cursor prints something and ends without a result.`,
      remedy: 'Remove it.',
    };
  if (TAKES_VALUE.includes(flag)) return valueProblem(flag, value, next);
  if (SWITCHES.includes(flag)) return undefined;
  return {
    code: 'argv_unknown',
    severity: 'warning',
    reason: `${FLAG_NAME.exec(flag)?.[0] ?? 'The argument'} is not a flag this host knows; if it wants a value, it takes the next argument for it.`,
    remedy: 'Write a value as --flag=value, and try the profile.',
  };
}

/**
 * `-pf`, `-mgpt-5`: a letter may hide a flag that is refused, or take the rest for its value. Of the argument only such
 * a letter is told, since that rest may be a key.
 */
function bundled(flag: string): Found {
  const hidden = Array.from(flag.slice(1), (letter) => `-${letter}`).find((one) =>
    MANAGED.has(one),
  );
  return {
    code: 'argv_bundled',
    reason:
      hidden === undefined
        ? 'The argument joins several short flags, or a flag and its value.'
        : `The argument joins several short flags, ${hidden} among them, or a flag and its value.`,
    remedy: 'Write each flag by itself, in its long form.',
  };
}

function valueProblem(
  flag: string,
  attached: string | undefined,
  next: string | undefined,
): Found | undefined {
  const value = attached ?? next;
  if (value === undefined || value === '' || (attached === undefined && value.startsWith('-')))
    return {
      code: 'argv_value_missing',
      reason: `${flag} has no value and would take the next argument for it.`,
      remedy: `Write ${flag}=value.`,
    };
  if (flag !== '--output-format' || OUTPUT_FORMATS.includes(value)) return undefined;
  return {
    code: 'argv_output_format',
    reason: 'In this output format Cursor gives no result that could be read.',
    remedy: 'Remove it, or use --output-format=stream-json.',
  };
}

/** The one value of a refused flag that takes rights away instead of giving them; in one argument only. */
function isStricterSandbox(flag: string, value: string | undefined): boolean {
  return flag === '--sandbox' && value === 'enabled';
}

function split(argument: string): readonly [string, string | undefined] {
  const at = argument.indexOf('=');
  return at < 0 ? [argument, undefined] : [argument.slice(0, at), argument.slice(at + 1)];
}

function each(remedy: string, ...flags: readonly string[]): readonly (readonly [string, string])[] {
  return flags.map((flag) => [flag, remedy] as const);
}
