/** Text of a job where no log shows it: signs that control a terminal or turn text around are no part of it. Pure. */

const TURNING = '\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
const UNSEEN = new RegExp(`[\\u0000-\\u001f\\u007f-\\u009f${TURNING}]+`, 'g');
const UNESCAPED = new RegExp(`[\\u007f-\\u009f${TURNING}]`, 'g');

/** One line, in the order in which it was written. */
export function shownText(text: string): string {
  return text.replace(UNSEEN, ' ').trim();
}

/** JSON for reading: such signs as escapes, which mean the same. */
export function shownJson(json: string): string {
  return json.replace(
    UNESCAPED,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
