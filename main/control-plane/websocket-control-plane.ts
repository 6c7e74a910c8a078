/**
 * The outbound WebSocket to the service. Owns dialling, parsing and the write deadline; when to dial,
 * what to send and what a frame means is the listener's.
 */
import { WebSocket } from 'ws';
import type {
  Clock,
  ControlPlane,
  ControlSession,
  Log,
  RunnerIdentity,
  SessionEvents,
  Timer,
} from '../../runner-core/ports.ts';
import { parseServerFrame, type ClientFrame } from '../../runner-core/wire/frames.ts';
import { encodeFrame } from './frame-text.ts';
import { socketUrl } from './server-url.ts';

const HANDSHAKE_TIMEOUT_MS = 45_000;
/** A frame the operating system has not taken within this time ends the session. */
const WRITE_DEADLINE_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;
/** RFC 6455, 7.4.1: never sent; stands for a connection that ended without a close frame. */
const CLOSED_WITHOUT_A_WORD = 1006;
/** The service itself is believed to stop at 16 MiB; a `hello` with 32 full launches stays below. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

export class WebSocketControlPlane implements ControlPlane {
  readonly #serverUrl: string;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(options: { readonly serverUrl: string; readonly clock: Clock; readonly log: Log }) {
    this.#serverUrl = options.serverUrl;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  open(
    identity: RunnerIdentity,
    events: SessionEvents,
    signal: AbortSignal,
  ): Promise<ControlSession> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(new Error('dialling was called off'));
        return;
      }
      const socket = new WebSocket(socketUrl(this.#serverUrl, identity.runnerId), {
        headers: { 'X-Runner-Token': identity.token, 'User-Agent': 'preloop-runner-host' },
        perMessageDeflate: false,
        maxPayload: MAX_FRAME_BYTES,
        handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      });
      const callOff = (): void => socket.terminate();
      signal.addEventListener('abort', callOff, { once: true });
      const fail = (error: Error): void => {
        signal.removeEventListener('abort', callOff);
        reject(new Error(dialProblem(error)));
      };
      socket.once('error', fail);
      // The service speaks first, perhaps in the very packet that ends the handshake: listen before that.
      const session = new WebSocketSession(socket, events, this.#clock, this.#log);
      socket.once('open', () => {
        signal.removeEventListener('abort', callOff);
        socket.off('error', fail);
        session.opened();
        resolve(session);
      });
    });
  }
}

class WebSocketSession implements ControlSession {
  readonly #socket: WebSocket;
  readonly #events: SessionEvents;
  readonly #clock: Clock;
  /** Instants (monotonic ms) at which the frames not yet taken by the operating system were queued. */
  readonly #unwritten: number[] = [];
  #writeCheck: Timer | null = null;
  #closeTimer: Timer | null = null;
  #cause: string | null = null;
  #open = false;

  constructor(socket: WebSocket, events: SessionEvents, clock: Clock, log: Log) {
    this.#socket = socket;
    this.#events = events;
    this.#clock = clock;
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!this.#open) return;
      events.alive();
      if (isBinary) {
        log.warn('frame skipped', { field: '', problem: 'binary frame' });
        return;
      }
      const parsed = parseServerFrame(data.toString('utf8'));
      if (parsed.ok) events.frame(parsed.frame);
      else
        log.warn('frame skipped', {
          kind: parsed.kind,
          field: parsed.field,
          problem: parsed.problem,
        });
    });
    socket.on('ping', () => {
      if (this.#open) events.alive();
    });
    socket.on('pong', () => {
      if (this.#open) events.alive();
    });
  }

  /** From here on the session is the caller's, and its end is told through `closed`. */
  opened(): void {
    this.#open = true;
    this.#socket.on('error', (error) => {
      this.#cause ??= dialProblem(error);
    });
    this.#socket.once('close', (code, reasonBytes) => {
      const said = reasonBytes.toString('utf8').slice(0, 120);
      this.#ended(
        this.#cause ??
          (code === CLOSED_WITHOUT_A_WORD
            ? 'the connection broke off'
            : `closed by the service (${code}${said === '' ? '' : `: ${said}`})`),
      );
    });
  }

  send(frame: ClientFrame): void {
    if (!this.#open || this.#socket.readyState !== WebSocket.OPEN) return;
    this.#unwritten.push(this.#clock.monotonicMs());
    this.#socket.send(encodeFrame(frame), { binary: false }, () => void this.#unwritten.shift());
    this.#armWriteCheck();
  }

  bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  ping(): void {
    if (this.#open && this.#socket.readyState === WebSocket.OPEN) this.#socket.ping();
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#cause ??= 'closed by this host';
    const closed = new Promise<void>((resolve) => void this.#socket.once('close', () => resolve()));
    this.#socket.close(1000);
    this.#closeTimer = this.#clock.after(CLOSE_TIMEOUT_MS, () => this.#socket.terminate());
    await closed;
  }

  terminate(cause: string): void {
    if (!this.#open) return;
    this.#socket.terminate();
    // Told at once: a half-open socket may take long to say that it closed.
    this.#ended(cause);
  }

  #armWriteCheck(): void {
    if (this.#writeCheck !== null) return;
    const oldestMs = this.#unwritten[0] ?? this.#clock.monotonicMs();
    const waitMs = Math.max(1, oldestMs + WRITE_DEADLINE_MS - this.#clock.monotonicMs());
    this.#writeCheck = this.#clock.after(waitMs, () => {
      this.#writeCheck = null;
      const oldest = this.#unwritten[0];
      if (oldest === undefined || !this.#open) return;
      if (this.#clock.monotonicMs() - oldest >= WRITE_DEADLINE_MS) {
        this.terminate(`a frame could not be written within ${WRITE_DEADLINE_MS / 1000} s`);
      } else this.#armWriteCheck();
    });
  }

  #ended(cause: string): void {
    if (!this.#open) return;
    this.#open = false;
    this.#writeCheck?.cancel();
    this.#closeTimer?.cancel();
    this.#events.closed(cause);
  }
}

const DIAL_PROBLEMS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name of the service could not be found (DNS)',
  EAI_AGAIN: 'the name of the service could not be looked up (no network?)',
  ECONNREFUSED: 'the service refused the connection',
  ECONNRESET: 'the connection was reset',
  ETIMEDOUT: 'the service did not answer in time',
  EHOSTUNREACH: 'the service cannot be reached from this network',
  ENETUNREACH: 'there is no network',
  CERT_HAS_EXPIRED: 'the certificate of the service has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate of the service is not trusted here',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate of the service is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate of the service is not trusted here',
};

/** The error in plain words. Only messages that cannot carry the token are passed through. */
function dialProblem(error: Error & { readonly code?: unknown }): string {
  const known = typeof error.code === 'string' ? DIAL_PROBLEMS[error.code] : undefined;
  if (known !== undefined) return known;
  const status = /Unexpected server response: (\d{3})/.exec(error.message)?.[1];
  if (status !== undefined) return `the service answered ${status} instead of opening the socket`;
  if (error.message.includes('handshake has timed out'))
    return 'the service did not answer in time';
  if (error.message.includes('before the connection was established'))
    return 'dialling was called off';
  return `the connection failed (${typeof error.code === 'string' ? error.code : error.name})`;
}
