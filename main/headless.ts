/** Process entry for plain Node: flags, signals, state lines. */
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { JobId } from '../runner-core/model/ids.ts';
import { RunnerError } from '../runner-core/model/errors.ts';
import { systemClock, systemRandom } from '../runner-core/system.ts';
import { parseConfig, USAGE, type HostConfig } from './config.ts';
import { defaultDataDir } from './data-dir.ts';
import { createHost, type Host } from './host.ts';
import { hasDesktop, openPage } from './open-page.ts';
import type { Platform } from './platform.ts';
import {
  engineLine,
  jobLine,
  pageLine,
  sessionLine,
  settingsLine,
  submitLine,
} from './state-lines.ts';
import { VERSION } from './version.ts';
import { ChildProcessLauncher } from './workers/child-process-launcher.ts';
import { PlaneStartError } from './embedded-plane.ts';

const OK = 0;
const FAILED = 1;
const BAD_FLAGS = 2;
/** One Ctrl-C may arrive twice, from the terminal and through the command that started us. */
const SAME_SIGNAL_MS = 200;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function headlessPlatform(): Platform {
  const environment = process.env;
  const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  return {
    launcher: (log) =>
      new ChildProcessLauncher({ entry: here('worker.js'), environment, clock: systemClock, log }),
    planeEntry: here('control-plane.js'),
    pageDir: here('page'),
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
  const showAll = (jobId: JobId | null): void => {
    const { session, engine, enrolment, settingsProblem } = host.view();
    show('engine', engineLine(engine));
    if (enrolment !== null)
      show('enrolment', `Enrol    ${enrolment.problem}. ${enrolment.remedy}.`);
    // Without a problem, not being enrolled is a moment of the first start.
    if (session.kind !== 'signed_out' || enrolment !== null)
      show('session', sessionLine(session, host.serverUrl, systemClock.nowMs()));
    if (settingsProblem !== null || shown.has('settings'))
      show('settings', settingsLine(settingsProblem));
    const job = jobId === null ? undefined : host.job(jobId);
    if (job !== undefined) show(job.spec.jobId, jobLine(job));
  };
  host.watch((change) => showAll(change.kind === 'job' ? change.jobId : null));
  showAll(null);
}

/** A browser that does not open is no reason not to run jobs: the address was printed. */
async function show(host: Host, address: string): Promise<void> {
  const opened = await openPage(address, host.dataDir, process.platform).catch(() => false);
  if (!opened) say('Page     could not be opened from here; open the address above in a browser');
}

async function run(config: HostConfig): Promise<void> {
  const host = await createHost(headlessPlatform(), config);
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
  await new Promise<void>((resolve) => {
    let askedAtMs: number | null = null;
    const stop = (): void => {
      const nowMs = systemClock.monotonicMs();
      if (askedAtMs !== null && nowMs - askedAtMs < SAME_SIGNAL_MS) return;
      if (askedAtMs !== null) {
        say('Exiting at once; the next start takes up what is left');
        process.exit(FAILED);
      }
      askedAtMs = nowMs;
      const held = host.view().held.length;
      say(
        held === 0
          ? 'Stopping'
          : `Stopping ${held === 1 ? 'one job' : `${held} jobs`}; Ctrl-C again exits at once`,
      );
      void host.stop('stop').then(resolve, resolve);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
  say('Stopped');
}

async function main(): Promise<number> {
  const parsed = parseConfig(process.argv.slice(2), process.env);
  if (parsed.ok) {
    await run(parsed.config);
    return OK;
  }
  if (parsed.kind === 'invalid') {
    const flag = parsed.flag === 'flags' ? '' : `${parsed.flag}: `;
    process.stderr.write(`${flag}${parsed.problem}\nAll flags: npm start -- --help\n`);
    return BAD_FLAGS;
  }
  say(parsed.kind === 'help' ? USAGE.trimEnd() : VERSION);
  return OK;
}

try {
  process.exit(await main());
} catch (error) {
  const expected = error instanceof RunnerError || error instanceof PlaneStartError;
  process.stderr.write(
    `${expected ? error.message : String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exit(FAILED);
}
