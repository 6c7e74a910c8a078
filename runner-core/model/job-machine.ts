/** Which event is legal in which job state. Pure: the caller stores what comes out, then acts. */
import { IllegalTransitionError } from './errors.ts';
import type { StopCause, Verdict } from './outcome.ts';

export type JobState =
  | { readonly kind: 'accepted'; readonly sinceMs: number }
  | { readonly kind: 'starting'; readonly sinceMs: number }
  | { readonly kind: 'running'; readonly sinceMs: number }
  | { readonly kind: 'stopping'; readonly sinceMs: number; readonly cause: StopCause }
  | { readonly kind: 'reporting'; readonly sinceMs: number; readonly verdict: Verdict }
  | { readonly kind: 'settled'; readonly sinceMs: number; readonly verdict: Verdict };

export type JobEvent =
  | { readonly kind: 'launched'; readonly atMs: number }
  | { readonly kind: 'started'; readonly atMs: number }
  | { readonly kind: 'stop_requested'; readonly atMs: number; readonly cause: StopCause }
  | { readonly kind: 'ended'; readonly atMs: number; readonly verdict: Verdict }
  | { readonly kind: 'acknowledged'; readonly atMs: number };

export type JobStateKind = JobState['kind'];

/**
 * The state that follows. A second `stop_requested` keeps the first cause. Throws
 * IllegalTransitionError for a pair that cannot happen.
 */
export function nextJobState(state: JobState, event: JobEvent): JobState {
  switch (event.kind) {
    case 'launched':
      only(state, event, 'accepted');
      return { kind: 'starting', sinceMs: event.atMs };
    case 'started':
      only(state, event, 'starting');
      return { kind: 'running', sinceMs: event.atMs };
    case 'stop_requested':
      if (state.kind === 'stopping') return state;
      only(state, event, 'accepted', 'starting', 'running');
      return { kind: 'stopping', sinceMs: event.atMs, cause: event.cause };
    case 'ended':
      only(state, event, 'accepted', 'starting', 'running', 'stopping');
      return { kind: 'reporting', sinceMs: event.atMs, verdict: event.verdict };
    case 'acknowledged': {
      const { verdict } = only(state, event, 'reporting');
      return { kind: 'settled', sinceMs: event.atMs, verdict };
    }
  }
}

/** True while the job occupies a slot: accepted and not yet ended. */
export function occupiesSlot(state: JobState): boolean {
  return state.kind !== 'reporting' && state.kind !== 'settled';
}

function only<K extends JobStateKind>(
  state: JobState,
  event: JobEvent,
  ...legal: readonly K[]
): Extract<JobState, { kind: K }> {
  if ((legal as readonly string[]).includes(state.kind))
    return state as Extract<JobState, { kind: K }>;
  throw new IllegalTransitionError({ state: state.kind, event: event.kind });
}
