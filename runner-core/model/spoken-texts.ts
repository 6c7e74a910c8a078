/**
 * Tells new words of the agent from words said again. Cursor tells a text in deltas and then repeats the whole of it, per
 * segment, per answer, or both; without partial output it tells each segment once. Only the last segment is kept as
 * text; of those before it length and hash, since an answer may be of any length.
 */
import { TextHash } from './text-hash.ts';

export interface Spoken {
  /** The whole text of the segment now. */
  readonly text: string;
  readonly isNew: boolean;
}

interface Segment {
  text: string;
  /** Of its text without white space. */
  bareChars: number;
  deltas: number;
}

/** A delta as long as all before it, and equal, is the whole again; shorter ones may well repeat: "ha", "ha". */
const REPEATED_MIN_CHARS = 16;
/** More segments of one turn are not told from a repetition of theirs. */
const SEGMENTS_MAX = 10_000;

export class SpokenTexts {
  #last: Segment | undefined;
  /** The last segment may still grow. */
  #isOpen = false;
  /** Of all segments of this turn before the last. */
  #before = new TextHash();
  /** Those of them that came in deltas. */
  readonly #inDeltas = new Set<string>();

  /** A new question: nothing before it is said again. */
  turn(): void {
    this.#last = undefined;
    this.#isOpen = false;
    this.#before = new TextHash();
    this.#inDeltas.clear();
  }

  /** A tool was called: what is said next begins a segment. */
  segment(): void {
    this.#isOpen = false;
  }

  /** The segment that `text` makes or continues; null where it only says again what was said. */
  take(text: string, isDelta: boolean): Spoken | null {
    if (text === '') return null;
    return isDelta ? this.#delta(text, this.#last) : this.#whole(text, this.#last);
  }

  /** Whether the agent said just this, in its last segment or in all. */
  hasSaid(text: string): boolean {
    const wanted = bare(text);
    return wanted === '' || bare(this.#last?.text ?? '') === wanted || this.#isAll(wanted);
  }

  #delta(text: string, last: Segment | undefined): Spoken | null {
    if (!this.#isOpen || last === undefined) return this.#begin(text, 1);
    const added = bare(text);
    const isAgain =
      last.deltas > 1 &&
      text.length >= REPEATED_MIN_CHARS &&
      added.length === last.bareChars &&
      added === bare(last.text);
    if (isAgain) return null;
    last.text += text;
    last.bareChars += added.length;
    last.deltas += 1;
    return { text: last.text, isNew: false };
  }

  #whole(text: string, last: Segment | undefined): Spoken | null {
    const wanted = bare(text);
    if (last === undefined) return this.#begin(text, 0);
    const said = bare(last.text);
    if (said === wanted) return null;
    // A delta was lost, or cut: the whole is right.
    if (this.#isOpen && last.deltas > 0 && wanted.startsWith(said)) {
      last.text = text;
      last.bareChars = wanted.length;
      return { text, isNew: false };
    }
    const isRecap = this.#inDeltas.has(TextHash.of(wanted)) || this.#isAll(wanted);
    return isRecap ? null : this.#begin(text, 0);
  }

  #isAll(wanted: string): boolean {
    const before = this.#before.chars;
    const last = bare(this.#last?.text ?? '');
    if (wanted.length !== before + last.length || !wanted.endsWith(last)) return false;
    return TextHash.of(wanted.slice(0, before)) === this.#before.value;
  }

  #begin(text: string, deltas: number): Spoken {
    if (this.#last !== undefined) {
      const said = bare(this.#last.text);
      this.#before.add(said);
      if (this.#last.deltas > 0 && this.#inDeltas.size < SEGMENTS_MAX)
        this.#inDeltas.add(TextHash.of(said));
    }
    this.#last = { text, bareChars: bare(text).length, deltas };
    this.#isOpen = true;
    return { text, isNew: true };
  }
}

/** White space differs between the pieces and the whole. */
function bare(text: string): string {
  return text.replace(/\s+/g, '');
}
