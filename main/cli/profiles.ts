/**
 * `preloop-host profiles …`: the local commands that flows may start on this machine, turned on and off, given out,
 * brought in, checked and tried.
 */
import { readFile } from 'node:fs/promises';
import { entriesOf } from '../services/profiles/draft.ts';
import type { ProfileStateName, ProfileTryView } from '../contract/profile-views.ts';
import type { RequestResult } from '../contract/requests.ts';
import { EMPTY_DRAFT, profileDraftSchema } from '../contract/profile-views.ts';
import type { CommandContext, Verb } from './command-context.ts';
import { CommandError, EXIT, type ExitCode } from './exit-codes.ts';
import { plainText, table } from './plain-output.ts';

type Listed = RequestResult<'profiles.list'>['profiles'][number];
type Act = (context: CommandContext, word: string | undefined) => Promise<ExitCode>;

export const profiles: Verb = async (context) => {
  const [name = 'list', word] = context.words;
  const act = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined;
  if (act === undefined)
    throw new CommandError(
      `There is no profiles ${name}. It is one of ${Object.keys(ACTS).join(', ')}.`,
    );
  return act(context, word);
};

const ACTS: Readonly<Record<string, Act>> = {
  list,
  on: (context, name) => turn(context, name, true),
  off: (context, name) => turn(context, name, false),
  export: async ({ client, print }, name) => {
    const { text } = await client.request('profiles.export', {
      names: name === undefined ? null : [name],
    });
    print(text.trimEnd());
    return EXIT.done;
  },
  import: bringIn,
  check,
  try: tryIt,
};

async function list({ client, flags, print }: CommandContext): Promise<ExitCode> {
  const found = await client.request('profiles.list', {});
  if (flags.json) {
    print(JSON.stringify(found));
    return EXIT.done;
  }
  if (!found.isAllowed) print('Local commands are off on this machine: profiles on --all');
  for (const { reason, remedy } of found.problems) print(plainText(`${reason} ${remedy}`));
  if (found.profiles.length === 0)
    print(`No profiles. They are read from ${plainText(found.file)}`);
  else
    for (const line of table([
      ['PROFILE', 'STATE', 'FROM', 'RUNS', 'WHY NOT'],
      ...found.profiles.map((listed) => [
        plainText(listed.name),
        STATES[listed.state],
        listed.source === 'client' ? 'file' : 'here',
        plainText(listed.profile?.executable ?? ''),
        plainText(whyNot(listed)),
      ]),
    ]))
      print(line);
  return EXIT.done;
}

const STATES: Readonly<Record<ProfileStateName, string>> = {
  advertised: 'on',
  off: 'off',
  changed: 'changed',
  left_out: 'broken',
  all_off: 'held back',
};

function whyNot({ name, state, problems }: Listed): string {
  if (state === 'changed')
    return `It changed since it was turned on; turn it on again: profiles on ${name}`;
  const first = problems.find(({ severity }) => severity === 'error') ?? problems[0];
  return state === 'left_out' ? (first?.reason ?? '') : '';
}

async function turn(
  { client, flags, print }: CommandContext,
  name: string | undefined,
  on: boolean,
): Promise<ExitCode> {
  const act = on ? 'on' : 'off';
  if (flags.all) {
    if (name !== undefined) throw new CommandError(`Either a profile or --all: profiles ${act}.`);
    await client.request('profiles.allow', { on });
    print(flags.json ? JSON.stringify({ all: true, on }) : `Local commands are ${act}`);
    return EXIT.done;
  }
  if (name === undefined)
    throw new CommandError(`Name the profile, or --all: profiles ${act} NAME.`);
  await client.request('profiles.turn', { name, on });
  if (flags.json) {
    print(JSON.stringify({ profile: name, on }));
    return EXIT.done;
  }
  print(`${name} is ${act}`);
  if (on && !(await client.request('profiles.list', {})).isAllowed)
    print('It waits: local commands are off on this machine: profiles on --all');
  return EXIT.done;
}

/** 1 where one was refused. */
async function bringIn(
  { client, flags, print }: CommandContext,
  path: string | undefined,
): Promise<ExitCode> {
  const text = await textOf('import', path);
  const { problems, profiles: brought } = await client.request('profiles.import', {
    text,
    replace: flags.replace,
  });
  if (flags.json) print(JSON.stringify({ problems, profiles: brought }));
  else {
    for (const { reason, remedy } of problems) print(plainText(`${reason} ${remedy}`));
    for (const { index, name, outcome, problems: found } of brought) {
      print(plainText(`${name === '' ? `number ${index + 1}` : name}: ${outcome}`));
      for (const { field, reason, remedy } of found)
        print(plainText(`  ${field === '' ? '' : `${field}: `}${reason} ${remedy}`));
    }
  }
  const isWhole = problems.length === 0 && brought.every(({ outcome }) => outcome !== 'refused');
  return isWhole ? EXIT.done : EXIT.notSucceeded;
}

/** Keeps nothing. 1 where one has an error. */
async function check(
  { client, flags, print }: CommandContext,
  path: string | undefined,
): Promise<ExitCode> {
  const text = await textOf('check', path);
  const { profiles: known } = await client.request('profiles.list', {});
  const own = new Map(
    known.flatMap(({ name, source }) => (source === 'own' ? [[name.toLowerCase(), name]] : [])),
  );
  let isWell = true;
  const entries = entriesOf(text);
  if (entries.length === 0) throw new CommandError('The file holds no list named profiles.');
  for (const [index, entry] of entries.entries()) {
    const draft = profileDraftSchema.safeParse({
      ...EMPTY_DRAFT,
      name: '',
      executable: '',
      ...(typeof entry === 'object' ? entry : {}),
    });
    if (!draft.success) {
      isWell = false;
      const issue = draft.error.issues[0];
      print(
        plainText(`number ${index + 1}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`),
      );
      continue;
    }
    const editing = own.get(draft.data.name.trim().toLowerCase()) ?? null;
    const checked = await client.request('profiles.check', { draft: draft.data, editing });
    isWell &&= checked.isUsable;
    if (flags.json) print(JSON.stringify({ name: draft.data.name, ...checked }));
    else {
      print(
        plainText(`${draft.data.name}: ${checked.isUsable ? 'can be used' : 'cannot be used'}`),
      );
      for (const { field, reason, remedy } of checked.problems)
        print(plainText(`  ${field === '' ? '' : `${field}: `}${reason} ${remedy}`));
      if (checked.wouldRun !== null) print(plainText(`  would run: ${checked.wouldRun.line}`));
    }
  }
  return isWell ? EXIT.done : EXIT.notSucceeded;
}

async function tryIt(
  { client, flags, print }: CommandContext,
  name: string | undefined,
): Promise<ExitCode> {
  if (name === undefined || flags.prompt === null)
    throw new CommandError('Name the profile and what to ask: profiles try NAME --prompt TEXT.');
  const { prompt, model } = flags;
  const { id } = await client.request('profiles.try', { name, prompt, model });
  const end = await client.until('profile_try', { id }, (view) => view?.state === 'ended');
  if (end === null) throw new CommandError('The host no longer knows this run.');
  if (flags.json) print(JSON.stringify(end));
  else printTry(end, print);
  return end.reported?.status === 'SUCCEEDED' ? EXIT.done : EXIT.notSucceeded;
}

function printTry(
  { conversation, reported, tail }: ProfileTryView,
  print: (line: string) => void,
): void {
  for (const entry of conversation.entries) {
    if (entry.kind === 'text' || entry.kind === 'plain') print(plainText(entry.text));
    if (entry.kind === 'tool') print(plainText(`  [${entry.tool}] ${entry.subject}`));
  }
  if (!conversation.hasEvents && conversation.entries.length === 0)
    for (const { text } of tail) print(plainText(text));
  if (reported === null) return;
  const { status, why, result } = reported;
  print(`Preloop would have been told: ${status}`);
  if (why !== null) print(plainText(`${why.code}: ${why.what} ${why.remedy}`));
  if (result !== null) print(plainText(result));
}

async function textOf(act: string, path: string | undefined): Promise<string> {
  if (path === undefined) throw new CommandError(`Name the file: profiles ${act} FILE.`);
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new CommandError(`${path} cannot be read.`);
  }
}
