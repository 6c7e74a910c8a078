/** The middle of some figures: the mean of the two in the middle for an even count, NaN for none. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Linear between neighbours. `fraction` in [0, 1]. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * fraction;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}
