/** Numbers, times and lists as words of a sentence. Pure. */

const SMALL = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
] as const;

/** `two`, up to twelve; then digits. */
export function numberWord(count: number): string {
  return SMALL[count] ?? String(count);
}

/** `2 jobs`, `1 job`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The text as a sentence of its own: a capital at its start, one full stop at its end. */
export function asSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? capital(trimmed) : `${capital(trimmed)}.`;
}

/** `14:02`. */
export function clockText(atMs: number, timeZone: string | undefined): string {
  return new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(atMs);
}

/** `18:00`, or with the day where it is another one: `1 Dec, 08:00`. */
export function momentText(atMs: number, nowMs: number, timeZone: string | undefined): string {
  const zone = timeZone === undefined ? {} : { timeZone };
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...zone });
  const time = clockText(atMs, timeZone);
  return day.format(atMs) === day.format(nowMs) ? time : `${day.format(atMs)}, ${time}`;
}
