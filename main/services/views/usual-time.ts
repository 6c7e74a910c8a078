/** How long a flow usually takes: the middle half of its earlier runs. Pure. */
import type { SlotView } from '../../contract/views.ts';

const FEWEST_RUNS = 5;

/** Null under five runs: a band over less says nothing. */
export function usualTime(runTimesMs: readonly number[]): SlotView['usual'] {
  if (runTimesMs.length < FEWEST_RUNS) return null;
  const sorted = runTimesMs.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round((sorted.length - 1) * share)] ?? 0;
  return { fromMs: at(0.25), toMs: at(0.75) };
}
