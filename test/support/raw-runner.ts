/** A bare client of the runner's socket: sends whatever it is told to, keeps what it is sent in order. */
import { WebSocket } from 'ws';

/** A frame whose fields a test reads without a schema. */
export type Frame = Readonly<Record<string, unknown>>;

export interface Closed {
  readonly code: number;
}

export class RawRunner {
  readonly runnerId: string;
  readonly token: string;
  /** Set by who connected and read it. */
  hello: Frame = {};
  /** Every frame received so far, read or not. */
  readonly received: Frame[] = [];
  /** Resolves when the socket has closed; never rejects. */
  readonly closed: Promise<Closed>;
  readonly #socket: WebSocket;
  #read = 0;
  #saidGoodbye = false;
  #closedWith: Closed | undefined;
  #waiting: (() => void)[] = [];

  private constructor(socket: WebSocket, runnerId: string, token: string) {
    this.#socket = socket;
    this.runnerId = runnerId;
    this.token = token;
    socket.on('message', (data: Buffer) => {
      this.received.push(JSON.parse(data.toString('utf8')) as Frame);
      this.#wake();
    });
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.on('close', (code) => {
        this.#closedWith = { code };
        this.#wake();
        resolve({ code });
      });
    });
  }

  /** Resolves when the upgrade has succeeded, which says nothing of the token. Rejects when it is refused. */
  static connect(
    url: string,
    runnerId: string,
    token: string,
    how: 'header' | 'query' = 'header',
  ): Promise<RawRunner> {
    const address = new URL(`/api/v1/runners/${runnerId}/ws`, url.replace('http', 'ws'));
    if (how === 'query') address.searchParams.set('token', token);
    const headers = how === 'header' ? { 'X-Runner-Token': token } : {};
    const socket = new WebSocket(address, { headers, perMessageDeflate: false });
    const runner = new RawRunner(socket, runnerId, token);
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(runner));
      socket.once('error', reject);
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  send(frame: Frame): void {
    this.#socket.send(JSON.stringify(frame));
  }

  /** The last thing sent was an `unregister`, after whose reply the plane closes. */
  saidGoodbye(): boolean {
    return this.#saidGoodbye;
  }

  /** Sends bytes as they are, as a text or a binary message. */
  sendRaw(data: string | Buffer, binary = false): void {
    this.#saidGoodbye = typeof data === 'string' && data.includes('"type":"unregister"');
    this.#socket.send(data, { binary });
  }

  /** The next frame not read yet. Rejects when the socket closed without another one. */
  async next(): Promise<Frame> {
    for (;;) {
      const frame = this.received[this.#read];
      if (frame !== undefined) {
        this.#read++;
        return frame;
      }
      if (this.#closedWith !== undefined) {
        throw new Error(`the socket closed with ${this.#closedWith.code}, and no further frame`);
      }
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    }
  }

  /** The next frame of this type; frames of other types before it are passed over. */
  async nextOf(type: string): Promise<Frame> {
    for (;;) {
      const frame = await this.next();
      if (frame['type'] === type) return frame;
    }
  }

  /** Sends a frame and returns its reply: the next frame that is not pushed. */
  async ask(frame: Frame): Promise<Frame> {
    this.send(frame);
    for (;;) {
      const reply = await this.next();
      if (reply['type'] !== 'job' && reply['type'] !== 'halt') return reply;
    }
  }

  heartbeat(fields: Frame = {}): Promise<Frame> {
    return this.ask({ type: 'heartbeat', concurrency: 2, host_exec_profiles: [], ...fields });
  }

  status(executionId: unknown, status = 'RUNNING'): Promise<Frame> {
    return this.ask({ type: 'status', execution_id: executionId, status });
  }

  logs(executionId: unknown, lines: readonly string[], batchId?: unknown): Promise<Frame> {
    const batch = batchId === undefined ? {} : { batch_id: batchId };
    return this.ask({ type: 'logs', execution_id: executionId, lines, ...batch });
  }

  /** A `complete` as a Docker job's runner sends it; `fields` replace or add. */
  complete(executionId: unknown, fields: Frame = {}): Promise<Frame> {
    return this.ask({
      type: 'complete',
      execution_id: executionId,
      status: 'SUCCEEDED',
      error: '',
      exit_code: 0,
      result: { status: 'success' },
      launch_version: 1,
      completion_protocol: 'docker_v1',
      ...fields,
    });
  }

  /** Cuts the connection as a lost network would. */
  async cut(): Promise<void> {
    this.#socket.terminate();
    await this.closed;
  }

  async close(): Promise<void> {
    this.#socket.terminate();
    if (this.#socket.readyState !== WebSocket.CLOSED) await this.closed;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
