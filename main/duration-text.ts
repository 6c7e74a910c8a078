/** Durations as a person writes them: `90s`, `15m`, `1h30m`, `2d`. Pure. */

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const MOST_MS = 366 * 86_400_000;

/** Milliseconds, at least 1 and at most a year; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const given = text.trim().toLowerCase();
  if (!/^(?:\d{1,9}(?:ms|[smhd]))+$/.test(given)) return undefined;
  const total = [...given.matchAll(/(\d+)(ms|[smhd])/g)].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (UNITS[unit] ?? Number.NaN),
    0,
  );
  return total >= 1 && total <= MOST_MS ? total : undefined;
}

/** The next instant at which the wall clock here shows `18:00`; undefined for anything that is no such time. */
export function nextClockTime(text: string, nowMs: number): number | undefined {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text.trim()) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const at = new Date(nowMs);
  at.setHours(Number(hours), Number(minutes), 0, 0);
  if (at.getTime() <= nowMs) at.setDate(at.getDate() + 1);
  return at.getTime();
}
