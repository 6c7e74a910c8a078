/** Text without what only steers a terminal: colours, links, titles. What a person reads of it stays. Pure. */

/** CSI; then OSC, DCS and their like to their end or the line's; then what is two characters long, or begins nothing. */
const ESCAPES = new RegExp(
  [
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?`,
    String.raw`(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\r\n]*(?:\u0007|\u001b\\|\u009c)?`,
    String.raw`\u001b(?:[ -/]*[0-~])?`,
  ].join('|'),
  'g',
);
const BEGINNING = /[\u001b\u0090\u0098\u009b\u009d-\u009f]/;
/** Tab and the ends of lines stay. */
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** The same text where nothing in it is an escape or a control character. */
export function withoutEscapes(text: string): string {
  const left = BEGINNING.test(text) ? text.replace(ESCAPES, '') : text;
  return left.replace(CONTROLS, '');
}
