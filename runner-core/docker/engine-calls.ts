/**
 * One call to an engine through dockerode's transport: time limit, abort, one repeat over a connection that
 * the engine had closed, and every failure as EngineError. dockerode's own methods are not used: they have
 * no time limits, turn `since` into a number, and demultiplex by recursion.
 */
import { readFile } from 'node:fs/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import Docker from 'dockerode';
import type { Clock } from '../ports.ts';
import type { EngineAddress } from '../worker/protocol.ts';
import { EngineError, type EngineErrorKind } from './docker-engine.ts';
import { openPlainStream, type TlsFiles } from './plain-stream.ts';
import type { RegistryCredentials } from './registry-auth.ts';

export interface EngineCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query, encoded. */
  readonly path: string;
  readonly body?: object;
  readonly credentials?: RegistryCredentials;
  /** Null: as long as it takes. For a stream it covers the time until its head. */
  readonly timeoutMs: number | null;
  readonly signal?: AbortSignal;
  readonly expect: readonly number[];
}

/** The part of docker-modem we call; its own types say `any`. */
interface Modem {
  dial(options: object, done: (error: unknown, answer: unknown) => void): void;
}

/** Makes calls to one engine over kept-alive connections. Opens none before the first call. */
export class EngineCaller {
  readonly #address: EngineAddress;
  readonly #clock: Clock;
  readonly #agent: HttpAgent | HttpsAgent;
  #modem: Modem | undefined;
  readonly #closing = new AbortController();

  constructor(address: EngineAddress, clock: Clock, agent = agentFor(address)) {
    this.#address = address;
    this.#clock = clock;
    this.#agent = agent;
    // docker-modem formats its whole request for a debug line nobody reads, this agent and every
    // socket of it included: 10 to 40 ms a call.
    Object.assign(this.#agent, { [inspect.custom]: () => 'Agent' });
  }

  /** The parsed answer; undefined for an empty one. */
  async json(call: EngineCall): Promise<unknown> {
    try {
      return await this.#once(call, readJson);
    } catch (error) {
      if (call.method === 'POST' || !isStaleConnection(error)) throw error;
      return await this.#once(call, readJson);
    }
  }

  /** The answer as it comes. */
  stream(call: EngineCall): Promise<Readable> {
    return this.#once(call, (stream) => Promise.resolve(stream));
  }

  /** A GET's answer as plain bytes, over a connection of its own; see `plain-stream.ts`. */
  plainStream(call: EngineCall): Promise<Readable> {
    return this.#limited(call, async (limit) => {
      const address = this.#address;
      const secure = address.kind === 'tcp' && address.tlsDir !== null;
      const tls = secure ? await readTls(address.tlsDir) : null;
      const signal =
        call.signal === undefined
          ? AbortSignal.any([limit, this.#closing.signal])
          : AbortSignal.any([limit, call.signal, this.#closing.signal]);
      return openPlainStream(address, tls, call.path, signal);
    });
  }

  /** Ends idle connections and open streams. */
  close(): void {
    this.#closing.abort(new Error('the connection to the engine was closed'));
    this.#agent.destroy();
  }

  #once<T>(call: EngineCall, read: (stream: Readable) => Promise<T>): Promise<T> {
    return this.#limited(call, async (limit) => {
      const modem = (this.#modem ??= await this.#connectable());
      return read(await dial(modem, call, limit));
    });
  }

  async #limited<T>(call: EngineCall, act: (limit: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const { timeoutMs } = call;
    const timer =
      timeoutMs === null ? undefined : this.#clock.after(timeoutMs, () => limit.abort());
    try {
      return await act(limit.signal);
    } catch (error) {
      if (call.signal?.aborted === true) throw call.signal.reason;
      if (limit.signal.aborted) {
        const facts = { statusCode: null, kind: 'timeout' } as const;
        throw new EngineError(facts, `no answer within ${String(timeoutMs)} ms`);
      }
      throw toEngineError(error);
    } finally {
      timer?.cancel();
    }
  }

  async #connectable(): Promise<Modem> {
    try {
      return new Docker(await this.#options()).modem;
    } catch (error) {
      throw toEngineError(error);
    }
  }

  /** Every field is named, for docker-modem fills the others from DOCKER_HOST and its kin. */
  async #options(): Promise<Docker.DockerOptions> {
    const address = this.#address;
    const fixed = { agent: this.#agent, pathPrefix: '/', headers: {} };
    if (address.kind === 'socket') {
      const blank = { host: undefined, port: undefined, ca: undefined, cert: undefined };
      const more = { key: undefined, timeout: undefined, protocol: 'http' };
      return { ...fixed, ...blank, ...more, socketPath: address.path } as Docker.DockerOptions;
    }
    const { host, port, tlsDir } = address;
    const tls =
      tlsDir === null
        ? { protocol: 'http' as const }
        : { ...(await readTls(tlsDir)), protocol: 'https' as const };
    return { ...fixed, ...tls, host, port, timeout: undefined };
  }
}

function agentFor(address: EngineAddress): HttpAgent | HttpsAgent {
  const isSecure = address.kind === 'tcp' && address.tlsDir !== null;
  return isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
}

/** A context may have an authority and no certificate of its own, or the other way round. */
async function readTls(folder: string): Promise<TlsFiles> {
  const read = async (name: string): Promise<Buffer | undefined> => {
    try {
      return await readFile(join(folder, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  };
  const [ca, cert, key] = await Promise.all([read('ca.pem'), read('cert.pem'), read('key.pem')]);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}

/**
 * The answer as a stream, always: docker-modem's own reading of whole answers never calls back when one
 * breaks off half-way, which is what a wait does when its engine restarts.
 */
function dial(modem: Modem, call: EngineCall, limit: AbortSignal): Promise<Readable> {
  return new Promise((resolve, reject) => {
    const options = {
      method: call.method,
      path: call.path,
      // docker-modem takes the last character of a path with a query away unless it has options.
      options: { _query: {}, _body: call.body ?? {} },
      ...(call.credentials === undefined ? {} : { authconfig: call.credentials }),
      isStream: true,
      statusCodes: Object.fromEntries(call.expect.map((status) => [status, true])),
      abortSignal: call.signal === undefined ? limit : AbortSignal.any([limit, call.signal]),
    };
    modem.dial(options, (error, answer) => {
      if (error === null || error === undefined) resolve(answer as Readable);
      else reject(error instanceof Error ? error : new Error('the engine call failed'));
    });
  });
}

async function readJson(stream: Readable): Promise<unknown> {
  const body = await text(stream);
  if (body.trim() === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    const facts = { statusCode: 200, kind: 'refused' } as const;
    throw new EngineError(facts, 'the engine answered with something that is no JSON');
  }
}

interface CallFailure {
  readonly code?: unknown;
  readonly statusCode?: unknown;
  readonly message: string;
}

function isStaleConnection(error: unknown): boolean {
  const code = ((error as Error).cause as CallFailure | undefined)?.code;
  return code === 'ECONNRESET' || code === 'EPIPE';
}

const KIND_OF_STATUS: Readonly<Record<number, EngineErrorKind>> = {
  400: 'bad_request',
  403: 'denied',
  404: 'not_found',
  409: 'conflict',
};

function toEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const { statusCode, message, code } = error as CallFailure;
  if (typeof statusCode === 'number') {
    const kind = KIND_OF_STATUS[statusCode] ?? 'refused';
    const said = message.replace(/^\(HTTP code \d+\) \w+ - /, '');
    return new EngineError({ statusCode, kind }, said);
  }
  const denied = code === 'EACCES' || code === 'EPERM';
  const facts = { statusCode: null, kind: denied ? 'denied' : 'away' } as const;
  return new EngineError(facts, typeof code === 'string' ? code : message, { cause: error });
}
