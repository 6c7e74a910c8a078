/** Part of the words: the overview. Read through `words.ts`. */
import type { OverviewView } from '../main/contract/views.ts';
import { formatCount, formatSpan, plural } from './format.ts';

const DOCKER_FAULTS: Readonly<Record<OverviewView['engine']['kind'], string>> = {
  looking: 'Looking for Docker',
  ready: 'Docker is ready',
  not_installed: 'Docker is not installed',
  not_running: 'Docker is not running',
  no_permission: 'Docker is there, but this user may not use it',
  waking_up: 'Docker is starting',
  too_old: 'Docker is too old',
  unreachable: 'Docker cannot be reached',
};

export const overviewWords = {
  connectedSince: (clock: string) => `Connected since ${clock}`,
  lastCame: (clock: string) => `last job came at ${clock}`,
  nextTry: (leftMs: number) => `Next try in ${formatSpan(leftMs)}`,
  tries: (count: number) => plural(count, 'try failed', 'tries failed'),
  embedded:
    'You are on the local plane, a stand-in for the Preloop service that runs beside this app. It works without an account.',
  runTest: 'Run a test job',
  slots: 'Slots',
  free: 'Free',
  closed: 'Closed',
  nextHere: ['The next job runs here.', 'A second job runs beside it.'],
  freeCount: (count: number) => `${plural(count, 'slot', 'slots')} free`,
  closedCount: (count: number) => `${plural(count, 'slot', 'slots')} closed`,
  runningFor: (elapsed: string) => `running for ${elapsed}`,
  usually: (fromMs: number, toMs: number) =>
    `usually ${Math.round(fromMs / 60_000)}–${Math.max(1, Math.round(toMs / 60_000))} min`,
  gauge: (elapsedMs: number, fromMs: number, toMs: number) =>
    `Running ${(elapsedMs / 60_000).toFixed(1)} min, usually ${Math.round(fromMs / 60_000)} to ${Math.round(toMs / 60_000)} min`,
  noOutput: 'Nothing printed yet',
  stop: 'Stop…',
  lastJobs: 'Last jobs',
  lastOf: (count: number, longest: string) => `last ${count}, longest ${longest}`,
  chart: (count: number, median: string, longest: string, failed: number, stopped: number) =>
    `Run times of the last ${count} jobs: median ${median}, longest ${longest}, ${failed} failed, ${stopped} stopped`,
  allJobs: (count: number) => `All ${formatCount(count)} jobs`,
  columns: {
    state: 'State',
    job: 'Job',
    repository: 'Repository',
    ended: 'Ended',
    waited: 'Waited',
    ran: 'Ran',
  },
  today: 'Today',
  jobsToday: (count: number) => plural(count, 'job', 'jobs'),
  succeeded: 'succeeded',
  failed: 'failed',
  medianWait: 'median wait',
  medianRun: 'median run',
  machine: 'This machine',
  docker: 'Docker',
  logs: 'Logs',
  jobsKept: 'Jobs kept',
  verdicts: 'Verdicts to report',
  none: 'none',
  runnerId: 'Runner id',
  notYet: 'not yet',
  connection: 'Connection',
  service: 'Service',
  session: 'Session',
  since: 'Since',
  first: 'First steps',
  testJob: 'Run the test job',
  testJobBody: (image: string, local: boolean, pull: string | null) =>
    `Runs a few commands in a container and writes a report. ${
      local
        ? `The image ${image} is on this machine.`
        : `The image is ${image}${pull === null ? '' : `, about ${pull} to pull`}.`
    } Under a minute.`,
  submit: 'Submit one of your own',
  submitBody: 'From a terminal, with a definition in YAML:',
  submitCommand: 'npx preloop-host submit job.yaml',
  copyCommand: 'Copy command',
  commandCopied: 'Command copied.',
  noJobs: 'No job has run yet.',
  noJobsBody: 'Jobs that end appear here, newest first, with their verdict, wait and run time.',
  wants: (title: string, option: string) => `${title} wants a permission: ${option}`,
  wantsBody: (flow: string) =>
    `Its last job was refused for want of it. It would hold for flow ${flow} alone.`,
  allow: 'Allow for this flow…',
  open: 'Open job',
  checkAgain: 'Check again',
  keptContainers: 'Kept for a look',
  keptHow: 'Stopped containers of failed jobs. Health lists them.',
  leftovers: 'Left behind',
  lastRemoved: (name: string) => `Last removed: ${name}. Health lists them.`,
  removed: (count: number, when: string) => `${count} removed, ${when}`,
  dockerFault: (kind: OverviewView['engine']['kind']) => DOCKER_FAULTS[kind],
  moreInHealth: (count: number) => `${formatCount(count)} more in Health`,
  moreInPermissions: (count: number) => `${formatCount(count)} more in Permissions`,
  health: 'Health',
  checksPass: 'no problem',
  notChecked: 'not checked yet',
  disk: 'Disk',
  diskOf: (used: string, budget: string) => `${used} of ${budget}`,
  clockFault: (skewMs: number) =>
    `This machine is ${formatSpan(Math.abs(skewMs))} ${skewMs > 0 ? 'behind' : 'ahead of'} the service.`,
  clockFaultBody: 'Set the date and time in this machine’s settings; best by itself.',
} as const;
