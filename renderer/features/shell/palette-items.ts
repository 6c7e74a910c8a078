/** What the command palette offers, and which of it matches. Pure: acts are called by the palette. */

export interface PaletteItem {
  readonly id: string;
  readonly group: string;
  readonly icon: string;
  /** A state's glyph instead of the icon. */
  readonly glyph?: string;
  readonly text: string;
  /** Grey, behind the text; matched too. */
  readonly note?: string;
  readonly act: () => void;
}

export interface Match {
  readonly item: PaletteItem;
  /** Where in the text the query's words are, for marking; empty where only the note matched. */
  readonly marks: readonly (readonly [from: number, to: number])[];
}

/**
 * Items that contain every word of the query, best first: a match at the start of a word of the text is
 * worth more than one inside, and any in the text more than one in the note. Groups keep their order.
 */
export function matchItems(items: readonly PaletteItem[], query: string): readonly Match[] {
  const wanted = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const scored = items.flatMap((item) => {
    const scores = wanted.map((word) => scoreOf(item, word));
    if (scores.includes(0)) return [];
    const score = scores.reduce<number>((sum, one) => sum + one, 0);
    return [{ score, match: { item, marks: marksOf(item.text, wanted) } }];
  });
  const best = new Map<string, number>();
  for (const { score, match } of scored)
    best.set(match.item.group, Math.max(best.get(match.item.group) ?? 0, score));
  const order = [...new Set(items.map(({ group }) => group))];
  return scored
    .sort(
      (a, b) =>
        (best.get(b.match.item.group) ?? 0) - (best.get(a.match.item.group) ?? 0) ||
        order.indexOf(a.match.item.group) - order.indexOf(b.match.item.group) ||
        b.score - a.score,
    )
    .map(({ match }) => match);
}

function scoreOf(item: PaletteItem, word: string): 0 | 1 | 2 | 3 {
  const text = item.text.toLowerCase();
  const at = text.indexOf(word);
  if (at === 0 || (at > 0 && !/[a-z0-9]/.test(text[at - 1] ?? ''))) return 3;
  if (at > 0) return 2;
  return (item.note ?? '').toLowerCase().includes(word) ? 1 : 0;
}

function marksOf(text: string, wanted: readonly string[]): readonly (readonly [number, number])[] {
  const lower = text.toLowerCase();
  const found = wanted
    .map((word) => [lower.indexOf(word), lower.indexOf(word) + word.length] as const)
    .filter(([from]) => from >= 0)
    .sort(([a], [b]) => a - b);
  const merged: [number, number][] = [];
  for (const [from, to] of found) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
