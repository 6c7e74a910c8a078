/**
 * How many rows may be drawn anew in one frame. After a leap, or when a page arrives, all rows in view change at once;
 * drawn over a few frames, those in the middle first, none of these frames is late. Pure.
 */
import type { JobRow } from '../../../main/contract/views.ts';

/** A fast turn of the wheel, 12 rows a frame, is within it. */
export const ROWS_A_FRAME = 14;

export interface WantedRow {
  readonly slot: number;
  readonly index: number;
  /** Undefined until it is fetched. */
  readonly row: JobRow | undefined;
}

export interface SlotRow extends WantedRow {
  /**
   * The row at this index is not drawn yet: its place is shown empty. `row` is then what the slot had before, for to
   * leave its hidden elements as they are costs nothing.
   */
  readonly waiting: boolean;
}

export interface Fill {
  /** What each slot shows now, in the order given. */
  readonly rows: readonly SlotRow[];
  /** Not all is shown yet: another frame is needed. */
  readonly late: boolean;
}

/**
 * @param budget rows that may be drawn anew
 * @param wanted what each slot should show
 * @param shown by slot, what was shown in the frame before
 */
export function fillWithin(
  budget: number,
  wanted: readonly WantedRow[],
  shown: ReadonlyMap<number, SlotRow>,
): Fill {
  const changed = wanted.filter((want) => want.row !== undefined && !isShown(want, shown));
  const later = new Set(
    changed.length <= budget ? [] : outermost(changed, changed.length - budget),
  );
  const rows = wanted.map((want) => {
    if (want.row !== undefined && !later.has(want)) return { ...want, waiting: false };
    const before = shown.get(want.slot)?.row;
    // An older state of the same job is better than none.
    const same = want.row !== undefined && before?.jobId === want.row.jobId;
    return { ...want, row: before, waiting: !same };
  });
  return { rows, late: later.size > 0 };
}

function isShown({ slot, row }: WantedRow, shown: ReadonlyMap<number, SlotRow>): boolean {
  const before = shown.get(slot);
  return before?.row === row && before?.waiting === false;
}

function outermost(rows: readonly WantedRow[], count: number): readonly WantedRow[] {
  const indexes = rows.map(({ index }) => index);
  const middle = (Math.min(...indexes) + Math.max(...indexes)) / 2;
  const distance = ({ index }: WantedRow): number => Math.abs(index - middle);
  return rows.toSorted((one, other) => distance(other) - distance(one)).slice(0, count);
}
