/** The REST routes of runners. */
import * as z from 'zod';
import { RUNNER_DELETED, TOKEN_ROTATED } from '../runner-core/wire/errors.ts';
import { confirmStop, endExecution, haltFields, isTerminal } from './endings.ts';
import { HttpProblem } from './http-problem.ts';
import { newToken, tokenHash } from './identifiers.ts';
import { isoInstant } from './instants.ts';
import { dispatchQueue, refreshStatus } from './leases.ts';
import { transact, type PlaneParts } from './plane-parts.ts';
import { isReachable, MAX_CONCURRENCY } from './pools.ts';
import { readRegistration, register, sweepEphemeral } from './registration.ts';
import { ok, queryBoolean, queryInteger, type RestReply, type Route } from './rest-router.ts';
import { runnerResponse } from './runner-response.ts';
import type { RunnerRow } from './store/runner-table.ts';

const RUNNER_GONE_REASON = 'Stopped because its runner was deleted';
const NO_STORE = { 'Cache-Control': 'no-store' };
const concurrencySchema = z.object({ concurrency: z.number().int().min(1).max(MAX_CONCURRENCY) });

export function runnerRoutes(parts: PlaneParts): readonly Route[] {
  const base = '/api/v1/runners';
  return [
    { method: 'POST', path: `${base}/register`, handle: ({ body }) => postRegister(parts, body) },
    { method: 'GET', path: base, handle: ({ query }) => listRunners(parts, query) },
    { method: 'GET', path: `${base}/fleet-summary`, handle: () => fleetSummary(parts) },
    {
      method: 'GET',
      path: `${base}/{runner_id}`,
      handle: ({ ids }) => ok(runnerResponse(parts, known(parts, ids))),
    },
    {
      method: 'PATCH',
      path: `${base}/{runner_id}/concurrency`,
      handle: ({ ids, body }) => patchConcurrency(parts, ids, body),
    },
    {
      method: 'POST',
      path: `${base}/{runner_id}/token`,
      handle: ({ ids }) => rotateToken(parts, ids),
    },
    {
      method: 'DELETE',
      path: `${base}/{runner_id}`,
      handle: ({ ids, query }) => deleteRunner(parts, ids, queryBoolean(query, 'force')),
    },
  ];
}

function postRegister(parts: PlaneParts, body: unknown): RestReply {
  const given = readRegistration(body ?? {});
  const registered = transact(parts, (effects) => {
    const done = register(parts, given);
    if (done !== undefined && parts.behaviour === 'improved') dispatchQueue(parts, effects);
    return done;
  });
  if (registered === undefined) throw new HttpProblem(404, 'Runner not found');
  const row = known(parts, [registered.runnerId]);
  return ok({ ...runnerResponse(parts, row), token: registered.token });
}

function listRunners(parts: PlaneParts, query: URLSearchParams): RestReply {
  const skip = queryInteger(query, 'skip', { fallback: 0, min: 0, max: Number.MAX_SAFE_INTEGER });
  const limit = queryInteger(query, 'limit', { fallback: 100, min: 0, max: 1_000 });
  transact(parts, () => sweepEphemeral(parts));
  return ok(parts.store.runners.page(skip, limit).map((runner) => runnerResponse(parts, runner)));
}

function fleetSummary(parts: PlaneParts): RestReply {
  transact(parts, () => sweepEphemeral(parts));
  const runners = parts.store.runners.all();
  const heard = runners.map((runner) => runner.last_heartbeat_ms).filter((at) => at !== null);
  const online = runners.filter((runner) => isReachable(runner, parts.clock.nowMs()));
  return ok({
    runner_count: runners.length,
    online_runner_count: online.length,
    last_runner_heartbeat: heard.length === 0 ? null : isoInstant(Math.max(...heard)),
  });
}

/** Lowering the ceiling takes no lease away; raising it cannot pass what the process reports. */
function patchConcurrency(parts: PlaneParts, ids: readonly string[], body: unknown): RestReply {
  const runner = known(parts, ids);
  const { concurrency } = concurrencySchema.parse(body);
  transact(parts, (effects) => {
    const updated_at_ms = parts.clock.nowMs();
    parts.store.runners.update(runner.id, { concurrency, updated_at_ms });
    refreshStatus(parts, runner.id);
    if (parts.behaviour === 'improved') dispatchQueue(parts, effects);
  });
  return ok(runnerResponse(parts, known(parts, ids)));
}

function rotateToken(parts: PlaneParts, ids: readonly string[]): RestReply {
  const runner = known(parts, ids);
  const token = newToken();
  transact(parts, (effects) => {
    const updated_at_ms = parts.clock.nowMs();
    parts.store.runners.update(runner.id, { token_hash: tokenHash(token), updated_at_ms });
    const socket = parts.live.get(runner.id);
    effects.add(() => socket?.evict([{ type: 'error', error: TOKEN_ROTATED }]));
  });
  return ok({ ...runnerResponse(parts, known(parts, ids)), token }, NO_STORE);
}

function deleteRunner(parts: PlaneParts, ids: readonly string[], force: boolean): RestReply {
  const runner = known(parts, ids);
  const leases = parts.store.assignments.ofRunner(runner.id);
  if (leases.length > 0 && !force) {
    const count = leases.length === 1 ? '1 active execution' : `${leases.length} active executions`;
    throw new HttpProblem(409, `Runner has ${count}; stop them first or delete with force=true`);
  }
  const halted = leases.map((lease) => lease.execution_id);
  transact(parts, (effects) => {
    for (const id of halted) settleDeleted(parts, id);
    parts.store.runners.delete(runner.id);
    const socket = parts.live.get(runner.id);
    const halt = halted.length === 0 ? [] : [{ type: 'halt', ...haltFields(halted) }];
    effects.add(() => socket?.evict([...halt, { type: 'error', error: RUNNER_DELETED }]));
  });
  return ok({ id: runner.id, deleted: true, halted_execution_ids: halted });
}

function settleDeleted(parts: PlaneParts, executionId: string): void {
  const found = parts.store.executions.get(executionId);
  if (found === undefined) return;
  const stop = {
    stop_requested_at_ms: found.stop_requested_at_ms ?? parts.clock.nowMs(),
    stop_reason: found.stop_reason ?? RUNNER_GONE_REASON,
    stop_source: found.stop_source ?? 'runner_deleted',
  };
  parts.store.executions.update(executionId, stop);
  const execution = { ...found, ...stop };
  confirmStop(parts, execution);
  if (!isTerminal(execution)) {
    endExecution(parts, execution, { status: 'STOPPED', error: RUNNER_GONE_REASON });
  }
  parts.store.credentials.deactivate(executionId);
}

function known(parts: PlaneParts, ids: readonly string[]): RunnerRow {
  const runner = parts.store.runners.get(ids[0] ?? '');
  if (runner === undefined) throw new HttpProblem(404, 'Runner not found');
  return runner;
}
