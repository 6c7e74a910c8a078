/** What `hello` and heartbeat replies tell a runner of its leases: jobs and halts. */
import type { JsonObject } from '../runner-core/model/json.ts';
import { prepareDelivery, replayedJob } from './delivery.ts';
import { haltFields } from './endings.ts';
import type { PlaneParts } from './plane-parts.ts';
import { isUnstarted, type AssignmentRow } from './store/assignment-table.ts';

export interface LeaseNews {
  /** For the frame itself. */
  readonly fields: JsonObject;
  /** Jobs that go out as `job` frames of their own, after it. */
  readonly separate: readonly JsonObject[];
}

/**
 * Hosted: every lease, halted or not; started ones come launchable in `hello` and bare in heartbeats.
 * Improved: only leases that may still be started; of started ones `hello` has the ids, so that a runner that lost
 * its records takes up what it still has of them. Beside a halt they go out in frames of their own,
 * since the reference client drops all jobs of a frame that carries one.
 *
 * @param alsoHalted executions the runner holds without a lease (improved only)
 */
export function leaseNews(
  parts: PlaneParts,
  runnerId: string,
  frame: 'hello' | 'heartbeat',
  alsoHalted: readonly string[] = [],
): LeaseNews {
  const leases = parts.store.assignments.ofRunner(runnerId);
  const halted = leases.filter((lease) => lease.halt_requested_at_ms !== null);
  const halts = haltFields([...halted.map((lease) => lease.execution_id), ...alsoHalted]);
  const jobs = jobsToTell(parts, leases, frame);
  const started = startedFields(parts, leases, frame);
  if (parts.behaviour === 'improved' && halts['halt'] === true) {
    return { fields: { ...halts, ...started }, separate: jobs };
  }
  return { fields: { ...jobFields(jobs), ...halts, ...started }, separate: [] };
}

function jobsToTell(
  parts: PlaneParts,
  leases: readonly AssignmentRow[],
  frame: 'hello' | 'heartbeat',
): readonly JsonObject[] {
  if (parts.behaviour === 'improved') {
    return leases
      .filter((lease) => isUnstarted(lease) && lease.halt_requested_at_ms === null)
      .map((lease) => prepareDelivery(parts, lease));
  }
  return leases.map((lease) =>
    frame === 'hello' || isUnstarted(lease)
      ? prepareDelivery(parts, lease)
      : replayedJob(parts, lease),
  );
}

function startedFields(
  parts: PlaneParts,
  leases: readonly AssignmentRow[],
  frame: 'hello' | 'heartbeat',
): JsonObject {
  if (parts.behaviour !== 'improved' || frame !== 'hello') return {};
  const started = leases.filter((lease) => !isUnstarted(lease));
  if (started.length === 0) return {};
  return { held_execution_ids: started.map((lease) => lease.execution_id) };
}

function jobFields(jobs: readonly JsonObject[]): JsonObject {
  const first = jobs[0];
  return first === undefined ? {} : { job: first, jobs };
}
