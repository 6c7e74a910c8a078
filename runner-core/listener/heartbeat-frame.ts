/** What each heartbeat says: every field, every time, since the service takes what is left out as withdrawn. */
import { advertise } from '../host-exec/advertise.ts';
import type { JobId } from '../model/ids.ts';
import type { HostCommands } from '../ports.ts';
import type { HeartbeatFrame } from '../wire/frames.ts';

export interface HeartbeatSource {
  readonly ephemeral?: boolean;
  readonly hostCommands?: HostCommands;
}

/** `held` null: better no list than one that lacks jobs at work. */
export function heartbeatFrame(
  { ephemeral = false, hostCommands }: HeartbeatSource,
  concurrency: number,
  held: readonly JobId[] | null,
): HeartbeatFrame {
  return {
    type: 'heartbeat',
    concurrency,
    ephemeral,
    host_exec_profiles: advertise(hostCommands?.offers().profiles ?? []),
    publication_capabilities: { version: 1, helper_ready: false },
    ...(held === null ? {} : { held_execution_ids: held }),
  };
}
