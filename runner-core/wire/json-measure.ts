/** JSON as the service measures it, as the container is given it, and how deep it may nest. */
import { isJsonObject, type Json } from '../model/json.ts';

/**
 * Deeper payloads are refused: `JSON.parse` takes any depth, but `JSON.stringify` and every walk
 * over the value would overflow the stack. The service's own reader stops at about 1,000.
 */
export const MAX_JSON_DEPTH = 200;

/** True when `value` nests deeper than `limit` arrays and objects. Recurses no further than that. */
export function nestsDeeperThan(value: unknown, limit: number = MAX_JSON_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  return Object.values(value).some((inner) => nestsDeeperThan(inner, limit - 1));
}

/**
 * Bytes of a JSON value as the service counts a result: blanks after `,` and `:`, everything outside
 * printable ASCII as `\uXXXX`, numbers in Python's notation.
 */
export function asciiJsonBytes(value: unknown): number {
  if (typeof value === 'string') return asciiStringBytes(value);
  if (typeof value === 'number') return pythonNumberBytes(value);
  if (Array.isArray(value)) {
    const items = value.reduce<number>((sum, item) => sum + asciiJsonBytes(item), 0);
    return 2 + items + 2 * Math.max(0, value.length - 1);
  }
  if (isJsonObject(value)) {
    const entries = Object.entries(value);
    const inner = entries.reduce(
      (sum, [key, item]) => sum + asciiStringBytes(key) + 2 + asciiJsonBytes(item),
      0,
    );
    return 2 + inner + 2 * Math.max(0, entries.length - 1);
  }
  return String(value).length;
}

function asciiStringBytes(text: string): number {
  let bytes = 2;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22 || unit === 0x5c || (unit >= 0x08 && unit <= 0x0d && unit !== 0x0b)) {
      bytes += 2;
    } else {
      bytes += unit >= 0x20 && unit <= 0x7e ? 1 : 6;
    }
  }
  return bytes;
}

/** We send a number in JavaScript's notation; the service reads it and measures its own. */
function pythonNumberBytes(value: number): number {
  const sent = JSON.stringify(value);
  if (!/[.e]/.test(sent)) return sent.length;
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  // A double below 1e-4 or from 1e16 on is written with an exponent of at least two digits.
  if (power >= -4 && power < 16) return sent.length;
  return mantissa.length + 2 + Math.max(2, String(Math.abs(power)).length);
}

/**
 * Compact JSON with sorted keys; `<`, `>`, `&` and the two Unicode line separators are escaped, so
 * that the text is the one the reference runner gives to a container.
 */
export function compactJson(value: Json): string {
  return JSON.stringify(sorted(value)).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] ?? null)]));
}
