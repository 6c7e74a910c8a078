/**
 * Cuts one record into the pieces a row is drawn from: styled text, links, search hits, masked values, boxed
 * characters. Runs for visible rows only. Whatever a log holds comes out as text, never as markup.
 */
import { AnsiParser } from './ansi-parser.ts';
import { PLAIN_STYLE, type AnsiStyle } from './ansi-style.ts';
import { CONTROL_RUN, codeName, controlName } from './control-names.ts';

export interface RowPiece {
  /** As it is copied and searched. */
  readonly text: string;
  readonly kind: 'text' | 'mask' | 'control';
  readonly style: AnsiStyle;
  /** An http(s) address, in full. */
  readonly link: string | null;
  readonly hit: 'none' | 'hit' | 'current';
  /** Of a boxed character: its short name with a count, and its code point. */
  readonly name: string;
  readonly code: string;
}

export interface RowContent {
  readonly pieces: readonly RowPiece[];
  /** There is more of this record than is shown. */
  readonly cut: boolean;
}

export interface Hit {
  readonly start: number;
  readonly end: number;
  readonly current: boolean;
}

export interface RowSource {
  readonly text: string;
  readonly style: AnsiStyle;
  /** The start of a sequence that the record before left open. */
  readonly pending: string;
  /** The line goes on in the next record; a sequence that is still open belongs to that. */
  readonly more: boolean;
}

export const MAX_COLUMNS = 2_000;
/** A row of alternating control characters would else be as many elements as characters. */
const MAX_PIECES = 400;
const MAX_PIECES_EXPANDED = 20_000;
const LINK =
  /https?:\/\/[^\s<>"'`\\^{}|\u0000-\u0020\u007f-\u00a0\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/giu;
const MASK = /(?<!\*)\*{3}(?!\*)/g;

interface Span {
  readonly start: number;
  readonly end: number;
}
interface LinkSpan extends Span {
  readonly href: string;
}
interface StyleSpan extends Span {
  readonly style: AnsiStyle;
}

export function rowContent(source: RowSource, hits: readonly Hit[], expanded: boolean): RowContent {
  const { plain, styles } = styled(source);
  const shown = expanded
    ? plain.length
    : Math.min(plain.length, wholeCharacters(plain, MAX_COLUMNS));
  const text = plain.slice(0, shown);
  const links = linksIn(text);
  const masks = spansOf(text, MASK);
  const controls = spansOf(text, CONTROL_RUN);
  const edges = new Set<number>([0, shown]);
  for (const spans of [styles, links, masks, controls, hits])
    for (const { start, end } of spans) {
      if (start < shown) edges.add(start);
      if (end < shown) edges.add(end);
    }
  const order = [...edges].sort((a, b) => a - b);
  const most = expanded ? MAX_PIECES_EXPANDED : MAX_PIECES;
  const at = [links, masks, controls, hits, styles].map(() => 0);
  /** The span of list `which` that covers `start`; lists are sorted and `start` only grows. */
  const covering = <S extends Span>(
    which: number,
    spans: readonly S[],
    start: number,
  ): S | null => {
    let index = at[which] ?? 0;
    while (index < spans.length && (spans[index]?.end ?? 0) <= start) index++;
    at[which] = index;
    const span = spans[index];
    return span !== undefined && span.start <= start ? span : null;
  };
  const pieces: RowPiece[] = [];
  let index = 0;
  for (; index + 1 < order.length && pieces.length < most; index++) {
    const start = order[index] ?? 0;
    const piece = text.slice(start, order[index + 1]);
    const control = covering(2, controls, start);
    const mask = covering(1, masks, start);
    const hit = covering(3, hits, start);
    pieces.push({
      text: piece,
      kind: control !== null ? 'control' : mask !== null && piece === '***' ? 'mask' : 'text',
      style: covering(4, styles, start)?.style ?? PLAIN_STYLE,
      link: covering(0, links, start)?.href ?? null,
      hit: hit === null ? 'none' : hit.current ? 'current' : 'hit',
      name: control === null ? '' : boxName(piece),
      code: control === null ? '' : codeName(piece),
    });
  }
  return { pieces, cut: shown < plain.length || index + 1 < order.length };
}

function styled({ text, style, pending, more }: RowSource): { plain: string; styles: StyleSpan[] } {
  const parser = new AnsiParser(style, pending);
  const styles: StyleSpan[] = [];
  let plain = '';
  for (const run of [...parser.feed(text), ...(more ? [] : parser.end())]) {
    styles.push({ start: plain.length, end: plain.length + run.text.length, style: run.style });
    plain += run.text;
  }
  // A line that ends in CR LF has nothing to tell by its CR.
  return { plain: plain.endsWith('\r') ? plain.slice(0, -1) : plain, styles };
}

function boxName(piece: string): string {
  const name = controlName(piece);
  // One character over and over, so its own length says how often.
  const times = piece.length / String.fromCodePoint(piece.codePointAt(0) ?? 0).length;
  return times > 1 ? `${name} ×${times}` : name;
}

/** Never half a surrogate pair. */
function wholeCharacters(text: string, columns: number): number {
  const code = text.charCodeAt(columns - 1);
  return code >= 0xd800 && code <= 0xdbff ? columns - 1 : columns;
}

function spansOf(text: string, pattern: RegExp): Span[] {
  return Array.from(text.matchAll(pattern), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
}

function linksIn(text: string): LinkSpan[] {
  const links: LinkSpan[] = [];
  for (const match of text.matchAll(LINK)) {
    // Where a sentence or a bracket ends is not part of the address.
    const address = match[0].replace(/[.,;:!?)\]*]+$/u, '');
    const href = safeLink(address);
    if (href !== null) links.push({ start: match.index, end: match.index + address.length, href });
  }
  return links;
}

/** The address if it is http(s) and can be read as one, else null. */
export function safeLink(address: string): string | null {
  const url = URL.parse(address);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null;
}
