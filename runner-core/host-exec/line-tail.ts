/**
 * The last lines of an output, for telling how it ended. Each is masked before anything is taken from it, and is whole or
 * ends in the sign of a cut, so that none begins in the middle of a secret or of a path.
 */
import type { TextMask } from './text-mask.ts';
import { withoutEscapes } from './without-escapes.ts';

/** Stands where a line was cut. */
export const CUT_SIGN = '…';

export class LineTail {
  readonly #mask: TextMask;
  readonly #maxChars: number;
  readonly #lines: string[] = [];
  #chars = 0;

  /** @param maxChars of all that is kept, line ends among them */
  constructor(mask: TextMask, maxChars: number) {
    this.#mask = mask;
    this.#maxChars = maxChars;
  }

  /** @param line without its end; one that a terminal would write over is one line a time */
  add(line: string): void {
    for (const part of line.split(/\r+/)) this.#keep(plainText(part, this.#mask));
  }

  get text(): string {
    return this.#lines.join('');
  }

  #keep(line: string): void {
    const kept = `${cutText(line, this.#maxChars - 1)}\n`;
    this.#lines.push(kept);
    this.#chars += kept.length;
    while (this.#chars > this.#maxChars) this.#chars -= this.#lines.shift()?.length ?? 0;
  }
}

/**
 * Without secrets and escapes. A secret may be torn by an escape, or hold one: it is looked for before and after.
 *
 * @param isCut the text goes on unseen, maybe in the middle of a secret
 */
export function plainText(text: string, mask: TextMask, isCut = false): string {
  const masked = isCut ? mask.maskCut(text) : mask.maskText(text);
  const plain = withoutEscapes(masked);
  if (plain === masked) return masked;
  return isCut ? mask.maskCut(plain) : mask.maskText(plain);
}

/** At most `maxChars` characters, the sign of the cut among them. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars - CUT_SIGN.length).toWellFormed()}${CUT_SIGN}`;
}
