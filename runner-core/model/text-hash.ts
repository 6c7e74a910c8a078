/** Length and a 64-bit hash of a text that comes in pieces. Tells texts apart, and is no protection against anybody. */
export class TextHash {
  #one = 0xdeadbeef;
  #two = 0x41c6ce57;
  #chars = 0;

  static of(text: string): string {
    const hash = new TextHash();
    hash.add(text);
    return hash.value;
  }

  get chars(): number {
    return this.#chars;
  }

  /** Equal for equal texts, however they were cut. */
  get value(): string {
    return `${this.#chars}:${this.#one >>> 0}:${this.#two >>> 0}`;
  }

  add(text: string): void {
    let one = this.#one;
    let two = this.#two;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      one = Math.imul(one ^ unit, 2_654_435_761);
      two = Math.imul(two ^ unit, 1_597_334_677);
      two ^= two >>> 15;
    }
    this.#one = one;
    this.#two = two;
    this.#chars += text.length;
  }
}
