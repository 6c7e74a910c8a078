/**
 * Keeps one session with the service open, or says why not. Owns when to dial and the state the owner
 * is shown; what goes over the session belongs to the dispatcher and the reporter.
 */
import type { RunnerIdentity, Timer } from '../ports.ts';
import type { Refusal, SessionState } from '../model/session-state.ts';
import type { ServerFrame } from '../wire/frames.ts';
import { reconnectDelayMs } from './reconnect-delay.ts';
import {
  SessionSocket,
  type Link,
  type SessionSocketDeps,
  type SocketEnd,
} from './session-socket.ts';
import { Watchers, type Unwatch } from './watchers.ts';

export interface SessionKeeperDeps extends SessionSocketDeps {
  /** Read at each dial; null until the owner has enrolled this machine. */
  readonly identity: () => RunnerIdentity | null;
}

export interface SessionUser {
  online(link: Link): void;
  frame(frame: ServerFrame): void;
  /** Follows each `online` once: nothing sent on that link will be answered any more. */
  offline(): void;
}

export class SessionKeeper {
  readonly #deps: SessionKeeperDeps;
  readonly #user: SessionUser;
  readonly #watchers: Watchers<SessionState>;
  readonly #closing = new Set<Promise<void>>();
  #state: SessionState;
  #socket: SessionSocket | null = null;
  #isOnline = false;
  #redialTimer: Timer | null = null;
  /** Failures since a session last came online. */
  #attempt = 0;
  #isStopped = false;

  constructor(deps: SessionKeeperDeps, user: SessionUser) {
    this.#deps = deps;
    this.#user = user;
    this.#watchers = new Watchers(deps.log);
    this.#state = { kind: 'closed', sinceMs: deps.clock.nowMs() };
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Calls `show` now and on each change. */
  watch(show: (state: SessionState) => void): Unwatch {
    const unwatch = this.#watchers.add(show);
    show(this.#state);
    return unwatch;
  }

  /** Dials unless the service refused us (only `retry` ends that), or a session is under way. */
  goOnline(): void {
    if (this.#state.kind === 'closed' || this.#state.kind === 'signed_out') this.#dialAfresh();
  }

  /** A process before this one was refused: `retry` alone dials. */
  standBy(refusal: Refusal): void {
    if (this.#state.kind === 'closed')
      this.#show({ kind: 'refused', sinceMs: this.#deps.clock.nowMs(), refusal });
  }

  /** Closes the session on purpose. What is held goes on and is reported later. */
  goOffline(): void {
    if (this.#state.kind === 'refused' || this.#state.kind === 'closed') return;
    this.#redialTimer?.cancel();
    this.#retire((socket) => this.#closePolitely(socket));
    this.#show({ kind: 'closed', sinceMs: this.#deps.clock.nowMs() });
  }

  /** After sleep: whatever socket there is may be dead without knowing it. */
  redial(): void {
    const { kind } = this.#state;
    if (kind === 'dialling' || kind === 'online' || kind === 'waiting') this.#dialAfresh();
  }

  /** The owner acted on a refusal, or wants no more waiting. */
  retry(): void {
    this.#dialAfresh();
  }

  /** Closes within CLOSE_LIMIT_MS, for good. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#redialTimer?.cancel();
    this.#retire((socket) => this.#closePolitely(socket));
    if (this.#state.kind !== 'closed')
      this.#show({ kind: 'closed', sinceMs: this.#deps.clock.nowMs() });
    await Promise.all(this.#closing);
  }

  #dialAfresh(): void {
    if (this.#isStopped) return;
    this.#attempt = 0;
    this.#redialTimer?.cancel();
    this.#retire((socket) => socket.drop('dialling again'));
    this.#dial();
  }

  #dial(): void {
    const identity = this.#deps.identity();
    const sinceMs = this.#deps.clock.nowMs();
    if (identity === null) {
      this.#show({ kind: 'signed_out', sinceMs });
      return;
    }
    this.#show({ kind: 'dialling', sinceMs, attempt: this.#attempt });
    this.#socket = new SessionSocket(this.#deps, identity, {
      online: (link) => this.#online(link),
      frame: (frame) => this.#frame(frame),
      ended: (end) => this.#ended(end),
    });
  }

  #online(link: Link): void {
    this.#attempt = 0;
    this.#isOnline = true;
    this.#show({ kind: 'online', sinceMs: this.#deps.clock.nowMs(), capacity: null });
    this.#user.online(link);
  }

  #frame(frame: ServerFrame): void {
    const capacity = 'concurrency' in frame ? frame.concurrency : undefined;
    if (
      capacity !== undefined &&
      this.#state.kind === 'online' &&
      this.#state.capacity !== capacity
    )
      this.#show({ ...this.#state, capacity });
    this.#user.frame(frame);
  }

  #ended(end: SocketEnd): void {
    this.#retire(() => undefined);
    const { clock, log, random } = this.#deps;
    const sinceMs = clock.nowMs();
    if (end.kind === 'refused') {
      log.error('session refused', { refusal: end.refusal });
      this.#show({ kind: 'refused', sinceMs, refusal: end.refusal });
      return;
    }
    const delayMs = reconnectDelayMs(this.#attempt, random);
    this.#attempt += 1;
    log.warn('session lost', { cause: end.cause, attempt: this.#attempt, delayMs });
    this.#redialTimer = clock.after(delayMs, () => this.#dial());
    this.#show({
      kind: 'waiting',
      sinceMs,
      retryAtMs: sinceMs + delayMs,
      attempt: this.#attempt,
      cause: end.cause,
      ...(end.problem === undefined ? {} : { problem: end.problem }),
    });
  }

  /** Parts with the present socket, and tells the user when it was online. */
  #retire(end: (socket: SessionSocket) => void): void {
    const socket = this.#socket;
    this.#socket = null;
    if (socket !== null) end(socket);
    if (!this.#isOnline) return;
    this.#isOnline = false;
    this.#user.offline();
  }

  #closePolitely(socket: SessionSocket): void {
    const closing = socket.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #show(state: SessionState): void {
    this.#state = state;
    this.#watchers.tell(state);
  }
}
