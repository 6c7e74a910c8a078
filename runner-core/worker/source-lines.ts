/**
 * Lines of one source, from pieces as the engine stores them: tells envelope lines apart, keeps the log
 * within its limit, gives out the rest as records. Knows no chunks and no cursor.
 */
import { Utf8Lines, type LineMask } from '../log/utf8-lines.ts';
import { MAX_RECORD_BYTES } from '../model/log-chunk.ts';
import { LINE_END_MARK, RESULT_PREFIX } from '../wire/launch.ts';

/** How many bytes of output are logged, over both sources of a job and over all its workers. */
export class LogBudget {
  readonly #maxBytes: number;
  #usedBytes = 0;
  leftOutBytes = 0;
  leftOutLines = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Counts a piece of a line, in the engine's bytes without line break; false: it is left out. Depends on
   * nothing but the output before it, so a worker that reads the log again decides alike.
   */
  keeps(bytes: number, startsLine: boolean): boolean {
    if (this.#usedBytes < this.#maxBytes) {
      this.#usedBytes += bytes;
      return true;
    }
    this.leftOutBytes += bytes;
    if (startsLine) this.leftOutLines += 1;
    return false;
  }
}

/** What `SourceLines` gives out. Bytes are only good during the call. */
export interface LineTaker {
  /** Not masked and not repaired where it is a whole line, see `ChunkBuilder.add`; both where it is a part. */
  record(bytes: Buffer, start: number, end: number, flags: number): void;
  /** The payload of an envelope line, without the prefix; cut at ENVELOPE_KEPT_BYTES. Not masked. */
  envelope(payload: string): void;
  /** The first piece of a line that gives no record: left out, or given out before. Not masked. */
  passedOver(line: Buffer): void;
}

/** The longest envelope line the protocol takes; what of a longer one is kept is already too long to be read. */
export const ENVELOPE_KEPT_BYTES = 786_432;

const PREFIX = Buffer.from(RESULT_PREFIX);
const FIRST_OF_PREFIX = PREFIX[0];
const MARK = LINE_END_MARK.charCodeAt(0);
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
/** Repairing makes three bytes of one at most. */
const SURELY_ONE_RECORD_BYTES = Math.floor(MAX_RECORD_BYTES / 3);

export class SourceLines {
  readonly #sourceFlag: number;
  readonly #budget: LogBudget;
  readonly #taker: LineTaker;
  readonly #lines: Utf8Lines;
  #within: 'nothing' | 'line' | 'envelope' | 'left_out' = 'nothing';
  #envelope: Buffer[] = [];
  #envelopeBytes = 0;
  /** Bytes of the first new line that an earlier worker gave out; 0 once that line is over. */
  #skipBytes: number;
  /** Bytes of the open line given out, counting those that are skipped. */
  #givenBytes = 0;

  /**
   * @param sourceFlag goes into the flags of every record
   * @param skipBytes how much of the first new line was given out by an earlier worker
   */
  constructor(
    source: { readonly flag: number; readonly skipBytes: number },
    budget: LogBudget,
    taker: LineTaker,
    mask: LineMask,
  ) {
    this.#sourceFlag = source.flag;
    this.#skipBytes = source.skipBytes;
    this.#budget = budget;
    this.#taker = taker;
    this.#lines = new Utf8Lines((bytes, start, end, flags) => {
      this.#giveOut(bytes, start, end, flags);
    }, mask);
  }

  /** Bytes of the open line given out, by earlier workers too. */
  get emittedBytes(): number {
    return Math.max(this.#givenBytes, this.#skipBytes);
  }

  /**
   * One piece; its line ends with it when the piece ends with a line break. The first piece of a line has
   * the whole prefix of an envelope if the line has: the engine cuts at 16 KiB.
   *
   * @param taken false: before the cursor. It counts as it counted then, and gives no record again
   */
  piece(bytes: Buffer, start: number, end: number, taken: boolean): void {
    const ends = end > start && bytes[end - 1] === NEWLINE;
    const lineEnd = ends ? end - 1 : end;
    const marked = ends && lineEnd > start && bytes[lineEnd - 1] === MARK;
    const textEnd = marked ? lineEnd - 1 : lineEnd;
    if (marked && textEnd === start && this.#within === 'nothing') {
      // The script's last line had its own line break: there is nothing to end, and no line.
      this.#endLine(taken);
    } else if (this.#within !== 'nothing') {
      this.#goOn(bytes.subarray(start, textEnd), ends, taken);
    } else if (bytes[start] === FIRST_OF_PREFIX && startsEnvelope(bytes, start, textEnd)) {
      this.#within = 'envelope';
      this.#addEnvelope(bytes.subarray(start + PREFIX.length, textEnd), ends, taken);
    } else if (!this.#budget.keeps(textEnd - start, true) || !taken) {
      this.#passOver(bytes.subarray(start, textEnd), ends, taken);
    } else if (ends && textEnd - start <= SURELY_ONE_RECORD_BYTES && this.#skipBytes === 0) {
      const returns = textEnd > start && bytes[textEnd - 1] === CARRIAGE_RETURN ? 1 : 0;
      this.#taker.record(bytes, start, textEnd - returns, this.#sourceFlag);
    } else {
      this.#within = 'line';
      this.#addText(bytes.subarray(start, textEnd), ends);
    }
  }

  /** The log is over: what is open gets no line break. */
  end(): void {
    if (this.#within === 'envelope') this.#endEnvelope();
    if (this.#within === 'line') this.#lines.end();
    this.#endLine(true);
  }

  #goOn(text: Buffer, ends: boolean, taken: boolean): void {
    if (this.#within === 'envelope') {
      this.#addEnvelope(text, ends, taken);
      return;
    }
    // An empty rest decides nothing: the line's text is complete without it.
    const kept = (text.length === 0 && ends) || this.#budget.keeps(text.length, false);
    if (this.#within === 'line' && taken) {
      if (kept) this.#addText(text, ends);
      else this.#lines.cut();
    }
    if (ends) this.#endLine(taken);
    else if (!kept) this.#within = 'left_out';
  }

  #passOver(text: Buffer, ends: boolean, taken: boolean): void {
    this.#taker.passedOver(text);
    if (ends) this.#endLine(taken);
    else this.#within = taken ? 'left_out' : 'line';
  }

  #addText(text: Buffer, ends: boolean): void {
    this.#lines.push(text);
    if (!ends) return;
    if (this.#lines.open) this.#lines.push(LINE_BREAK);
    this.#endLine(true);
  }

  #endLine(taken: boolean): void {
    this.#within = 'nothing';
    this.#givenBytes = 0;
    if (taken) this.#skipBytes = 0;
  }

  #giveOut(bytes: Buffer, start: number, end: number, flags: number): void {
    this.#givenBytes += end - start;
    // A record across the border means that secrets came since and moved the cuts: rather a part twice than lost.
    if (this.#skipBytes > 0 && this.#givenBytes <= this.#skipBytes) return;
    this.#taker.record(bytes, start, end, flags | this.#sourceFlag);
  }

  #addEnvelope(text: Buffer, ends: boolean, taken: boolean): void {
    const room = ENVELOPE_KEPT_BYTES - this.#envelopeBytes;
    // Copied: the bytes are only good during the call.
    if (room > 0) this.#envelope.push(Buffer.from(text.subarray(0, room)));
    this.#envelopeBytes += text.length;
    if (!ends) return;
    this.#endEnvelope();
    this.#endLine(taken);
  }

  #endEnvelope(): void {
    const payload = Buffer.concat(this.#envelope).toString();
    this.#envelope = [];
    this.#envelopeBytes = 0;
    this.#taker.envelope(payload.endsWith('\r') ? payload.slice(0, -1) : payload);
  }
}

const LINE_BREAK = Buffer.from('\n');

function startsEnvelope(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < PREFIX.length) return false;
  for (let at = 0; at < PREFIX.length; at++) if (bytes[start + at] !== PREFIX[at]) return false;
  return true;
}
