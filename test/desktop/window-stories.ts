/** The window: what it shows, and what a page in it can never do. */
import { expect, test } from 'vitest';
import { answer, clickTray, type Desktop } from '../support/desktop.ts';
import { isSignedIn, trayStartsWith, type DesktopStand } from '../support/desktop-stand.ts';

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

export function tellWindowStories(stand: DesktopStand): void {
  test('the window has no Node, and of the desktop just two frozen functions', async () => {
    const desktop = await stand.online();
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
        about: Object.keys(await (about as () => Promise<object>)()),
      };
    });
    expect(seen).toEqual({
      names: ['about', 'signInAgain'],
      isFrozen: true,
      node: [],
      about: ['version', 'electron', 'chromium', 'node'],
    });
    expect(await page.evaluate(`'loadURL' in document.createElement('webview')`)).toBe(false);
  });

  test('a frame within the page has no bridge, and a call as if it had one is refused', async () => {
    const desktop = await stand.online();
    const [window] = (await desktop.until(isSignedIn)).windows;
    const page = await desktop.page();
    await page.evaluate(`document.body.append(document.createElement('iframe'))`);
    expect(await page.evaluate(`'preloopDesktop' in frames[0]`)).toBe(false);
    for (const channel of ['desktop:about', 'desktop:sign-in-again'])
      await expect(
        desktop.order({ kind: 'call_from_frame', window: window?.id ?? 0, channel }),
      ).rejects.toThrow('not for this page');
  });

  test('a frame within the page goes nowhere but to the page itself', async () => {
    const desktop = await stand.online();
    await desktop.until(isSignedIn);
    const page = await desktop.page();
    for (const address of ['https://example.com/', 'http://127.0.0.1:9/', 'file:///etc/passwd']) {
      await page.evaluate(
        `{ const frame = document.createElement('iframe'); frame.src = ${JSON.stringify(address)}; document.body.append(frame); }`,
      );
      await page.evaluate(TWO_FRAMES);
    }
    const visited = page.frames().map((frame) => frame.url());
    expect(visited.filter((url) => /example|:9\/|file:/.test(url))).toEqual([]);
    expect(page.frames()).toHaveLength(4);
  });

  test('closing hides the window, and a second start shows it again and ends itself', async () => {
    const desktop = await stand.online();
    const [window] = (await desktop.until(isSignedIn)).windows;
    await desktop.order({ kind: 'close_window', window: window?.id ?? 0 });
    await desktop.until(({ windows }) => windows[0]?.visible === false);

    expect(await desktop.startAgain()).toBe(0);
    const { windows } = await desktop.until((state) => state.windows[0]?.visible === true);
    expect(windows).toHaveLength(1);
    expect(desktop.state.tray?.toolTip).toMatch(/^Online/);
  });

  test('a page that crashes comes back signed in', async () => {
    const desktop = await stand.online();
    const [window] = (await desktop.until(isSignedIn)).windows;
    await desktop.order({ kind: 'crash_page', window: window?.id ?? 0 });
    await desktop.until((state) => !isSignedIn(state));
    await desktop.until(isSignedIn);
    const page = await desktop.page();
    await page.getByText('Ready for a first job.').waitFor();
    expect(desktop.state.tray?.toolTip).toMatch(/^Online/);
  });

  test('a page that crashes again and again is left alone until somebody asks for it', async () => {
    const desktop = await stand.online();
    const [window] = (await desktop.until(isSignedIn)).windows;
    const crash = { kind: 'crash_page', window: window?.id ?? 0 } as const;
    for (let crashes = 1; crashes <= 3; crashes += 1) {
      await desktop.order(crash);
      await desktop.until((state) => !isSignedIn(state));
      await desktop.until(isSignedIn);
    }
    await desktop.order(crash);
    const isCrashed = ({ windows }: Desktop['state']): boolean => windows[0]?.crashed === true;
    await desktop.until(isCrashed);
    await clickTray(desktop, 'Pause', 'Now');
    expect(isCrashed(await desktop.until(trayStartsWith('Paused')))).toBe(true);
    await clickTray(desktop, 'Open Runner Host');
    await desktop.until((state) => !isCrashed(state) && isSignedIn(state));
  });

  test('the window does not leave its page, wherever a script or a form sends it', async () => {
    const desktop = await stand.online();
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
    const desktop = await stand.online();
    await desktop.until(isSignedIn);
    const page = await desktop.page();
    const open = (address: string): Promise<unknown> =>
      page.evaluate(`void open(${JSON.stringify(address)})`);
    await open('https://example.com/pull/7');
    expect(await answer(desktop, 'Stay')).toBe('Open example.com in your browser?');
    await open('https://example.com/pull/7');
    // While one is asked about, others are dropped.
    for (let more = 0; more < 5; more += 1) await open('https://example.com/another');
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
    const desktop = await stand.launch(['--no-open']);
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
}
