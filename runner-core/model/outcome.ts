/** How a job ended, and what the service is told of it. Pure data. */
import type { JsonObject } from './json.ts';
import type { Reason } from './reason.ts';

/** The three words the service accepts. Timed out and lost jobs go out as FAILED with their reason. */
export type WireStatus = 'SUCCEEDED' | 'FAILED' | 'STOPPED';

/** The engine's finer view of the same ending; what the owner is shown. */
export type OutcomeKind = 'succeeded' | 'failed' | 'timed_out' | 'stopped' | 'lost';

export type EvidenceUpload = 'uploaded' | 'failed' | 'absent';

/**
 * The verdict of a job. `exitCode` is the container's, -1 when a signal ended the process, 0 when
 * nothing was started. `error` is the text for the service, empty for none; `reason` is the owner's.
 * `result` is masked and at most 262,144 bytes as the service measures it.
 */
export interface Verdict {
  readonly outcome: OutcomeKind;
  readonly status: WireStatus;
  readonly exitCode: number;
  readonly error: string;
  readonly result: JsonObject | null;
  readonly evidenceUpload: EvidenceUpload | null;
  readonly reason: Reason | null;
}

/** Who asked a job to stop. */
export type StopCause = 'service' | 'owner' | 'shutdown' | 'time_limit';
