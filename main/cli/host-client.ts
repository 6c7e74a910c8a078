/** The command's end of the local API: the same socket, frames and contract as the page's. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ACCESS_FILES } from '../api/access-files.ts';
import {
  hostFrameSchema,
  MAX_FRAME_BYTES,
  SOCKET_PATH,
  type HostFrame,
  type PageFrame,
} from '../contract/frames.ts';
import {
  REQUESTS,
  type RequestInput,
  type RequestName,
  type RequestResult,
} from '../contract/requests.ts';
import {
  TOPICS,
  type TopicName,
  type TopicParameters,
  type TopicView,
} from '../contract/topics.ts';
import { CONTRACT_VERSION } from '../contract/version.ts';
import { CommandError, EXIT } from './exit-codes.ts';

/** A host that does not even greet in this time is stopped or stuck. */
const GREETS_WITHIN_MS = 10_000;

/** It was there, and is not any more. */
export class HostGoneError extends CommandError {}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Watching {
  readonly value: (value: unknown) => void;
  readonly failed: (error: Error) => void;
}

export interface Watch {
  /** For a stream: the next stretch may come. */
  taken(): void;
  stop(): void;
}

export class HostClient {
  readonly #socket: WebSocket;
  readonly #ready = Promise.withResolvers<undefined>();
  readonly #requests = new Map<number, Waiting>();
  readonly #watches = new Map<number, Watching>();
  #nextId = 1;
  #end: Error | null = null;

  private constructor(url: string, token: string) {
    this.#socket = new WebSocket(url);
    this.#socket.addEventListener('open', () =>
      this.#send({ kind: 'authenticate', token, contract: CONTRACT_VERSION }),
    );
    this.#socket.addEventListener('message', ({ data }) => this.#receive(String(data)));
    this.#socket.addEventListener('close', () =>
      this.#ended(new HostGoneError('The host went away.')),
    );
    this.#socket.addEventListener('error', () => this.#ended(noHost()));
  }

  /** Throws CommandError where no host runs with this data folder, or it will not have us. */
  static async connect(dataDir: string): Promise<HostClient> {
    const [address, token] = await Promise.all(
      [ACCESS_FILES.address, ACCESS_FILES.token].map((name) =>
        readFile(join(dataDir, name), 'utf8').then(
          (text) => text.trim(),
          () => null,
        ),
      ),
    );
    if (address == null || token == null) throw noHost();
    const client = new HostClient(`${address.replace(/^http/, 'ws')}${SOCKET_PATH}`, token);
    const limit = AbortSignal.timeout(GREETS_WITHIN_MS);
    const giveUp = (): void => {
      client.#ended(new CommandError('The host does not answer. Stop it and start it again.'));
      client.close();
    };
    limit.addEventListener('abort', giveUp);
    await client.#ready.promise;
    limit.removeEventListener('abort', giveUp);
    return client;
  }

  async request<R extends RequestName>(name: R, input: RequestInput<R>): Promise<RequestResult<R>> {
    const id = this.#nextId++;
    if (this.#end !== null) throw this.#end;
    const frame: PageFrame = { kind: 'request', id, name, input };
    // The host would close the socket, which looks as if it had gone.
    if (Buffer.byteLength(JSON.stringify(frame)) > MAX_FRAME_BYTES)
      throw new CommandError('This is more than the host takes at once, which is 1 MiB.');
    const waiting = Promise.withResolvers<unknown>();
    this.#requests.set(id, waiting);
    this.#send(frame);
    return REQUESTS[name].result.parse(await waiting.promise) as RequestResult<R>;
  }

  /** `failed` also ends it when the host goes away. */
  watch<T extends TopicName>(
    topic: T,
    parameters: TopicParameters<T>,
    show: (view: TopicView<T>) => void,
    failed: (error: Error) => void,
  ): Watch {
    const id = this.#nextId++;
    this.#watches.set(id, {
      value: (value) => show(TOPICS[topic].view.parse(value) as TopicView<T>),
      failed,
    });
    if (this.#end === null) this.#send({ kind: 'watch', id, topic, parameters });
    else failed(this.#end);
    return {
      taken: () => this.#send({ kind: 'taken', id }),
      stop: () => {
        if (this.#watches.delete(id)) this.#send({ kind: 'unwatch', id });
      },
    };
  }

  /** The first value that passes. */
  until<T extends TopicName>(
    topic: T,
    parameters: TopicParameters<T>,
    passes: (view: TopicView<T>) => boolean = () => true,
  ): Promise<TopicView<T>> {
    return new Promise((resolve, reject) => {
      const watch = this.watch(
        topic,
        parameters,
        (view) => {
          if (!passes(view)) return;
          watch.stop();
          resolve(view);
        },
        reject,
      );
    });
  }

  close(): void {
    this.#socket.close();
  }

  #receive(text: string): void {
    const frame: HostFrame = hostFrameSchema.parse(JSON.parse(text));
    switch (frame.kind) {
      case 'ready':
        this.#ready.resolve(undefined);
        return;
      case 'refused':
        this.#ended(
          new CommandError(
            frame.problem.code === 'contract_mismatch'
              ? 'The running host is of another version than this command. Restart the host.'
              : frame.problem.message,
          ),
        );
        return;
      case 'result':
        this.#requests.get(frame.id)?.resolve(frame.result);
        this.#requests.delete(frame.id);
        return;
      case 'failed':
        this.#failed(frame);
        return;
      case 'value':
        this.#watches.get(frame.id)?.value(frame.value);
        return;
    }
  }

  #failed({ id, problem }: HostFrame & { kind: 'failed' }): void {
    const { message, remedy } = problem;
    const error = new CommandError(remedy === null ? message : `${message} ${remedy}`);
    this.#requests.get(id)?.reject(error);
    this.#requests.delete(id);
    this.#watches.get(id)?.failed(error);
    this.#watches.delete(id);
  }

  #send(frame: PageFrame): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  /** The first cause counts: a socket that is refused closes as well. */
  #ended(error: Error): void {
    if (this.#end !== null) return;
    this.#end = error;
    this.#ready.reject(error);
    for (const { reject } of this.#requests.values()) reject(error);
    for (const { failed } of this.#watches.values()) failed(error);
    this.#requests.clear();
    this.#watches.clear();
  }
}

function noHost(): CommandError {
  return new CommandError(
    'No host runs with this data folder. Start one with npm start, or name its folder with --data-dir.',
    EXIT.noHost,
  );
}
