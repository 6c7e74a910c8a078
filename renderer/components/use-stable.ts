/** A callback with one identity for life that always runs the newest function: for components that are `memo`. */
import { useCallback, useRef } from 'react';

export function useStable<A extends readonly unknown[]>(
  act: (...args: A) => void,
): (...args: A) => void {
  const newest = useRef(act);
  newest.current = act;
  return useCallback((...args: A) => newest.current(...args), []);
}
