/** How long a host job may run: the tightest of what its profile, its flow and this host set. Pure. */
import { DEFAULT_TIMEOUT_SECONDS, type HostProfile } from '../model/host-profile.ts';

/** Node lets a timer that is set for longer fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
const LONGEST_SECONDS = Math.floor(LONGEST_TIMER_MS / 1_000);

/** A delay as a timer can keep it: nearly 25 days at most. */
export function timerMs(delayMs: number): number {
  return Math.min(delayMs, LONGEST_TIMER_MS);
}

/**
 * Whole seconds, at least 1 and at most what a timer can keep.
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
    LONGEST_SECONDS,
  );
  return Math.max(1, Math.trunc(tightest));
}
