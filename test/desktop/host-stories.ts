/** The host within the app: its tray, its jobs, and every way it ends. */
import { execa } from 'execa';
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { answer, clickTray, jobRow } from '../support/desktop.ts';
import {
  containersOf,
  ended,
  isSignedIn,
  trayStartsWith,
  type DesktopStand,
} from '../support/desktop-stand.ts';

export function tellHostStories(stand: DesktopStand): void {
  test('the app starts, its window signs in by itself, and the tray comes online', async () => {
    const desktop = await stand.launch();
    await desktop.until(trayStartsWith('Online, taking jobs · since '));
    await desktop.until(isSignedIn);
    const page = await desktop.page();
    await page.getByText('Ready for a first job.').waitFor();
    expect(await page.evaluate('location.hash')).not.toContain('code');
    expect(desktop.state.windows).toMatchObject([{ visible: true }]);
  });

  test('the tray goes offline and online again, pauses and resumes, and its image follows', async () => {
    const desktop = await stand.online();
    await clickTray(desktop, 'Go offline');
    const offline = await desktop.until(trayStartsWith('Offline since '));
    expect(offline.tray?.image).toContain('tray-offline');
    await clickTray(desktop, 'Go online');
    const back = await desktop.until(trayStartsWith('Online'));
    expect(back.tray?.image).toContain('tray-online');
    await clickTray(desktop, 'Pause', 'Now');
    await desktop.until(trayStartsWith('Paused'));
    await clickTray(desktop, 'Resume');
    await desktop.until(trayStartsWith('Online'));
  });

  test('a job runs, is opened from the tray and stopped from it, and the service is told', async () => {
    const desktop = await stand.online();
    await desktop.until(isSignedIn);
    const { jobId, title } = await stand.runForLong(desktop);
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

  test('quit can leave a job running: its container goes on, and the next start takes it up', async () => {
    const desktop = await stand.online();
    const { jobId, title } = await stand.runForLong(desktop, 'sleep 6');
    await jobRow(desktop, title);
    await desktop.order({ kind: 'quit' });
    await answer(desktop, 'Stay');
    await clickTray(desktop, 'Quit…');
    expect(await answer(desktop, 'Quit, leave it running')).toBe('Quit while a job runs?');
    expect(await desktop.exited).toBe(0);
    expect(await containersOf(jobId)).not.toBe('');

    const next = await stand.online();
    const { status, lines } = await ended(next, jobId);
    expect(status).toBe('SUCCEEDED');
    expect(lines).toEqual(['started', 'over']);
    await next.order({ kind: 'quit' });
    expect(await next.exited).toBe(0);
  });

  test('quit can stop a job: its container goes first, and the service is told', async () => {
    const desktop = await stand.online();
    const { jobId, title } = await stand.runForLong(desktop);
    await jobRow(desktop, title);
    await clickTray(desktop, 'Quit…');
    await answer(desktop, 'Stop it and quit');
    expect(await desktop.exited).toBe(0);
    expect(await containersOf(jobId)).toBe('');
    const next = await stand.online();
    expect(await ended(next, jobId)).toMatchObject({ status: 'STOPPED' });
  });

  test('quit can let a job finish: nothing new starts, and the app ends after it', async () => {
    const desktop = await stand.online();
    const { jobId, title } = await stand.runForLong(desktop, 'sleep 3');
    await jobRow(desktop, title);
    await clickTray(desktop, 'Quit…');
    await answer(desktop, 'Finish it, then quit');
    await desktop.until(trayStartsWith('Finishing 1 job, then quitting'));
    expect(await desktop.exited).toBe(0);
    expect(await containersOf(jobId)).toBe('');
  });

  test('a shutdown of the machine leaves a job running and asks nothing', async () => {
    const desktop = await stand.online();
    const { jobId, title } = await stand.runForLong(desktop);
    await jobRow(desktop, title);
    // The system is asked to wait, and the app ends before it would be made to.
    expect(await desktop.order({ kind: 'power', event: 'shutdown' })).toEqual({ delayed: true });
    expect(await desktop.exited).toBe(0);
    expect(await containersOf(jobId)).not.toBe('');
    const next = await stand.online();
    await clickTray(next, await jobRow(next, title), 'Stop…');
    await answer(next, 'Stop job');
    expect(await ended(next, jobId)).toMatchObject({ status: 'STOPPED' });
  });

  test('after sleep the session is checked at once, by a new dial', async () => {
    const desktop = await stand.online();
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

  test('a pause for while on battery begins at once, and ends when the plug was put in during sleep', async () => {
    const desktop = await stand.online();
    await desktop.order({ kind: 'power', event: 'on-battery' });
    await clickTray(desktop, 'Pause', 'While on battery');
    await desktop.until(trayStartsWith('Paused while on battery'));
    await desktop.order({ kind: 'power', event: 'on-ac' });
    await desktop.order({ kind: 'power', event: 'resume' });
    await desktop.until(trayStartsWith('Online'));
  });

  test('however hard the app ends, its workers and the plane end with it', async () => {
    const desktop = await stand.launch(['--no-open']);
    const { utilities } = await desktop.until(
      (state) => trayStartsWith('Online')(state) && state.utilities.length >= 2,
    );
    process.kill(desktop.pid, 'SIGKILL');
    await desktop.exited;
    // Each returns once that process is gone, and at once where it already is.
    for (const { pid } of utilities) await execa('tail', ['-f', '/dev/null', `--pid=${pid}`]);
    // Nothing of it holds the data folder or the plane's port any more.
    await stand.online();
  });

  test('started without a window it is in the tray alone, and a click on the icon opens it', async () => {
    const desktop = await stand.launch(['--no-open']);
    await desktop.until(trayStartsWith('Online'));
    expect(desktop.state.windows).toEqual([]);
    await desktop.order({ kind: 'click_tray' });
    await desktop.until(isSignedIn);
  });

  test('what keeps the host from starting is said in a box, and the app ends', async () => {
    await writeFile(stand.dataDir, 'no folder');
    const desktop = await stand.launch();
    const { errors } = await desktop.until((state) => state.errors.length > 0);
    expect(errors[0]?.title).toBe('Runner Host cannot start');
    expect(errors[0]?.content).toContain(stand.dataDir);
    expect(await desktop.exited).toBe(1);
  });
}
