/** Process entry of the desktop app: one instance, a host, its window and its icon in the tray. */
import { app, dialog, Menu, powerMonitor, utilityProcess, type Event } from 'electron';
import { FLAGS, parseConfig, USAGE, type HostConfig } from '../main/config.ts';
import { heldKinds } from '../main/contract/leave-words.ts';
import { dataPaths, makeFolder } from '../main/data-dir.ts';
import { createHost } from '../main/host.ts';
import { VERSION } from '../main/version.ts';
import { watchUnexpected } from '../main/watch-unexpected.ts';
import { systemClock } from '../runner-core/system.ts';
import { ask } from './ask.ts';
import type { AboutDesktop } from './desktop-bridge.ts';
import { serveExtras } from './desktop-extras.ts';
import { desktopPlatform, PLACES } from './desktop-platform.ts';
import { HostWindow } from './host-window.ts';
import { Lifecycle } from './lifecycle.ts';
import { ownFlags, UNWANTED_SWITCHES } from './own-flags.ts';
import { guardPages } from './page-guard.ts';
import type { ShellHost } from './shell-host.ts';
import { HostTray } from './tray.ts';
import type { ForkUtility } from './utility-process-launcher.ts';
import { APP_NAME, stopQuestion, WORDS } from './words.ts';

const FAILED = 1;
const BAD_FLAGS = 2;
const APP_ID = 'ai.preloop.runner-host';
/** Of the page, for one job. */
const jobAddress = (jobId: string): string => `#/jobs/${encodeURIComponent(jobId)}`;

/** Of the page, with the question how to pause open. */
const PAUSE_ADDRESS = '#/?ask=pause';

const ABOUT: AboutDesktop = {
  version: VERSION,
  electron: process.versions.electron,
  chromium: process.versions.chrome,
  node: process.versions.node,
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const fork: ForkUtility = (entry, args, options) => utilityProcess.fork(entry, args, options);

/** What a second start and the system may ask for before there is a window; it is then shown once there is one. */
let isWanted = false;
let reveal = (): void => void (isWanted = true);

async function run(config: HostConfig): Promise<void> {
  await app.whenReady();
  setApplicationMenu();
  let serviceOrigin: string | null = null;
  let ownOrigin: string | null = null;
  guardPages({ ownOrigin: () => ownOrigin, serviceOrigin: () => serviceOrigin });

  const host: ShellHost = await createHost(desktopPlatform(fork, powerMonitor), config);
  watchUnexpected(process, host, systemClock, () => app.exit(FAILED));
  const window: HostWindow = new HostWindow({
    signInUrl: () => host.signInUrl(),
    preload: PLACES.preload,
    icon: PLACES.appIcon,
    devTools: !app.isPackaged,
    clock: systemClock,
    sessionEnds: () => void lifecycle.leave(),
  });
  ownOrigin = window.origin;
  serviceOrigin = new URL(host.overview().server.url).origin;
  serveExtras(
    {
      about: () => Promise.resolve(ABOUT),
      signInAgain: () => {
        window.signInAgain();
        return Promise.resolve();
      },
    },
    (event) => window.isSender(event),
  );
  const lifecycle = runTogether(host, window);
  endWith(lifecycle);
  powerMonitor.on('resume', () => host.wake());
  reveal = () => window.reveal();
  if (config.open || wasAskedFor()) window.reveal();
}

/** Keeps the compiler from taking a flag that an event sets for a constant. */
const wasAskedFor = (): boolean => isWanted;

/** The tray over host and window, and how all three end. */
function runTogether(host: ShellHost, window: HostWindow): Lifecycle {
  const lifecycle = new Lifecycle({
    heldJobs: () => heldKinds(host.overview().held),
    stopHost: (how) => host.stop(how),
    ask,
    withdraw: () => window.close(),
    exit: (code) => {
      unwatch();
      tray.stop();
      app.exit(code);
    },
  });
  const tray = new HostTray(
    {
      icons: PLACES.trayIcons,
      osName: process.platform,
      desktop: process.env['XDG_CURRENT_DESKTOP'],
      clock: systemClock,
      acts: {
        open: () => window.reveal(),
        openJob: (jobId) => window.visit(jobAddress(jobId)),
        stopJob: ({ jobId, title }) => {
          const question = stopQuestion(title);
          void ask(question).then((chosen) => {
            if (chosen !== question.stay) host.stopJob(jobId);
          });
        },
        pause: (wish) => host.pause(wish),
        pauseWithNote: () => window.visit(PAUSE_ADDRESS),
        nowMs: () => systemClock.nowMs(),
        resume: () => host.resume(),
        goOffline: () => host.goOffline(),
        goOnline: () => host.goOnline(),
        quit: () => void lifecycle.requestQuit(),
      },
    },
    host.overview(),
  );
  const unwatch = host.watchOverview((view) => tray.show(view));
  host.onQuitAsked((how) => void lifecycle.quit(how));
  return lifecycle;
}

/** Every way the app is asked to end. */
function endWith(lifecycle: Lifecycle): void {
  // Only `app.exit` ends it; everything else asks first.
  app.on('before-quit', (event) => {
    event.preventDefault();
    void lifecycle.requestQuit();
  });
  app.on('window-all-closed', () => undefined);
  powerMonitor.on('shutdown', (event?: Event) => {
    // Electron's types name no event here, its documentation does: this asks the system for the time to leave.
    event?.preventDefault();
    void lifecycle.leave();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void lifecycle.leave());
}

/** macOS needs a menu for its short cuts of editing and quitting; elsewhere a menu bar has nothing to say. */
function setApplicationMenu(): void {
  const menu =
    process.platform === 'darwin'
      ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }])
      : null;
  Menu.setApplicationMenu(menu);
}

/** The window's own data lies in the data folder, and with it the lock: one app for each folder. */
function useDataFolder(config: HostConfig): void {
  const root = config.dataDir ?? desktopPlatform(fork, powerMonitor).defaultDataDir;
  const { desktopDir } = dataPaths(root);
  makeFolder(root, desktopDir);
  app.setPath('userData', desktopDir);
}

function main(): void {
  app.enableSandbox();
  app.setName(APP_NAME);
  app.setAppUserModelId(APP_ID);
  if (app.isPackaged) for (const name of UNWANTED_SWITCHES) app.commandLine.removeSwitch(name);

  const parsed = parseConfig(ownFlags(process.argv.slice(1), FLAGS), process.env);
  if (!parsed.ok) {
    if (parsed.kind === 'invalid')
      dialog.showErrorBox(WORDS.wrongFlag, `${parsed.flag}: ${parsed.problem}`);
    else say(parsed.kind === 'help' ? USAGE : VERSION);
    app.exit(parsed.kind === 'invalid' ? BAD_FLAGS : 0);
    return;
  }
  try {
    useDataFolder(parsed.config);
  } catch (error) {
    cannotStart(error);
    return;
  }
  if (!app.requestSingleInstanceLock()) {
    app.exit(0);
    return;
  }
  app.on('second-instance', () => reveal());
  app.on('activate', () => reveal());
  run(parsed.config).catch(cannotStart);
}

function cannotStart(error: unknown): void {
  dialog.showErrorBox(WORDS.cannotStart, error instanceof Error ? error.message : String(error));
  app.exit(FAILED);
}

// Whoever started it may have closed what it prints to.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
main();
