/**
 * Reads the outline of one JSON object from a line too long to hold: its short top-level fields, its `usage`, and
 * whether a shell was left running, while checking that the line is JSON at all. Memory is a few KiB for any length.
 */
import type { Json, JsonObject } from '../model/json.ts';

/** A longer text is cut, which only `result` may be; the others are then left out. */
const CAPTURE_MAX_BYTES = 2_048;
const SCALAR_MAX_BYTES = 64;
const DEPTH_MAX = 512;
const FIELDS = new Set([
  ...['type', 'subtype', 'session_id', 'model', 'is_error', 'call_id'],
  ...['request_id', 'duration_ms', 'result', 'timestamp_ms'],
]);
const BACKGROUND_KEY = 'isBackground';
const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** What may come next outside of a string or a word. */
type Expected = 'value' | 'value_or_end' | 'key' | 'key_or_end' | 'colon' | 'comma_or_end' | 'done';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
export class JsonScan {
  #expected: Expected = 'value';
  #failed = false;
  /** One entry a level: whether it is an object. Its key of the moment beside it. */
  readonly #objects: boolean[] = [];
  readonly #keys: string[] = [];
  /** Inside a string; `#captured` then collects it, or is null where nobody wants it. */
  #inString = false;
  #isKey = false;
  #escaped = false;
  #hexLeft = 0;
  #scalar: number[] | null = null;
  #captured: number[] | null = null;
  #overflowed = false;
  #resultIsCut = false;
  readonly #found: Record<string, Json> = {};
  readonly #usage: Record<string, Json> = {};
  #background = false;

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.#failed; at++) {
      if (this.#inString && this.#captured === null && !this.#escaped && this.#hexLeft === 0) {
        // The long way through file contents: nothing but a quote, a backslash or a control character matters.
        let byte = bytes[at] ?? QUOTE;
        while (byte !== QUOTE && byte !== BACKSLASH && byte >= 0x20) {
          at += 1;
          if (at >= bytes.length) return;
          byte = bytes[at] ?? QUOTE;
        }
      }
      this.#take(bytes[at] ?? 0);
    }
  }

  /** The outline; undefined where the line was no whole JSON object. */
  end(): JsonObject | undefined {
    if (this.#failed || this.#expected !== 'done' || this.#inString) return undefined;
    return {
      ...this.#found,
      ...(Object.keys(this.#usage).length > 0 ? { usage: this.#usage } : {}),
      ...(this.#background
        ? { tool_call: { shellToolCall: { result: { isBackground: true } } } }
        : {}),
    };
  }

  /** Whether the text of `result` is only the beginning of what the line said. */
  get resultIsCut(): boolean {
    return this.#resultIsCut;
  }

  #take(byte: number): void {
    if (this.#inString) return void this.#inText(byte);
    if (this.#scalar !== null) {
      if (isScalarByte(byte)) {
        if (this.#scalar.push(byte) > SCALAR_MAX_BYTES) this.#failed = true;
        return;
      }
      this.#endScalar(this.#scalar);
    }
    if (byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a) return;
    this.#token(byte);
  }

  #token(byte: number): void {
    const expected = this.#expected;
    const wantsValue = expected === 'value' || expected === 'value_or_end';
    if (byte === QUOTE) {
      if (expected === 'key' || expected === 'key_or_end') this.#startText(true);
      else if (wantsValue) this.#startText(false);
      else this.#failed = true;
    } else if (byte === 0x3a && expected === 'colon') this.#expected = 'value';
    else if (byte === 0x2c && expected === 'comma_or_end')
      this.#expected = this.#objects.at(-1) === true ? 'key' : 'value';
    else if (byte === 0x7d && (expected === 'key_or_end' || expected === 'comma_or_end'))
      this.#close(true);
    else if (byte === 0x5d && (expected === 'value_or_end' || expected === 'comma_or_end'))
      this.#close(false);
    else if (byte === 0x7b && wantsValue) this.#open(true);
    else if (byte === 0x5b && wantsValue && this.#objects.length > 0) this.#open(false);
    else if (isScalarByte(byte) && wantsValue && this.#objects.length > 0) this.#scalar = [byte];
    else this.#failed = true;
  }

  #open(isObject: boolean): void {
    if (this.#objects.push(isObject) > DEPTH_MAX) this.#failed = true;
    this.#keys.push('');
    this.#expected = isObject ? 'key_or_end' : 'value_or_end';
  }

  #close(isObject: boolean): void {
    if (this.#objects.pop() !== isObject) this.#failed = true;
    this.#keys.pop();
    this.#valueEnded();
  }

  #valueEnded(): void {
    this.#expected = this.#objects.length === 0 ? 'done' : 'comma_or_end';
  }

  #startText(isKey: boolean): void {
    if (this.#objects.length === 0) {
      this.#failed = true;
      return;
    }
    this.#inString = true;
    this.#isKey = isKey;
    this.#overflowed = false;
    this.#captured = isKey || this.#wanted() ? [] : null;
  }

  #inText(byte: number): void {
    if (this.#hexLeft > 0) {
      this.#hexLeft -= 1;
      if (!isHex(byte)) this.#failed = true;
    } else if (this.#escaped) {
      this.#escaped = false;
      if (byte === 0x75) this.#hexLeft = 4;
      else if (!'"\\/bfnrt'.includes(String.fromCharCode(byte))) this.#failed = true;
    } else if (byte === QUOTE) return void this.#endText();
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte < 0x20) this.#failed = true;
    if (this.#captured === null) return;
    if (this.#captured.length < CAPTURE_MAX_BYTES) this.#captured.push(byte);
    else this.#overflowed = true;
  }

  #endText(): void {
    this.#inString = false;
    const captured = this.#captured;
    this.#captured = null;
    if (this.#isKey) {
      this.#keys[this.#keys.length - 1] =
        captured === null || this.#overflowed ? '' : textOf(captured);
      this.#expected = 'colon';
      return;
    }
    const key = this.#keys.at(-1);
    if (captured !== null && (!this.#overflowed || key === 'result')) {
      this.#keep(textOf(captured));
      if (key === 'result') this.#resultIsCut = this.#overflowed;
    }
    this.#valueEnded();
  }

  #endScalar(bytes: readonly number[]): void {
    this.#scalar = null;
    const word = String.fromCharCode(...bytes);
    if (!SCALAR.test(word)) {
      this.#failed = true;
      return;
    }
    if (this.#keys.at(-1) === BACKGROUND_KEY && word === 'true') this.#background = true;
    if (this.#wanted()) this.#keep(JSON.parse(word) as Json);
    this.#valueEnded();
  }

  #keep(value: Json): void {
    const key = this.#keys.at(-1) ?? '';
    if (this.#objects.length === 1) this.#found[key] = value;
    else this.#usage[key] = value;
  }

  #wanted(): boolean {
    if (this.#objects.at(-1) !== true) return false;
    if (this.#objects.length === 1) return FIELDS.has(this.#keys[0] ?? '');
    return this.#objects.length === 2 && this.#keys[0] === 'usage';
  }
}

/** The text of a string's inside, which may be cut in the middle of an escape or of a character. */
function textOf(bytes: readonly number[]): string {
  // As of a stream: half a character at the end is left out, for a mask would not know it.
  const inside = new TextDecoder().decode(Uint8Array.from(bytes), { stream: true });
  for (let cut = 0; cut <= 6; cut++) {
    try {
      return JSON.parse(`"${inside.slice(0, inside.length - cut)}"`) as string;
    } catch {
      // Cut one more character off: the last escape is not whole.
    }
  }
  return '';
}

function isScalarByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    byte === 0x45
  );
}
function isHex(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x41 && byte <= 0x46) ||
    (byte >= 0x61 && byte <= 0x66)
  );
}
