/** An HTTP server on a socket of its own that answers like an engine: for what only a real connection shows. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { EngineAddress } from '../../runner-core/worker/protocol.ts';
import { tempDir } from './temp-dir.ts';

export interface EngineRequest {
  /** Method and path with query, for example `GET /version`. */
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
export type Answer = (request: EngineRequest, response: ServerResponse) => void;

export const json =
  (status: number, value: unknown): Answer =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(value));
export const nothing =
  (status: number): Answer =>
  (_, response) =>
    void response.writeHead(status).end();
/** Takes the request and never answers. */
export const silence: Answer = () => undefined;

export class EngineServer {
  readonly address: EngineAddress;
  readonly requests: EngineRequest[] = [];
  readonly listening: Promise<undefined>;
  #connections = 0;
  readonly #answers: readonly (readonly [RegExp, Answer])[];
  #arrivals: { readonly pattern: RegExp; readonly arrived: () => void }[] = [];

  /** The first pattern that matches a request's line answers it; none: 404. */
  constructor(answers: readonly (readonly [RegExp, Answer])[]) {
    this.#answers = answers;
    const path = join(tempDir(), 'engine.sock');
    this.address = { kind: 'socket', path };
    const server = createServer((request, response) => this.#take(request, response));
    server.on('connection', () => (this.#connections += 1));
    const { promise, resolve } = Promise.withResolvers<undefined>();
    server.listen(path, () => resolve(undefined));
    this.listening = promise;
    onTestFinished(async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    });
  }

  get connections(): number {
    return this.#connections;
  }

  /** Resolves when a request like this has come, past or to come. */
  async request(pattern: RegExp): Promise<EngineRequest> {
    const seen = (): EngineRequest | undefined =>
      this.requests.find(({ line }) => pattern.test(line));
    const request = seen();
    if (request !== undefined) return request;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#arrivals.push({ pattern, arrived: () => resolve(undefined) });
    await promise;
    return seen() ?? this.request(pattern);
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const line = `${request.method ?? ''} ${request.url ?? ''}`;
      const taken = { line, headers: request.headers, body: Buffer.concat(pieces).toString() };
      this.requests.push(taken);
      const answer = this.#answers.find(([pattern]) => pattern.test(line))?.[1];
      (answer ?? json(404, { message: 'page not found' }))(taken, response);
      for (const { pattern, arrived } of this.#arrivals) if (pattern.test(line)) arrived();
    });
  }
}
