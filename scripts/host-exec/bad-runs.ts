/** The fourteen bad ends of a host job, each with what brings it about and the code it has to be told with. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOUBLE, type ProfileEntry } from './ground.ts';

export interface BadRun {
  readonly kind: string;
  readonly profile: string;
  readonly play: string;
  readonly code: string;
  readonly model?: string;
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
  { ...run('model not mapped', 'good', 'host_exec_model_not_mapped'), model: 'house/gone' },
  { ...run('model refused', 'model_refused', 'host_exec_model_refused'), model: 'house/fast' },
  run('rate limit', 'rate_limit', 'host_exec_rate_limited'),
  run('binary missing', 'good', 'host_exec_binary_missing', 'missing'),
  run('binary not executable', 'good', 'host_exec_not_executable', 'not-executable'),
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
  await mkdir(tools);
  await mkdir(root);
  await writeFile(join(tools, 'cursor-agent'), '#!/bin/sh\n', { mode: 0o644 });
  // Who makes this a link decides where every job writes.
  await symlink(tools, join(root, '.preloop-host-exec'));
  const demo = { executable: DOUBLE, timeout_seconds: 60, linger_seconds: 1 };
  const models = { model_map: { 'house/fast': 'composer-2.5', 'house/gone': 'gpt-5' } };
  return [
    { name: 'demo', ...demo, ...models },
    { name: 'short', ...demo, timeout_seconds: 1 },
    { name: 'missing', ...demo, executable: join(folder, 'nowhere', 'cursor-agent') },
    { name: 'not-executable', ...demo, executable: join(tools, 'cursor-agent') },
    { name: 'bad-directory', ...demo, workspace_root: root },
  ];
}

/** The same without the model that one run asks for: as the owner's edit between a lease and its start would be. */
export function withoutModel(profiles: readonly ProfileEntry[]): readonly ProfileEntry[] {
  return profiles.map((profile) =>
    profile['name'] === 'demo'
      ? { ...profile, model_map: { 'house/fast': 'composer-2.5' } }
      : profile,
  );
}
