/** A profile as its form holds it, to and from the draft that the host checks. Rows that are empty are no part of the draft. Pure. */
import type { ProfileDraft, ProfileProblemView } from '../../../main/contract/profile-views.ts';

export interface ModelRow {
  readonly name: string;
  readonly alias: string;
}

/** As typed: numbers are texts here, and lists have their empty rows. */
export interface FormState {
  readonly name: string;
  readonly executable: string;
  readonly argv: readonly string[];
  readonly workspaceRoot: string;
  readonly timeout: string;
  readonly models: readonly ModelRow[];
  readonly passEnv: readonly string[];
  readonly forceWrites: boolean;
  readonly trustWorkspace: boolean;
  readonly linger: string;
  readonly lingeredIsSuccess: boolean;
  readonly stall: string;
}

export function stateOf(draft: ProfileDraft): FormState {
  return {
    name: draft.name,
    executable: draft.executable,
    argv: draft.argv,
    workspaceRoot: draft.workspace_root,
    timeout: String(draft.timeout_seconds),
    models: Object.entries(draft.model_map).map(([name, alias]) => ({ name, alias })),
    passEnv: draft.pass_env,
    forceWrites: draft.force_writes,
    trustWorkspace: draft.trust_workspace,
    linger: String(draft.linger_seconds),
    lingeredIsSuccess: draft.lingered_is_success,
    stall: String(draft.stall_seconds),
  };
}

export function draftOf(state: FormState): ProfileDraft {
  return {
    name: state.name,
    executable: state.executable,
    argv: state.argv.filter(isFilled),
    workspace_root: state.workspaceRoot,
    timeout_seconds: secondsOf(state.timeout),
    force_writes: state.forceWrites,
    model_map: Object.fromEntries(
      state.models.filter(isModel).map(({ name, alias }) => [name.trim(), alias.trim()]),
    ),
    pass_env: state.passEnv.map((name) => name.trim()).filter(isFilled),
    trust_workspace: state.trustWorkspace,
    linger_seconds: secondsOf(state.linger),
    lingered_is_success: state.lingeredIsSuccess,
    stall_seconds: secondsOf(state.stall),
  };
}

/** Where a problem is shown: the key of a field, or of a row of the form: `argv.2` counts rows, empty ones too. */
export function placeOf({ field }: Pick<ProfileProblemView, 'field'>, state: FormState): string {
  const [list, rest] = splitOnce(field);
  if (rest === undefined) return field;
  if (list === 'argv') return `argv.${rowOf(state.argv, Number(rest))}`;
  if (list === 'pass_env') return `pass_env.${rowOf(state.passEnv, Number(rest))}`;
  if (list !== 'model_map') return field;
  const row = state.models.findIndex(({ name }) => name.trim() === rest);
  return row === -1 ? 'model_map' : `model_map.${row}`;
}

/** Rows that name a model a second time: one name has one meaning, so the draft cannot hold both. */
export function twiceNamed(models: readonly ModelRow[]): readonly number[] {
  const names = models.map(({ name }) => name.trim());
  return names.flatMap((name, row) => (name !== '' && names.indexOf(name) < row ? [row] : []));
}

/** What is no whole number, or too large a one, stays wrong, for the host to say so. */
function secondsOf(text: string): number {
  const trimmed = text.trim();
  if (trimmed === '') return 0;
  return /^\d+$/.test(trimmed) ? Math.min(Number(trimmed), Number.MAX_SAFE_INTEGER) : -1;
}

/** The row of the form behind the entry of the draft. */
function rowOf(rows: readonly string[], entry: number): number {
  let filled = -1;
  for (const [row, text] of rows.entries()) {
    if (isFilled(text)) filled += 1;
    if (filled === entry) return row;
  }
  return entry;
}

function isFilled(text: string): boolean {
  return text.trim() !== '';
}

function isModel({ name, alias }: ModelRow): boolean {
  return isFilled(name) || isFilled(alias);
}

function splitOnce(field: string): readonly [string, string | undefined] {
  const at = field.indexOf('.');
  return at === -1 ? [field, undefined] : [field.slice(0, at), field.slice(at + 1)];
}
