/**
 * Searching the text of records. Owns what a query means and where its hits are; pure, so that it can run in a
 * worker. Hits are positions in the plain text, without terminal sequences.
 */
import { plainText } from './ansi-parser.ts';

export interface FindQuery {
  readonly text: string;
  readonly matchCase: boolean;
  readonly wholeWord: boolean;
  readonly regex: boolean;
}

/** Records one after another in `text`; record i ends before `ends[i]`. */
export interface FindBatch {
  readonly text: string;
  readonly ends: Uint32Array;
}

/** Three numbers a hit: index of the record in its batch, start, end. */
export type HitList = Int32Array;

/** More hits a batch are not listed; a pattern such as `.` hits every character. */
export const MAX_HITS_A_BATCH = 20_000;

/** The pattern, or what is wrong with it in the engine's words. */
export function compile(
  query: FindQuery,
): { readonly pattern: RegExp } | { readonly wrong: string } {
  const source = query.regex ? query.text : escaped(query.text);
  // Look-arounds instead of \b: a query may begin or end with something that is no letter.
  const whole = query.wholeWord ? `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])` : source;
  try {
    return { pattern: new RegExp(whole, query.matchCase ? 'gu' : 'giu') };
  } catch (error) {
    return { wrong: plainReason(error) };
  }
}

export function hitsIn(batch: FindBatch, pattern: RegExp): HitList {
  const hits: number[] = [];
  let start = 0;
  for (let record = 0; record < batch.ends.length; record++) {
    const end = batch.ends[record] ?? start;
    const text = plainText(batch.text.slice(start, end));
    start = end;
    for (const match of text.matchAll(pattern)) {
      if (match[0] === '') continue;
      hits.push(record, match.index, match.index + match[0].length);
      if (hits.length >= MAX_HITS_A_BATCH * 3) return Int32Array.from(hits);
    }
  }
  return Int32Array.from(hits);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** `Invalid regular expression: /(/giu: Unterminated group` → `Unterminated group`. */
function plainReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(message.lastIndexOf(': ') + 1).trim();
}
