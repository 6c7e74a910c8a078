/** How instants and spans are written in replies. */

/** ISO 8601 with microseconds and zone, as the service writes instants: `2026-10-20T08:15:30.120000Z`. */
export function isoInstant(epochMs: number): string;
export function isoInstant(epochMs: number | null): string | null;
export function isoInstant(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString().replace('Z', '000Z');
}

/** The same without a zone; the service writes the times of rows so. */
export function isoNaive(epochMs: number): string {
  return isoInstant(epochMs).slice(0, -1);
}

/** Hours, minutes and seconds as the service prints a span: `0:15:00`. */
export function spanText(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}
