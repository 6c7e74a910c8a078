/** What the worker of a local command is given: its profile, and of the host's environment what that lets through. */
import { jobEnvironment } from '../host-exec/environment.ts';
import { profileNamed } from '../model/host-profile.ts';
import type { HostExecSpec, JobLimits } from '../model/job-spec.ts';
import type { HostCommands } from '../ports.ts';
import type { HostContext } from '../worker/protocol.ts';

/** Throws where the profile is gone, which is seen before a job is taken. */
export function hostContext(
  spec: HostExecSpec,
  commands: HostCommands | undefined,
  { timeLimitMs, logBytes }: JobLimits,
): HostContext {
  const profile = profileNamed(commands?.offers().profiles ?? [], spec.profileName);
  if (commands === undefined || profile === undefined)
    throw new Error('the profile of the job is gone');
  return {
    profile,
    environment: jobEnvironment(commands.environment(), profile, spec, [], commands.platform),
    workspacesDir: commands.workspacesDir,
    timeLimitMs,
    logBytes,
  };
}
