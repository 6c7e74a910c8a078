/** How times, spans, sizes and counts are written. English words, 24 hours, this machine's time zone. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const KIB = 1_024;

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const clockWithSeconds = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const longDay = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
});
const numbers = new Intl.NumberFormat('en-US');

const two = (value: number): string => String(value).padStart(2, '0');

/** A span that is over: `1.9 s`, `0:48`, `6:41`, `1:12:05`. */
export function formatDuration(spanMs: number): string {
  if (spanMs < 10 * SECOND_MS) return `${(Math.max(0, spanMs) / SECOND_MS).toFixed(1)} s`;
  return formatElapsed(spanMs);
}

/** A span that goes on, without tenths that would flicker: `0:07`, `6:41`, `1:12:05`. */
export function formatElapsed(spanMs: number): string {
  const seconds = Math.max(0, Math.floor(spanMs / SECOND_MS));
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  const rest = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** A span for a sentence: `12 s`, `7 min`, `21 h 38 min`, `3 days`. */
export function formatSpan(spanMs: number): string {
  if (spanMs < MINUTE_MS) return `${Math.max(0, Math.ceil(spanMs / SECOND_MS))} s`;
  if (spanMs < HOUR_MS) return `${Math.floor(spanMs / MINUTE_MS)} min`;
  const hours = Math.floor(spanMs / HOUR_MS);
  const minutes = Math.floor((spanMs % HOUR_MS) / MINUTE_MS);
  if (hours < 48) return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
  return `${Math.floor(spanMs / DAY_MS)} days`;
}

/** `3 s ago`, `now` under one second. */
export function formatAgo(spanMs: number): string {
  return spanMs < SECOND_MS
    ? 'now'
    : `${formatSpan(Math.floor(spanMs / SECOND_MS) * SECOND_MS)} ago`;
}

/** `14:31` */
export function formatClock(atMs: number): string {
  return clock.format(atMs);
}

/** `14:31:07` */
export function formatClockSeconds(atMs: number): string {
  return clockWithSeconds.format(atMs);
}

/** `14:31` today, `16 Nov, 18:18` before. */
export function formatInstant(atMs: number, nowMs: number): string {
  return isSameDay(atMs, nowMs)
    ? formatClock(atMs)
    : `${dayAndMonth.format(atMs)}, ${formatClock(atMs)}`;
}

/** `Today`, `Yesterday`, else null: the day's date says it. */
export function relativeDay(atMs: number, nowMs: number): 'today' | 'yesterday' | null {
  if (isSameDay(atMs, nowMs)) return 'today';
  return isSameDay(atMs, nowMs - DAY_MS) ? 'yesterday' : null;
}

/** `Tuesday 17 November` */
export function formatDay(atMs: number): string {
  return longDay.format(atMs).replace(',', '');
}

export function isSameDay(oneMs: number, otherMs: number): boolean {
  return new Date(oneMs).toDateString() === new Date(otherMs).toDateString();
}

/** `0 B`, `812 B`, `3.4 KiB`, `120 MiB`, `1.2 GiB` */
export function formatBytes(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes / KIB;
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= KIB;
    unit += 1;
  }
  return `${value < 100 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)} ${units[unit] ?? ''}`;
}

/** `4,105` */
export function formatCount(count: number): string {
  return numbers.format(count);
}

/** `4` or `99+`: what fits a badge. */
export function formatBadge(count: number): string {
  return count > 99 ? '99+' : String(count);
}

/** `1 job`, `2 jobs`, `no jobs` are written by `plural(n, 'job', 'jobs')` with their number. */
export function plural(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** The first eight characters of an id: enough to tell flows and jobs apart on one machine. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** The last part of an image's name: `codex:2026.11` of `ghcr.io/nettlebed/codex:2026.11`. */
export function shortImage(image: string): string {
  return image.slice(image.lastIndexOf('/') + 1).replace(/@sha256:([0-9a-f]{8})[0-9a-f]*$/, '@$1');
}
