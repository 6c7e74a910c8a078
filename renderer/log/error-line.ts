/**
 * Which lines are marked as errors: those a job prints in red that begin with error, fail, fatal or an
 * exception's name, and where this machine says that output is missing. Nothing else is: a log where every third line is tinted says nothing.
 */
const RED_AT_START =
  /^(?:\s|\u001b\[[\d;]*m)*?\u001b\[(?:[\d;]*;)?(?:31|91|41|101)(?:;[\d;]*)?m(?:\s|\u001b\[[\d;]*m)*/;
const WORD =
  /(?:[\w.]*error|fail(?:ed|ure)?|fatal|[\w.]*exception|panic|check [\w.-]+: exit code)\b/iy;
/** Colours and indents are short; a long line of escapes is not worth a look. */
const LOOK_AT_CHARS = 200;

export function isErrorLine(text: string): boolean {
  const first = text.charCodeAt(0);
  if (first === 0x5b) return isMissing(text);
  // ESC, space or tab; all other lines are told apart without a pattern.
  if (first !== 0x1b && first !== 0x20 && first !== 0x09) return false;
  const start = text.slice(0, LOOK_AT_CHARS);
  const red = RED_AT_START.exec(start);
  if (red === null) return false;
  WORD.lastIndex = red[0].length;
  return WORD.test(start);
}

/** In the host's words, for what found no room on the disk or cannot be read any more. */
function isMissing(text: string): boolean {
  return (
    text.startsWith('[runner] The disk of this machine was full: ') ||
    text.startsWith('[this line is lost: ')
  );
}
