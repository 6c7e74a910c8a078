/** Profiles, their screen, *Try it* and the conversations of one host, put together. */
import { rm, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { JOB_VARIABLE } from '../../../runner-core/host-exec/environment.ts';
import { StartGate } from '../../../runner-core/listener/start-gate.ts';
import type { Clock, Log, WorkerLauncher } from '../../../runner-core/ports.ts';
import { endAll } from '../../../runner-core/process/process-group.ts';
import { HOST_PARENT } from '../../../runner-core/worker/host-directory.ts';
import type { SqliteJobStore } from '../../store/sqlite-job-store.ts';
import { HostProfiles, type HostProfilesDeps } from '../host-profiles.ts';
import { CursorProbe } from './cursor-probe.ts';
import { ExecutableWatch } from './executable-watch.ts';
import { ProfileDesk, profileToTry } from './profile-desk.ts';
import { ProfileTry } from './profile-try.ts';

export interface HostCommandParts extends Omit<HostProfilesDeps, 'executables'> {
  readonly clock: Clock;
  readonly launcher: Pick<WorkerLauncher, 'launch'>;
  readonly store: Pick<SqliteJobStore, 'listing'>;
  /** Of *Try it*; ours alone. */
  readonly scratchDir: string;
  /** What is shown of profiles is another. */
  readonly shown: () => void;
}

export interface OpenHostCommands {
  readonly profiles: HostProfiles;
  readonly desk: ProfileDesk;
  readonly probe: CursorProbe;
  /** One start of Cursor at a time, of jobs and of looks alike. */
  readonly startGate: StartGate;
  stop(): Promise<void>;
}

export function openHostCommands(parts: HostCommandParts): OpenHostCommands {
  const { clock, log, launcher, store, scratchDir, shown } = parts;
  const startGate = new StartGate(clock);
  const enterTurn = (granted: () => void): (() => void) => startGate.enter(granted);
  const changed = (): void => {
    parts.changed();
    shown();
  };
  const executables: ExecutableWatch = new ExecutableWatch({
    clock,
    resolve: (executable) => probe.resolve(executable),
    changed,
  });
  const profiles: HostProfiles = new HostProfiles({ ...parts, executables, changed });
  const probe = new CursorProbe({ clock, commands: profiles, enterTurn, changed: shown });
  const tries = new ProfileTry({
    clock,
    log,
    launcher,
    commands: profiles,
    profile: (name) => profileToTry(profiles, name),
    enterTurn,
    scratchDir,
    changed: shown,
  });
  const cleaned = clean(clock, log, scratchDir);
  return {
    profiles,
    desk: new ProfileDesk({ profiles, probe, executables, tries, store, changed: shown }),
    probe,
    startGate,
    stop: async () => {
      await Promise.all([tries.close(), probe.stop(), executables.stop(), cleaned]);
    },
  };
}

/** What a host that died left of its last *Try it*: its command first, where the system can find it. Never rejects. */
async function clean(clock: Clock, log: Log, scratchDir: string): Promise<void> {
  try {
    const left = await readdir(join(scratchDir, HOST_PARENT)).catch(() => []);
    for (const name of left)
      await endAll(clock, {
        pid: null,
        mark: null,
        tag: { variable: JOB_VARIABLE, value: name },
      });
    await Promise.all(
      left.map((name) => rm(join(scratchDir, HOST_PARENT, name), { recursive: true, force: true })),
    );
  } catch (error) {
    log.warn('scratch folder not cleaned', { error });
  }
}
