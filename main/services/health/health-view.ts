/** The checks as they are shown, and what they add up to. Pure. */
import type { CheckId, CheckView, HealthView } from '../../contract/views.ts';
import { TITLES, type Finding } from './check.ts';

export type Found =
  | { readonly kind: 'found'; readonly finding: Finding; readonly tookMs: number }
  | { readonly kind: 'skipped'; readonly because: CheckId };

export function checkViewOf(
  id: CheckId,
  found: Found | undefined,
  { isRunning, isMuted }: { readonly isRunning: boolean; readonly isMuted: boolean },
): CheckView {
  const shown = { id, title: TITLES[id], running: isRunning, muted: isMuted };
  if (found === undefined)
    return { ...shown, state: 'unchecked', said: 'Not looked at yet.', remedy: null, tookMs: null };
  if (found.kind === 'skipped')
    return {
      ...shown,
      state: 'skipped',
      said: `Not reached: see ${TITLES[found.because]} first.`,
      remedy: null,
      tookMs: null,
    };
  const { state, said, remedy } = found.finding;
  return {
    ...shown,
    state,
    said,
    remedy,
    tookMs: state === 'not_applicable' ? null : found.tookMs,
  };
}

export function healthView(
  checks: readonly CheckView[],
  last: { readonly atMs: number; readonly tookMs: number } | null,
): HealthView {
  const counted = checks.filter(({ muted }) => !muted);
  const failed = counted.filter(({ state }) => state === 'failed').length;
  return {
    checks: [...checks],
    running: checks.some(({ running }) => running),
    checkedAtMs: last?.atMs ?? null,
    tookMs: last?.tookMs ?? null,
    attention: failed + counted.filter(({ state }) => state === 'warning').length,
    failed,
    muted: checks.length - counted.length,
  };
}
