/**
 * The outbound WebSocket to the service. Owns dialling, parsing and the write deadline; when to dial,
 * what to send and what a frame means is the listener's.
 */
import type { ClientRequest } from 'node:http';
import { WebSocket } from 'ws';
import { NetworkError, type NetworkProblem } from '../../runner-core/model/network-problem.ts';
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
import type { Dial, ServiceRoute } from './service-route.ts';

/** Until the connection is there, through a proxy and with its encryption. A network that swallows packets takes for ever. */
const CONNECT_TIMEOUT_MS = 15_000;
/** From then on, until the service has opened the socket. */
const HANDSHAKE_TIMEOUT_MS = 30_000;
/** A frame the operating system has not taken within this time ends the session. */
const WRITE_DEADLINE_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;
/** RFC 6455, 7.4.1: never sent; stands for a connection that ended without a close frame. */
const CLOSED_WITHOUT_A_WORD = 1006;
/** The service itself is believed to stop at 16 MiB; a `hello` with 32 full launches stays below. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

export class WebSocketControlPlane implements ControlPlane {
  readonly #options: WebSocketControlPlaneOptions;

  constructor(options: WebSocketControlPlaneOptions) {
    this.#options = options;
  }

  open(
    identity: RunnerIdentity,
    events: SessionEvents,
    signal: AbortSignal,
  ): Promise<ControlSession> {
    const { clock, log, route, serverUrl } = this.#options;
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(new Error('dialling was called off'));
        return;
      }
      const url = socketUrl(serverUrl, identity.runnerId);
      const dial = route.dial(new URL(url.replace(/^ws/, 'http')));
      let timer = clock.after(CONNECT_TIMEOUT_MS, () => fail(dial.timedOut()));
      const connected = (): void => {
        timer.cancel();
        timer = clock.after(HANDSHAKE_TIMEOUT_MS, () => fail(dial.timedOut()));
      };
      const socket = dialled(url, identity, dial, connected);
      // The service speaks first, perhaps in the very packet that ends the handshake: listen before that.
      const session = new WebSocketSession(socket, events, clock, log);
      const settle = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', callOff);
      };
      const callOff = (): void => {
        settle();
        reject(new Error('dialling was called off'));
        dial.giveUp();
        socket.terminate();
      };
      const fail = (problem: NetworkProblem): void => {
        settle();
        reject(new NetworkError(problem));
        dial.giveUp();
        socket.terminate();
      };
      const failed = (error: Error): void => fail(dial.problem(error));
      signal.addEventListener('abort', callOff, { once: true });
      socket.on('upgrade', ({ headers }) => void dial.answered(headers));
      socket.on('unexpected-response', (_request, { headers, statusCode = 0 }) =>
        fail(dial.answered(headers) ?? { code: 'answered', status: statusCode }),
      );
      socket.on('error', failed);
      socket.once('open', () => {
        settle();
        session.opened();
        socket.off('error', failed);
        resolve(session);
      });
    });
  }
}

export interface WebSocketControlPlaneOptions {
  readonly serverUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly route: ServiceRoute;
}

function dialled(
  url: string,
  identity: RunnerIdentity,
  dial: Dial,
  connected: () => void,
): WebSocket {
  return new WebSocket(url, {
    headers: { 'X-Runner-Token': identity.token, 'User-Agent': 'preloop-runner-host' },
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    ...dial.options,
    finishRequest: (request: ClientRequest) => {
      dial.follow(request, connected);
      request.end();
    },
  });
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
      this.#cause ??= breakProblem(error);
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

/** The error in plain words. Only what cannot carry the token is passed through. */
function breakProblem(error: Error & { readonly code?: unknown }): string {
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return 'the connection was reset';
  if (error.code === 'ETIMEDOUT') return 'the service did not answer in time';
  return `the connection failed (${typeof error.code === 'string' ? error.code : error.name})`;
}
