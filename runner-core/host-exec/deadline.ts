/** How long a host job may run: the tightest of what its profile, its flow and this host set. Pure. */
import { DEFAULT_TIMEOUT_SECONDS, type HostProfile } from '../model/host-profile.ts';

/**
 * Whole seconds, at least 1.
 *
 * @param jobSeconds of the lease; null: none
 * @param hostLimitMs the owner's limit for every job; 0: none
 */
export function deadlineSeconds(
  profile: Pick<HostProfile, 'timeoutSeconds'>,
  jobSeconds: number | null,
  hostLimitMs: number,
): number {
  const { timeoutSeconds } = profile;
  const tightest = Math.min(
    timeoutSeconds > 0 ? timeoutSeconds : DEFAULT_TIMEOUT_SECONDS,
    jobSeconds !== null && jobSeconds > 0 ? jobSeconds : Number.POSITIVE_INFINITY,
    hostLimitMs > 0 ? hostLimitMs / 1_000 : Number.POSITIVE_INFINITY,
  );
  return Math.max(1, Math.trunc(tightest));
}
