/**
 * A relay between a client and a server that can be cut, and stalled in either direction. Owns its sockets. Cut: what is
 * open is reset, and what is new as well. Stalled: all stay open, nothing passes, nothing is lost.
 */
import { once } from 'node:events';
import {
  connect,
  createServer,
  type ListenOptions,
  type NetConnectOpts,
  type Server,
  type Socket,
} from 'node:net';
import { Transform } from 'node:stream';

/** Lets bytes through, or keeps them until it is opened again as often as it was closed. */
class Gate {
  #closed = 0;
  #passing = Promise.withResolvers<undefined>();

  constructor() {
    this.#passing.resolve(undefined);
  }

  close(): void {
    this.#closed += 1;
    if (this.#closed === 1) this.#passing = Promise.withResolvers<undefined>();
  }

  open(): void {
    this.#closed -= 1;
    if (this.#closed === 0) this.#passing.resolve(undefined);
  }

  stream(): Transform {
    return new Transform({
      transform: (bytes: Buffer, _encoding, passed) => {
        void this.#passing.promise.then(() => passed(null, bytes));
      },
    });
  }
}

export class GateRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isShut = false;
  /** Towards the server, and back. */
  readonly requests = new Gate();
  readonly answers = new Gate();

  private constructor(target: NetConnectOpts) {
    // Half-open, as clients of an engine close their side of a hijacked connection early.
    this.#server = createServer({ allowHalfOpen: true }, (near) => {
      if (this.#isShut) {
        near.resetAndDestroy();
        return;
      }
      const far = connect({ ...target, allowHalfOpen: true });
      near.pipe(this.requests.stream()).pipe(far);
      far.pipe(this.answers.stream()).pipe(near);
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.#sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
    });
  }

  static async start(listen: ListenOptions, target: NetConnectOpts): Promise<GateRelay> {
    const relay = new GateRelay(target);
    relay.#server.listen(listen);
    await once(relay.#server, 'listening');
    return relay;
  }

  /** Of a TCP relay; 0 for one on a socket file. */
  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Resets what is open; new connections are reset too until `open`. */
  cut(): void {
    this.#isShut = true;
    for (const socket of this.#sockets) {
      if (this.port === 0) socket.destroy();
      else socket.resetAndDestroy();
    }
  }

  open(): void {
    this.#isShut = false;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
