/** What a heartbeat says of this host. Pure. */
import type { JobId } from '../model/ids.ts';
import type { HeartbeatFrame } from '../wire/frames.ts';
import type { Intake } from './dispatcher.ts';

/**
 * Every field, every time: the service takes what is left out as withdrawn.
 *
 * @param held null where it is not known: better no list than one that lacks jobs at work
 */
export function heartbeatFrame(
  slots: number,
  isEphemeral: boolean,
  held: readonly JobId[] | null,
): HeartbeatFrame {
  return {
    type: 'heartbeat',
    concurrency: slots,
    ephemeral: isEphemeral,
    host_exec_profiles: [],
    publication_capabilities: { version: 1, helper_ready: false },
    ...(held === null ? {} : { held_execution_ids: held }),
  };
}

/**
 * Slots the service may count on. With nothing to be taken that is only what is held, and then jobs queue
 * there instead of being promised to us; the protocol knows no less than one.
 */
export function offeredSlots(slots: number, intake: Intake, held: number): number {
  return intake === 'open' ? slots : Math.min(slots, Math.max(1, held));
}
