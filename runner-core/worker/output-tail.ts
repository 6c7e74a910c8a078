/** Bytes of an output, cut anywhere and in lines of any length, to its last lines; masked as they come. */
import { LineTail } from '../host-exec/line-tail.ts';
import { Utf8Lines } from '../log/utf8-lines.ts';
import { RECORD_FLAG } from '../model/log-chunk.ts';
import type { SecretMask } from './secret-mask.ts';

export class OutputTail {
  readonly #tail: LineTail;
  readonly #lines: Utf8Lines;

  /** @param maxChars of what is kept */
  constructor(mask: SecretMask, maxChars: number) {
    this.#tail = new LineTail(mask, maxChars);
    this.#lines = new Utf8Lines((bytes, start, end, flags) => {
      // Of a line of several records the first says what it is.
      if ((flags & RECORD_FLAG.continuation) === 0)
        this.#tail.add(bytes.toString('utf8', start, end));
    }, mask.lineMask());
  }

  /** They are only looked at during the call. */
  push(bytes: Buffer): void {
    this.#lines.push(bytes);
  }

  /** No more comes: a last line without its end counts. */
  end(): void {
    this.#lines.end();
  }

  get text(): string {
    return this.#tail.text;
  }
}
