/** What a container that runs already is taken up by: its job as it is leased, with or without a launch. */
import { isJsonObject } from '../model/json.ts';
import type { DockerLaunchSpec } from '../model/job-spec.ts';
import { parseJob } from './job-payload.ts';

/** Passes every check of a launch; nothing of it is in a spec. */
const ANY_LAUNCH = { version: 1, script: ':', env: {} };

/**
 * The job's spec read as if it had come with a launch. Null where it could not have been started here. Never throws.
 *
 * @param serverUrl as of `parseJob`
 */
export function specToAdopt(raw: unknown, serverUrl: string): DockerLaunchSpec | null {
  if (!isJsonObject(raw)) return null;
  const job = parseJob({ ...raw, launch_error: '', launch: ANY_LAUNCH }, serverUrl);
  return job.kind === 'docker' ? job.spec : null;
}
