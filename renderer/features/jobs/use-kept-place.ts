/**
 * Where in a list a person was, so that Back from a job leads to the row it was opened from. Kept by the list's
 * address as long as the page is open.
 */
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';

interface Place {
  readonly active: number;
  readonly scrollPx: number;
  readonly focused: boolean;
}

const START: Place = { active: 0, scrollPx: 0, focused: false };
const places = new Map<string, Place>();

/**
 * @param ready the list has its whole height, so that it can be scrolled
 * @returns the active row and its setter
 */
export function useKeptPlace(
  key: string,
  scroller: RefObject<HTMLElement | null>,
  ready: boolean,
): readonly [active: number, setActive: (index: number) => void] {
  const [kept] = useState(() => places.get(key) ?? START);
  const [active, setActive] = useState(kept.active);
  const latest = useRef(active);
  const returned = useRef(false);
  useEffect(() => {
    latest.current = active;
  }, [active]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!ready || returned.current || element === null) return;
    returned.current = true;
    element.scrollTop = kept.scrollPx;
    if (kept.focused) element.focus();
  }, [ready, scroller, kept]);
  useLayoutEffect(() => {
    const element = scroller.current;
    return () => {
      // Left before it was there again: what was kept still holds.
      if (element === null || !returned.current) return;
      const focused = element.contains(document.activeElement);
      places.set(key, { active: latest.current, scrollPx: element.scrollTop, focused });
    };
  }, [key, scroller]);
  return [active, setActive];
}
