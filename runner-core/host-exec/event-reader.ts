/**
 * Reads Cursor's events from the bytes of stdout and keeps what a verdict needs. Lines may be of any length and cut
 * anywhere; memory stays near 1 MiB. A field of the wrong type is left out and spoils nothing but itself. Texts are
 * masked before they are cut; what decides of the run is read as it is.
 */
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import type { ObservedEvents, TerminalEvent, TokenUsage } from './events.ts';
import { JsonScan } from './json-scan.ts';
import { CUT_SIGN, cutText, LineTail, plainText } from './line-tail.ts';
import type { TextMask } from './text-mask.ts';

/** A longer line is only scanned, not held. */
const HELD_LINE_MAX_BYTES = 1_048_576;
const PLAIN_TAIL_MAX_CHARS = 2_048;
const RESULT_TEXT_MAX_CHARS = 512;
/** A longer name or id is none: it could push the report over the service's limit. */
const NAME_MAX_CHARS = 256;
const OPEN_CALLS_MAX = 4_096;
const LINE_FEED = 0x0a;

export class EventReader {
  readonly #mask: TextMask;
  readonly #decoder = new TextDecoder();
  #line = new Uint8Array(65_536);
  #length = 0;
  /** Set while a line is too long to be held; `skip` where it does not even begin as an object. */
  #scan: JsonScan | 'skip' | null = null;

  #sessionId: string | null = null;
  #model: string | null = null;
  #resultCount = 0;
  #terminal: TerminalEvent | null = null;
  #sawInit = false;
  #events = 0;
  #backgroundShell = false;
  readonly #openCalls = new Set<string>();
  readonly #plainTail: LineTail;

  constructor(mask: TextMask) {
    this.#mask = mask;
    this.#plainTail = new LineTail(mask, PLAIN_TAIL_MAX_CHARS);
  }

  /** Bytes of stdout, cut anywhere; they are not kept. */
  push(bytes: Uint8Array): void {
    let from = 0;
    while (from < bytes.length) {
      const lineEnd = bytes.indexOf(LINE_FEED, from);
      if (lineEnd < 0) {
        this.#append(bytes.subarray(from));
        return;
      }
      this.#append(bytes.subarray(from, lineEnd));
      this.#endLine();
      from = lineEnd + 1;
    }
  }

  /** No more comes: a last line without its end counts. */
  end(): void {
    if (this.#length > 0 || this.#scan !== null) this.#endLine();
  }

  get observed(): ObservedEvents {
    return {
      sessionId: this.#sessionId,
      model: this.#model,
      resultCount: this.#resultCount,
      terminal: this.#terminal,
      sawInit: this.#sawInit,
      events: this.#events,
      backgroundShell: this.#backgroundShell,
      openToolCalls: this.#openCalls.size,
      plainTail: this.#plainTail.text,
    };
  }

  #append(bytes: Uint8Array): void {
    if (this.#scan !== null) {
      if (this.#scan !== 'skip') this.#scan.push(bytes);
      return;
    }
    const length = this.#length + bytes.length;
    if (length > HELD_LINE_MAX_BYTES) {
      const held = this.#line.subarray(0, this.#length);
      this.#scan = beginsAsObject(held.length > 0 ? held : bytes) ? new JsonScan() : 'skip';
      if (this.#scan === 'skip') return;
      this.#scan.push(held);
      this.#scan.push(bytes);
      return;
    }
    if (length > this.#line.length) {
      const larger = new Uint8Array(
        Math.min(HELD_LINE_MAX_BYTES, Math.max(length, this.#line.length * 2)),
      );
      larger.set(this.#line.subarray(0, this.#length));
      this.#line = larger;
    }
    this.#line.set(bytes, this.#length);
    this.#length = length;
  }

  #endLine(): void {
    const scan = this.#scan;
    const held = this.#line.subarray(0, this.#length);
    this.#scan = null;
    this.#length = 0;
    if (scan === 'skip') return;
    if (scan !== null) {
      const outline = scan.end();
      if (outline !== undefined) this.#observe(outline, scan.resultIsCut);
      return;
    }
    const text = this.#decoder.decode(held).trim();
    if (text === '') return;
    const event = text.startsWith('{') ? parsedObject(text) : undefined;
    if (event === undefined) this.#plainTail.add(text);
    else this.#observe(event, false);
  }

  #observe(event: JsonObject, resultIsCut: boolean): void {
    this.#events += 1;
    this.#sessionId = this.#nameIn(event['session_id']) ?? this.#sessionId;
    switch (event['type']) {
      case 'system':
        if (event['subtype'] !== 'init') return;
        this.#sawInit = true;
        this.#model = this.#nameIn(event['model']) ?? this.#model;
        return;
      case 'tool_call':
        this.#observeCall(event);
        return;
      case 'result':
        this.#resultCount += 1;
        this.#model = this.#nameIn(event['model']) ?? this.#model;
        this.#terminal = this.#terminalOf(event, resultIsCut);
    }
  }

  #terminalOf(event: JsonObject, resultIsCut: boolean): TerminalEvent {
    const { subtype, is_error: isError = null, result, usage } = event;
    const said = typeof result === 'string' ? result : '';
    const plain = plainText(said, this.#mask, resultIsCut);
    const shown = resultIsCut ? `${plain}${CUT_SIGN}` : plain;
    return {
      subtype: typeof subtype === 'string' ? subtype : null,
      isError: isError === null ? false : typeof isError === 'boolean' ? isError : 'wrong_type',
      text: cutText(shown, RESULT_TEXT_MAX_CHARS),
      requestId: this.#nameIn(event['request_id']),
      durationMs: countIn(event['duration_ms']),
      usage: isJsonObject(usage) ? usageOf(usage) : null,
    };
  }

  #nameIn(value: Json | undefined): string | null {
    const name = nameIn(value);
    return name === null ? null : this.#mask.maskText(name);
  }

  #observeCall(event: JsonObject): void {
    const callId = nameIn(event['call_id']);
    if (event['subtype'] === 'started') {
      if (callId !== null && this.#openCalls.size < OPEN_CALLS_MAX) this.#openCalls.add(callId);
    } else if (event['subtype'] === 'completed' && callId !== null) this.#openCalls.delete(callId);
    if (leavesShell(event['tool_call'])) this.#backgroundShell = true;
  }
}

function usageOf(usage: JsonObject): TokenUsage {
  return {
    inputTokens: countIn(usage['inputTokens']),
    outputTokens: countIn(usage['outputTokens']),
    cacheReadTokens: countIn(usage['cacheReadTokens']),
    cacheWriteTokens: countIn(usage['cacheWriteTokens']),
  };
}

/** A tool call wraps one key; the result of a shell says at its root whether the shell goes on. */
function leavesShell(call: Json | undefined): boolean {
  if (!isJsonObject(call)) return false;
  return Object.values(call).some((tool) => {
    const result = isJsonObject(tool) ? tool['result'] : undefined;
    if (!isJsonObject(result)) return false;
    const success = result['success'];
    return (
      result['isBackground'] === true || (isJsonObject(success) && success['isBackground'] === true)
    );
  });
}

function parsedObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function beginsAsObject(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d);
  return first === 0x7b;
}

function nameIn(value: Json | undefined): string | null {
  if (typeof value !== 'string' || value === '' || value.length > NAME_MAX_CHARS) return null;
  return /\p{Cc}/u.test(value) || !value.isWellFormed() ? null : value;
}

function countIn(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
