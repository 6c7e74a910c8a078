/** The Profiles screen's host side on a home of the test's own, with the double as the one Cursor there is. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openHostCommands } from '../../main/services/profiles/open-host-commands.ts';
import { EMPTY_DRAFT, type ProfileDraft } from '../../main/contract/profile-views.ts';
import { systemClock } from '../../runner-core/system.ts';
import { DOUBLE } from './host-job-bench.ts';
import { InProcessLauncher } from './in-process-worker.ts';
import { RecordedLog } from './recorded-log.ts';
import { StoreBench } from './store-bench.ts';
import { tempDir } from './temp-dir.ts';

export const aDraft = (changes: Partial<ProfileDraft> = {}): ProfileDraft => ({
  ...EMPTY_DRAFT,
  name: 'Review',
  ...changes,
});

export interface ProfileBenchOptions {
  /** False: no Cursor on this machine. */
  readonly hasCursor?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

export function profileBench({ hasCursor = true, environment = {} }: ProfileBenchOptions = {}) {
  const home = tempDir();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  mkdirSync(join(home, '.preloop'));
  if (hasCursor) symlinkSync(DOUBLE, join(bin, 'cursor-agent'));
  const file = join(home, '.preloop', 'runner-host-profiles.json');
  const facts = new Map<string, string>();
  const launcher = new InProcessLauncher();
  const log = new RecordedLog();
  const stored = new StoreBench();
  const watchers = new Set<() => void>();
  let announced = 0;
  const commands = openHostCommands({
    clock: systemClock,
    log,
    launcher,
    store: stored.store,
    facts: { get: (name) => facts.get(name), set: (name, value) => void facts.set(name, value) },
    environment: {
      // Node itself, which the double is started with.
      PATH: `${bin}:${dirname(process.execPath)}`,
      HOME: home,
      PRELOOP_RUNNER_TOKEN: 'canary',
      ...environment,
    },
    homeDir: home,
    osName: 'linux',
    workspacesDir: join(home, 'host-workspaces'),
    scratchDir: join(home, 'scratch'),
    changed: () => void (announced += 1),
    shown: () => {
      for (const look of watchers) look();
    },
  });
  onTestFinished(() => commands.stop());
  /** Resolves once what is shown passes. */
  const until = (passes: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!passes()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  return {
    ...commands,
    home,
    bin,
    file,
    facts,
    launcher,
    log,
    stored,
    until,
    announced: () => announced,
    writeFile: (profiles: readonly object[], mode = 0o600) =>
      writeFileSync(file, JSON.stringify({ profiles }), { mode }),
  };
}
