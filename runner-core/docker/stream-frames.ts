/**
 * Splits Docker's multiplexed output into frames: eight bytes of header (source, three zeros, length as
 * big-endian u32), then the payload. Owns framing only; what is in a frame is the caller's.
 */
import { RunnerError } from '../model/errors.ts';

/** Of one frame. The engine itself writes at most 16 KiB and a timestamp; other log drivers write more. */
export const MAX_FRAME_BYTES = 67_108_864;

const HEADER_BYTES = 8;
const FIRST_CARRY_BYTES = 65_536;
const STDERR = 2;
const ENGINE_FAILURE = 3;

/** 0: standard output (or input, which the engine also writes there), 1: standard error. */
export type OutputSource = 0 | 1;

/**
 * One whole frame. `bytes` is only good during the call, from `start` up to `end`: copy what is kept.
 */
export type FrameSink = (source: OutputSource, bytes: Buffer, start: number, end: number) => void;

/** The stream is not what the engine writes, or the engine says that it cannot read the log. */
export class LogStreamError extends RunnerError {
  readonly code = 'log_stream_malformed';
  /** A new stream may well be whole. */
  override readonly retryable = true;
  readonly facts: {
    readonly problem: 'header' | 'length' | 'timestamp' | 'engine';
    /** The offending number, for a person; never text of the log. */
    readonly value: number;
  };
  constructor(facts: LogStreamError['facts'], options?: ErrorOptions) {
    super(`The engine's log stream is malformed: ${facts.problem} ${facts.value}`, options);
    this.facts = facts;
  }
}

/** Incremental splitter of one stream. After it threw, it is of no more use. */
export class StreamFrames {
  readonly #onFrame: FrameSink;
  /** Start of a frame whose rest has not come: header and payload, `#carried` bytes of it. */
  #carry: Buffer = Buffer.allocUnsafe(FIRST_CARRY_BYTES);
  #carried = 0;

  constructor(onFrame: FrameSink) {
    this.#onFrame = onFrame;
  }

  /** True between the first and the last byte of a frame. */
  get midFrame(): boolean {
    return this.#carried > 0;
  }

  /** Takes the next bytes of the stream and delivers every frame they complete. Throws LogStreamError. */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const length = bytes.length;
    const onFrame = this.#onFrame;
    let at = this.#carried === 0 ? 0 : this.#finishCarried(bytes);
    while (length - at >= HEADER_BYTES) {
      const payload = payloadBytes(bytes, at);
      const start = at + HEADER_BYTES;
      const end = start + payload;
      if (end > length) break;
      onFrame(bytes[at] === STDERR ? 1 : 0, bytes, start, end);
      at = end;
    }
    if (at < length) this.#hold(bytes, at, length);
  }

  /** Completes the carried frame from the start of `bytes`; returns how many of them it took. */
  #finishCarried(bytes: Buffer): number {
    let at = 0;
    if (this.#carried < HEADER_BYTES) {
      at = Math.min(HEADER_BYTES - this.#carried, bytes.length);
      this.#hold(bytes, 0, at);
      if (this.#carried < HEADER_BYTES) return at;
    }
    const whole = HEADER_BYTES + payloadBytes(this.#carry, 0);
    this.#makeRoom(whole);
    const taken = Math.min(whole - this.#carried, bytes.length - at);
    this.#hold(bytes, at, at + taken);
    if (this.#carried < whole) return bytes.length;
    this.#carried = 0;
    this.#onFrame(this.#carry[0] === STDERR ? 1 : 0, this.#carry, HEADER_BYTES, whole);
    if (this.#carry.length > FIRST_CARRY_BYTES * 16)
      this.#carry = Buffer.allocUnsafe(FIRST_CARRY_BYTES);
    return at + taken;
  }

  #hold(bytes: Buffer, start: number, end: number): void {
    this.#makeRoom(this.#carried + end - start);
    bytes.copy(this.#carry, this.#carried, start, end);
    this.#carried += end - start;
  }

  /** To the whole frame at once: the system commits the memory only as bytes come, and none is copied twice. */
  #makeRoom(size: number): void {
    if (size <= this.#carry.length) return;
    const larger = Buffer.allocUnsafeSlow(size);
    this.#carry.copy(larger, 0, 0, this.#carried);
    this.#carry = larger;
  }
}

/** Payload length by the header at `at`. Throws LogStreamError for bytes that are no header. */
function payloadBytes(bytes: Buffer, at: number): number {
  const source = bytes[at] ?? 0;
  const zeros = (bytes[at + 1] ?? 0) | (bytes[at + 2] ?? 0) | (bytes[at + 3] ?? 0);
  if (source > STDERR || zeros !== 0) {
    const problem = source === ENGINE_FAILURE && zeros === 0 ? 'engine' : 'header';
    throw new LogStreamError({ problem, value: source });
  }
  const high = ((bytes[at + 4] ?? 0) << 8) | (bytes[at + 5] ?? 0);
  const low = ((bytes[at + 6] ?? 0) << 8) | (bytes[at + 7] ?? 0);
  const length = high * 65_536 + low;
  if (length > MAX_FRAME_BYTES) throw new LogStreamError({ problem: 'length', value: length });
  return length;
}
