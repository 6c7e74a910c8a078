/**
 * A long answer of an engine as plain bytes. Asked for as HTTP/1.0, which has no chunked encoding: as
 * HTTP/1.1 an engine wraps every record of a log in a chunk of its own, and taking those apart costs a
 * worker half of its processor time (measured: 2.3 s instead of 4.7 s for a million lines).
 */
import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { EngineAddress } from '../worker/protocol.ts';

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const MAX_HEAD_BYTES = 65_536;
const MAX_PROBLEM_BYTES = 16_384;
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})/;

export interface TlsFiles {
  /** Left out: the authorities Node trusts. */
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** As docker-modem has it, so that both are told apart alike. */
export class PlainAnswerError extends Error {
  readonly statusCode: number;
  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/**
 * Resolves with the body once the head has come with status 200; it ends with the connection. Rejects
 * with PlainAnswerError for another status, with the socket's error, or with the signal's reason.
 *
 * @param path with query, encoded
 */
export function openPlainStream(
  address: EngineAddress,
  tls: TlsFiles | null,
  path: string,
  signal: AbortSignal,
): Promise<Readable> {
  return new Promise((resolve, reject) => {
    const socket = connectTo(address, tls);
    const cutOff = (): void => void socket.destroy(signal.reason as Error);
    if (signal.aborted) cutOff();
    signal.addEventListener('abort', cutOff, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', cutOff));
    const head = new AnswerHead();
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    const early = (): void => fail(new Error('the engine closed the connection without an answer'));
    const look = (): void => {
      for (let bytes = read(socket); bytes !== null; bytes = read(socket)) {
        const rest = head.take(bytes);
        if (rest === 'incomplete') continue;
        socket.off('readable', look);
        socket.off('end', early);
        if (rest === 'malformed') fail(new Error('the answer of the engine is no HTTP'));
        else if (head.status !== 200)
          void problemOf(socket, rest).then((text) =>
            fail(new PlainAnswerError(head.status, text)),
          );
        else {
          socket.off('error', fail);
          // Its reader is told as well; one that is not reading yet must not bring the worker down.
          socket.on('error', () => undefined);
          if (rest.length > 0) socket.unshift(rest);
          resolve(socket);
        }
        return;
      }
    };
    socket.once('error', fail);
    socket.once('end', early);
    socket.on('readable', look);
    socket.write(`GET ${path} HTTP/1.0\r\nHost: docker\r\n\r\n`);
  });
}

function connectTo(address: EngineAddress, tls: TlsFiles | null): Socket {
  if (address.kind === 'socket') return connect({ path: address.path });
  const { host, port } = address;
  return tls === null ? connect({ host, port }) : connectTls({ host, port, ...tls });
}

function read(socket: Socket): Buffer | null {
  return socket.read() as Buffer | null;
}

class AnswerHead {
  #bytes = Buffer.alloc(0);
  status = 0;

  /** What follows the head, once it is whole. */
  take(bytes: Buffer): Buffer | 'incomplete' | 'malformed' {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    const end = this.#bytes.indexOf(END_OF_HEAD);
    if (end === -1) return this.#bytes.length > MAX_HEAD_BYTES ? 'malformed' : 'incomplete';
    const text = this.#bytes.toString('latin1', 0, end);
    const status = STATUS_LINE.exec(text)?.[1];
    // Something between us and the engine that chunks all the same would end in garbage.
    if (status === undefined || /^transfer-encoding:/im.test(text)) return 'malformed';
    this.status = Number(status);
    return this.#bytes.subarray(end + END_OF_HEAD.length);
  }
}

/** The engine's own words, from a body like {"message":"…"}. */
async function problemOf(socket: Socket, start: Buffer): Promise<string> {
  let bytes = start;
  try {
    for await (const more of socket as AsyncIterable<Buffer>) {
      bytes = Buffer.concat([bytes, more]);
      if (bytes.length > MAX_PROBLEM_BYTES) break;
    }
    const { message } = JSON.parse(bytes.toString('utf8')) as { readonly message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // What came is told below.
  }
  return bytes.toString('utf8').slice(0, 200);
}
