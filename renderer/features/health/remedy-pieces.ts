/** A remedy in the host's words, taken apart: what is said, and what is to be typed. Pure. */

/**
 * Between backticks, or what begins like one: to a bracket, the end of its sentence, or the end. Words such as
 * “the group docker” are none.
 */
const COMMAND =
  /`([^`]+)`|\b((?:sudo|colima|systemctl|docker (?:pull|info|login|system|start|rm)|preloop-host)\b[^`()]*?)(?=\.?$|[()]|[.,;] )/g;

type Piece = { readonly kind: 'words' | 'command'; readonly text: string };

export function remedyPieces(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(COMMAND)) {
    if (found.index > from) pieces.push({ kind: 'words', text: text.slice(from, found.index) });
    pieces.push({ kind: 'command', text: found[1] ?? found[2] ?? '' });
    from = found.index + found[0].length;
  }
  if (from < text.length) pieces.push({ kind: 'words', text: text.slice(from) });
  return pieces;
}

/** The first command in it; null for none. */
export function remedyCommand(text: string): string | null {
  return remedyPieces(text).find(({ kind }) => kind === 'command')?.text ?? null;
}
