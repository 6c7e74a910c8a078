/**
 * Which rows of a list of any length are drawn, and in which slots. Every row has the same height, so all follows
 * from where the list is scrolled to. Pure.
 */

export const ROW_PX = 32;
/** Rows drawn beyond the view, so that a quick turn of the wheel meets no empty ground. */
const OVERSCAN = 4;

export interface RowWindow {
  /** Index of the first row that is drawn. */
  readonly first: number;
  /** How many are drawn; stays the same while the view does, so that slots are used again. */
  readonly count: number;
}

/**
 * @param scrollPx from the top of the first row, as the browser says it; may be beyond either end
 * @param viewPx height of what shows rows
 */
export function rowWindow(scrollPx: number, viewPx: number, total: number): RowWindow {
  const count = Math.min(total, Math.ceil(viewPx / ROW_PX) + 1 + 2 * OVERSCAN);
  const first = Math.floor(scrollPx / ROW_PX) - OVERSCAN;
  return { first: Math.max(0, Math.min(total - count, first)), count };
}

/**
 * The row that each slot shows. A row keeps its slot while it is drawn: scrolling by three rows changes three slots and
 * leaves the others as they are.
 */
export function rowsInSlots({ first, count }: RowWindow): readonly number[] {
  return Array.from({ length: count }, (_, slot) => {
    const before = first - (first % count) + slot;
    return before < first ? before + count : before;
  });
}

/** Where to scroll so that the row is in view: nowhere if it is. Result and scrollPx from the top of the first row. */
export function scrollToShow(index: number, scrollPx: number, viewPx: number): number {
  const top = index * ROW_PX;
  if (top < scrollPx) return top;
  return Math.max(scrollPx, top + ROW_PX - viewPx);
}
