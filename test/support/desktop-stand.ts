/** Where desktop stories are played: a display, a data folder for each story, and nothing of either left afterwards. */
import { execa } from 'execa';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { systemClock } from '../../runner-core/system.ts';
import { followExecution } from '../../scripts/follow-execution.ts';
import { planeOf, type Desktop, type DesktopOptions, type StartDesktop } from './desktop.ts';
import { startDisplay, type VirtualDisplay } from './virtual-display.ts';

const IMAGE = 'preloop-runner-host-test:bookworm';
const REPORT = `echo '{"status":"success"}' > /workspace/result.json`;

export interface DesktopStand {
  /** Of the story that is told. */
  readonly dataDir: string;
  readonly launch: (args?: DesktopOptions['args']) => Promise<Desktop>;
  /** Launched, and taking jobs. */
  readonly online: () => Promise<Desktop>;
  /** A job that says `started`, does `what` (sleeps), and would say `over`. */
  readonly runForLong: (
    desktop: Desktop,
    what?: string,
  ) => Promise<{ readonly jobId: string; readonly title: string }>;
}

/** Registers what comes before and after each story of the file. */
export function desktopStand(start: StartDesktop): DesktopStand {
  let display: VirtualDisplay;
  let folder = '';
  const running: Desktop[] = [];
  const submitted: string[] = [];
  const dataDir = (): string => join(folder, 'data');

  beforeAll(async () => {
    display = await startDisplay();
  });
  afterAll(() => display.stop());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'preloop-desktop-'));
  });
  afterEach(async () => {
    for (const desktop of running.splice(0)) await desktop.kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    // Only a story that failed leaves one; the next must not find it.
    for (const jobId of submitted.splice(0)) await removeContainersOf(jobId);
  });

  const launch: DesktopStand['launch'] = async (args = []) => {
    const desktop = await start({ dataDir: dataDir(), display: display.name, args });
    running.push(desktop);
    return desktop;
  };
  return {
    get dataDir() {
      return dataDir();
    },
    launch,
    async online() {
      const desktop = await launch();
      await desktop.until(trayStartsWith('Online'));
      return desktop;
    },
    async runForLong(desktop, what = 'sleep 600') {
      const plane = await planeOf(desktop);
      const title = `Story ${submitted.length + 1}`;
      const { id } = await plane.submit({
        name: title,
        agent_type: 'codex',
        image: IMAGE,
        script: `echo started; ${what}; echo over; ${REPORT}`,
      });
      submitted.push(id);
      return { jobId: id, title };
    },
  };
}

export const trayStartsWith =
  (words: string) =>
  ({ tray }: Desktop['state']): boolean =>
    tray?.toolTip.startsWith(words) === true;

/** The code is out of the address once it was swapped for a token. */
export const isSignedIn = ({ windows }: Desktop['state']): boolean =>
  windows.some(({ url }) => url !== '' && !url.includes('#code='));

/** How the service was told that the job ended, and what it printed. */
export async function ended(
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

/** Ids of those that run. */
export async function containersOf(jobId: string): Promise<string> {
  const { stdout } = await execa('docker', ['ps', '-q', '--filter', ofJob(jobId)]);
  return stdout;
}

async function removeContainersOf(jobId: string): Promise<void> {
  const { stdout } = await execa('docker', ['ps', '-aq', '--filter', ofJob(jobId)]);
  if (stdout !== '') await execa('docker', ['rm', '-fv', ...stdout.split('\n')]);
}
