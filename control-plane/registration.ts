/** Registers a runner, or resumes a known one with a fresh token. Owns the checks and the resume rules. */
import { hostname } from 'node:os';
import * as z from 'zod';
import { newId } from '../runner-core/system.ts';
import {
  MAX_CAPABILITIES,
  MAX_MODELS,
  MAX_PROFILES,
  normaliseProfiles,
  PROFILE_NAME,
} from './host-profiles.ts';
import { newToken, tokenHash } from './identifiers.ts';
import type { PlaneParts } from './plane-parts.ts';
import { HEARTBEAT_TTL_MS, MAX_CONCURRENCY } from './pools.ts';
import type { RunnerRow } from './store/runner-table.ts';

const NAME_MAX_CHARACTERS = 200;

const profileSchema = z.object({
  name: z.string().regex(PROFILE_NAME),
  capabilities: z.array(z.string()).max(MAX_CAPABILITIES).default([]),
  models: z.array(z.string()).max(MAX_MODELS).optional(),
});
const registerSchema = z.object({
  runner_id: z.guid().nullish(),
  instance_id: z.guid().nullish(),
  name: z.string().max(NAME_MAX_CHARACTERS).nullish(),
  hostname: z.string().max(255).nullish(),
  os: z.string().max(30).nullish(),
  arch: z.string().max(30).nullish(),
  labels: z.array(z.string()).default([]),
  ephemeral: z.boolean().default(false),
  concurrency: z.number().int().min(1).max(MAX_CONCURRENCY).nullish(),
  host_exec_profiles: z.array(profileSchema).max(MAX_PROFILES).nullish(),
});
export type Registration = z.infer<typeof registerSchema>;

/** Throws z.ZodError. */
export function readRegistration(body: unknown): Registration {
  return registerSchema.parse(body);
}

export interface Registered {
  readonly runnerId: string;
  readonly token: string;
}

/** Undefined: the runner to resume is not known. Its leases stay as they are. */
export function register(parts: PlaneParts, given: Registration): Registered | undefined {
  sweepEphemeral(parts);
  const token = newToken();
  const id = given.runner_id?.toLowerCase();
  if (id === undefined) return { runnerId: create(parts, given, token), token };
  const runner = parts.store.runners.get(id);
  if (runner === undefined) return undefined;
  resume(parts, runner, given, token);
  return { runnerId: id, token };
}

/** Deletes ephemeral runners that hold nothing and have been silent too long. Lazy, as at the hosted service. */
export function sweepEphemeral(parts: PlaneParts): void {
  const sinceMs = parts.clock.nowMs() - HEARTBEAT_TTL_MS;
  for (const id of parts.store.runners.lapsedEphemeral(sinceMs)) parts.store.runners.delete(id);
}

function create(parts: PlaneParts, given: Registration, token: string): string {
  const nowMs = parts.clock.nowMs();
  const id = newId();
  const named = [given.name, given.hostname, hostname(), 'runner'].find(isGiven) ?? 'runner';
  parts.store.runners.insert({
    id,
    instance_id: given.instance_id ?? null,
    name: named.slice(0, NAME_MAX_CHARACTERS),
    hostname: given.hostname ?? null,
    os: given.os ?? null,
    arch: given.arch ?? null,
    labels: JSON.stringify(given.labels),
    ephemeral: given.ephemeral ? 1 : 0,
    status: 'online',
    last_heartbeat_ms: nowMs,
    concurrency: parts.ceiling,
    reported_concurrency: given.concurrency ?? null,
    token_hash: tokenHash(token),
    connection_id: null,
    publication_readiness: null,
    capabilities: capabilitiesText(given),
    reports_held: 0,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  });
  return id;
}

/** A resume clears profiles it does not name, but never a name, label or other word it leaves out. */
function resume(parts: PlaneParts, runner: RunnerRow, given: Registration, token: string): void {
  const nowMs = parts.clock.nowMs();
  const words = (['name', 'hostname', 'os', 'arch', 'instance_id'] as const)
    .map((key) => [key, given[key]] as const)
    .filter(([, value]) => isGiven(value));
  parts.store.runners.update(runner.id, {
    ...Object.fromEntries(words),
    ...(given.labels.length > 0 ? { labels: JSON.stringify(given.labels) } : {}),
    ...(given.ephemeral ? { ephemeral: 1 } : {}),
    token_hash: tokenHash(token),
    capabilities: capabilitiesText(given),
    reported_concurrency: given.concurrency ?? null,
    status: 'online',
    last_heartbeat_ms: nowMs,
    updated_at_ms: nowMs,
  });
}

function capabilitiesText(given: Registration): string {
  return JSON.stringify(normaliseProfiles(given.host_exec_profiles));
}

function isGiven(value: string | null | undefined): value is string {
  return value !== undefined && value !== null && value !== '';
}
