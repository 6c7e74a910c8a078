/**
 * Blanks secret values: in output, also where a secret is cut into pieces, and in reports. Owns finding and
 * replacing; which values are secret is in `secretsOf` at the end.
 */
import type { LineMask } from '../log/utf8-lines.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';

export const REPLACEMENT = '***';
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT);
const NOTHING = Buffer.alloc(0);
const NO_SPANS: readonly number[] = [];

/**
 * Replaces every occurrence of every secret. Occurrences that overlap or touch become one replacement, so
 * that no rest of a secret stays. No secret contains a line break, so lines may be masked one by one or
 * many at once.
 */
export class SecretMask {
  /** Longest first; UTF-8. */
  #needles: readonly Buffer[] = [];

  constructor(secrets: readonly string[] = []) {
    this.add(secrets);
  }

  /** Takes in further secrets; output masked before is not changed. A secret of several lines is one secret a line. */
  add(secrets: readonly string[]): void {
    const texts = new Set(this.#needles.map((needle) => needle.toString()));
    for (const secret of secrets) {
      const lines = secret.split(/[\r\n]+/);
      const minChars = lines.length === 1 ? MIN_SECRET_CHARS : MIN_PART_CHARS;
      for (const line of lines) if (line.length >= minChars && !/^\*+$/.test(line)) texts.add(line);
    }
    this.#needles = [...texts].map((text) => Buffer.from(text)).sort((a, b) => b.length - a.length);
  }

  /** Bytes of the longest secret; 0 without any. */
  get longestBytes(): number {
    return this.#needles[0]?.length ?? 0;
  }

  /** Where secrets are: start and end in turn, in order, apart from each other. */
  spansIn(text: Buffer): readonly number[] {
    const starts: number[] = [];
    const ends: number[] = [];
    for (const needle of this.#needles) {
      for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
        starts.push(at);
        ends.push(at + needle.length);
      }
    }
    return starts.length === 0 ? NO_SPANS : merged(starts, ends);
  }

  /** The same buffer when there is no secret in it; else a masked copy. */
  maskBytes(bytes: Buffer): Buffer {
    const spans = this.spansIn(bytes);
    if (spans.length === 0) return bytes;
    const pieces: Buffer[] = [];
    let from = 0;
    for (let index = 0; index < spans.length; index += 2) {
      pieces.push(bytes.subarray(from, spans[index]), REPLACEMENT_BYTES);
      from = spans[index + 1] ?? from;
    }
    pieces.push(bytes.subarray(from));
    return Buffer.concat(pieces);
  }

  maskText(text: string): string {
    const bytes = Buffer.from(text);
    const masked = this.maskBytes(bytes);
    return masked === bytes ? text : masked.toString();
  }

  /** For the beginning of a text that goes on unseen: what may begin a secret at its end is left out. */
  maskCut(text: string): string {
    const shown = this.lineMask().push(Buffer.from(text)).toString();
    return shown.replace(/\ufffd+$/, '');
  }

  /** Masks every string of a value, keys too; the value itself when nothing is to mask. */
  maskJson<Value extends Json>(value: Value): Value;
  maskJson(value: Json): Json {
    if (typeof value === 'string') return this.maskText(value);
    if (Array.isArray(value)) return value.map((item: Json) => this.maskJson(item));
    if (!isJsonObject(value)) return value;
    return this.#maskObject(value);
  }

  #maskObject(value: JsonObject): JsonObject {
    // From entries: a key such as __proto__ must stay a plain key.
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.maskText(key), this.maskJson(item)]),
    );
  }

  /** For lines that come in pieces: what may begin a secret waits for what follows. */
  lineMask(): LineMask {
    return new PiecewiseMask(this);
  }
}

/** Gives the same text as masking the whole line, wherever it is cut. */
class PiecewiseMask implements LineMask {
  readonly #mask: SecretMask;
  #held: Buffer = NOTHING;
  /** End of the last secret, counted from the start of what is held; -1 when text followed it. */
  #secretEnd = -1;

  constructor(mask: SecretMask) {
    this.#mask = mask;
  }

  push(text: Buffer): Buffer {
    if (text.length === 0) return NOTHING;
    const all = this.#held.length === 0 ? text : Buffer.concat([this.#held, text]);
    // A secret that starts before here is in sight to its end.
    const decided = Math.max(0, all.length - Math.max(0, this.#mask.longestBytes - 1));
    const out = this.#maskUpTo(all, decided);
    // Copied: the caller's buffer is only good during the call.
    this.#held = decided === all.length ? NOTHING : Buffer.from(all.subarray(decided));
    return out;
  }

  end(): Buffer {
    const out = this.#maskUpTo(this.#held, this.#held.length);
    this.#held = NOTHING;
    this.#secretEnd = -1;
    return out;
  }

  #maskUpTo(all: Buffer, decided: number): Buffer {
    const spans = this.#mask.spansIn(all);
    if (spans.length === 0 && this.#secretEnd === -1) return all.subarray(0, decided);
    const pieces: Buffer[] = [];
    let from = 0;
    let secretEnd = this.#secretEnd;
    if (secretEnd > 0) from = Math.min(secretEnd, decided);
    for (let index = 0; index < spans.length; index += 2) {
      const start = spans[index] ?? 0;
      const end = spans[index + 1] ?? 0;
      if (start >= decided) break;
      if (start > secretEnd) pieces.push(all.subarray(from, start), REPLACEMENT_BYTES);
      secretEnd = Math.max(secretEnd, end);
      from = Math.min(secretEnd, decided);
    }
    pieces.push(all.subarray(from, decided));
    this.#secretEnd = secretEnd >= decided ? secretEnd - decided : -1;
    return Buffer.concat(pieces);
  }
}

function merged(starts: readonly number[], ends: readonly number[]): readonly number[] {
  const order = starts.map((_, index) => index);
  order.sort((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0));
  const spans: number[] = [];
  let lastEnd = -1;
  for (const index of order) {
    const start = starts[index] ?? 0;
    const end = ends[index] ?? 0;
    if (start > lastEnd) spans.push(start, end);
    else if (end > lastEnd) spans[spans.length - 1] = end;
    lastEnd = Math.max(lastEnd, end);
  }
  return spans;
}

/** Shorter values are in ordinary text too often; masking them hides the log and protects nothing. */
export const MIN_SECRET_CHARS = 4;
/** A line of a secret of several lines, and a part of a value whose own name says nothing. */
const MIN_PART_CHARS = 8;
const SECRET_NAME = /token|key|secret|pass|credential|auth/i;
const ORDINARY_WORDS = new Set(
  'true false null none undefined auto default enabled disabled yes no on off basic bearer token'.split(
    ' ',
  ),
);
const URL_USER = /[a-z][a-z0-9+.-]*:\/\/([^\s/?#"'<>\\]+)@/gi;
const AUTH_SCHEME = /^(?:bearer|basic|token)\s+(\S+)$/i;
const NESTING_LIMIT = 64;

/**
 * The secret values of a job's environment, longest first, without duplicates: values whose name says so or is in `names`,
 * strings under such a name in values that are JSON, and user-info of addresses in any value. Of a value
 * with several lines also each line of MIN_PART_CHARS; of each also the form JSON gives it in a string.
 *
 * @param names variables that were let through on purpose, secret whatever they are called; in any case, as on Windows
 */
export function secretsOf(
  environment: Readonly<Record<string, string>>,
  names: readonly string[] = [],
): string[] {
  const found = new Set<string>();
  const chosen = new Set(names.map((name) => name.toUpperCase()));
  for (const [name, value] of Object.entries(environment)) {
    const named = SECRET_NAME.test(name) || chosen.has(name.toUpperCase());
    if (named) addSecret(found, value);
    addFromJson(found, value, named);
    for (const [, userInfo = ''] of value.matchAll(URL_USER)) addUserInfo(found, userInfo);
  }
  return [...found].sort((a, b) => b.length - a.length);
}

function addSecret(found: Set<string>, raw: string, minChars = MIN_SECRET_CHARS): void {
  const value = raw.trim();
  if (value.length < minChars || ORDINARY_WORDS.has(value.toLowerCase())) return;
  found.add(value);
  const escaped = JSON.stringify(value).slice(1, -1);
  if (escaped !== value) found.add(escaped);
  const lines = value.split(/[\r\n]+/);
  if (lines.length > 1) for (const line of lines) addSecret(found, line, MIN_PART_CHARS);
  const credential = AUTH_SCHEME.exec(value)?.[1];
  if (credential !== undefined) addSecret(found, credential, MIN_PART_CHARS);
}

/** Strings in a JSON value: of any use under a secret's name; where only the variable has one, long ones. */
function addFromJson(found: Set<string>, text: string, named: boolean): void {
  if (!/^\s*[[{]/.test(text)) return;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  walk(value, named ? MIN_PART_CHARS : null, 0);

  function walk(node: unknown, minChars: number | null, depth: number): void {
    if (typeof node === 'string') {
      if (minChars !== null) addSecret(found, node, minChars);
      for (const [, userInfo = ''] of node.matchAll(URL_USER)) addUserInfo(found, userInfo);
    } else if (typeof node === 'object' && node !== null && depth < NESTING_LIMIT) {
      for (const [key, item] of Object.entries(node)) {
        const ownName = !Array.isArray(node) && SECRET_NAME.test(key);
        walk(item, ownName ? MIN_SECRET_CHARS : minChars, depth + 1);
      }
    }
  }
}

/** `user:password`; alone it is a token, or a user's name such as git. */
function addUserInfo(found: Set<string>, userInfo: string): void {
  const colon = userInfo.indexOf(':');
  const password = userInfo.slice(colon + 1);
  const minChars = colon === -1 ? MIN_PART_CHARS : MIN_SECRET_CHARS;
  for (const text of [userInfo, password])
    for (const form of [text, decoded(text)]) addSecret(found, form, minChars);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
