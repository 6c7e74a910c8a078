/**
 * A container's log to masked, numbered, compressed chunks with the cursor each ends at. Slows the source
 * while the listener lags. Keeps the result envelopes out of the log, and the log within its limit.
 *
 * After a restart the records before the cursor are read once more, since the log is read from its start
 * anyway (`container-log.ts`): that is how envelopes seen before are found again without ever having been
 * stored, how the limit goes on where it was, and how a failed set-up is not forgotten.
 */
import { ContainerLog, type LogSource } from '../docker/container-log.ts';
import type { OutputSource } from '../docker/stream-frames.ts';
import { ChunkBuilder } from '../log/chunk-builder.ts';
import {
  CHUNK_MAX_AGE_MS,
  MAX_CHUNKS_IN_FLIGHT,
  RECORD_FLAG,
  type LogChunk,
  type LogCursor,
} from '../model/log-chunk.ts';
import type { Clock, Timer } from '../ports.ts';
import { MARKER_HINT, readMarker, type JobMarker } from '../wire/markers.ts';
import { KEPT_ENVELOPES } from '../wire/result-envelope.ts';
import type { FromWorker } from './protocol.ts';
import type { SecretMask } from './secret-mask.ts';
import { LogBudget, SourceLines, type LineTaker } from './source-lines.ts';

export interface LogPipelineDeps {
  readonly clock: Clock;
  readonly source: LogSource;
  readonly containerId: string;
  /** Where an earlier worker left off; null for a new container. */
  readonly cursor: LogCursor | null;
  readonly nextSeq: number;
  readonly nextLine: number;
  readonly mask: SecretMask;
  /** Bytes of output that are logged; the rest is counted. */
  readonly maxLogBytes: number;
  /** Sends, or does nothing once nobody is there; never throws. */
  readonly emit: (message: Extract<FromWorker, { kind: 'log' }>) => void;
}

export interface PipelineEnd {
  /** Of the first two envelope lines, without their prefix and **not masked**. For the parser only. */
  readonly envelopePayloads: readonly string[];
  readonly envelopeCount: number;
  readonly setupFailed: boolean;
  /** Lines of the job so far: the number the next line would get. */
  readonly lines: number;
}

export class LogPipeline {
  readonly #deps: LogPipelineDeps;
  readonly #log: ContainerLog;
  readonly #lines: readonly [SourceLines, SourceLines];
  readonly #budget: LogBudget;
  readonly #builder: ChunkBuilder;
  readonly #envelopePayloads: string[] = [];
  #envelopeCount = 0;
  #setupFailed = false;
  #markers: JobMarker[] = [];
  #nextSeq: number;
  #nextLine: number;
  #storedSeq: number;
  /** Instant of the piece at hand, and of the newest record; epoch ms. */
  #atMs = 0;
  /** Something was taken that no message tells of yet. */
  #moved = false;
  #age: Timer | null = null;
  #room: PromiseWithResolvers<undefined> | null = null;

  constructor(deps: LogPipelineDeps) {
    this.#deps = deps;
    this.#nextSeq = deps.nextSeq;
    this.#nextLine = deps.nextLine;
    this.#storedSeq = deps.nextSeq - 1;
    this.#budget = new LogBudget(deps.maxLogBytes);
    this.#builder = new ChunkBuilder(deps.mask, MARKER_HINT);
    this.#lines = [
      this.#sourceLines(0, deps.cursor?.stdout.open?.emittedBytes ?? 0),
      this.#sourceLines(RECORD_FLAG.stderr, deps.cursor?.stderr.open?.emittedBytes ?? 0),
    ];
    this.#log = new ContainerLog({
      ...deps,
      sink: {
        record: (source, atMs, bytes, start, end, taken) => {
          this.#piece(source, atMs, bytes, start, end, taken);
        },
        room: () => this.#whenRoom(),
      },
    });
  }

  /**
   * Follows the log to its end. Resolves when every line was emitted, stored or not. `exited` is the
   * container's exit; its rejection is this call's. Rejects with the signal's reason when aborted, and
   * nothing is emitted after that. Call it once.
   */
  async run(exited: Promise<unknown>, signal: AbortSignal): Promise<PipelineEnd> {
    const onAbort = (): void => this.#freeRoom();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await this.#log.follow(exited, signal);
      this.#log.closeLines();
      for (const lines of this.#lines) lines.end();
      this.#noteLeftOut();
      this.#send();
      return {
        envelopePayloads: this.#envelopePayloads,
        envelopeCount: this.#envelopeCount,
        setupFailed: this.#setupFailed,
        lines: this.#nextLine,
      };
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#age?.cancel();
      this.#age = null;
    }
  }

  /** All chunks up to this one are on disk: reading may go on. */
  logStored(throughSeq: number): void {
    this.#storedSeq = Math.max(this.#storedSeq, throughSeq);
    if (!this.#isFull) this.#freeRoom();
  }

  #piece(
    source: OutputSource,
    atMs: number,
    bytes: Buffer,
    start: number,
    end: number,
    taken: boolean,
  ): void {
    this.#atMs = atMs;
    this.#lines[source].piece(bytes, start, end, taken);
    // Only now: in between, the cursor is ahead of what a chunk would hold.
    if (this.#builder.full) this.#send();
    else if (taken) this.#sendSoon();
  }

  #sourceLines(flag: number, skipBytes: number): SourceLines {
    const taker: LineTaker = {
      record: (bytes, start, end, flags) => this.#builder.add(bytes, start, end, flags, this.#atMs),
      envelope: (payload) => {
        this.#envelopeCount += 1;
        if (this.#envelopeCount <= KEPT_ENVELOPES) this.#envelopePayloads.push(payload);
      },
      passedOver: (line) => {
        if (line.includes(MARKER_HINT)) this.#readMarker(this.#deps.mask.maskText(line.toString()));
      },
    };
    return new SourceLines({ flag, skipBytes }, this.#budget, taker, this.#deps.mask.lineMask());
  }

  #readMarker(line: string): void {
    const marker = readMarker(line);
    if (marker === null) return;
    this.#markers.push(marker);
    if (marker.kind === 'setup_failed') this.#setupFailed = true;
  }

  #sendSoon(): void {
    this.#moved = true;
    this.#age ??= this.#deps.clock.after(CHUNK_MAX_AGE_MS, () => {
      this.#age = null;
      this.#send();
    });
  }

  /** One message with all there is: the records as a chunk, and where the log was taken to. */
  #send(): void {
    this.#age?.cancel();
    this.#age = null;
    const chunk = this.#closeChunk();
    const markers = this.#markers;
    if (chunk === null && markers.length === 0 && !this.#moved) return;
    this.#markers = [];
    this.#moved = false;
    const emitted = [this.#lines[0].emittedBytes, this.#lines[1].emittedBytes] as const;
    const cursor = this.#log.cursor(emitted);
    this.#deps.emit({ kind: 'log', chunks: chunk === null ? [] : [chunk], cursor, markers });
  }

  #closeChunk(): LogChunk | null {
    if (this.#builder.records === 0) return null;
    const { chunk, hinted } = this.#builder.close(this.#nextSeq, this.#nextLine);
    this.#nextSeq += 1;
    this.#nextLine += chunk.lines;
    for (const line of hinted) this.#readMarker(line);
    return chunk;
  }

  /** The last line of a log that was cut. A worker that dies right after it makes its successor repeat it. */
  #noteLeftOut(): void {
    const { leftOutBytes, leftOutLines } = this.#budget;
    if (leftOutBytes === 0) return;
    const note = Buffer.from(
      `[runner] The log limit of ${this.#deps.maxLogBytes} bytes was reached: ` +
        `${leftOutLines} lines with ${leftOutBytes} bytes were left out`,
    );
    this.#builder.add(note, 0, note.length, 0, this.#atMs);
  }

  get #isFull(): boolean {
    return this.#nextSeq - 1 - this.#storedSeq >= MAX_CHUNKS_IN_FLIGHT;
  }

  #whenRoom(): Promise<undefined> | undefined {
    if (!this.#isFull) return undefined;
    this.#room ??= Promise.withResolvers<undefined>();
    return this.#room.promise;
  }

  #freeRoom(): void {
    this.#room?.resolve(undefined);
    this.#room = null;
  }
}
