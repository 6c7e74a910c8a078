/** What the agent said, taken apart: words, code within a line, and fenced blocks. Text in, text out: no markup. Pure. */

export interface SaidPiece {
  readonly kind: 'words' | 'code' | 'block';
  readonly text: string;
}

/** A fence that was never closed goes to the end: the text may still be coming. */
const FENCE = /^[ \t]*```[^\n`]*\n([\s\S]*?)(?:\n[ \t]*```[ \t]*(?:\n|$)|$)/gm;
const CODE = /`([^`\n]+)`/g;

export function saidPieces(text: string): readonly SaidPiece[] {
  const pieces: SaidPiece[] = [];
  let from = 0;
  for (const found of text.matchAll(FENCE)) {
    addWords(pieces, text.slice(from, found.index).replace(/\n+$/, ''));
    pieces.push({ kind: 'block', text: found[1] ?? '' });
    from = found.index + found[0].length;
    // A block stands apart by itself.
    while (text[from] === '\n') from += 1;
  }
  addWords(pieces, text.slice(from));
  return pieces;
}

function addWords(pieces: SaidPiece[], text: string): void {
  let from = 0;
  for (const found of text.matchAll(CODE)) {
    if (found.index > from) pieces.push({ kind: 'words', text: text.slice(from, found.index) });
    pieces.push({ kind: 'code', text: found[1] ?? '' });
    from = found.index + found[0].length;
  }
  if (from < text.length) pieces.push({ kind: 'words', text: text.slice(from) });
}
