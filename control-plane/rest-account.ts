/** The REST routes of the account: its default pool and its kill switch. */
import * as z from 'zod';
import { isoInstant, isoNaive } from './instants.ts';
import { dispatchQueue } from './leases.ts';
import { transact, type PlaneParts } from './plane-parts.ts';
import { objectBody, ok, type RestReply, type Route } from './rest-router.ts';
import { activateKillSwitch } from './stops.ts';
import { KILL_SCOPES } from './store/account-table.ts';

const detailsSchema = z.object({
  organization_name: z.string().min(1).max(200).optional(),
  default_runner_pool: z.string().max(200).nullish(),
});
const killSwitchSchema = z.object({
  scopes: z.array(z.enum(KILL_SCOPES)).min(1).nullish(),
  reason: z.string().max(1_000).nullish(),
});

export function accountRoutes(parts: PlaneParts): readonly Route[] {
  const details = '/api/v1/account/details';
  const killSwitch = '/api/v1/account/kill-switch';
  return [
    { method: 'GET', path: details, handle: () => detailsReply(parts) },
    { method: 'PATCH', path: details, handle: ({ body }) => patchDetails(parts, body) },
    { method: 'GET', path: `${killSwitch}/status`, handle: () => killSwitchReply(parts) },
    { method: 'POST', path: `${killSwitch}/activate`, handle: ({ body }) => activate(parts, body) },
    {
      method: 'POST',
      path: `${killSwitch}/deactivate`,
      handle: ({ body }) => deactivate(parts, body),
    },
  ];
}

function detailsReply(parts: PlaneParts): RestReply {
  const account = parts.store.account.get();
  return ok({
    id: account.id,
    organization_name: account.organization_name,
    default_runner_pool: account.default_runner_pool,
    hosted_minutes_remaining: null,
    created_at: isoNaive(account.created_at_ms),
    updated_at: isoNaive(account.updated_at_ms),
  });
}

/** Only keys that are present are written; a blank pool becomes null. */
function patchDetails(parts: PlaneParts, body: unknown): RestReply {
  const given = detailsSchema.parse(objectBody(body));
  transact(parts, () => {
    const held = parts.store.account.get();
    const pool = given.default_runner_pool?.trim() ?? '';
    parts.store.account.update(
      given.organization_name ?? held.organization_name,
      given.default_runner_pool === undefined ? held.default_runner_pool : pool || null,
      parts.clock.nowMs(),
    );
  });
  return detailsReply(parts);
}

function activate(parts: PlaneParts, body: unknown): RestReply {
  const given = killSwitchSchema.parse(objectBody(body));
  transact(parts, (effects) => {
    activateKillSwitch(parts, given.scopes ?? undefined, given.reason ?? null, effects);
  });
  return killSwitchReply(parts);
}

/** Lifts the ban on new leases. Stops that were asked for stay asked for. */
function deactivate(parts: PlaneParts, body: unknown): RestReply {
  const given = killSwitchSchema.parse(objectBody(body));
  transact(parts, (effects) => {
    for (const scope of given.scopes ?? KILL_SCOPES) parts.store.account.deactivate(scope);
    if (parts.behaviour === 'improved') dispatchQueue(parts, effects);
  });
  return killSwitchReply(parts);
}

function killSwitchReply(parts: PlaneParts): RestReply {
  const active = parts.store.account.activeSwitches();
  return ok({
    active: active.length > 0,
    scopes: active.map((row) => ({
      scope: row.scope,
      reason: row.reason,
      activated_at: isoInstant(row.activated_at_ms),
    })),
  });
}
