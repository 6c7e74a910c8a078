/**
 * Bytes of one source to lines, and lines to records: UTF-8 repaired as the web does it, one `\r` before a
 * line break removed, text masked, long lines cut between characters. Holds at most one record of an open
 * line, however long that gets.
 */
import { isUtf8 } from 'node:buffer';
import { MAX_RECORD_BYTES, RECORD_FLAG } from '../model/log-chunk.ts';

/** Bytes are only good during the call. `flags` has `continuation` and `more`; whose output it is the caller knows. */
export type RecordTaker = (bytes: Buffer, start: number, end: number, flags: number) => void;

/** Masks the text of one line that comes in pieces; what it returns is safe to show whatever follows. */
export interface LineMask {
  push(text: Buffer): Buffer;
  /** The rest of the line. The next push begins a new one. */
  end(): Buffer;
}

const NEWLINE = 10;
const CARRIAGE_RETURN = Buffer.from('\r');
const NOTHING = Buffer.alloc(0);

export class Utf8Lines {
  readonly #take: RecordTaker;
  readonly #mask: LineMask | null;
  readonly #repair = new Utf8Repair();
  readonly #pending = Buffer.allocUnsafeSlow(2 * MAX_RECORD_BYTES);
  #pendingBytes = 0;
  #heldReturn = false;
  #open = false;
  #emittedBytes = 0;

  constructor(take: RecordTaker, mask: LineMask | null = null) {
    this.#take = take;
    this.#mask = mask;
  }

  /** True after some of a line, even none of its bytes, came without its line break. */
  get open(): boolean {
    return this.#open;
  }

  /** Takes raw bytes; line breaks in them end lines, an empty line is a record of its own. */
  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      const lineEnd = bytes.indexOf(NEWLINE, at);
      this.#open = true;
      if (lineEnd === -1) {
        this.#addText(bytes.subarray(at));
        return;
      }
      this.#addText(bytes.subarray(at, lineEnd));
      this.#heldReturn = false;
      this.#endLine();
      at = lineEnd + 1;
    }
  }

  /** Ends an open line that will get no line break; its `\r` stays. */
  end(): void {
    if (!this.#open) return;
    if (this.#heldReturn) this.#add(CARRIAGE_RETURN);
    this.#heldReturn = false;
    this.#endLine();
  }

  /** Forgets what is held of the open line and ends it with what was given out; nothing when that is nothing. */
  cut(): void {
    this.#heldReturn = false;
    this.#repair.end();
    this.#mask?.end();
    this.#finish(this.#pendingBytes > 0);
  }

  #addText(text: Buffer): void {
    if (text.length === 0) return;
    if (this.#heldReturn) this.#add(CARRIAGE_RETURN);
    this.#heldReturn = text[text.length - 1] === CARRIAGE_RETURN[0];
    this.#add(this.#heldReturn ? text.subarray(0, -1) : text);
  }

  #add(raw: Buffer): void {
    const text = this.#repair.push(raw);
    this.#cutRecords(this.#mask === null ? text : this.#mask.push(text));
  }

  #endLine(): void {
    const rest = this.#repair.end();
    if (this.#mask === null) {
      this.#cutRecords(rest);
    } else {
      this.#cutRecords(this.#mask.push(rest));
      this.#cutRecords(this.#mask.end());
    }
    this.#finish(true);
  }

  #finish(emit: boolean): void {
    const flags = this.#emittedBytes === 0 ? 0 : RECORD_FLAG.continuation;
    const bytes = this.#pendingBytes;
    this.#open = false;
    this.#pendingBytes = 0;
    this.#emittedBytes = 0;
    if (emit) this.#take(this.#pending, 0, bytes, flags);
  }

  /** Gives out records while more than one is pending: only then it is sure that the line goes on. */
  #cutRecords(text: Buffer): void {
    for (let at = 0; at < text.length;) {
      const taken = Math.min(text.length - at, MAX_RECORD_BYTES);
      text.copy(this.#pending, this.#pendingBytes, at, at + taken);
      this.#pendingBytes += taken;
      at += taken;
      while (this.#pendingBytes > MAX_RECORD_BYTES) this.#cutRecord();
    }
  }

  #cutRecord(): void {
    let cut = MAX_RECORD_BYTES;
    while (isInsideCharacter(this.#pending[cut] ?? 0)) cut -= 1;
    const first = this.#emittedBytes === 0;
    this.#emittedBytes += cut;
    const flags = first ? RECORD_FLAG.more : RECORD_FLAG.more | RECORD_FLAG.continuation;
    this.#take(this.#pending, 0, cut, flags);
    this.#pending.copyWithin(0, cut, this.#pendingBytes);
    this.#pendingBytes -= cut;
  }
}

/**
 * Replaces what is not UTF-8 by U+FFFD, one for each maximal part of a character, as the WHATWG decoder
 * does. The start of a character at the end of a push waits for the next.
 */
export class Utf8Repair {
  #held: Buffer = NOTHING;

  push(bytes: Buffer): Buffer {
    if (bytes.length === 0) return bytes;
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const whole = all.length - openCharacterBytes(all);
    // Copied: the caller's buffer is only good during the call.
    this.#held = whole === all.length ? NOTHING : Buffer.from(all.subarray(whole));
    return repaired(all.subarray(0, whole));
  }

  /** What is held will not be completed. */
  end(): Buffer {
    const held = this.#held;
    this.#held = NOTHING;
    return repaired(held);
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The same buffer when it is UTF-8; else a copy with U+FFFD for what is not. */
export function repaired(bytes: Buffer): Buffer {
  return isUtf8(bytes) ? bytes : Buffer.from(decoder.decode(bytes));
}

function isInsideCharacter(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/**
 * Bytes at the end that may begin a character and do not finish it: 0 to 3. Some of them never will (0xE0
 * before 0x80); that shows when they are decoded together with what follows.
 */
function openCharacterBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (!isInsideCharacter(byte)) return back < characterBytes(byte) ? back : 0;
  }
  return 0;
}

function characterBytes(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}
