/** Pacing of connection attempts. Owns how long to wait; `session-keeper` owns whether to try. */
import type { RandomSource } from '../ports.ts';

const BASE_MS = 1_000;
export const RECONNECT_CAP_MS = 30_000;

/**
 * How long to wait before dialling the control plane again: uniform in [0, min(cap, base · 2^attempt)).
 * Source: M. Brooker, "Exponential Backoff And Jitter" (2015), the variant called full jitter.
 *
 * @param attempt failures since a session last came online; an integer, 0 or more
 * @returns whole milliseconds, at least 0 and below RECONNECT_CAP_MS
 * @throws RangeError for any other `attempt`
 */
export function reconnectDelayMs(attempt: number, random: RandomSource): number {
  if (!Number.isInteger(attempt) || attempt < 0) throw new RangeError(`attempt ${attempt}`);
  const ceilingMs = Math.min(RECONNECT_CAP_MS, BASE_MS * 2 ** attempt);
  return Math.floor(random.fraction() * ceilingMs);
}
