/**
 * The timestamp the engine puts before every piece of output. Instants are compared as numbers, exact to the
 * nanosecond: the engine pads to nine digits, but other engines do not, and then text sorts wrongly.
 */
import { LogStreamError } from './stream-frames.ts';

/** `2026-01-02T03:04:05.123456789Z`, the one form the engine writes. */
const FIXED_BYTES = 30;
const SECOND_BYTES = 19;
const FRACTION_DIGITS = 9;
const LONGEST_BYTES = 40;
const SPACE = 32;
const POINT = 46;
const ZERO = 48;
const ZULU = 90;

const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** Reads instants one after the other; the last one is in its fields. Remembers the second, which rarely changes. */
export class InstantReader {
  /** Epoch seconds, and nanoseconds within that second. */
  sec = 0;
  ns = 0;
  readonly #second = Buffer.alloc(SECOND_BYTES);
  #secondValue = 0;

  /**
   * Reads the instant at `start` and the blank after it.
   *
   * @returns where the text begins
   * @throws LogStreamError when there is none
   */
  read(bytes: Buffer, start: number, end: number): number {
    const blank = start + FIXED_BYTES;
    if (
      blank >= end ||
      bytes[blank] !== SPACE ||
      bytes[blank - 1] !== ZULU ||
      bytes[start + SECOND_BYTES] !== POINT ||
      !this.#readSecond(bytes, start) ||
      !this.#readFraction(bytes, start + SECOND_BYTES + 1)
    )
      return this.#readAnyForm(bytes, start, end);
    return blank + 1;
  }

  #readSecond(bytes: Buffer, start: number): boolean {
    const known = this.#second;
    // From the back: that is where seconds differ.
    let at = SECOND_BYTES - 1;
    while (at >= 0 && bytes[start + at] === known[at]) at -= 1;
    if (at >= 0) {
      const value = epochSeconds(bytes.toString('latin1', start, start + SECOND_BYTES));
      if (Number.isNaN(value)) return false;
      bytes.copy(known, 0, start, start + SECOND_BYTES);
      this.#secondValue = value;
    }
    this.sec = this.#secondValue;
    return true;
  }

  #readFraction(bytes: Buffer, start: number): boolean {
    let value = 0;
    for (let at = start; at < start + FRACTION_DIGITS; at++) {
      const digit = (bytes[at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) return false;
      value = value * 10 + digit;
    }
    this.ns = value;
    return true;
  }

  #readAnyForm(bytes: Buffer, start: number, end: number): number {
    const head = bytes.toString('latin1', start, Math.min(end, start + LONGEST_BYTES));
    const blank = head.indexOf(' ');
    const instant = blank === -1 ? undefined : parseInstant(head.slice(0, blank));
    if (instant === undefined)
      throw new LogStreamError({ problem: 'timestamp', value: end - start });
    this.sec = instant.sec;
    this.ns = instant.ns;
    return start + blank + 1;
  }
}

/** Epoch seconds of `2026-01-02T03:04:05` in UTC; NaN when it is none. */
function epochSeconds(text: string): number {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text)
    ? Date.parse(`${text}Z`) / 1_000
    : Number.NaN;
}

export interface Instant {
  readonly sec: number;
  readonly ns: number;
}

/** An RFC 3339 instant with up to nine digits of fraction and any offset; undefined for anything else. */
export function parseInstant(text: string): Instant | undefined {
  const [, second = '', fraction = '', offset = ''] = RFC3339.exec(text) ?? [];
  const ms = Date.parse(second + offset);
  if (Number.isNaN(ms)) return undefined;
  return { sec: ms / 1_000, ns: Number(fraction.padEnd(FRACTION_DIGITS, '0')) };
}

/** As the engine writes it: UTC, nine digits. */
export function formatInstant({ sec, ns }: Instant): string {
  const second = new Date(sec * 1_000).toISOString().slice(0, SECOND_BYTES);
  return `${second}.${String(ns).padStart(FRACTION_DIGITS, '0')}Z`;
}
