/** The rows that are drawn in this frame, and another frame for as long as some are still to be. */
import { useLayoutEffect, useReducer, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { fillWithin, ROWS_A_FRAME, type SlotRow, type WantedRow } from './row-budget.ts';

export function useFilledRows(wanted: readonly WantedRow[]): readonly SlotRow[] {
  const [, drawMore] = useReducer((count: number) => count + 1, 0);
  const [shown] = useState(() => new Map<number, SlotRow>());
  const { rows, late } = fillWithin(ROWS_A_FRAME, wanted, shown);
  const frame = useRef(0);
  useLayoutEffect(() => {
    shown.clear();
    for (const row of rows) shown.set(row.slot, row);
    cancelAnimationFrame(frame.current);
    if (!late) return;
    // The next but one callback: the next may still come within this frame, if it was a scroll that drew it.
    frame.current = requestAnimationFrame(() => {
      frame.current = requestAnimationFrame(() => flushSync(drawMore));
    });
  });
  useLayoutEffect(() => () => cancelAnimationFrame(frame.current), []);
  return rows;
}
