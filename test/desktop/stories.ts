/**
 * What a person does with the desktop app, told once and run on whatever `start` starts: the double in
 * `npm test`, Electron itself in `npm run test:electron`.
 */
import { execa } from 'execa';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { followExecution } from '../../scripts/follow-execution.ts';
import { systemClock } from '../../runner-core/system.ts';
import {
  answer,
  clickTray,
  jobRow,
  planeOf,
  type Desktop,
  type DesktopOptions,
  type StartDesktop,
} from '../support/desktop.ts';
import { startDisplay, type VirtualDisplay } from '../support/virtual-display.ts';

const IMAGE = 'preloop-runner-host-test:bookworm';
const REPORT = `echo '{"status":"success"}' > /workspace/result.json`;

const ATTEMPTS_TO_LEAVE = [
  'location.href = "https://example.com/"',
  'location.href = "http://127.0.0.1:9/"',
  'location.href = "http://localhost:" + location.port',
  'location.href = "file:///etc/passwd"',
  'location.href = "javascript:document.title=1"',
  'location.href = "data:text/html,x"',
  'location.replace("https://example.com/")',
  `const form = document.createElement('form'); form.action = 'https://example.com/'; document.body.append(form); form.submit()`,
  `const link = document.createElement('a'); link.href = 'https://example.com/'; document.body.append(link); link.click()`,
];
const TWO_FRAMES =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))';
const REFUSED_PERMISSIONS = [
  'clipboard-read',
  'display-capture',
  'fullscreen',
  'geolocation',
  'hid',
  'idle-detection',
  'media',
  'midi',
  'midiSysex',
  'notifications',
  'openExternal',
  'pointerLock',
  'serial',
  'storage-access',
  'usb',
  'window-management',
];

export interface Stories {
  /** A running app on a data folder of this test, which goes with it. */
  launch(args?: DesktopOptions['args']): Promise<Desktop>;
}

/** Registers all stories, and gives what further tests of the same file need. */
export function tellStories(start: StartDesktop): Stories {
  let display: VirtualDisplay;
  let folder = '';
  let dataDir = '';
  const running: Desktop[] = [];
  const submitted: string[] = [];

  const launch = async (args: DesktopOptions['args'] = []): Promise<Desktop> => {
    const desktop = await start({ dataDir, display: display.name, args });
    running.push(desktop);
    return desktop;
  };
  const online = async (): Promise<Desktop> => {
    const desktop = await launch();
    await desktop.until(trayStartsWith('Online'));
    return desktop;
  };

  beforeAll(async () => {
    display = await startDisplay();
  });
  afterAll(() => display.stop());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'preloop-desktop-'));
    dataDir = join(folder, 'data');
  });
  afterEach(async () => {
    for (const desktop of running.splice(0)) await desktop.kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    // Only a story that failed leaves one; the next must not find it.
    for (const jobId of submitted.splice(0)) await removeContainersOf(jobId);
  });

  test('the app starts, its window signs in by itself, and the tray comes online', async () => {
    const desktop = await launch();
    await desktop.until(trayStartsWith('Online, taking jobs · since '));
    await desktop.until(isSignedIn);
    const page = await desktop.page();
    await page.getByText('Ready for a first job.').waitFor();
    expect(await page.evaluate('location.hash')).not.toContain('code');
    expect(desktop.state.windows).toMatchObject([{ visible: true }]);
  });

  test('the window has no Node, and of the desktop just two frozen functions', async () => {
    const desktop = await online();
    await desktop.until(isSignedIn);
    expect(desktop.state.windows[0]?.preferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webviewTag: false,
    });
    const page = await desktop.page();
    const seen = await page.evaluate(async () => {
      const bridge: unknown = Reflect.get(globalThis, 'preloopDesktop');
      const about: unknown = Reflect.get(bridge as object, 'about');
      return {
        names: Object.keys(bridge as object),
        isFrozen: Object.isFrozen(bridge),
        node: ['require', 'process', 'module', 'Buffer'].filter((name) => name in globalThis),
        about: Object.keys((await (about as () => Promise<object>)()) as object),
      };
    });
    expect(seen).toEqual({
      names: ['about', 'signInAgain'],
      isFrozen: true,
      node: [],
      about: ['version', 'electron', 'chromium', 'node'],
    });
  });

  test('the tray goes offline and online again, pauses and resumes, and its image follows', async () => {
    const desktop = await online();
    await clickTray(desktop, 'Go offline');
    const offline = await desktop.until(trayStartsWith('Offline since '));
    expect(offline.tray?.image).toContain('tray-offline');
    await clickTray(desktop, 'Go online');
    const back = await desktop.until(trayStartsWith('Online'));
    expect(back.tray?.image).toContain('tray-online');
    await clickTray(desktop, 'Pause');
    await desktop.until(trayStartsWith('Paused'));
    await clickTray(desktop, 'Resume');
    await desktop.until(trayStartsWith('Online'));
  });

  test('a job runs, is opened from the tray and stopped from it, and the service is told', async () => {
    const desktop = await online();
    await desktop.until(isSignedIn);
    const { jobId, title } = await runForLong(desktop, submitted);
    const row = await jobRow(desktop, title);
    expect(desktop.state.tray?.image).toContain('tray-busy');

    await clickTray(desktop, row, 'Open');
    await desktop.until(({ windows }) => windows[0]?.url.endsWith(`#/jobs/${jobId}`) === true);
    await clickTray(desktop, await jobRow(desktop, title), 'Stop…');
    expect(await answer(desktop, 'Keep running')).toBe(`Stop ${title}?`);
    await clickTray(desktop, await jobRow(desktop, title), 'Stop…');
    await answer(desktop, 'Stop job');

    const { status } = await ended(desktop, jobId);
    expect(status).toBe('STOPPED');
    await desktop.until(trayStartsWith('Online, taking jobs'));
    expect(await containersOf(jobId)).toBe('');
  });

  test('closing hides the window, and a second start shows it again and ends itself', async () => {
    const desktop = await online();
    const [window] = (await desktop.until(isSignedIn)).windows;
    await desktop.order({ kind: 'close_window', window: window?.id ?? 0 });
    await desktop.until(({ windows }) => windows[0]?.visible === false);

    const second = await launch();
    expect(await second.exited).toBe(0);
    const { windows } = await desktop.until((state) => state.windows[0]?.visible === true);
    expect(windows).toHaveLength(1);
    expect(desktop.state.tray?.toolTip).toMatch(/^Online/);
  });

  test('quit can leave a job running: its container goes on, and the next start takes it up', async () => {
    const desktop = await online();
    const { jobId, title } = await runForLong(desktop, submitted, 'sleep 6');
    await jobRow(desktop, title);
    await desktop.order({ kind: 'quit' });
    await answer(desktop, 'Stay');
    await clickTray(desktop, 'Quit…');
    expect(await answer(desktop, 'Quit, leave it running')).toBe('Quit while a job runs?');
    expect(await desktop.exited).toBe(0);
    expect(await containersOf(jobId)).not.toBe('');

    const next = await online();
    const { status, lines } = await ended(next, jobId);
    expect(status).toBe('SUCCEEDED');
    expect(lines).toEqual(['started', 'over']);
    await next.order({ kind: 'quit' });
    expect(await next.exited).toBe(0);
  });

  test('quit can let a job finish: nothing new starts, and the app ends after it', async () => {
    const desktop = await online();
    const { jobId, title } = await runForLong(desktop, submitted, 'sleep 3');
    await jobRow(desktop, title);
    await clickTray(desktop, 'Quit…');
    await answer(desktop, 'Finish it, then quit');
    await desktop.until(trayStartsWith('Finishing 1 job, then quitting'));
    expect(await desktop.exited).toBe(0);
    expect(await containersOf(jobId)).toBe('');
  });

  test('a shutdown of the machine leaves a job running and asks nothing', async () => {
    const desktop = await online();
    const { jobId, title } = await runForLong(desktop, submitted);
    await jobRow(desktop, title);
    await desktop.order({ kind: 'power', event: 'shutdown' });
    expect(await desktop.exited).toBe(0);
    expect(await containersOf(jobId)).not.toBe('');
    const next = await online();
    await clickTray(next, await jobRow(next, title), 'Stop…');
    await answer(next, 'Stop job');
    expect(await ended(next, jobId)).toMatchObject({ status: 'STOPPED' });
  });

  test('after sleep the session is checked at once, by a new dial', async () => {
    const desktop = await online();
    const plane = desktop.state.utilities.find(({ entry }) => entry.endsWith('control-plane.js'));
    // A service that does not answer: on a session that is only kept, that would not show for long.
    process.kill(plane?.pid ?? Number.NaN, 'SIGSTOP');
    try {
      await desktop.order({ kind: 'power', event: 'resume' });
      await desktop.until(trayStartsWith('Connecting'));
    } finally {
      process.kill(plane?.pid ?? Number.NaN, 'SIGCONT');
    }
    await desktop.until(trayStartsWith('Online'));
  });

  test('a page that crashes comes back signed in', async () => {
    const desktop = await online();
    const [window] = (await desktop.until(isSignedIn)).windows;
    await desktop.order({ kind: 'crash_page', window: window?.id ?? 0 });
    await desktop.until((state) => !isSignedIn(state));
    await desktop.until(isSignedIn);
    const page = await desktop.page();
    await page.getByText('Ready for a first job.').waitFor();
    expect(desktop.state.tray?.toolTip).toMatch(/^Online/);
  });

  test('the window does not leave its page, wherever a script or a form sends it', async () => {
    const desktop = await online();
    await desktop.until(isSignedIn);
    const page = await desktop.page();
    const before = page.url();
    for (const attempt of ATTEMPTS_TO_LEAVE) {
      await page.evaluate(attempt).catch(() => undefined);
      // Two frames later whatever the script set off has been decided.
      await page.evaluate(TWO_FRAMES);
      expect({ attempt, at: page.url() }).toEqual({ attempt, at: before });
    }
    await page.getByText('Ready for a first job.').waitFor();
  });

  test('a link of a page opens no window: it goes to the browser after its host was shown, or nowhere', async () => {
    const desktop = await online();
    await desktop.until(isSignedIn);
    const page = await desktop.page();
    const open = (address: string): Promise<unknown> =>
      page.evaluate(`void open(${JSON.stringify(address)})`);
    await open('https://example.com/pull/7');
    expect(await answer(desktop, 'Stay')).toBe('Open example.com in your browser?');
    await open('https://example.com/pull/7');
    await answer(desktop, 'Open');
    await desktop.until(({ openedOutside }) => openedOutside.length > 0);
    for (const address of ['http://example.com/', 'file:///etc/passwd', 'smb://x/y', 'vscode://x'])
      await open(address);
    expect(desktop.state).toMatchObject({
      openedOutside: ['https://example.com/pull/7'],
      dialogs: [],
      windows: [{}],
    });
    expect(desktop.state.windows).toHaveLength(1);
  });

  test('a page may copy text and is refused every other permission', async () => {
    const desktop = await launch(['--no-open']);
    await desktop.until(trayStartsWith('Online'));
    for (const permission of REFUSED_PERMISSIONS)
      expect([permission, await desktop.order({ kind: 'ask_permission', permission })]).toEqual([
        permission,
        { request: false, check: false, device: false },
      ]);
    const copying = 'clipboard-sanitized-write';
    expect(await desktop.order({ kind: 'ask_permission', permission: copying })).toEqual({
      request: true,
      check: true,
      device: false,
    });
  });

  test('started without a window it is in the tray alone, and a click on the icon opens it', async () => {
    const desktop = await launch(['--no-open']);
    await desktop.until(trayStartsWith('Online'));
    expect(desktop.state.windows).toEqual([]);
    await desktop.order({ kind: 'click_tray' });
    await desktop.until(isSignedIn);
  });

  test('what keeps the host from starting is said in a box, and the app ends', async () => {
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'host.db'), 'no database');
    const desktop = await launch();
    const { errors } = await desktop.until((state) => state.errors.length > 0);
    expect(errors[0]?.title).toBe('Runner Host cannot start');
    expect(await desktop.exited).toBe(1);
  });

  return { launch };
}

const trayStartsWith =
  (words: string) =>
  ({ tray }: Desktop['state']): boolean =>
    tray?.toolTip.startsWith(words) === true;

/** The code is out of the address once it was swapped for a token. */
const isSignedIn = ({ windows }: Desktop['state']): boolean =>
  windows.some(({ url }) => url !== '' && !url.includes('#code='));

/** A job that says `started`, does `what`, and would say `over`. */
async function runForLong(
  desktop: Desktop,
  submitted: string[],
  what = 'sleep 600',
): Promise<{ jobId: string; title: string }> {
  const plane = await planeOf(desktop);
  const { id } = await plane.submit({
    name: 'test',
    agent_type: 'codex',
    image: IMAGE,
    script: `echo started; ${what}; echo over; ${REPORT}`,
  });
  submitted.push(id);
  // Without a repository a job is called by its agent and the start of its id.
  const isIts = ({ label }: { label: string }): boolean => label.includes(id.slice(0, 8));
  const { tray } = await desktop.until((state) => state.tray?.menu.some(isIts) === true);
  const label = tray?.menu.find(isIts)?.label ?? '';
  return { jobId: id, title: label.slice(0, label.indexOf(' · ')) };
}

async function ended(
  desktop: Desktop,
  jobId: string,
): Promise<{ status: string; lines: string[] }> {
  const lines: string[] = [];
  const { status } = await followExecution(await planeOf(desktop), jobId, systemClock, (line) =>
    lines.push(line),
  );
  return { status, lines };
}

const ofJob = (jobId: string): string => `label=ai.preloop.runner-host.execution=${jobId}`;

async function containersOf(jobId: string): Promise<string> {
  const { stdout } = await execa('docker', ['ps', '-q', '--filter', ofJob(jobId)]);
  return stdout;
}

async function removeContainersOf(jobId: string): Promise<void> {
  const { stdout } = await execa('docker', ['ps', '-aq', '--filter', ofJob(jobId)]);
  if (stdout !== '') await execa('docker', ['rm', '-fv', ...stdout.split('\n')]);
}
