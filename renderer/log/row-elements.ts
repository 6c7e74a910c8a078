/** Which element of the page shows which row of a log. Pure. */

export interface RowElements {
  readonly first: number;
  readonly end: number;
  /** The element of record r is the one numbered r − base. */
  readonly base: number;
}

/**
 * Which elements the rows from `first` to before `end` get. A row keeps its element while the log scrolls; where
 * most rows are other ones, as in a log that streams, theirs are filled anew: making elements costs far more.
 */
export function rowElements(before: RowElements, first: number, end: number): RowElements {
  const stay = Math.min(before.end, end) - Math.max(before.first, first);
  const base = stay * 2 > end - first ? before.base : before.base + first - before.first;
  return { first, end, base };
}
