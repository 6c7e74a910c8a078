/**
 * Takes terminal sequences out of text, piece by piece. Owns what counts as a sequence; `ansi-style.ts` owns what
 * a colour sequence means.
 *
 * Colour sequences (`ESC [ … m`) change the style; every other complete sequence (cursor moves, titles,
 * hyperlinks: OSC, DCS, APC …) is dropped. What only begins like one is text: a log must not be able to hide
 * the rest of a line behind a sequence that never ends.
 */
import { applySgr, PLAIN_STYLE, type AnsiStyle } from './ansi-style.ts';

export interface AnsiRun {
  readonly text: string;
  readonly style: AnsiStyle;
}

export const ESC = '\u001b';
/** A sequence longer than this is text. Real ones, hyperlinks too, stay far below. */
export const MAX_SEQUENCE_CHARS = 4_096;
const BEL = 0x07;
const BACKSLASH = 0x5c;

export class AnsiParser {
  #style: AnsiStyle;
  #pending: string;

  constructor(style: AnsiStyle = PLAIN_STYLE, pending = '') {
    this.#style = style;
    this.#pending = pending;
  }

  get style(): AnsiStyle {
    return this.#style;
  }

  /** The start of a sequence that the text so far has not ended. */
  get pending(): string {
    return this.#pending;
  }

  /** Runs of the text up to a sequence that is still open. However a text is cut, the runs say the same. */
  feed(text: string): AnsiRun[] {
    const input = this.#pending + text;
    this.#pending = '';
    const runs: AnsiRun[] = [];
    let from = 0;
    let at = input.indexOf(ESC);
    while (at !== -1) {
      const end = sequenceEnd(input, at);
      if (end === OPEN) {
        this.#pending = input.slice(at);
        push(runs, input.slice(from, at), this.#style);
        return runs;
      }
      if (end !== LITERAL) {
        push(runs, input.slice(from, at), this.#style);
        if (isSgr(input, at, end))
          this.#style = applySgr(this.#style, input.slice(at + 2, end - 1));
        from = end;
      }
      at = input.indexOf(ESC, end === LITERAL ? at + 1 : end);
    }
    push(runs, input.slice(from), this.#style);
    return runs;
  }

  /** The line is over: what is still open was text. */
  end(): AnsiRun[] {
    const runs: AnsiRun[] = [];
    while (this.#pending !== '') {
      const rest = this.#pending.slice(1);
      this.#pending = '';
      push(runs, ESC, this.#style);
      for (const run of this.feed(rest)) push(runs, run.text, run.style);
    }
    return runs;
  }
}

/** The text of one record without its sequences. */
export function plainText(text: string): string {
  if (!text.includes(ESC)) return text;
  const parser = new AnsiParser();
  const runs = [...parser.feed(text), ...parser.end()];
  return runs.map((run) => run.text).join('');
}

/** Adds to the last run where the style is the same, so that cuts do not show. */
function push(runs: AnsiRun[], text: string, style: AnsiStyle): void {
  if (text === '') return;
  const last = runs.at(-1);
  if (last !== undefined && equalStyles(last.style, style))
    runs[runs.length - 1] = { text: last.text + text, style };
  else runs.push({ text, style });
}

function equalStyles(one: AnsiStyle, other: AnsiStyle): boolean {
  return one.fg === other.fg && one.bg === other.bg && one.attributes === other.attributes;
}

const OPEN = -1;
const LITERAL = -2;

/** The index after the sequence at `at`; OPEN when the text ends first; LITERAL when it is none. */
function sequenceEnd(input: string, at: number): number {
  const limit = Math.min(input.length, at + MAX_SEQUENCE_CHARS);
  const short = limit === input.length && input.length < at + MAX_SEQUENCE_CHARS ? OPEN : LITERAL;
  if (at + 1 >= input.length) return OPEN;
  const kind = input[at + 1];
  if (kind === '[') return csiEnd(input, at + 2, limit) ?? short;
  if (kind === ']' || kind === 'P' || kind === 'X' || kind === '^' || kind === '_')
    return stringEnd(input, at + 2, limit) ?? short;
  return escapeEnd(input, at + 1, limit) ?? short;
}

/** Parameters and intermediates (0x20–0x3f), then one final byte. */
function csiEnd(input: string, from: number, limit: number): number | undefined {
  for (let at = from; at < limit; at++) {
    const code = input.charCodeAt(at);
    if (code >= 0x40 && code <= 0x7e) return at + 1;
    if (code < 0x20 || code > 0x3f) return LITERAL;
  }
  return undefined;
}

/** Up to BEL or `ESC \`. */
function stringEnd(input: string, from: number, limit: number): number | undefined {
  for (let at = from; at < limit; at++) {
    const code = input.charCodeAt(at);
    if (code === BEL) return at + 1;
    if (input[at] !== ESC) continue;
    if (at + 1 >= limit) return undefined;
    return input.charCodeAt(at + 1) === BACKSLASH ? at + 2 : LITERAL;
  }
  return undefined;
}

/** `ESC 7`, `ESC ( B` and the like: intermediates, then one final byte. */
function escapeEnd(input: string, from: number, limit: number): number | undefined {
  for (let at = from; at < limit; at++) {
    const code = input.charCodeAt(at);
    if (code >= 0x30 && code <= 0x7e) return at + 1;
    if (code < 0x20 || code > 0x2f) return LITERAL;
  }
  return undefined;
}

function isSgr(input: string, at: number, end: number): boolean {
  if (input[at + 1] !== '[' || input[end - 1] !== 'm') return false;
  for (let index = at + 2; index < end - 1; index++) {
    const code = input.charCodeAt(index);
    if (code < 0x30 || code > 0x3b) return false;
  }
  return true;
}
