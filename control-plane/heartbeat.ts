/** Handles `heartbeat`: what a runner says of itself is stored, what it must know goes into the reply. */
import { isJsonObject, type Json, type JsonObject } from '../runner-core/model/json.ts';
import { readHeldIds, reconcileHeld, releaseUnansweredHalts } from './held-leases.ts';
import { normaliseProfiles } from './host-profiles.ts';
import { capacity, freeSlots } from './leases.ts';
import type { PlaneParts } from './plane-parts.ts';
import { readConcurrency } from './pools.ts';
import { leaseNews, type LeaseNews } from './runner-state.ts';

const HELPER_IMAGE = /^[A-Za-z0-9][A-Za-z0-9._:/-]*@sha256:[0-9a-f]{64}$/;
const HELPER_IMAGE_MAX_CHARACTERS = 1_024;

export interface HeartbeatReply {
  readonly reply: JsonObject;
  readonly separate: LeaseNews['separate'];
}

/** Undefined: another connection speaks for this runner now; end the loop without a reply. */
export function heartbeat(
  parts: PlaneParts,
  runnerId: string,
  connectionId: string,
  frame: JsonObject,
): HeartbeatReply | undefined {
  const { store, clock, behaviour } = parts;
  const readiness = readReadiness(frame['publication_capabilities']);
  const stored = readiness === null ? null : JSON.stringify(readiness);
  if (!store.runners.announceReadiness(runnerId, connectionId, stored)) return undefined;
  // A missing list leaves profiles as they are, an explicit null clears them.
  const profiles =
    'host_exec_profiles' in frame
      ? { capabilities: JSON.stringify(normaliseProfiles(frame['host_exec_profiles'])) }
      : {};
  const held = behaviour === 'improved' ? readHeldIds(frame) : undefined;
  store.runners.update(runnerId, {
    reported_concurrency: readConcurrency(frame['concurrency']),
    ...(frame['ephemeral'] === true ? { ephemeral: 1 } : {}),
    ...(held === undefined ? {} : { reports_held: 1 }),
    ...profiles,
    last_heartbeat_ms: clock.nowMs(),
  });
  if (behaviour === 'improved') releaseUnansweredHalts(parts, runnerId);
  const strays = held === undefined ? [] : reconcileHeld(parts, runnerId, held);
  const runner = store.runners.get(runnerId);
  if (runner === undefined) return undefined;
  const status = freeSlots(parts, runner) === 0 ? 'busy' : 'online';
  store.runners.update(runnerId, { status });
  const news = leaseNews(parts, runnerId, 'heartbeat', strays);
  return {
    reply: { type: 'ack', concurrency: capacity(runner), ...news.fields },
    separate: news.separate,
  };
}

/** Valid only in this exact form; anything else withdraws readiness. */
function readReadiness(value: Json | undefined): JsonObject | null {
  if (!isJsonObject(value)) return null;
  const { version, helper_ready, helper_image } = value;
  if (version !== 1 || helper_ready !== true || typeof helper_image !== 'string') return null;
  if (helper_image.length > HELPER_IMAGE_MAX_CHARACTERS) return null;
  return HELPER_IMAGE.test(helper_image) ? { version, helper_ready, helper_image } : null;
}
