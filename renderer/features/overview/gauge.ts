/** Where now is against the usual time of a flow. Pure. */

export interface GaugeParts {
  /** All in [0, 1] of the width. */
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

/** The usual longest time lies at three quarters of the width; a job that is over it stretches the scale. */
export function gaugeOf(
  elapsedMs: number,
  usual: { readonly fromMs: number; readonly toMs: number } | null,
): GaugeParts | null {
  if (usual === null || usual.toMs <= 0) return null;
  const wholeMs = Math.max(usual.toMs / 0.75, elapsedMs / 0.97);
  return {
    from: usual.fromMs / wholeMs,
    to: usual.toMs / wholeMs,
    now: Math.max(0, elapsedMs) / wholeMs,
  };
}
