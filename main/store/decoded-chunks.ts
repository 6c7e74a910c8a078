/** The few chunks decoded last, so that reading a log in order decodes each chunk once. */

const MAX_CHUNKS = 3;
/** Of text; a chunk has about a quarter of a MiB. */
const MAX_BYTES = 2 * 1024 * 1024;

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
}

export class DecodedChunks<T> {
  /** In order of last use. */
  readonly #entries = new Map<string, Entry<T>>();
  #bytes = 0;

  /** The value kept under `key`, or what `decode` makes, kept from now on. */
  get(key: string, bytes: number, decode: () => T): T {
    const held = this.#entries.get(key);
    if (held !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, held);
      return held.value;
    }
    const value = decode();
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    this.#shrink();
    return value;
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #shrink(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= MAX_CHUNKS && this.#bytes <= MAX_BYTES) return;
      this.#entries.delete(key);
      this.#bytes -= entry.bytes;
    }
  }
}
