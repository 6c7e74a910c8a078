/** Process entry for plain Node: flags, signals, state lines. */
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StopHow } from '../runner-core/listener/listener.ts';
import type { JobId } from '../runner-core/model/ids.ts';
import { RunnerError } from '../runner-core/model/errors.ts';
import { keepYoungGenerationSmall } from '../runner-core/process/small-young-generation.ts';
import { systemClock, systemRandom } from '../runner-core/system.ts';
import { parseConfig, USAGE, WAIT_FOR_JOB_MS, type HostConfig } from './config.ts';
import { defaultDataDir } from './data-dir.ts';
import type { Host } from './host-shape.ts';
import type { ForcedEnd } from './services/forced-end.ts';
import { createHost } from './host.ts';
import { hasDesktop, openPage } from './open-page.ts';
import { OneShot } from './one-shot.ts';
import type { Platform } from './platform.ts';
import {
  engineLine,
  intakeLine,
  lastEndLine,
  jobLine,
  leftFolder,
  leftLines,
  pageLine,
  sessionLine,
  storageLines,
  settingsLine,
  submitLine,
} from './state-lines.ts';
import { systemPower } from './system-power.ts';
import { systemBusSocket, watchSleep } from './system-sleep.ts';
import { VERSION } from './version.ts';
import { watchUnexpected } from './watch-unexpected.ts';
import { ChildProcessLauncher } from './workers/child-process-launcher.ts';
import { PlaneStartError } from './embedded-plane.ts';

const OK = 0;
const FAILED = 1;
const BAD_FLAGS = 2;
/** One Ctrl-C may arrive twice, from the terminal and through the command that started us. */
const SAME_SIGNAL_MS = 200;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
// A reader that saw enough closes the pipe, and a terminal may go away: no reason to leave jobs and containers behind.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

function headlessPlatform(): Platform {
  const environment = process.env;
  const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  return {
    launcher: (log) =>
      new ChildProcessLauncher({ entry: here('worker.js'), environment, clock: systemClock, log }),
    planeEntry: here('control-plane.js'),
    pageDir: here('page'),
    power: systemPower({ osName: process.platform, clock: systemClock, environment }),
    clock: systemClock,
    random: systemRandom,
    environment,
    homeDir: homedir(),
    osName: process.platform,
    defaultDataDir: defaultDataDir(process.platform, environment, homedir()),
  };
}

/** Prints each state once, when it changed. */
function printStates(host: Host): void {
  const shown = new Map<string, string>();
  const show = (key: string, given: string): void => {
    // Some words come from the service or from Docker; none of them may steer the terminal.
    const line = given.replace(/\p{Cc}+/gu, ' ');
    if (shown.get(key) === line) return;
    shown.set(key, line);
    say(line);
  };
  const showAll = (): void => {
    const { session, engine, enrolment, settingsProblem, storage, takenBy } = host.view();
    show('engine', engineLine(engine));
    if (enrolment !== null)
      show('enrolment', `Enrol    ${enrolment.problem}. ${enrolment.remedy}.`);
    // Without a problem, not being enrolled is a moment of the first start.
    if (session.kind !== 'signed_out' || enrolment !== null)
      show('session', sessionLine(session, host.serverUrl, systemClock.nowMs(), takenBy));
    showIntake();
    if (settingsProblem !== null || shown.has('settings'))
      show('settings', settingsLine(settingsProblem));
    const lines = storageLines(storage);
    for (const line of lines) show(line.startsWith('Disk') ? 'disk' : line, line);
    if (shown.has('disk') && !lines.some((line) => line.startsWith('Disk')))
      show('disk', 'Disk     has room again; jobs are taken');
  };
  // The overview reads every job that is held: only where intake is worth a line.
  const showIntake = (): void => {
    const { intake: taking, session } = host.view();
    if (taking === 'open' && session.kind !== 'closed' && !shown.has('intake')) return;
    const { intake, sentence } = host.overview();
    if (intake !== 'open' || shown.has('intake')) show('intake', intakeLine(intake, sentence));
  };
  const showJob = (jobId: JobId): void => {
    const job = host.job(jobId);
    if (job === undefined) return;
    show(jobId, jobLine(job));
    showIntake();
  };
  host.watch((change) => {
    if (change.kind === 'job') showJob(change.jobId);
    else showAll();
  });
  const { lastEnd } = host.view();
  if (lastEnd !== null) say(lastEndLine(lastEnd, systemClock.nowMs()));
  showAll();
}

/** A browser that does not open is no reason not to run jobs: the address was printed. */
async function show(host: Host, address: string): Promise<void> {
  const opened = await openPage(address, host.dataDir, process.platform).catch(() => false);
  if (!opened) say('Page     could not be opened from here; open the address above in a browser');
}

interface RunEnd {
  readonly exitCode: number;
  /** Nothing in the data folder is of use to anybody. */
  readonly mayForget: boolean;
}

/** @param isOwnFolder the data folder is this stay's alone: no later start finds what it leaves there */
async function run(config: HostConfig, isOwnFolder = false): Promise<RunEnd> {
  const host = await createHost(headlessPlatform(), config);
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  let exitCode: number = OK;
  let isAsked = false;
  let forced: Promise<ForcedEnd> | null = null;
  const isOver = (): void => resolve(undefined);
  const end = (how: StopHow): void => void host.stop(how).then(isOver, isOver);
  const endNow = (): void => {
    forced ??= host.endNow();
    void forced.then(isOver, isOver);
  };
  watchUnexpected(process, host, systemClock, () => {
    exitCode = FAILED;
    if (isOwnFolder) endNow();
    else process.exit(FAILED);
  });
  const oneShot =
    config.once === true || config.ephemeral === true ? watchOver(host, config) : null;
  say(`Preloop Runner Host ${VERSION}`);
  say(`Data     ${host.dataDir}`);
  if (host.plane !== null) {
    say(`Plane    ${host.plane.url} (embedded)`);
    say(submitLine(config.dataDir));
  }
  const address = host.signInUrl();
  say(pageLine(address, host.page.takenPort));
  printStates(host);
  if (config.open && hasDesktop(process.platform, process.env)) await show(host, address);
  host.onQuitAsked((how) => {
    isAsked = true;
    exitCode = oneShot?.early ?? OK;
    say(how === 'drain' ? 'Finishing what runs, then stopping' : 'Stopping');
    end(how);
  });
  void oneShot?.over.then((code) => {
    // The service may refuse a runner that has just taken its leave.
    if (isAsked) return;
    exitCode = code;
    end('stop');
  });
  onSignals(config.ephemeral === true, {
    first: () => {
      const held = host.view().held.length;
      say(
        held === 0
          ? 'Stopping'
          : `Stopping ${held === 1 ? 'one job' : `${held} jobs`}; Ctrl-C again exits at once`,
      );
      isAsked = true;
      exitCode = oneShot?.early ?? OK;
      end('stop');
    },
    again: () => {
      if (!isOwnFolder) {
        say('Exiting at once; the next start takes up what is left');
        process.exit(FAILED);
      }
      if (forced === null) say('Ending what runs at once');
      endNow();
    },
  });
  // Halted and set going again: sockets may be dead, as after sleep.
  if (process.platform !== 'win32') process.on('SIGCONT', () => host.wake());
  hearOfSleep(() => host.wake());
  await over;
  const forcedEnd = await endOf(forced);
  if (forcedEnd?.kind === 'left') {
    for (const line of leftLines(forcedEnd)) say(line);
    say(leftFolder(host.dataDir));
    return { exitCode: FAILED, mayForget: false };
  }
  say('Stopped');
  const unsettled = host.unsettled();
  if (forcedEnd !== null) {
    if (unsettled > 0) say(`Verdicts ${unsettled} never reported; nothing of them is left here`);
    return { exitCode: unsettled > 0 ? FAILED : exitCode, mayForget: true };
  }
  if (config.ephemeral === true && unsettled > 0)
    say(
      `Verdicts ${unsettled} still to be reported; start again with --ephemeral --data-dir ${host.dataDir}`,
    );
  return { exitCode, mayForget: unsettled === 0 };
}

/** Keeps the compiler from taking what a signal sets for a constant. */
const endOf = (forced: Promise<ForcedEnd> | null): Promise<ForcedEnd | null> =>
  forced ?? Promise.resolve(null);

interface SignalActs {
  readonly first: () => void;
  /** Called for each signal after the first. */
  readonly again: () => void;
}

function onSignals(isEphemeral: boolean, { first, again }: SignalActs): void {
  let askedAtMs: number | null = null;
  const asked = (): void => {
    const nowMs = systemClock.monotonicMs();
    if (askedAtMs !== null && nowMs - askedAtMs < SAME_SIGNAL_MS) return;
    const isFirst = askedAtMs === null;
    askedAtMs = nowMs;
    if (isFirst) first();
    else again();
  };
  process.on('SIGINT', asked);
  process.on('SIGTERM', asked);
  // What starts an ephemeral runner is often a session that just goes away.
  if (isEphemeral) process.on('SIGHUP', asked);
}

/** Until this process ends. */
function hearOfSleep(woke: () => void): void {
  if (process.platform !== 'linux') return;
  const socket = systemBusSocket(process.env['DBUS_SYSTEM_BUS_ADDRESS']);
  if (socket !== null) watchSleep({ socket, userId: process.getuid?.() ?? 0, woke });
}

function watchOver(host: Host, config: HostConfig): OneShot {
  return new OneShot(host, {
    once: config.once === true,
    waitMs: config.waitForJobMs ?? WAIT_FOR_JOB_MS,
    clock: systemClock,
    leased: (jobId) => {
      if (host.plane === null)
        say(`Execution URL: ${host.serverUrl}/console/flows/executions/${jobId}`);
    },
  });
}

/** A folder for one stay, where the owner names none; it stays only if something in it is still to be told. */
async function runInOwnFolder(config: HostConfig): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'preloop-runner-'));
  let end: RunEnd = { exitCode: FAILED, mayForget: true };
  try {
    end = await run({ ...config, dataDir }, true);
    return end.exitCode;
  } finally {
    if (end.mayForget)
      await rm(dataDir, { recursive: true, force: true }).catch(() => say(leftFolder(dataDir)));
  }
}

async function main(): Promise<number> {
  const parsed = parseConfig(process.argv.slice(2), process.env);
  if (parsed.ok) {
    const { config } = parsed;
    const ownFolder = config.ephemeral === true && config.dataDir === null;
    return ownFolder ? await runInOwnFolder(config) : (await run(config)).exitCode;
  }
  if (parsed.kind === 'invalid') {
    const flag = parsed.flag === 'flags' ? '' : `${parsed.flag}: `;
    process.stderr.write(`${flag}${parsed.problem}\nAll flags: npm start -- --help\n`);
    return BAD_FLAGS;
  }
  say(parsed.kind === 'help' ? USAGE.trimEnd() : VERSION);
  return OK;
}

keepYoungGenerationSmall();
try {
  process.exit(await main());
} catch (error) {
  const expected = error instanceof RunnerError || error instanceof PlaneStartError;
  process.stderr.write(
    `${expected ? error.message : String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exit(FAILED);
}
