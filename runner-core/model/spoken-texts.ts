/**
 * Tells new words of the agent from words said again. Cursor tells a text in deltas and then repeats the whole of it, per
 * segment, per answer, or both; without partial output it tells each segment once.
 *
 * A run may say any amount, so little is held of it: the last segment up to KEPT_MAX_CHARS characters, and of the
 * SEGMENTS_MAX segments before it that came in deltas, the youngest, a hash of some 40 characters each. What is said again
 * of an older one counts as new.
 */
import { ownCopy } from './own-copy.ts';
import { TextHash } from './text-hash.ts';

export interface Spoken {
  /** The text of the segment now, at most KEPT_MAX_CHARS characters of it. */
  readonly text: string;
  readonly isNew: boolean;
}

/** All without white space, which differs between the pieces and the whole. */
interface Segment {
  kept: string;
  said: TextHash;
  deltas: number;
}

/** A delta as long as all before it, and equal, is the whole again; shorter ones may well repeat: "ha", "ha". */
const REPEATED_MIN_CHARS = 16;
export const SEGMENTS_MAX = 1_000;
/** Twice what is shown of a text. */
export const KEPT_MAX_CHARS = 131_072;

export class SpokenTexts {
  #last: Segment | undefined;
  /** The last segment may still grow. */
  #isOpen = false;
  /** Of all segments of this turn, the last among them. */
  #all = new TextHash();
  /** Of those before the last that came in deltas, oldest first. */
  readonly #inDeltas = new Set<string>();

  /** A new question: nothing before it is said again. */
  turn(): void {
    this.#last = undefined;
    this.#isOpen = false;
    this.#all = new TextHash();
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
    return wanted === '' || this.#last?.said.value === TextHash.of(wanted) || this.#isAll(wanted);
  }

  /** What is held: for whoever has to know that it is bounded. */
  get held(): { readonly chars: number; readonly segments: number } {
    return { chars: this.#last?.kept.length ?? 0, segments: this.#inDeltas.size };
  }

  #delta(text: string, last: Segment | undefined): Spoken | null {
    if (!this.#isOpen || last === undefined) return this.#begin(text, 1);
    const added = bare(text);
    const isAgain =
      last.deltas > 1 &&
      text.length >= REPEATED_MIN_CHARS &&
      added.length === last.said.chars &&
      TextHash.of(added) === last.said.value;
    if (isAgain) return null;
    if (last.kept.length < KEPT_MAX_CHARS) last.kept = kept(last.kept + text);
    this.#add(last.said, added);
    last.deltas += 1;
    return { text: last.kept, isNew: false };
  }

  #whole(text: string, last: Segment | undefined): Spoken | null {
    const wanted = bare(text);
    if (last === undefined) return this.#begin(text, 0);
    const { said } = last;
    const beginsAsSaid = TextHash.of(wanted.slice(0, said.chars)) === said.value;
    if (beginsAsSaid && wanted.length === said.chars) return null;
    // A delta was lost, or cut: the whole is right.
    if (this.#isOpen && last.deltas > 0 && beginsAsSaid) {
      last.kept = kept(text);
      this.#add(said, wanted.slice(said.chars));
      return { text: last.kept, isNew: false };
    }
    const isRecap = this.#inDeltas.has(TextHash.of(wanted)) || this.#isAll(wanted);
    return isRecap ? null : this.#begin(text, 0);
  }

  #isAll(wanted: string): boolean {
    return wanted.length === this.#all.chars && TextHash.of(wanted) === this.#all.value;
  }

  #add(said: TextHash, added: string): void {
    said.add(added);
    this.#all.add(added);
  }

  #begin(text: string, deltas: number): Spoken {
    if (this.#last !== undefined) this.#close(this.#last);
    const said = new TextHash();
    this.#add(said, bare(text));
    this.#last = { kept: kept(text), said, deltas };
    this.#isOpen = true;
    return { text: this.#last.kept, isNew: true };
  }

  #close({ said, deltas }: Segment): void {
    if (deltas === 0) return;
    const { value } = said;
    // One that is said once more is young again.
    this.#inDeltas.delete(value);
    this.#inDeltas.add(value);
    const [oldest] = this.#inDeltas;
    if (this.#inDeltas.size > SEGMENTS_MAX && oldest !== undefined) this.#inDeltas.delete(oldest);
  }
}

function bare(text: string): string {
  return text.replace(/\s+/g, '');
}

function kept(text: string): string {
  return text.length <= KEPT_MAX_CHARS ? text : ownCopy(text.slice(0, KEPT_MAX_CHARS));
}
