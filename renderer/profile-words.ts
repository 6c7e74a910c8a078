/** Part of the words: profiles of local commands, what they are not, and trying one. Read through `words.ts`. */
import type {
  FoundExecutable,
  ImportedProfile,
  ProfileSourceName,
  ProfileView,
} from '../main/contract/profile-views.ts';
import { formatCount, formatSpan, plural } from './format.ts';

const STATES: Readonly<Record<ProfileView['state'], string>> = {
  advertised: 'Advertised',
  off: 'Off',
  changed: 'Off, since it changed',
  left_out: 'Left out',
  all_off: 'On, but local commands are off',
};
const SOURCES: Readonly<Record<ProfileSourceName, string>> = {
  own: 'this app',
  client: 'the client’s file, read only',
};
const LOGINS: Readonly<Record<FoundExecutable['login'], string>> = {
  signed_in: 'Signed in',
  signed_out: 'Not signed in',
  unknown: 'It did not say whether it is signed in',
  not_checked: 'Not checked yet',
};
const OUTCOMES: Readonly<Record<ImportedProfile['outcome'], string>> = {
  added: 'Added, off',
  replaced: 'Replaced; off where it would run something else',
  refused: 'Refused',
};

export const profileWords = {
  title: 'Host profiles',
  about: 'Fixed local commands that Preloop may ask for by name.',
  leftOut: (count: number) => `${plural(count, 'profile is', 'profiles are')} left out`,
  newProfile: 'New profile',
  import: 'Import…',
  exportAll: 'Download all',
  list: 'Profiles',
  emptyTitle: 'There is no profile.',
  emptyBody:
    'A profile is a Cursor command that you fix once and that flows may ask for by name, on this machine and under your login. It is no sandbox, so nothing is offered until you turn one on.',
  readLimits: 'What this is not',
  readAll: 'Read all of it',
  failedTitle: 'The profiles could not be read.',
  fileProblem: {
    client: 'The client’s file has a fault',
    own: 'The profiles of this app have a fault',
  },

  state: (state: ProfileView['state']) => STATES[state],
  turnOn: (name: string) => `${name}: offer it to Preloop`,
  turnedOn: (name: string) => `${name} is on: Preloop may ask for it.`,
  turnedOnWaiting: (name: string) => `${name} is on, and offered once local commands are on again.`,
  turnedOff: (name: string) => `${name} is off. A running job goes on.`,
  tryIt: 'Try it…',
  tryLabel: (name: string) => `Try it… ${name}`,
  edit: 'Edit',
  editLabel: (name: string) => `Edit ${name}`,
  more: (name: string) => `More of ${name}`,
  duplicate: 'Duplicate',
  duplicated: (name: string) => `${name} is added, off.`,
  copyJson: 'Copy as JSON',
  jsonCopied: 'Profile copied as JSON.',
  download: 'Download as a file',
  fileName: (name: string | null) => `${name ?? 'runner-host-profiles'}.json`,
  remove: 'Remove…',
  checkAgain: 'Check again',
  moreNotes: (count: number) => `${plural(count, 'more note', 'more notes')} of this kind`,
  wouldRun: 'Would run',
  copyLine: 'Copy the command line',
  lineCopied: 'Command line copied, without a prompt.',
  keyRunner: 'dotted',
  keyRunnerIs: 'added by this app',
  keyJob: 'boxed',
  keyJobIs: 'filled in per job',
  mayWrite: 'May write',
  mayWriteWords: (forced: boolean) =>
    forced ? 'yes, without asking' : 'as Cursor’s own rules say',
  timeLimit: 'Time limit',
  models: 'Models',
  ownChoice: 'Cursor’s own choice',
  environment: 'Environment',
  passed: (count: number) =>
    count === 0 ? 'the usual basics' : `the usual basics, ${formatCount(count)} of yours`,
  source: 'Source',
  sourceWords: (source: ProfileSourceName) => SOURCES[source],
  lastRuns: 'Last runs',
  noRuns: 'none yet',
  runs: (count: number) => `${formatCount(count)} kept`,
  runLabel: (state: string, when: string) => `${state}, ${when}`,
  starts: (path: string) => `Starts ${path}`,

  changedTitle: 'It would run something else than when it was turned on, so it went off.',
  changedBody: 'Look at what it would run now; turn it on again if that is what you want.',
  allOffTitle: 'Local commands are off on this machine.',
  allOffBody: (count: number) =>
    `${plural(count, 'profile that is on is', 'profiles that are on are')} not offered to Preloop until you turn them on.`,
  allowAll: 'Turn local commands on…',
  allowed: 'Local commands are on: Preloop may ask for the profiles that are on.',
  allOff: 'Local commands are off. Running jobs go on.',
  commandsOn: (count: number) => `On: ${plural(count, 'profile', 'profiles')} offered`,
  commandsOff: 'Off: nothing is offered',
  commandsNone: 'Nothing is offered until a profile is turned on.',
  turnAll: 'Local commands on this machine',

  machine: 'On this machine',
  lookAgain: 'Look again',
  lookNow: 'Check version and login',
  looking: 'Looking for Cursor…',
  notLooked: 'Cursor was not started to look: no profile is offered.',
  checked: (when: string) => `Last looked: ${when}`,
  notFound: 'not found',
  noVersion: 'version not told',
  login: (login: FoundExecutable['login']) => LOGINS[login],
  trust: 'Folder trust',
  trustHow: 'given per job',
  file: 'Client’s file',
  fileState: (exists: boolean) => (exists ? 'read, never written' : 'not there'),
  fileNowhere: 'its variable names no full path',
  fileOverridden: 'named by PRELOOP_RUNNER_HOST_PROFILES',
  learns: 'What Preloop learns',
  learnsBody:
    'Names of the profiles that are on, what they can do, and model names. Never a path, an argument or a variable.',
  showSent: 'Show exactly what is sent',
  hideSent: 'Hide it',

  limitsTitle: 'What this is not',
  limitsShort:
    'No sandbox: Cursor runs as you and can reach your files, your login, your hooks and your network. Turn on a profile only for flows you trust.',
  limitsLead: 'This is no sandbox. A local command runs as you, not in a container.',
  limits: [
    [
      'Your files',
      'Cursor starts in a fresh folder, but nothing holds it there. It can read and change whatever you can.',
    ],
    [
      'Your login',
      'It uses the Cursor account that is signed in here, and what it costs is yours. Keys, agents and tokens that programs of yours can use, it can use too.',
    ],
    [
      'Your hooks',
      'Rules, hooks and servers that you set up for Cursor hold for these runs as well.',
    ],
    [
      'Your network',
      'It reaches what this machine reaches: the local network, a VPN, what listens here.',
    ],
    [
      'The prompt comes from a flow',
      'Whoever can change the flow, or what the flow reads, can say what Cursor is to do. The command, its arguments and its rights are fixed by you; the words are not.',
    ],
    [
      'An end is not always the end',
      'On Linux all that a run started is ended. On macOS and Windows a background process that left its group can go on.',
    ],
  ] as const,
  limitsHolds: 'What does hold',
  limitsHoldsBody: [
    'Only profiles that you turned on are told to Preloop, by name.',
    'A flow cannot bring a command, an argument, a variable or a credential of its own; such a job is refused.',
    'The runner’s own token never reaches the command.',
    'Turning a profile off counts at once: no new run of it starts. So does turning all of them off.',
    'A profile that would run something else than when you turned it on goes off by itself.',
  ] as const,
  toProfiles: 'Back to profiles',
} as const;

export const importWords = {
  title: 'Import profiles',
  about:
    'A profile file, as the client’s own or as exported here. What is imported is off until you turn it on.',
  text: 'Profile file',
  choose: 'Choose a file…',
  chosen: (name: string) => `${name} is read. Look at it, then import.`,
  tooLarge: 'This file is larger than 1 MiB.',
  unreadable: 'This file could not be read.',
  replace: 'Replace profiles of this app that have the same name',
  act: 'Import',
  done: 'What came of it',
  outcome: (outcome: ImportedProfile['outcome']) => OUTCOMES[outcome],
  nameless: (index: number) => `Entry ${formatCount(index + 1)}`,
  said: (kept: number, refused: number) =>
    `${plural(kept, 'profile', 'profiles')} imported, ${formatCount(refused)} refused.`,
} as const;

export const tryWords = {
  title: (name: string) => `Try ${name}`,
  about:
    'Runs once in a scratch folder, two minutes at most, under your Cursor login. Nothing is told to Preloop.',
  prompt: 'Prompt',
  promptStart: 'Say in one sentence which folder you are in. Change nothing.',
  promptEmpty: 'Write a prompt.',
  promptLong: (bytes: number, most: number) =>
    `${formatCount(bytes)} bytes; at most ${formatCount(most)} are tried.`,
  model: 'Model',
  run: 'Run',
  stop: 'Stop',
  stopping: 'Stopping…',
  starting: 'Starting…',
  running: (elapsed: string, limitMs: number) =>
    `Running ${elapsed}, at most ${formatSpan(limitMs)}`,
  ended: (took: string) => `Ended after ${took}`,
  other: (name: string) => `${name} is being tried. One runs at a time.`,
  toOther: 'Go there',
  off: 'It can be tried whether it is on or off.',
  unusable: 'It cannot be tried while it is left out.',
  conversation: 'Conversation',
  earlier: (count: number) => `${plural(count, 'earlier turn is', 'earlier turns are')} not kept.`,
  raw: (lines: number) => `Raw output, ${plural(lines, 'line', 'lines')}`,
  rawCut: (shown: number) => `The last ${plural(shown, 'line', 'lines')}.`,
  reported: 'What would have been reported',
  status: 'Status',
  exitCode: 'Exit code',
  error: 'Error',
  noError: 'none',
  result: 'Result',
  noResult: 'none',
  code: 'Code',
  gone: 'This run is not known any more.',
} as const;

export const profileQuestions = {
  turnOn: {
    title: (name: string) => `Let Preloop start ${name} on this machine?`,
    body: 'This is no sandbox. Cursor runs as you: with your files, your login, your hooks and your network. What it is to do comes from the flow.',
    more: 'Where local commands are off on this machine, this turns them on. Do it only for flows you trust; it can be turned off at any time.',
    safe: 'Leave it off',
    act: 'Turn it on',
  },
  allow: {
    title: 'Turn local commands on?',
    offers: (on: number) =>
      `${plural(on, 'profile is on and is', 'profiles are on and are')} offered to Preloop at once.`,
    safe: 'Leave them off',
    act: 'Turn them on',
  },
  remove: {
    title: (name: string) => `Remove ${name}?`,
    body: 'Preloop can ask for it no longer. Runs of it stay in the list of jobs.',
    safe: 'Keep it',
    act: 'Remove',
    done: (name: string) => `${name} is removed.`,
  },
} as const;
