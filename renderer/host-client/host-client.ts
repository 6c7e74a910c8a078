/**
 * The one socket between page and host: signs in, asks, watches, and takes all of that up again after a
 * loss. Owns the connection's states; knows no React, and no words but those of its own failures. Every frame is parsed on arrival.
 */
import { hostFrameSchema, type HostFrame, type PageFrame } from '../../main/contract/frames.ts';
import {
  REQUESTS,
  type RequestInput,
  type RequestName,
  type RequestResult,
} from '../../main/contract/requests.ts';
import {
  TOPICS,
  type TopicName,
  type TopicParameters,
  type TopicView,
} from '../../main/contract/topics.ts';
import { CONTRACT_VERSION } from '../../main/contract/version.ts';
import { retryDelayMs, type Connection } from './connection.ts';
import { HostProblem } from './problem.ts';
import type { SignInResult } from './sign-in.ts';

/** A connected host is asked for a sign of life this often. */
export const PROOF_EVERY_MS = 10_000;
/** A host that owes an answer for this long counts as lost, although its socket is open. */
export const ANSWER_WITHIN_MS = 15_000;

/** The part of a WebSocket that is used here. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: (() => void) | null;
}

export interface HostClientPorts {
  readonly openSocket: () => Socket;
  readonly signIn: () => Promise<SignInResult>;
  readonly forgetToken: () => void;
  /** Loads the page anew, once for this contract of the host; false where that was tried. */
  readonly reloadOnce: (hostContract: number) => boolean;
  readonly nowMs: () => number;
  /** Runs once after the delay, unless the returned function is called first. */
  readonly after: (delayMs: number, run: () => void) => () => void;
  readonly fraction: () => number;
}

export type Unwatch = () => void;

interface Asked {
  readonly take: (result: unknown) => void;
  readonly fail: (error: HostProblem) => void;
}

interface Watch {
  readonly topic: TopicName;
  readonly parameters: () => unknown;
  readonly take: (value: unknown) => void;
  readonly fail: (problem: HostProblem) => void;
}

const lost = (): HostProblem =>
  new HostProblem({
    code: 'connection_lost',
    message: 'The connection to the app was lost before it answered.',
    remedy: null,
    field: null,
  });
const unreadable = (what: string): HostProblem =>
  new HostProblem({
    code: 'unreadable_answer',
    message: `The app sent something this page cannot read (${what}).`,
    remedy: 'Reload the page.',
    field: null,
  });

export class HostClient {
  readonly #ports: HostClientPorts;
  readonly #asked = new Map<number, Asked>();
  readonly #watches = new Map<number, Watch>();
  readonly #listeners = new Set<() => void>();
  #connection: Connection;
  #lastAnswerMs: number | null = null;
  #socket: Socket | undefined;
  #token = '';
  #nextId = 1;
  #failedTries = 0;
  #cancelRetry: (() => void) | undefined;
  #cancelProof: (() => void) | undefined;

  constructor(ports: HostClientPorts) {
    this.#ports = ports;
    this.#connection = { kind: 'connecting', sinceMs: ports.nowMs() };
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** When the host last sent anything; null before the first time. */
  get lastAnswerMs(): number | null {
    return this.#lastAnswerMs;
  }

  /** Calls `changed` after each change of `connection` or `lastAnswerMs`. */
  onChange(changed: () => void): Unwatch {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  }

  /** Signs in and connects. Also what *Try now* does. */
  async connect(): Promise<void> {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    if (this.#connection.kind === 'connected') return;
    // One that was never answered may hang for minutes: a try by hand does not wait for it.
    this.#drop();
    const result = await this.#ports.signIn();
    if (result.kind === 'signed_out') {
      this.#become({ kind: 'signed_out', why: result.why });
      return;
    }
    if (result.kind === 'unreachable') {
      this.#retryLater();
      return;
    }
    this.#token = result.token;
    this.#open();
  }

  /** Rejects with a HostProblem: what the host said, or that the connection was lost. */
  request<R extends RequestName>(name: R, input: RequestInput<R>): Promise<RequestResult<R>> {
    if (this.#connection.kind !== 'connected') return Promise.reject(lost());
    const id = this.#takeId();
    return new Promise((resolve, reject) => {
      const take = (result: unknown): void => {
        const parsed = REQUESTS[name].result.safeParse(result);
        // The map pairs this name with this schema; TypeScript cannot follow that through a union.
        if (parsed.success) resolve(parsed.data as RequestResult<R>);
        else reject(unreadable(name));
      };
      this.#asked.set(id, { take, fail: reject });
      this.#send({ kind: 'request', id, name, input });
    });
  }

  /** `take` gets the value now and at each change, also after a reconnect. */
  watch<T extends Exclude<TopicName, 'job_log'>>(
    topic: T,
    parameters: TopicParameters<T>,
    take: (view: TopicView<T>) => void,
    fail: (problem: HostProblem) => void = () => undefined,
  ): Unwatch {
    return this.#addWatch({
      topic,
      parameters: () => parameters,
      take: (value) => {
        const parsed = TOPICS[topic].view.safeParse(value);
        if (parsed.success) take(parsed.data as TopicView<T>);
        else fail(unreadable(topic));
      },
      fail,
    });
  }

  /**
   * Follows a job's log from a record on. The next page comes once `take` has returned, or what it
   * returned has resolved. After a reconnect it goes on behind the last record taken.
   */
  watchLog(
    jobId: string,
    fromRecord: number,
    take: (page: TopicView<'job_log'>) => void | Promise<void>,
    fail: (problem: HostProblem) => void = () => undefined,
  ): Unwatch {
    let next = fromRecord;
    let stopped = false;
    const id = this.#takeId();
    const unwatch = this.#addWatch(
      {
        topic: 'job_log',
        parameters: () => ({ jobId, fromRecord: next }),
        take: (value) => {
          const parsed = TOPICS.job_log.view.safeParse(value);
          if (!parsed.success) {
            fail(unreadable('job_log'));
            return;
          }
          const socket = this.#socket;
          next = parsed.data.nextRecord;
          void Promise.resolve(take(parsed.data)).then(() => {
            if (!stopped && socket === this.#socket) this.#send({ kind: 'taken', id });
          });
        },
        fail,
      },
      id,
    );
    return () => {
      stopped = true;
      unwatch();
    };
  }

  #takeId(): number {
    return this.#nextId++;
  }

  #addWatch(watch: Watch, id = this.#takeId()): Unwatch {
    this.#watches.set(id, watch);
    if (this.#connection.kind === 'connected') this.#sendWatch(id, watch);
    return () => {
      if (this.#watches.delete(id) && this.#connection.kind === 'connected')
        this.#send({ kind: 'unwatch', id });
    };
  }

  #sendWatch(id: number, watch: Watch): void {
    this.#send({ kind: 'watch', id, topic: watch.topic, parameters: watch.parameters() });
  }

  #send(frame: PageFrame): void {
    this.#socket?.send(JSON.stringify(frame));
  }

  #open(): void {
    // While one was signing in, another may have opened it: *Try now* and the retry can meet.
    if (this.#socket !== undefined) return;
    const socket = this.#ports.openSocket();
    this.#socket = socket;
    const current = (act: () => void) => () => {
      if (this.#socket === socket) act();
    };
    socket.onopen = current(() =>
      this.#send({ kind: 'authenticate', token: this.#token, contract: CONTRACT_VERSION }),
    );
    socket.onmessage = (event) => {
      if (this.#socket === socket) this.#receive(event.data);
    };
    socket.onclose = current(() => this.#closed());
  }

  #receive(data: unknown): void {
    const frame = parseFrame(data);
    this.#lastAnswerMs = this.#ports.nowMs();
    if (frame === undefined) this.#closed();
    else this.#act(frame);
    this.#tell();
  }

  #act(frame: HostFrame): void {
    if (frame.kind === 'ready') this.#ready(frame.contract, frame.version);
    else if (frame.kind === 'refused') this.#refused(frame.problem.code, frame.contract);
    else if (frame.kind === 'value') this.#watches.get(frame.id)?.take(frame.value);
    else if (frame.kind === 'result') {
      const asked = this.#asked.get(frame.id);
      this.#asked.delete(frame.id);
      asked?.take(frame.result);
    } else {
      const problem = new HostProblem(frame.problem);
      this.#asked.get(frame.id)?.fail(problem);
      this.#asked.delete(frame.id);
      this.#watches.get(frame.id)?.fail(problem);
    }
  }

  #ready(contract: number, version: string): void {
    if (contract !== CONTRACT_VERSION) {
      this.#wrongVersion(contract);
      return;
    }
    this.#failedTries = 0;
    this.#become({ kind: 'connected', sinceMs: this.#ports.nowMs(), version });
    for (const [id, watch] of this.#watches) this.#sendWatch(id, watch);
    this.#proveLater();
  }

  #refused(code: string, hostContract: number): void {
    if (code === 'contract_mismatch') {
      this.#wrongVersion(hostContract);
      return;
    }
    this.#drop();
    if (code === 'unauthenticated') {
      this.#ports.forgetToken();
      this.#become({ kind: 'signed_out', why: 'token_refused' });
    } else this.#retryLater();
  }

  #wrongVersion(host: number): void {
    this.#drop();
    if (this.#ports.reloadOnce(host)) return;
    this.#become({ kind: 'wrong_version', page: CONTRACT_VERSION, host });
  }

  #closed(): void {
    this.#drop();
    this.#retryLater();
  }

  /** Lets go of the socket; nothing it says is heard any more. */
  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#cancelProof?.();
    socket?.close();
    for (const asked of this.#asked.values()) asked.fail(lost());
    this.#asked.clear();
  }

  #retryLater(): void {
    const nowMs = this.#ports.nowMs();
    const delayMs = retryDelayMs(this.#failedTries, this.#ports.fraction());
    this.#failedTries += 1;
    const sinceMs = this.#connection.kind === 'lost' ? this.#connection.sinceMs : nowMs;
    this.#cancelRetry?.();
    this.#cancelRetry = this.#ports.after(delayMs, () => void this.connect());
    this.#become({ kind: 'lost', sinceMs, retryAtMs: nowMs + delayMs });
  }

  /** A quiet host is asked for its smallest view; silence then means that it is gone. */
  #proveLater(): void {
    this.#cancelProof = this.#ports.after(PROOF_EVERY_MS, () => {
      const askedAtMs = this.#ports.nowMs();
      const id = this.#takeId();
      this.#send({ kind: 'watch', id, topic: 'jobs', parameters: {} });
      this.#send({ kind: 'unwatch', id });
      this.#cancelProof = this.#ports.after(ANSWER_WITHIN_MS - PROOF_EVERY_MS, () => {
        if ((this.#lastAnswerMs ?? 0) < askedAtMs) this.#closed();
        else this.#proveLater();
      });
    });
  }

  #become(connection: Connection): void {
    this.#connection = connection;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function parseFrame(data: unknown): HostFrame | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    return hostFrameSchema.parse(JSON.parse(data));
  } catch {
    return undefined;
  }
}
