/** What a person types after `:` in the log: a line, a time of day, or a time since the start. */

export type Target =
  /** Counts from 0. */
  | { readonly kind: 'line'; readonly line: number }
  | { readonly kind: 'time'; readonly atMs: number };

const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
const SINCE = /^\+(?:(\d{1,3}):)?(\d{1,3}):(\d{2})$/;

/**
 * `4097`, `14:30`, `14:30:05`, `+5:00`, `+1:05:00`; null for anything else. A time of day means the first such
 * moment after the job's start.
 */
export function readTarget(text: string, startMs: number): Target | null {
  const trimmed = text.trim().replace(/^:/, '');
  if (/^\d{1,9}$/.test(trimmed)) return { kind: 'line', line: Math.max(0, Number(trimmed) - 1) };
  const since = SINCE.exec(trimmed);
  if (since !== null) {
    const [, hours = '0', minutes = '0', seconds = '0'] = since;
    const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
    return { kind: 'time', atMs: startMs + ms };
  }
  const clock = CLOCK.exec(trimmed);
  if (clock === null) return null;
  const [, hours = '0', minutes = '0', seconds = '0'] = clock;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const day = new Date(startMs);
  day.setHours(Number(hours), Number(minutes), Number(seconds), 0);
  if (day.getTime() < Math.floor(startMs / 60_000) * 60_000) day.setDate(day.getDate() + 1);
  return { kind: 'time', atMs: day.getTime() };
}
