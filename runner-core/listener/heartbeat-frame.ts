/** What each heartbeat says: every field, every time, since the service takes what is left out as withdrawn. */
import { advertise } from '../host-exec/advertise.ts';
import type { AdvertisedProfile } from '../model/host-profile.ts';
import type { JobId } from '../model/ids.ts';
import type { HostCommands, JobStore, Log } from '../ports.ts';
import type { HeartbeatFrame } from '../wire/frames.ts';
import type { Intake } from './dispatcher.ts';

export interface HeartbeatSource {
  readonly log: Log;
  readonly store: Pick<JobStore, 'unsettled'>;
  /** Jobs that may be at work here beside those in the store; null where that is not known yet. */
  readonly mayHold?: () => readonly JobId[] | null;
  readonly ephemeral?: boolean;
  readonly hostCommands?: Pick<HostCommands, 'offers'>;
}

/** Goes out whatever the disk refuses: without it the service takes the whole runner for lost. */
export class Heartbeats {
  readonly #source: HeartbeatSource;
  /** What is told while nothing newer can be read. */
  #lastProfiles: readonly AdvertisedProfile[] = [];
  #isUnreadable = false;

  constructor(source: HeartbeatSource) {
    this.#source = source;
  }

  frame(concurrency: number): HeartbeatFrame {
    const held = this.held();
    return {
      type: 'heartbeat',
      concurrency,
      ephemeral: this.#source.ephemeral ?? false,
      host_exec_profiles: this.#profiles(),
      publication_capabilities: { version: 1, helper_ready: false },
      ...(held === null ? {} : { held_execution_ids: held }),
    };
  }

  /** Jobs that are not settled. Null where that is not known: better no list than one that lacks jobs at work. */
  held(): readonly JobId[] | null {
    const { store, mayHold = () => [], log } = this.#source;
    try {
      const others = mayHold();
      if (others === null) return null;
      return [...new Set([...store.unsettled().map((job) => job.spec.jobId), ...others])];
    } catch (error) {
      log.error('held jobs not listed', { error });
      return null;
    }
  }

  #profiles(): readonly AdvertisedProfile[] {
    const { hostCommands, log } = this.#source;
    try {
      this.#lastProfiles = advertise(hostCommands?.offers().profiles ?? []);
      this.#isUnreadable = false;
    } catch (error) {
      if (!this.#isUnreadable) log.error('profiles not read for a heartbeat', { error });
      this.#isUnreadable = true;
    }
    return this.#lastProfiles;
  }
}

/**
 * Slots the service may count on. With nothing to be taken that is only what is held, and then jobs queue
 * there instead of being promised to us; the protocol knows no less than one.
 */
export function offeredSlots(slots: number, intake: Intake, held: number): number {
  return intake === 'open' ? slots : Math.min(slots, Math.max(1, held));
}
