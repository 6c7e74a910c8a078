/**
 * A ControlPlane a test plays the service with. By default it is polite: a dial is accepted, `hello`
 * comes at once, every frame gets its one reply in order. Each of these can be taken over by the test.
 */
import type {
  ControlPlane,
  ControlSession,
  RunnerIdentity,
  SessionEvents,
} from '../../runner-core/ports.ts';
import type { ClientFrame, ServerFrame } from '../../runner-core/wire/frames.ts';

type FrameOf<Type extends ClientFrame['type']> = Extract<ClientFrame, { type: Type }>;

export class FakeControlPlane implements ControlPlane {
  readonly sessions: FakeSession[] = [];
  readonly dialled: RunnerIdentity[] = [];
  /** What dialling does: `hang` never answers, anything else is the message of the failure. */
  dialling: 'accept' | 'hang' | { readonly fails: string } = 'accept';
  /** Null: no hello comes by itself. Read at each dial. */
  hello: Partial<Extract<ServerFrame, { type: 'hello' }>> | null = { log_acknowledgements: true };
  /** The reply to a frame; null: none. Called in the order of the frames. */
  reply: (frame: ClientFrame, session: FakeSession) => ServerFrame | null = politeReply;

  open(
    identity: RunnerIdentity,
    events: SessionEvents,
    signal: AbortSignal,
  ): Promise<ControlSession> {
    this.dialled.push(identity);
    if (this.dialling === 'hang')
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('dialling was called off')));
      });
    if (this.dialling !== 'accept') return Promise.reject(new Error(this.dialling.fails));
    const session: FakeSession = new FakeSession(events, (frame) => this.reply(frame, session));
    this.sessions.push(session);
    const { hello } = this;
    if (hello !== null)
      queueMicrotask(() =>
        session.deliver({ type: 'hello', runner_id: identity.runnerId, ...hello }),
      );
    return Promise.resolve(session);
  }

  /** The newest session. */
  get session(): FakeSession {
    const session = this.sessions.at(-1);
    if (session === undefined) throw new Error('nothing was dialled');
    return session;
  }

  /** Frames of one type over all sessions, oldest first. */
  sent<Type extends ClientFrame['type']>(type: Type): FrameOf<Type>[] {
    return this.sessions.flatMap((session) => session.sentOf(type));
  }
}

/** What the hosted service answers when all is well. */
export function politeReply(frame: ClientFrame): ServerFrame {
  return frame.type === 'logs' && frame.batch_id !== undefined
    ? { type: 'logs_ack', execution_id: frame.execution_id, batch_id: frame.batch_id }
    : { type: 'ack' };
}

export class FakeSession implements ControlSession {
  readonly sent: ClientFrame[] = [];
  pings = 0;
  /** What `bufferedBytes` says. */
  buffered = 0;
  /** Null while open. */
  endedBy: string | null = null;
  /** False: `close` never resolves, as with a peer that does not answer. */
  closesPolitely = true;
  readonly #events: SessionEvents;
  readonly #reply: (frame: ClientFrame) => ServerFrame | null;

  constructor(events: SessionEvents, reply: (frame: ClientFrame) => ServerFrame | null) {
    this.#events = events;
    this.#reply = reply;
  }

  get isOpen(): boolean {
    return this.endedBy === null;
  }

  send(frame: ClientFrame): void {
    if (!this.isOpen) return;
    this.sent.push(frame);
    const reply = this.#reply(frame);
    if (reply !== null) queueMicrotask(() => this.deliver(reply));
  }

  bufferedBytes(): number {
    return this.buffered;
  }

  ping(): void {
    this.pings += 1;
  }

  close(): Promise<void> {
    if (!this.closesPolitely) return new Promise(() => undefined);
    this.#end('closed by this host');
    return Promise.resolve();
  }

  terminate(cause: string): void {
    this.#end(cause);
  }

  /** The service says something. After the end of the session nobody hears it. */
  deliver(frame: ServerFrame): void {
    if (this.isOpen) this.#events.frame(frame);
  }

  /** As an adapter would that lets a late frame slip through. */
  deliverLate(frame: ServerFrame): void {
    this.#events.frame(frame);
  }

  /** A pong, or a ping of the service. */
  alive(): void {
    this.#events.alive();
  }

  /** The connection is lost. */
  drop(cause = 'connection reset'): void {
    this.#end(cause);
  }

  sentOf<Type extends ClientFrame['type']>(type: Type): FrameOf<Type>[] {
    return this.sent.filter((frame): frame is FrameOf<Type> => frame.type === type);
  }

  #end(cause: string): void {
    if (this.endedBy !== null) return;
    this.endedBy = cause;
    this.#events.closed(cause);
  }
}
