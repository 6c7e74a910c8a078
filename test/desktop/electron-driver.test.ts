/**
 * What drives the stories on Electron itself, tried where there is no Electron: the double takes the binary's place, so
 * that a run with the binary tries the app and not its own driver for the first time. The probe within is not part of it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { clickTray } from '../support/desktop.ts';
import { startOnElectron } from '../support/desktop-on-electron.ts';
import { desktopStand, isSignedIn, trayStartsWith } from '../support/desktop-stand.ts';
import { writeDoubleAsBinary } from '../support/double-as-binary.ts';

const stand = desktopStand(startOnElectron);
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'preloop-driver-'));
  vi.stubEnv('ELECTRON_BINARY', await writeDoubleAsBinary(folder));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

test('an app is started, looked into, started again, revived and ended through its binary', async () => {
  const desktop = await stand.online();
  const [window] = (await desktop.until(isSignedIn)).windows;
  await (await desktop.page()).getByText('Ready for a first job.').waitFor();
  expect(await desktop.startAgain()).toBe(0);
  await clickTray(desktop, 'Pause', 'Now');
  await desktop.until(trayStartsWith('Paused'));

  await desktop.order({ kind: 'crash_page', window: window?.id ?? 0 });
  await desktop.until((state) => !isSignedIn(state));
  await desktop.until(isSignedIn);
  await (await desktop.page()).getByText('Paused.').first().waitFor();

  await desktop.order({ kind: 'quit' });
  expect(await desktop.exited).toBe(0);
  await expect(desktop.order({ kind: 'quit' })).rejects.toThrow('the app ended with code 0');
});

test('an app that is killed half-way is gone, and says so to who waits for it', async () => {
  const desktop = await stand.online();
  const told = expect(desktop.until(trayStartsWith('Never'))).rejects.toThrow(
    'the app ended with code none',
  );
  await desktop.kill();
  await told;
  expect(await desktop.exited).toBeNull();
});
