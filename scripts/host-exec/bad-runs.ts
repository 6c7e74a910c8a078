/** The fourteen bad ends of a host job, each with what brings it about and the code it has to be told with. */
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOUBLE, type ProfileEntry } from './ground.ts';

/** What the owner takes away between a lease and its start: what is known to be unusable is not offered. */
export type TakenAway = 'model' | 'file' | 'right';

export interface BadRun {
  readonly kind: string;
  readonly profile: string;
  readonly play: string;
  readonly code: string;
  readonly model?: string;
  readonly takenAway?: TakenAway;
}

const run = (kind: string, play: string, code: string, profile = 'demo'): BadRun => ({
  kind,
  profile,
  play,
  code,
});

/** In the order of the list in the documentation. */
export const BAD_RUNS: readonly BadRun[] = [
  run('trust refused', 'trust_refused_exit_0', 'host_exec_trust_refused'),
  run('not signed in', 'not_signed_in', 'host_exec_not_signed_in'),
  {
    ...run('model not mapped', 'good', 'host_exec_model_not_mapped'),
    model: 'house/gone',
    takenAway: 'model',
  },
  { ...run('model refused', 'model_refused', 'host_exec_model_refused'), model: 'house/fast' },
  run('rate limit', 'rate_limit', 'host_exec_rate_limited'),
  {
    ...run('binary missing', 'good', 'host_exec_binary_missing', 'missing'),
    takenAway: 'file',
  },
  {
    ...run('binary not executable', 'good', 'host_exec_not_executable', 'not-executable'),
    takenAway: 'right',
  },
  run('no result event', 'no_result', 'host_exec_no_result'),
  run('two result events', 'two_results', 'host_exec_two_results'),
  run('result says error', 'result_error', 'host_exec_reported_failure'),
  run('non-zero exit', 'exit_2', 'host_exec_exit_nonzero'),
  run('deadline', 'hang', 'host_exec_timeout', 'short'),
  run('lingered after its result', 'lingers', 'host_exec_lingered'),
  run('directory error', 'good', 'host_exec_directory_failed', 'bad-directory'),
];

/** Every profile the runs name. `folder` gets what they need beside it. */
export async function badRunProfiles(folder: string): Promise<readonly ProfileEntry[]> {
  const tools = join(folder, 'tools');
  const root = join(folder, 'root');
  for (const made of [tools, root, join(folder, 'gone')]) await mkdir(made);
  for (const command of [rightless(folder), gone(folder)]) await giveCommand(command);
  // Who makes this a link decides where every job writes.
  await symlink(tools, join(root, '.preloop-host-exec'));
  const demo = { executable: DOUBLE, timeout_seconds: 60, linger_seconds: 1 };
  const models = { model_map: { 'house/fast': 'composer-2.5', 'house/gone': 'gpt-5' } };
  return [
    { name: 'demo', ...demo, ...models },
    { name: 'short', ...demo, timeout_seconds: 1 },
    { name: 'missing', ...demo, executable: gone(folder) },
    { name: 'not-executable', ...demo, executable: rightless(folder) },
    { name: 'bad-directory', ...demo, workspace_root: root },
  ];
}

const gone = (folder: string): string => join(folder, 'gone', 'cursor-agent');
const rightless = (folder: string): string => join(folder, 'tools', 'cursor-agent');

/** Takes it away, or gives it back. @param folder as of `badRunProfiles` */
export async function takeAway(
  what: Exclude<TakenAway, 'model'>,
  folder: string,
  isBack: boolean,
): Promise<void> {
  if (what === 'right') await chmod(rightless(folder), isBack ? 0o755 : 0o644);
  else if (isBack) await giveCommand(gone(folder));
  else await rm(gone(folder));
}

async function giveCommand(path: string): Promise<void> {
  await writeFile(path, '#!/bin/sh\n', { mode: 0o755 });
}

/** The same without the model that one run asks for. */
export function withoutModel(profiles: readonly ProfileEntry[]): readonly ProfileEntry[] {
  return profiles.map((profile) =>
    profile['name'] === 'demo'
      ? { ...profile, model_map: { 'house/fast': 'composer-2.5' } }
      : profile,
  );
}
