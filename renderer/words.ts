/**
 * Every string of the shell and its screens that a person reads. Short, plain, present tense: state,
 * cause, consequence, one remedy. The sentence on the overview comes from the host.
 */
import type { JobStateName, PermissionView } from '../main/contract/views.ts';
import { healthWords, removeQuestion } from './health-words.ts';
import { overviewWords } from './overview-words.ts';
import { importWords, profileQuestions, profileWords, tryWords } from './profile-words.ts';
import { profileFormWords } from './profile-form-words.ts';
import { pauseQuestion, pauseWords, quitQuestion } from './standing-words.ts';
import { formatClock, formatCount, formatSpan, plural } from './format.ts';

const STATE_WORDS: Readonly<Record<JobStateName, string>> = {
  accepted: 'Accepted',
  starting: 'Starting',
  running: 'Running',
  stopping: 'Stopping',
  succeeded: 'Succeeded',
  failed: 'Failed',
  timed_out: 'Timed out',
  stopped: 'Stopped',
  lost: 'Lost',
};

const OPTION_WORDS: Readonly<
  Record<PermissionView['option'], { readonly name: string; readonly danger: string }>
> = {
  docker_socket: {
    name: 'Docker socket',
    danger:
      'Its jobs can start, stop and read every container here, which is as good as full rights on this machine.',
  },
  host_mount: {
    name: 'Folders of this machine',
    danger: 'Its jobs can read and change the folders that the flow names.',
  },
  network: {
    name: 'Network of this machine',
    danger:
      'Its jobs share this machine’s network: they reach what listens here and in the local network.',
  },
};

export const words = {
  product: 'Runner Host',
  skip: 'Skip to content',
  nav: {
    label: 'Main',
    overview: 'Overview',
    jobs: 'Jobs',
    permissions: 'Permissions',
    profiles: 'Host profiles',
    health: 'Health',
    running: (count: number) => `${formatCount(count)} running`,
  },
  state: (state: JobStateName) => STATE_WORDS[state],
  option: (option: PermissionView['option']) => OPTION_WORDS[option],

  host: {
    bar: 'Runner and places',
    label: 'This runner',
    rack: (busy: number, slots: number) => `${busy} of ${plural(slots, 'slot', 'slots')} busy`,
    allFree: (slots: number) => `${plural(slots, 'slot', 'slots')} free`,
    finishing: (busy: number) => `${plural(busy, 'job', 'jobs')} finishing`,
    notStarted: (finishing: number, waiting: number) =>
      `${finishing === 0 ? '' : `${plural(finishing, 'job', 'jobs')} finishing, `}${plural(waiting, 'job', 'jobs')} not started`,
    closed: 'Slots closed',
    pause: 'Pause',
    resume: 'Resume',
    quit: 'Quit…',
    takeBack: 'Take this runner back',
    goOffline: 'Go offline…',
    goOnline: 'Go online',
    reconnect: 'Reconnect now',
    copyId: 'Copy runner id',
    copied: 'Runner id copied.',
    shortcuts: 'Keyboard shortcuts',
  },
  pause: pauseWords,
  hostState: {
    taking: 'Online, taking jobs',
    idle: 'Online, idle',
    full: 'Online, all busy',
    paused: 'Paused',
    pausedUntil: (atMs: number) => `Paused until ${formatClock(atMs)}`,
    pausedOnBattery: 'Paused on battery',
    draining: (held: number) => `Finishing ${plural(held, 'job', 'jobs')}`,
    offline: (sinceMs: number) => `Offline since ${formatClock(sinceMs)}`,
    connecting: 'Connecting',
    attention: 'Needs you',
    docker: 'Needs Docker',
    localOnly: 'Online, local commands',
    signedOut: 'Not set up',
    unknown: 'Waiting for the app',
  },
  theme: {
    label: 'Appearance',
    system: 'As the system',
    light: 'Light',
    dark: 'Dark',
  },
  goTo: 'Go to or run…',

  bar: {
    label: 'Connection',
    answered: (ago: string) => (ago === 'now' ? 'Answered now' : `Answered ${ago}`),
    connecting: 'Connecting to the app…',
    lost: 'This page lost the app. Trying again…',
    embedded: 'Local plane on this machine',
    toReport: (count: number) => `${plural(count, 'verdict', 'verdicts')} to report`,
    docker: (version: string) => `Docker ${version}`,
    dockerLooking: 'Looking for Docker…',
    nextTry: (leftMs: number) => `next try in ${formatSpan(leftMs)}`,
    shortcuts: 'Shortcuts',
  },
  lost: {
    title: 'This page lost the app.',
    body: (sinceMs: number) =>
      `Since ${formatClock(sinceMs)} it does not answer. What you see is from then. Jobs go on without this page.`,
    retry: 'Try now',
    spoken: 'The connection to the app is lost. Trying again.',
    back: 'The app answers again.',
  },
  signedOut: {
    no_code: {
      title: 'This page is not signed in.',
      body: 'An address opens the page once. This one carries no sign-in code, or the code was used already.',
    },
    code_refused: {
      title: 'This address was used already, or is too old.',
      body: 'A sign-in address works once, and for one minute.',
    },
    token_refused: {
      title: 'This page is signed out.',
      body: 'The app no longer knows this page. It may have been started with another data folder.',
    },
    how: 'Get a new address in a terminal on this machine:',
    command: 'npx preloop-host open',
    or: 'In the desktop app, choose Open Runner Host in the tray.',
    copy: 'Copy the command',
    copied: 'Command copied.',
  },
  wrongVersion: {
    title: 'This page is of another version than the app.',
    body: (page: number, host: number) =>
      `The page speaks contract ${page}, the app ${host}. Loading it again did not help: the browser may keep an old copy.`,
    reload: 'Reload the page',
  },
  unknownRoute: {
    title: 'There is nothing at this address.',
    body: (address: string) => `No screen is called “${address}”.`,
    back: 'Go to the overview',
  },

  overview: overviewWords,
  health: healthWords,
  profiles: profileWords,
  profileForm: profileFormWords,
  profileImport: importWords,
  profileTry: tryWords,
  session: {
    signed_out: 'Not set up',
    dialling: 'Connecting',
    online: 'Online',
    waiting: 'Waiting to try again',
    refused: 'Refused',
    closed: 'Offline',
  },

  jobs: {
    title: 'Jobs',
    kept: (count: number, size: string) => `${formatCount(count)} kept, logs take ${size}.`,
    filter: 'Filter jobs',
    filterHint: 'Repository, flow, image or id',
    chips: 'State',
    all: 'All',
    running: 'Running',
    succeeded: 'Succeeded',
    failed: 'Failed',
    stopped: 'Stopped',
    lost: 'Lost',
    grid: 'Jobs, newest first',
    columns: {
      state: 'State',
      job: 'Job and repository',
      image: 'Image or profile',
      accepted: 'Accepted',
      waited: 'Waited',
      ran: 'Ran',
      lines: 'Lines',
      verdict: 'Verdict',
    },
    reported: 'Reported',
    unreported: 'Not yet reported',
    noneYet: 'none yet',
    today: 'Today',
    yesterday: 'Yesterday',
    emptyTitle: 'No job has run yet.',
    emptyBody:
      'Every job this machine takes appears here with its state, times and verdict, and its whole log.',
    noMatchTitle: 'No job matches.',
    noMatchBody: (total: number) => `${plural(total, 'job is', 'jobs are')} kept.`,
    clear: 'Clear the filter',
    failedTitle: 'The list could not be read.',
    retry: 'Try again',
    found: (count: number) => `${plural(count, 'job', 'jobs')} shown`,
    loading: 'Reading the list…',
    idCopied: 'Job id copied.',
  },

  permissions: {
    title: 'Permissions',
    about:
      'What flows may do on this machine beyond their own container. You give it, flow by flow.',
    flow: (flow: string) => `Flow ${flow}`,
    revoke: 'Revoke',
    revokeLabel: (option: string, flow: string) => `Revoke ${option} for flow ${flow}`,
    revoked: (option: string, flow: string) =>
      `${option} is revoked for flow ${flow}. Running jobs keep it.`,
    allowed: (option: string, flow: string) =>
      `${option} is allowed for flow ${flow}, from its next job on.`,
    emptyTitle: 'Nothing is allowed.',
    emptyBody:
      'When a job wants the Docker socket, a folder of this machine or its network, it is refused, and the request appears here and on the overview.',
    wanting: 'Wanted',
    problem: 'The list of permissions could not be read.',
  },

  dialogs: {
    stop: {
      title: (title: string) => `Stop ${title}?`,
      ran: (elapsed: string) => `It has run for ${elapsed}. `,
      body: 'It is asked to end at once; after 10 seconds it is ended. Preloop is told that you stopped it. Its log is kept.',
      safe: 'Keep running',
      act: 'Stop job',
      done: (title: string) => `${title} is being stopped.`,
    },
    pause: pauseQuestion,
    quit: quitQuestion,
    removeKept: removeQuestion,
    profile: profileQuestions,
    offline: {
      title: 'Go offline?',
      body: (held: number) =>
        held === 0
          ? 'This machine leaves Preloop’s list of runners that are there. No new job comes until you go online again.'
          : `No new job comes. ${plural(held, 'running job goes', 'running jobs go')} on and ${held === 1 ? 'is' : 'are'} reported once you are online again.`,
      safe: 'Stay online',
      act: 'Go offline',
    },
    allow: {
      title: (option: string, title: string) => `Allow “${option}” for ${title}?`,
      scope: (flow: string) =>
        `It holds for flow ${flow} alone, from its next job on, until you revoke it under Permissions.`,
      safe: 'Not now',
      act: 'Allow for this flow',
    },
    close: 'Close',
  },
  palette: {
    label: 'Go to or run',
    hint: 'Go to a place, run an action, find a job',
    places: 'Places',
    actions: 'Actions',
    jobs: 'Jobs',
    settings: 'Appearance',
    none: (text: string) => `Nothing matches “${text}”.`,
    stop: (title: string) => `Stop ${title}…`,
    runChecks: 'Run the health checks again',
    move: 'move',
    open: 'open',
    close: 'close',
    filterJobs: (text: string) => `Filter jobs by “${text}”`,
    theme: (name: string) => `Appearance: ${name}`,
  },
  shortcuts: {
    title: 'Keyboard shortcuts',
    letters: 'Single letters act as shortcuts',
    everywhere: 'Everywhere',
    lists: 'Lists',
    palette: 'Command palette',
    goOverview: 'Overview',
    goJobs: 'Jobs',
    goPermissions: 'Permissions',
    goHealth: 'Health',
    goProfiles: 'Host profiles',
    pause: 'Pause or resume',
    filter: 'Filter',
    help: 'This list',
    region: 'Next region',
    escape: 'Close, clear',
    move: 'Move',
    open: 'Open',
    ends: 'First, last',
    stop: 'Stop…',
    copy: 'Copy id',
    log: 'Log',
    find: 'Find',
    hits: 'Next, previous hit',
    errors: 'Next, previous error',
    follow: 'Follow',
    goToLine: 'Go to a line or time',
    startAndEnd: 'Start, end',
    times: 'Times',
    wrap: 'Wrap lines',
    details: 'Details',
    select: 'Select lines',
    copyLines: 'Copy, with times',
    copyLink: 'Copy a link to the line',
    otherSide: 'Raw lines of a turn, and back',
  },
  notice: {
    label: 'Notice',
    close: 'Dismiss',
    paused: 'Paused. No new job starts.',
    pausesOnBattery: 'Pauses while this machine is on battery.',
    quitting: (held: number) =>
      held === 0
        ? 'The app is quitting.'
        : `Finishing ${plural(held, 'job', 'jobs')}, then quitting.`,
    resumed: 'Taking jobs again.',
    offline: 'Offline. Running jobs go on.',
    online: 'Going online.',
    takenBack: 'Taking the runner back.',
    testStarted: 'The test job is on its way.',
    checking: 'Looking for Docker again.',
    pinned: 'Pinned. The job and its log are kept.',
    unpinned: 'Unpinned. Age and disk budget count again.',
  },
  jobChanged: (title: string, state: JobStateName) =>
    `${title}: ${STATE_WORDS[state].toLowerCase()}`,
} as const;
