/**
 * Output of a local command to masked, numbered, compressed chunks; what came on stderr is marked. Its source can be
 * neither read again nor asked to wait elsewhere, so there is no cursor: while the listener lags, the reader of the
 * pipes is asked to wait, and with it the command. What exceeds the limit is counted, never a failure.
 */
import { ChunkBuilder } from '../log/chunk-builder.ts';
import { Utf8Lines } from '../log/utf8-lines.ts';
import { CHUNK_MAX_AGE_MS, MAX_CHUNKS_IN_FLIGHT, RECORD_FLAG } from '../model/log-chunk.ts';
import type { Clock, Timer } from '../ports.ts';
import { CollectAfter } from '../process/collect-after.ts';
import { OutputTail } from './output-tail.ts';
import type { FromWorker } from './protocol.ts';
import type { SecretMask } from './secret-mask.ts';

/** A listener that cannot store ends its jobs; this is for one that fell silent. */
const STORED_MS = 60_000;
/** Pieces that make one chunk no larger than is good to hold. */
const PIECE_BYTES = 65_536;
const COLLECT_EVERY_BYTES = 4 * 2 ** 20;

export type HostStream = 'stdout' | 'stderr';

export interface HostLogDeps {
  readonly clock: Clock;
  readonly mask: SecretMask;
  /** 0: no limit. */
  readonly maxLogBytes: number;
  readonly emit: (message: Extract<FromWorker, { kind: 'log' }>) => void;
}

export class HostLog {
  readonly #deps: HostLogDeps;
  readonly #builder: ChunkBuilder;
  readonly #lines: Readonly<Record<HostStream, Utf8Lines>>;
  readonly #garbage = new CollectAfter(COLLECT_EVERY_BYTES);
  #usedBytes = 0;
  #leftOutBytes = 0;
  #nextSeq = 1;
  #nextLine = 0;
  #storedSeq = 0;
  #age: Timer | null = null;
  #waiting: (() => void)[] = [];

  constructor(deps: HostLogDeps) {
    this.#deps = deps;
    this.#builder = new ChunkBuilder(deps.mask);
    this.#lines = { stdout: this.#source(0), stderr: this.#source(RECORD_FLAG.stderr) };
  }

  /** Bytes as they came, cut anywhere; they are only looked at during the call. */
  push(stream: HostStream, bytes: Buffer): void {
    this.#garbage.took(bytes.length);
    const { maxLogBytes } = this.#deps;
    const room = maxLogBytes <= 0 ? bytes.length : Math.max(0, maxLogBytes - this.#usedBytes);
    const kept = bytes.subarray(0, room);
    this.#usedBytes += kept.length;
    this.#leftOutBytes += bytes.length - kept.length;
    for (let at = 0; at < kept.length; at += PIECE_BYTES) {
      this.#lines[stream].push(kept.subarray(at, at + PIECE_BYTES));
      if (this.#builder.full) this.#send();
    }
    if (kept.length < bytes.length) this.#lines[stream].cut();
    this.#sendSoon();
  }

  /** For how an output ended, masked as the log is and whatever its limit; one for each start of the command. */
  tail(maxChars: number): OutputTail {
    return new OutputTail(this.#deps.mask, maxChars);
  }

  /** A line of our own. */
  note(text: string): void {
    const bytes = Buffer.from(`[runner] ${text}`);
    this.#builder.add(bytes, 0, bytes.length, 0, this.#deps.clock.nowMs());
    this.#sendSoon();
  }

  /** Nothing more comes: what is open becomes a line. */
  end(): void {
    for (const lines of [this.#lines.stdout, this.#lines.stderr]) lines.end();
    if (this.#leftOutBytes > 0)
      this.note(
        `The log limit of ${this.#deps.maxLogBytes} bytes was reached: ${this.#leftOutBytes} bytes were left out`,
      );
    this.#send();
  }

  /** Undefined while there is room; else resolves when there is again. */
  room(): Promise<void> | undefined {
    if (!this.#isFull) return undefined;
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  /** The listener has stored all chunks up to this one. */
  stored(throughSeq: number): void {
    this.#storedSeq = Math.max(this.#storedSeq, throughSeq);
    if (!this.#isFull) for (const go of this.#waiting.splice(0)) go();
    this.#onStored?.();
  }

  /** Resolves when the listener has stored all chunks, or gave no sign of it for a minute. */
  async allStored(): Promise<void> {
    while (this.#storedSeq < this.#nextSeq - 1) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      this.#onStored = () => resolve(true);
      const limit = this.#deps.clock.after(STORED_MS, () => resolve(false));
      const isHeard = await promise;
      limit.cancel();
      if (!isHeard) return;
    }
  }

  #onStored: (() => void) | undefined;

  get #isFull(): boolean {
    return this.#nextSeq - 1 - this.#storedSeq >= MAX_CHUNKS_IN_FLIGHT;
  }

  #source(flag: number): Utf8Lines {
    return new Utf8Lines((bytes, start, end, flags) => {
      this.#builder.add(bytes, start, end, flags | flag, this.#deps.clock.nowMs());
    }, this.#deps.mask.lineMask());
  }

  #sendSoon(): void {
    if (this.#builder.records === 0) return;
    this.#age ??= this.#deps.clock.after(CHUNK_MAX_AGE_MS, () => this.#send());
  }

  #send(): void {
    this.#age?.cancel();
    this.#age = null;
    if (this.#builder.records === 0) return;
    const { chunk } = this.#builder.close(this.#nextSeq, this.#nextLine);
    this.#nextSeq += 1;
    this.#nextLine += chunk.lines;
    this.#deps.emit({ kind: 'log', chunks: [chunk], cursor: null, markers: [] });
  }
}
