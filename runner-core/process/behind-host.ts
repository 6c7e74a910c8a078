/** Whom the processor serves first when many jobs print at once. */
import { constants, setPriority } from 'node:os';

/**
 * Puts this process behind the host's. A worker can wait: its output is kept by the engine. The host cannot: late
 * heartbeats cost it the session, and a late page its owner's patience. Never for one whose children do the work.
 */
export function goBehindHost(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A system that does not let us: nothing is lost but smoothness.
  }
}
