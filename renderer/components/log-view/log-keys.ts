/** Which key does what in the log. Pure: an event in, a command out. */

export type LogCommand =
  | 'find'
  | 'next-hit'
  | 'previous-hit'
  | 'next-error'
  | 'previous-error'
  | 'start'
  | 'end'
  | 'page-down'
  | 'page-up'
  | 'row-down'
  | 'row-up'
  | 'follow'
  | 'go-to'
  | 'times'
  | 'wrap'
  | 'select-down'
  | 'select-up'
  | 'copy'
  | 'copy-times'
  | 'copy-link'
  | 'details'
  | 'clear';

export interface KeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** Anywhere on the screen, as long as no field has the focus. */
const LETTERS: Readonly<Record<string, LogCommand>> = {
  n: 'next-hit',
  N: 'previous-hit',
  e: 'next-error',
  E: 'previous-error',
  f: 'follow',
  ':': 'go-to',
  t: 'times',
  w: 'wrap',
  y: 'copy-link',
  i: 'details',
};
/** With the focus in the log: `g` begins *go to a place* elsewhere, and arrows scroll what has the focus. */
const LETTERS_INSIDE: Readonly<Record<string, LogCommand>> = { g: 'start', G: 'end' };
const INSIDE: Readonly<Record<string, LogCommand>> = {
  Home: 'start',
  End: 'end',
  PageDown: 'page-down',
  PageUp: 'page-up',
  ArrowDown: 'row-down',
  ArrowUp: 'row-up',
  Enter: 'next-hit',
  Escape: 'clear',
};

/**
 * @param inside the log has the focus
 * @param letters single letters act as shortcuts
 */
export function logCommand(press: KeyPress, inside: boolean, letters: boolean): LogCommand | null {
  const { key, shiftKey } = press;
  if (press.altKey) return null;
  if (press.ctrlKey || press.metaKey) return withModifier(key.toLowerCase(), shiftKey, inside);
  if (letters && LETTERS[key] !== undefined) return LETTERS[key];
  if (!inside) return null;
  if (letters && LETTERS_INSIDE[key] !== undefined) return LETTERS_INSIDE[key];
  if (key === ' ') return shiftKey ? 'page-up' : 'page-down';
  if (shiftKey && key === 'ArrowDown') return 'select-down';
  if (shiftKey && key === 'ArrowUp') return 'select-up';
  if (shiftKey && key === 'Enter') return 'previous-hit';
  return INSIDE[key] ?? null;
}

function withModifier(key: string, shift: boolean, inside: boolean): LogCommand | null {
  if (key === 'f' && !shift) return 'find';
  if (!inside || key !== 'c') return null;
  return shift ? 'copy-times' : 'copy';
}
