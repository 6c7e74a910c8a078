/** Names of characters that have no picture or that turn the text around; a log shows them in a box. */

const C0 = (
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI ' +
  'DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'
).split(' ');

const NAMED: Readonly<Record<number, string>> = {
  0x7f: 'DEL',
  0x85: 'NEL',
  0x9b: 'CSI',
  0x9d: 'OSC',
  0xad: 'SHY',
  0x34f: 'CGJ',
  0x61c: 'ALM',
  0x115f: 'HCF',
  0x1160: 'HJF',
  0x180e: 'MVS',
  0x200b: 'ZWSP',
  0x200e: 'LRM',
  0x200f: 'RLM',
  0x2028: 'LS',
  0x2029: 'PS',
  0x202a: 'LRE',
  0x202b: 'RLE',
  0x202c: 'PDF',
  0x202d: 'LRO',
  0x202e: 'RLO',
  0x2060: 'WJ',
  0x2066: 'LRI',
  0x2067: 'RLI',
  0x2068: 'FSI',
  0x2069: 'PDI',
  0x3164: 'HF',
  0xfeff: 'BOM',
};

/**
 * Runs of one such character. Tab is shown as space. Joiners (U+200C, U+200D) are left alone: emoji and several
 * scripts need them, and they turn nothing around.
 */
export const CONTROL_RUN =
  /([\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\u3164\ufeff\ud800-\udfff])\1*/gu;

/** A short name for the first character of `text`: `RLO`, `ESC`, `U+2063`. */
export function controlName(text: string): string {
  const code = text.codePointAt(0) ?? 0;
  const named = C0[code] ?? NAMED[code];
  return named ?? codeName(text);
}

/** `U+202E`. */
export function codeName(text: string): string {
  return `U+${(text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
