/** The rows that are drawn, as the list is scrolled and its view changes size. Draws within the frame of the scroll. */
import { useEffect, useLayoutEffect, useMemo, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import { ROW_PX, rowsInSlots, rowWindow } from './row-window.ts';

/** Scrolling has come to rest when nothing moved for this long. */
const REST_MS = 160;

export interface DrawnRows {
  /** Index of the topmost row in view. */
  readonly top: number;
  readonly first: number;
  readonly last: number;
  readonly rows: readonly { readonly slot: number; readonly index: number }[];
}

export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  headPx: number,
  total: number,
): DrawnRows {
  const [topRow, setTopRow] = useState(0);
  const [viewPx, setViewPx] = useState(0);
  // Slots in the order of their elements. A reader of the page wants the order of the rows; moving elements costs
  // time that a frame of scrolling does not have. So they are put in order once it rests.
  const [order, setOrder] = useState<readonly number[]>([]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const onScroll = (): void => {
      const row = Math.max(0, Math.floor(element.scrollTop / ROW_PX));
      flushSync(() => setTopRow(row));
    };
    const onResize = (): void => setViewPx(element.clientHeight - headPx);
    const resized = new ResizeObserver(onResize);
    onResize();
    resized.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, [scroller, headPx]);
  useEffect(() => {
    const rest = setTimeout(() => setOrder(inOrder(topRow, viewPx, total)), REST_MS);
    return () => clearTimeout(rest);
  }, [topRow, viewPx, total]);
  return useMemo(() => {
    const window = rowWindow(topRow * ROW_PX, viewPx, total);
    const inSlots = rowsInSlots(window);
    const slots = order.length === window.count ? order : inSlots.map((_, slot) => slot);
    return {
      top: Math.min(Math.max(0, total - 1), topRow),
      first: window.first,
      last: Math.max(window.first, window.first + window.count - 1),
      rows: slots.map((slot) => ({ slot, index: inSlots[slot] ?? slot })),
    };
  }, [topRow, viewPx, total, order]);
}

/** Slots by the rows that they show. */
function inOrder(topRow: number, viewPx: number, total: number): readonly number[] {
  const { first, count } = rowWindow(topRow * ROW_PX, viewPx, total);
  return Array.from({ length: count }, (_, at) => (first + at) % count);
}
