/** Text for a terminal. What a job printed may hold anything: only colours pass, and only where they are wanted. */

const ESCAPES =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_]|[ -/]+[0-~])/g;
const COLOUR = /^\u001b\[[0-9;:]*m$/;
const CONTROLS =
  /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const RESET = '\u001b[0m';

/** Without escape sequences and control characters. */
export function plainText(text: string): string {
  return text.replace(ESCAPES, '').replaceAll('\u001b', '').replace(CONTROLS, '');
}

/** JSON whose strings a terminal cannot take for commands either: what JSON lets through is escaped. */
export function plainJson(json: string): string {
  return json.replace(CONTROLS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Text without escape sequences other than its colours, which end with it. */
export function colouredText(text: string): string {
  let hasColour = false;
  const kept: string[] = [];
  let at = 0;
  for (const match of text.matchAll(ESCAPES)) {
    kept.push(plainText(text.slice(at, match.index)));
    at = match.index + match[0].length;
    if (!COLOUR.test(match[0])) continue;
    hasColour = true;
    kept.push(match[0]);
  }
  kept.push(plainText(text.slice(at)));
  return kept.join('') + (hasColour ? RESET : '');
}

/** Columns two spaces apart; the last one is not padded. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** `1.9 s`, `0:48`, `1:12:05`. */
export function durationText(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = two(seconds % 60);
  return hours === 0 ? `${minutes}:${tail}` : `${hours}:${two(minutes)}:${tail}`;
}

/** `2026-11-30 14:02:31`, by the machine's own clock and zone. */
export function instantText(atMs: number): string {
  const at = new Date(atMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** `8.0 MiB`. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power] ?? ''}`;
}

/** How long a job has run or ran; null before its start. */
export function runTime(
  job: { readonly startedAtMs: number | null; readonly endedAtMs: number | null },
  nowMs: number,
): string {
  if (job.startedAtMs === null) return '-';
  return durationText((job.endedAtMs ?? nowMs) - job.startedAtMs);
}
