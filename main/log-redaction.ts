/** Makes the fields of a log line safe and small: secrets blanked, depth and length bounded. Never throws. */
import type { LogFields } from '../runner-core/ports.ts';

const BLANK = '[hidden]';
const MAX_DEPTH = 5;
const MAX_ITEMS = 50;
const MAX_CHARACTERS = 4_096;
/** Shorter values would blank ordinary words. */
const MIN_SECRET_CHARACTERS = 6;

/** Words in the name of a field whose value is never written. */
const SECRET_WORDS: ReadonlySet<string> = new Set([
  'authorization',
  'bearer',
  'cookie',
  'credential',
  'credentials',
  'key',
  'keys',
  'passphrase',
  'passwd',
  'password',
  'passwords',
  'secret',
  'secrets',
  'token',
  'tokens',
]);
/** The same run together, as in `apikey` or `accesstoken`. */
const SECRET_ENDING = /(token|secret|password|passwd|apikey|privatekey)s?$/;

export class Redaction {
  /** Longest first: one value may be part of another. */
  #hidden: readonly string[] = [];

  hide(value: string): void {
    if (value.length < MIN_SECRET_CHARACTERS || this.#hidden.includes(value)) return;
    this.#hidden = [...this.#hidden, value].sort((a, b) => b.length - a.length);
  }

  fields(fields: LogFields): Record<string, unknown> {
    return this.#entries(fields, 0);
  }

  text(text: string): string {
    // Blanked before it is cut: a cut could leave half a secret.
    let clean = text;
    for (const value of this.#hidden) clean = clean.replaceAll(value, BLANK);
    return clean.length > MAX_CHARACTERS ? `${clean.slice(0, MAX_CHARACTERS)}…` : clean;
  }

  #entries(value: object, depth: number): Record<string, unknown> {
    const clean: Record<string, unknown> = {};
    for (const name of Object.keys(value).slice(0, MAX_ITEMS)) {
      clean[this.text(name)] = namesSecret(name) ? BLANK : this.#property(value, name, depth);
    }
    return clean;
  }

  #property(owner: object, name: string, depth: number): unknown {
    try {
      return this.#value(Reflect.get(owner, name), depth + 1);
    } catch {
      return '[unreadable]';
    }
  }

  #value(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object') return undefined;
    if (depth > MAX_DEPTH) return '[deep]';
    if (value instanceof Error) return this.#error(value, depth);
    if (value instanceof Uint8Array) return `[${value.length} bytes]`;
    if (Array.isArray(value))
      return value.slice(0, MAX_ITEMS).map((item) => this.#value(item, depth + 1));
    return this.#entries(value, depth);
  }

  /** `facts` of our own errors are kept; other properties of strangers' errors may hold anything. */
  #error(error: Error, depth: number): unknown {
    const { code, facts } = error as { code?: unknown; facts?: unknown };
    return {
      name: this.text(error.name),
      message: this.text(error.message),
      ...(typeof code === 'string' && { code: this.text(code) }),
      ...(typeof facts === 'object' && facts !== null && { facts: this.#value(facts, depth + 1) }),
      ...(error.cause !== undefined && { cause: this.#value(error.cause, depth + 1) }),
      ...(code === undefined && { stack: this.text(error.stack ?? '') }),
    };
  }
}

function namesSecret(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => SECRET_WORDS.has(word) || SECRET_ENDING.test(word));
}
