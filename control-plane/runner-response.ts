/** How a runner is shown by REST. */
import type { JsonObject } from '../runner-core/model/json.ts';
import { capacity } from './leases.ts';
import { isoInstant, isoNaive } from './instants.ts';
import type { PlaneParts } from './plane-parts.ts';
import { labelsOf } from './pools.ts';
import type { RunnerRow } from './store/runner-table.ts';

const OWNER_EMAIL = 'owner@localhost';

export function runnerResponse(parts: PlaneParts, runner: RunnerRow): JsonObject {
  const account = parts.store.account.get();
  const held = parts.store.assignments.ofRunner(runner.id).map((lease) => lease.execution_id);
  return {
    id: runner.id,
    account_id: account.id,
    registered_by_user_id: account.user_id,
    instance_id: runner.instance_id,
    name: runner.name,
    hostname: runner.hostname,
    os: runner.os,
    arch: runner.arch,
    labels: labelsOf(runner),
    ephemeral: runner.ephemeral === 1,
    status: runner.status,
    last_heartbeat: isoInstant(runner.last_heartbeat_ms),
    current_execution_id: held[0] ?? null,
    concurrency: runner.concurrency,
    reported_concurrency: runner.reported_concurrency,
    capacity: capacity(runner),
    running_count: held.length,
    running_execution_ids: held,
    registered_by_email: OWNER_EMAIL,
    capabilities: JSON.parse(runner.capabilities) as JsonObject,
    harness_inventory: null,
    harness_inventory_updated_at: null,
    created_at: isoNaive(runner.created_at_ms),
    updated_at: isoNaive(runner.updated_at_ms),
  };
}
