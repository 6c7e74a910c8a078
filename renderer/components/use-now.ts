/** The time, for what counts up or down on the page. One timer for all that tick alike. */
import { useCallback, useSyncExternalStore } from 'react';

interface Ticker {
  nowMs: number;
  readonly listeners: Set<() => void>;
  timer: ReturnType<typeof setInterval> | undefined;
}

const tickers = new Map<number, Ticker>();

function tickerOf(everyMs: number): Ticker {
  const found = tickers.get(everyMs);
  if (found !== undefined) return found;
  const made: Ticker = { nowMs: Date.now(), listeners: new Set(), timer: undefined };
  tickers.set(everyMs, made);
  return made;
}

/** Epoch ms, read anew every `everyMs` while the component is mounted. */
export function useNow(everyMs = 1_000): number {
  const ticker = tickerOf(everyMs);
  // The same function at every rendering: React would else subscribe anew each time, read a later time, and
  // render again without end.
  const subscribe = useCallback(
    (changed: () => void) => {
      ticker.listeners.add(changed);
      if (ticker.timer === undefined) {
        // A ticker that slept shows an old time until its first tick.
        ticker.nowMs = Date.now();
        ticker.timer = setInterval(() => {
          ticker.nowMs = Date.now();
          for (const listener of ticker.listeners) listener();
        }, everyMs);
      }
      return () => {
        ticker.listeners.delete(changed);
        if (ticker.listeners.size > 0) return;
        clearInterval(ticker.timer);
        ticker.timer = undefined;
      };
    },
    [ticker, everyMs],
  );
  return useSyncExternalStore(subscribe, () => ticker.nowMs);
}
