/**
 * Follows a container's log from a cursor, losing and doubling nothing: when to make a pass over it, what
 * of it is new, and when it is over. Text is the sink's business.
 *
 * A pass always starts at the log's own start and drops what was taken before; it never asks for records
 * `since` an instant. The engine reads its whole file for either, and `since` hides what was written after
 * the clock was set back. The one exception is the pass after the exit, which fetches what the end of the
 * stream left out: it looks at the newest records first, because it comes after every job.
 */
import type { LogCursor } from '../model/log-chunk.ts';
import type { Clock, Timer } from '../ports.ts';
import { InstantReader } from './log-instant.ts';
import {
  logPosition,
  TakenFromStart,
  TakenUpToLast,
  type LogPosition,
  type TakenBefore,
} from './log-position.ts';
import { StreamFrames, type OutputSource } from './stream-frames.ts';

export interface LogSource {
  /**
   * Docker's multiplexed stream of both sources, with timestamps, in the order of the log: what is there,
   * then what comes, until the container has exited. Reading slowly slows the engine. When the signal is
   * aborted the stream ends or fails soon. Rejects when the engine is away or the container gone.
   *
   * @param since `seconds.nanoseconds`, inclusive; null: from the start
   * @param tail only so many of the newest records there are; a source that cannot may send more
   */
  open(
    containerId: string,
    since: string | null,
    signal: AbortSignal,
    tail?: number,
  ): Promise<AsyncIterable<Uint8Array>>;
}

export interface RecordSink {
  /**
   * One piece of a line, with its line break if the line ends with it; `bytes` is only good during the call.
   * What it throws ends `follow`: the piece counts as taken.
   *
   * @param atMs epoch ms of the line by the engine's clock
   * @param taken false: it was taken before the cursor this run began with; shown once, in order
   */
  record(
    source: OutputSource,
    atMs: number,
    bytes: Buffer,
    start: number,
    end: number,
    taken: boolean,
  ): void;
  /** When to read on; undefined: at once. */
  room(): Promise<unknown> | undefined;
}

export interface ContainerLogDeps {
  readonly clock: Clock;
  readonly source: LogSource;
  readonly containerId: string;
  readonly cursor: LogCursor | null;
  readonly sink: RecordSink;
}

/** The pass after the exit looks at so many of the newest records; a shorter log is read from its start. */
const TAIL_RECORDS = 1_000;
/** Bytes handed on before asking for room again, however large the source's chunks are. */
const SLICE_BYTES = 65_536;
const REOPEN_FIRST_MS = 500;
const REOPEN_CAP_MS = 30_000;
/** Passes after the exit before giving up: with the pauses between them some 15 s. */
const FINAL_ATTEMPTS = 6;
/** A stream that gives nothing for so long after the exit is over, whatever the engine says. */
const SILENCE_LIMIT_MS = 10_000;
const NEWLINE = 10;

export class ContainerLog {
  readonly #deps: ContainerLogDeps;
  readonly #position: LogPosition;
  readonly #instant = new InstantReader();
  #before: TakenBefore | null = null;
  /** Records before the cursor, how many of them were shown, and how many covered ones this pass met. */
  readonly #toReview: readonly [number, number];
  readonly #reviewed: [number, number] = [0, 0];
  #met: [number, number] = [0, 0];
  #lastSource: OutputSource | null = null;
  #heard = false;
  #inSink = false;
  #exited = false;

  constructor(deps: ContainerLogDeps) {
    this.#deps = deps;
    this.#position = logPosition(deps.cursor);
    this.#toReview = [this.#position[0].taken, this.#position[1].taken];
  }

  /** Where the log was taken to, at line starts. `emitted` says how much of an open line is out, per source. */
  cursor(emitted: readonly [number, number]): LogCursor {
    const [stdout, stderr] = this.#position;
    return { stdout: stdout.cursor(emitted[0]), stderr: stderr.cursor(emitted[1]) };
  }

  /**
   * Resolves when every record of the log was given to the sink. `exited` is the container's exit; its
   * rejection is this call's. Rejects with the signal's reason when aborted, and with the last failure
   * when the log cannot be read to its end after the exit.
   */
  async follow(exited: Promise<unknown>, signal: AbortSignal): Promise<void> {
    const exit = exited.then(() => {
      this.#exited = true;
    });
    // It is awaited below; until then a rejection must not count as unhandled.
    exit.catch(() => undefined);
    signal.throwIfAborted();
    for (let pauseMs = REOPEN_FIRST_MS; ; pauseMs = Math.min(pauseMs * 2, REOPEN_CAP_MS)) {
      if (await this.#readWhole(exit, signal)) pauseMs = REOPEN_FIRST_MS;
      if (this.#exited || (await this.#exitWithin(pauseMs, exit, signal))) break;
    }
    await this.#readRest(exit, signal);
  }

  /** After the end: the rest of an open line will not come. `cursor` is then past all of it. */
  closeLines(): void {
    for (const source of this.#position) source.closeLine();
  }

  /** One pass over the whole log while the container runs. True when it took something. */
  async #readWhole(exit: Promise<void>, signal: AbortSignal): Promise<boolean> {
    const taken = this.#taken;
    try {
      await this.#pass(new TakenFromStart(this.#position), exit, signal);
    } catch (error) {
      // A stream may break at any time; the log itself is still there.
      signal.throwIfAborted();
      if (this.#inSink) throw error;
    }
    return this.#taken > taken;
  }

  /** The pass after the exit, repeated until one ended well. */
  async #readRest(exit: Promise<void>, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        if (!(await this.#readNewest(exit, signal)))
          await this.#pass(new TakenFromStart(this.#position), exit, signal);
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (this.#inSink || attempt === FINAL_ATTEMPTS) throw error;
        await this.#deps.clock.wait(REOPEN_FIRST_MS * 2 ** (attempt - 1), signal);
      }
    }
  }

  /** True when everything after the last record met is taken now. */
  async #readNewest(exit: Promise<void>, signal: AbortSignal): Promise<boolean> {
    const isReviewed = [0, 1].every((source) => this.#reviewed[source] === this.#toReview[source]);
    if (this.#lastSource === null || !isReviewed || this.#taken < TAIL_RECORDS) return false;
    const before = new TakenUpToLast(this.#lastSource, this.#position[this.#lastSource]);
    await this.#pass(before, exit, signal, TAIL_RECORDS);
    return before.found;
  }

  get #taken(): number {
    return this.#position[0].taken + this.#position[1].taken;
  }

  async #pass(
    before: TakenBefore,
    exit: Promise<void>,
    signal: AbortSignal,
    tail?: number,
  ): Promise<void> {
    const cut = new AbortController();
    const within = AbortSignal.any([signal, cut.signal]);
    const silence = this.#cutWhenSilent(exit, cut);
    this.#before = before;
    try {
      const { source, containerId } = this.#deps;
      await this.#read(await source.open(containerId, null, within, tail), within);
    } catch (error) {
      if (!cut.signal.aborted) throw error;
    } finally {
      silence.cancel();
    }
    signal.throwIfAborted();
  }

  async #read(stream: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    this.#met = [0, 0];
    const frames = new StreamFrames((source, bytes, start, end) =>
      this.#frame(source, bytes, start, end),
    );
    for await (const chunk of stream) {
      this.#heard = true;
      for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
        frames.push(chunk.length <= SLICE_BYTES ? chunk : chunk.subarray(at, at + SLICE_BYTES));
        const room = this.#deps.sink.room();
        if (room === undefined) continue;
        await room;
        signal.throwIfAborted();
        this.#heard = true;
      }
    }
  }

  #frame(source: OutputSource, bytes: Buffer, start: number, end: number): void {
    const instant = this.#instant;
    const text = instant.read(bytes, start, end);
    const { sec, ns } = instant;
    const atMs = sec * 1_000 + Math.floor(ns / 1_000_000);
    if (this.#before?.covers(source, sec, ns) === true) {
      if (!this.#isForReview(source)) return;
      this.#lastSource = source;
      this.#position[source].meet(sec, ns);
      this.#inSink = true;
      this.#deps.sink.record(source, atMs, bytes, text, end, false);
      this.#inSink = false;
      return;
    }
    this.#lastSource = source;
    this.#position[source].take(sec, ns, bytes[end - 1] === NEWLINE && end > text);
    this.#inSink = true;
    this.#deps.sink.record(source, atMs, bytes, text, end, true);
    this.#inSink = false;
  }

  /** True for a record before the cursor that was not shown yet, also when an earlier pass broke off. */
  #isForReview(source: OutputSource): boolean {
    const number = this.#met[source]++;
    if (number !== this.#reviewed[source] || number >= this.#toReview[source]) return false;
    this.#reviewed[source] += 1;
    return true;
  }

  /** Cuts the pass when nothing was heard for a while after the exit. A full sink counts as hearing. */
  #cutWhenSilent(exit: Promise<void>, cut: AbortController): Timer {
    let timer: Timer | undefined;
    let over = false;
    const arm = (): void => {
      this.#heard = false;
      timer = this.#deps.clock.after(SILENCE_LIMIT_MS, () => {
        if (this.#heard || this.#deps.sink.room() !== undefined) arm();
        else cut.abort();
      });
    };
    exit.then(
      () => {
        if (!over) arm();
      },
      () => cut.abort(),
    );
    return {
      cancel: () => {
        over = true;
        timer?.cancel();
      },
    };
  }

  /** True when the container has exited within `pauseMs`. */
  async #exitWithin(pauseMs: number, exit: Promise<void>, signal: AbortSignal): Promise<boolean> {
    const enough = new AbortController();
    const pause = this.#deps.clock.wait(pauseMs, AbortSignal.any([signal, enough.signal]));
    try {
      await Promise.race([exit, pause]);
    } finally {
      enough.abort();
      pause.catch(() => undefined);
    }
    return this.#exited;
  }
}
