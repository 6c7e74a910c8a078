/**
 * One socket to the service, from dialling it to its end: heartbeats, deadlines, and which reply
 * belongs to which frame. Whether to dial again is `session-keeper`'s to decide.
 */
import type {
  Clock,
  ControlPlane,
  ControlSession,
  Log,
  RandomSource,
  RunnerIdentity,
  Timer,
} from '../ports.ts';
import { NetworkError, type NetworkProblem } from '../model/network-problem.ts';
import type { Refusal } from '../model/session-state.ts';
import { refusalOf } from '../wire/errors.ts';
import type { ClientFrame, HeartbeatFrame, ServerFrame } from '../wire/frames.ts';
import { ReplyQueue, type Reply } from './reply-queue.ts';
import { settledWithin } from './settled-within.ts';

export const HEARTBEAT_MS = 15_000;
/** Heartbeats of many runners started together drift apart by this much either way. */
export const HEARTBEAT_SPREAD_MS = 500;
/** No frame, ping or pong for this long: the peer is gone, whatever the operating system thinks. */
export const READ_DEADLINE_MS = 45_000;
export const HELLO_DEADLINE_MS = 20_000;
export const DIAL_DEADLINE_MS = 50_000;
/** The adapter cuts after 2 s; this is for one that does not. */
export const CLOSE_LIMIT_MS = 3_000;

export type HelloFrame = Extract<ServerFrame, { type: 'hello' }>;

/** What a session is to those who send on it. After its end every call does nothing. */
export interface Link {
  /** False: a server without log acknowledgements; batches carry no id and a bare `ack` answers them. */
  readonly acknowledgesLogs: boolean;
  /** `settle` is called at most once, and not at all when the session ends first. */
  send(frame: ClientFrame, settle?: (reply: Reply) => void): void;
  /** Bytes queued and not yet handed to the operating system. */
  bufferedBytes(): number;
}

export type SocketEnd =
  | { readonly kind: 'lost'; readonly cause: string; readonly problem?: NetworkProblem }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export interface SocketUser {
  /** The first `hello`: only now are we known to be accepted. `frame` follows with the same frame. */
  online(link: Link): void;
  /** Each frame that may carry work, after its reply was settled. Never before `online`. */
  frame(frame: ServerFrame): void;
  /** Once, unless `close` or `drop` ended the socket. */
  ended(end: SocketEnd): void;
}

export interface SessionSocketDeps {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  readonly controlPlane: ControlPlane;
  /** Complete each time: what a heartbeat leaves out is withdrawn. */
  readonly heartbeat: () => HeartbeatFrame;
}

export class SessionSocket {
  readonly #deps: SessionSocketDeps;
  readonly #user: SocketUser;
  readonly #replies = new ReplyQueue();
  readonly #abort = new AbortController();
  #session: ControlSession | null = null;
  /** Events that came before `open` resolved. */
  #early: (() => void)[] | null = [];
  #isOnline = false;
  #isOver = false;
  #lastAliveMs: number;
  #deadline: Timer;
  #heartbeat: Timer | null = null;
  #readCheck: Timer | null = null;

  constructor(deps: SessionSocketDeps, identity: RunnerIdentity, user: SocketUser) {
    this.#deps = deps;
    this.#user = user;
    this.#lastAliveMs = deps.clock.monotonicMs();
    this.#deadline = deps.clock.after(DIAL_DEADLINE_MS, () =>
      this.#cut('the service did not answer in time'),
    );
    this.#dial(identity);
  }

  /** Ends the socket politely, within CLOSE_LIMIT_MS. Nothing is told to the user any more. */
  async close(): Promise<void> {
    const session = this.#session;
    if (!this.#over() || session === null) return;
    if (!(await settledWithin(this.#deps.clock, CLOSE_LIMIT_MS, session.close())))
      session.terminate('not closed in time');
  }

  /** Cuts the socket at once. Nothing is told to the user any more. */
  drop(cause: string): void {
    if (this.#over()) this.#session?.terminate(cause);
  }

  #dial(identity: RunnerIdentity): void {
    const events = {
      frame: (frame: ServerFrame) => this.#whenOpen(() => this.#receive(frame)),
      alive: () => void (this.#lastAliveMs = this.#deps.clock.monotonicMs()),
      closed: (cause: string) => this.#whenOpen(() => this.#end({ kind: 'lost', cause })),
    };
    this.#deps.controlPlane.open(identity, events, this.#abort.signal).then(
      (session) => this.#opened(session),
      (error: unknown) => {
        const cause = error instanceof Error ? error.message : 'the connection failed';
        const why = error instanceof NetworkError ? { problem: error.problem } : {};
        this.#end({ kind: 'lost', cause, ...why });
      },
    );
  }

  #opened(session: ControlSession): void {
    if (this.#isOver) {
      session.terminate('no longer wanted');
      return;
    }
    this.#session = session;
    this.#lastAliveMs = this.#deps.clock.monotonicMs();
    this.#deadline.cancel();
    this.#deadline = this.#deps.clock.after(HELLO_DEADLINE_MS, () =>
      this.#cut(`no hello within ${HELLO_DEADLINE_MS / 1_000} s`),
    );
    this.#watchForSilence(READ_DEADLINE_MS);
    // Before the hello: until the service has our concurrency it counts us as one slot.
    this.#sendHeartbeat(session);
    const early = this.#early ?? [];
    this.#early = null;
    for (const act of early) act();
  }

  #whenOpen(act: () => void): void {
    if (this.#isOver) return;
    if (this.#early === null) act();
    else this.#early.push(act);
  }

  #receive(frame: ServerFrame): void {
    if (this.#isOver) return;
    this.#lastAliveMs = this.#deps.clock.monotonicMs();
    try {
      this.#sort(frame);
    } catch (error) {
      this.#deps.log.error('frame not handled', { type: frame.type, error });
    }
  }

  #sort(frame: ServerFrame): void {
    const error = 'error' in frame ? (frame.error ?? '') : '';
    const refusal = refusalOf(error);
    if (refusal !== null) {
      this.#end({ kind: 'refused', refusal });
      return;
    }
    if (error !== '') this.#deps.log.warn('service reported an error', { type: frame.type, error });
    if (frame.type === 'hello') this.#greeted(frame);
    if (frame.type === 'ack' || frame.type === 'logs_ack' || frame.type === 'error') {
      const isReply = this.#replies.take(frame);
      if (!isReply) this.#deps.log.debug('reply to nothing', { type: frame.type });
    }
    const mayCarryWork = frame.type !== 'logs_ack' && frame.type !== 'error';
    if (mayCarryWork && this.#isOnline) this.#user.frame(frame);
  }

  #greeted(hello: HelloFrame): void {
    if (this.#isOnline) return;
    this.#isOnline = true;
    this.#deadline.cancel();
    this.#user.online({
      acknowledgesLogs: hello.log_acknowledgements === true,
      send: (frame, settle) => this.#send(frame, settle ?? (() => undefined)),
      bufferedBytes: () => (this.#isOver ? 0 : (this.#session?.bufferedBytes() ?? 0)),
    });
  }

  #send(frame: ClientFrame, settle: (reply: Reply) => void): void {
    if (this.#isOver || this.#session === null) return;
    this.#replies.expect(frame, settle);
    this.#session.send(frame);
  }

  #sendHeartbeat(session: ControlSession): void {
    this.#send(this.#deps.heartbeat(), () => undefined);
    session.ping();
    const driftMs = Math.round((this.#deps.random.fraction() * 2 - 1) * HEARTBEAT_SPREAD_MS);
    this.#heartbeat = this.#deps.clock.after(HEARTBEAT_MS + driftMs, () =>
      this.#sendHeartbeat(session),
    );
  }

  /** One timer, moved on when it fires: re-arming it on each of thousands of frames would cost more. */
  #watchForSilence(afterMs: number): void {
    this.#readCheck = this.#deps.clock.after(afterMs, () => {
      const silentMs = this.#deps.clock.monotonicMs() - this.#lastAliveMs;
      if (silentMs >= READ_DEADLINE_MS)
        this.#cut(`nothing heard for ${READ_DEADLINE_MS / 1_000} s`);
      else this.#watchForSilence(READ_DEADLINE_MS - silentMs);
    });
  }

  #cut(cause: string): void {
    const session = this.#session;
    this.#end({ kind: 'lost', cause });
    session?.terminate(cause);
  }

  #end(end: SocketEnd): void {
    if (!this.#over()) return;
    if (end.kind === 'refused') this.#session?.terminate('refused');
    this.#user.ended(end);
  }

  /** Closes the books. False when they were closed before. */
  #over(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#early = null;
    this.#deadline.cancel();
    this.#heartbeat?.cancel();
    this.#readCheck?.cancel();
    this.#abort.abort(new Error('no longer wanted'));
    return true;
  }
}
