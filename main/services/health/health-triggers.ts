/**
 * When the checks are made without being asked for: once soon after the start, and after a change of what they look
 * at. Owns one timer, for the start; an idle host checks nothing.
 */
import type { SessionState } from '../../../runner-core/model/session-state.ts';
import type { Clock, Timer } from '../../../runner-core/ports.ts';
import type { CheckView } from '../../contract/views.ts';
import type { Health } from './health.ts';

/** By then a session is open, or has met what keeps it from being. */
export const FIRST_ROUND_MS = 5_000;
/** A connection that comes and goes does not make a request each time. */
export const SERVICE_ROUND_MS = 60_000;

export interface HealthTriggersDeps {
  readonly clock: Clock;
  readonly health: Pick<Health, 'runQuietly' | 'refresh' | 'view'>;
  readonly session: () => SessionState;
  /** What the owner is told of the clocks. */
  readonly shownSkewMs: () => number | null;
  /** What the check of Cursor goes by. */
  readonly cursorInputs: () => string;
  /** Whether any local command is offered: without one, Docker that is not installed is missed. */
  readonly offersCommands: () => boolean;
}

export class HealthTriggers {
  readonly #deps: HealthTriggersDeps;
  #timer: Timer | null = null;
  #seen = '';
  #seenCursor: string;
  #offersCommands: boolean;
  #kind: SessionState['kind'] | null = null;
  #lastServiceRoundMs = Number.NEGATIVE_INFINITY;

  constructor(deps: HealthTriggersDeps) {
    this.#deps = deps;
    this.#seenCursor = deps.cursorInputs();
    this.#offersCommands = deps.offersCommands();
  }

  start(): void {
    const { clock, health } = this.#deps;
    this.#timer = clock.after(FIRST_ROUND_MS, () => void health.runQuietly());
  }

  stop(): void {
    this.#timer?.cancel();
  }

  changed(kind: string): void {
    const { health } = this.#deps;
    if (kind === 'engine') void health.refresh('docker', 'images');
    if (kind === 'storage') void health.refresh('disk', 'store');
    if (kind === 'session' || kind === 'enrolment' || kind === 'choice') this.#sessionChanged();
    if (kind === 'profiles' || kind === 'choice') this.#profilesChanged();
  }

  #profilesChanged(): void {
    const { health, cursorInputs, offersCommands } = this.#deps;
    const inputs = cursorInputs();
    if (inputs === this.#seenCursor) return;
    this.#seenCursor = inputs;
    const offers = offersCommands();
    if (offers !== this.#offersCommands) void health.refresh('docker', 'images');
    this.#offersCommands = offers;
    void health.refresh('cursor');
  }

  #sessionChanged(): void {
    const { health, session, shownSkewMs, clock } = this.#deps;
    const state = session();
    // A dial on the way to either is no news.
    if (state.kind === 'dialling') return;
    const seen = JSON.stringify([state.kind, causeOf(state), shownSkewMs()]);
    if (seen === this.#seen) return;
    this.#seen = seen;
    const isNews = state.kind !== this.#kind;
    this.#kind = state.kind;
    const nowMs = clock.monotonicMs();
    const isDue = nowMs - this.#lastServiceRoundMs >= SERVICE_ROUND_MS;
    // What was found while it was away must not stay there once it is back.
    // A round may itself measure another clock, which must not begin the next.
    const isBack = state.kind === 'online' && (isNews || isDue) && !this.#isWayWell();
    if (isBack || (state.kind === 'waiting' && isDue)) {
      this.#lastServiceRoundMs = nowMs;
      void health.refresh('name', 'proxy', 'certificate', 'web', 'live_connection', 'clock');
    } else void health.refresh('live_connection', 'clock');
  }

  #isWayWell(): boolean {
    const way: readonly CheckView['id'][] = ['name', 'proxy', 'certificate', 'web'];
    return this.#deps.health
      .view()
      .checks.every(
        ({ id, state }) => !way.includes(id) || ['ok', 'not_applicable'].includes(state),
      );
  }
}

function causeOf(state: SessionState): string {
  if (state.kind === 'waiting') return state.cause;
  return state.kind === 'refused' ? state.refusal : '';
}
