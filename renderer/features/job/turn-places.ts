/** Which turn of a conversation a record of the log tells of. Pure. */
import type { RecordRangeView } from '../../../main/contract/conversation-views.ts';

export interface FoundTurn {
  /** Among the places that were given. */
  readonly index: number;
  /** False: no place holds the record; it is the turn before it, or the first. */
  readonly isCertain: boolean;
}

/**
 * Calls overlap, so a record may lie within several turns: the one that begins or ends there is meant, else the shortest.
 * A record that no turn is made of, such as the repeat of a text, belongs to the last turn that began before it.
 */
export function turnOfRecord(
  places: readonly (RecordRangeView | null)[],
  record: number,
): FoundTurn | null {
  let best: { readonly index: number; readonly weight: number } | null = null;
  let before: number | null = null;
  for (const [index, place] of places.entries()) {
    if (place === null) continue;
    const { first, last } = place;
    if (first <= record) before = index;
    if (record < first || record > last) continue;
    const weight = record === first || record === last ? 0 : last - first;
    if (best === null || weight < best.weight) best = { index, weight };
  }
  if (best !== null) return { index: best.index, isCertain: true };
  if (before !== null) return { index: before, isCertain: true };
  const index = places.findIndex((place) => place !== null);
  return index === -1 ? null : { index, isCertain: false };
}
