/**
 * A container's log as Docker's json-file driver keeps it: lines cut at 16,384 bytes, every piece with the
 * first piece's timestamp, both sources in one order. A line without its end is missing until the exit, and
 * streams opened before the exit end without it. What no engine does is left to the test: when streams
 * break, the clock is set back, or the oldest records go with a rotated file.
 */
import type { LogSource } from '../../runner-core/docker/container-log.ts';
import { formatInstant } from '../../runner-core/docker/log-instant.ts';
import type { OutputSource } from '../../runner-core/docker/stream-frames.ts';

const PIECE_BYTES = 16_384;
const HEADER_BYTES = 8;
const NS = 1_000_000_000n;

interface StoredPiece {
  readonly atNs: bigint;
  /** As a stream carries it. */
  readonly framed: Buffer;
}
interface Copier {
  held: Buffer;
  /** Instant of the open line's first piece; null between lines. */
  sinceNs: bigint | null;
}

export interface FakeLogOptions {
  /** Size of the next chunk of a stream; the default hands out at most 64 KiB. */
  readonly chunkBytes?: () => number;
  /** Awaited before every chunk. */
  readonly beforeChunk?: () => Promise<void>;
  /** How an instant is written; the default is the engine's fixed width. */
  readonly format?: (atNs: bigint) => string;
}

export class FakeLogSource implements LogSource {
  readonly opens: { readonly since: string | null; readonly tail: number | undefined }[] = [];
  /** Bytes handed out over all streams. */
  readBytes = 0;
  /** Streams opened and not ended. */
  openStreams = 0;
  nowNs = 1_700_000_000n * NS;
  /** Thrown by the next calls of `open`, one each. */
  readonly refusals: Error[] = [];
  readonly #options: FakeLogOptions;
  readonly #exit = Promise.withResolvers<number>();
  readonly #copiers: readonly [Copier, Copier] = [
    { held: Buffer.alloc(0), sinceNs: null },
    { held: Buffer.alloc(0), sinceNs: null },
  ];
  #pieces: StoredPiece[] = [];
  #dropped = 0;
  #exited = false;
  /** Streams opened before the exit see no more than so many pieces. */
  #seenBeforeExit = Number.POSITIVE_INFINITY;
  #breaks = 0;
  #change = Promise.withResolvers<undefined>();

  constructor(options: FakeLogOptions = {}) {
    this.#options = options;
  }

  /** The container's exit. */
  get exited(): Promise<number> {
    return this.#exit.promise;
  }

  /** What a process writes to one of its outputs. */
  write(source: OutputSource, output: string | Uint8Array): void {
    const copier = this.#copiers[source];
    let held = Buffer.concat([copier.held, Buffer.from(output)]);
    for (;;) {
      const lineEnd = held.subarray(0, PIECE_BYTES).indexOf('\n');
      if (lineEnd === -1 && held.length < PIECE_BYTES) break;
      const pieceBytes = lineEnd === -1 ? PIECE_BYTES : lineEnd + 1;
      this.#store(source, held.subarray(0, pieceBytes), lineEnd !== -1);
      held = held.subarray(pieceBytes);
    }
    copier.held = held;
    this.#changed();
  }

  /** `missed`: so many of the newest pieces are not seen by streams opened before. */
  exit(missed = 0): void {
    this.#seenBeforeExit = this.#dropped + this.#pieces.length - missed;
    for (const source of [0, 1] as const) {
      const { held } = this.#copiers[source];
      if (held.length > 0) this.#store(source, held, true);
    }
    this.#exited = true;
    this.#changed();
    this.#exit.resolve(0);
  }

  setClockBack(seconds: number): void {
    this.nowNs -= BigInt(seconds) * NS;
  }

  /** Every open stream fails. */
  breakStreams(): void {
    this.#breaks += 1;
    this.#changed();
  }

  /** The oldest pieces go, as with a rotated file. */
  dropOldest(pieces: number): void {
    this.#dropped += pieces;
    this.#pieces = this.#pieces.slice(pieces);
  }

  get pieces(): number {
    return this.#pieces.length;
  }

  open(
    _containerId: string,
    since: string | null,
    signal: AbortSignal,
    tail?: number,
  ): Promise<AsyncIterable<Uint8Array>> {
    this.opens.push({ since, tail });
    const refusal = this.refusals.shift();
    if (refusal !== undefined) return Promise.reject(refusal);
    signal.addEventListener('abort', () => this.#changed(), { once: true });
    return Promise.resolve(this.#stream(since, signal, tail));
  }

  async *#stream(
    since: string | null,
    signal: AbortSignal,
    tail: number | undefined,
  ): AsyncGenerator<Buffer> {
    const breaks = this.#breaks;
    const limit = this.#exited ? () => Number.POSITIVE_INFINITY : () => this.#seenBeforeExit;
    const sinceNs = since === null ? null : instantNs(since);
    let next = this.#dropped + Math.max(0, this.#pieces.length - (tail ?? this.#pieces.length));
    this.openStreams += 1;
    try {
      for (;;) {
        signal.throwIfAborted();
        if (this.#breaks !== breaks) throw new Error('the engine closed the connection');
        const to = Math.min(limit(), this.#dropped + this.#pieces.length);
        if (next < to) {
          const pieces = this.#pieces.slice(Math.max(0, next - this.#dropped), to - this.#dropped);
          next = to;
          yield* this.#chunks(pieces.filter(({ atNs }) => sinceNs === null || atNs >= sinceNs));
        } else if (this.#exited) {
          return;
        } else {
          await this.#change.promise;
        }
      }
    } finally {
      this.openStreams -= 1;
    }
  }

  async *#chunks(pieces: readonly StoredPiece[]): AsyncGenerator<Buffer> {
    const bytes = Buffer.concat(pieces.map(({ framed }) => framed));
    for (let at = 0; at < bytes.length;) {
      await this.#options.beforeChunk?.();
      const chunk = bytes.subarray(at, at + (this.#options.chunkBytes?.() ?? 65_536));
      at += chunk.length;
      this.readBytes += chunk.length;
      yield chunk;
    }
  }

  #store(source: OutputSource, text: Buffer, ends: boolean): void {
    const copier = this.#copiers[source];
    this.nowNs += 1_000n;
    copier.sinceNs ??= this.nowNs;
    const atNs = copier.sinceNs;
    const stamp = Buffer.from(`${(this.#options.format ?? fixedWidth)(atNs)} `);
    this.#pieces.push({ atNs, framed: frame(source, Buffer.concat([stamp, text])) });
    if (ends) copier.sinceNs = null;
  }

  #changed(): void {
    this.#change.resolve(undefined);
    this.#change = Promise.withResolvers();
  }
}

/** One frame of Docker's multiplexed stream. */
export function frame(source: OutputSource, payload: string | Uint8Array): Buffer {
  const bytes = Buffer.from(payload);
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = source + 1;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

export function fixedWidth(atNs: bigint): string {
  return formatInstant({ sec: Number(atNs / NS), ns: Number(atNs % NS) });
}

/** As engines other than Docker's write it: no zeros at the end of the fraction. */
export function trimmed(atNs: bigint): string {
  return fixedWidth(atNs).replace(/\.?0*Z$/, 'Z');
}

function instantNs(since: string): bigint {
  const [seconds = '', fraction = ''] = since.split('.');
  return BigInt(seconds) * NS + BigInt(fraction.padEnd(9, '0'));
}
