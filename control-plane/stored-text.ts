/** What becomes of text that a runner sent before it is stored: no credentials, no NUL, bounded. */
import { mayHoldCredential, redact } from './redaction.ts';

const STORED_LINE_MAX_CHARACTERS = 65_536;
const CUT_MARK = ' [truncated]';

/** True when `storedText` would leave every line of `text` as it is. May be false where it would too. */
export function isClean(text: string): boolean {
  return (
    text.length <= STORED_LINE_MAX_CHARACTERS && !text.includes('\0') && !mayHoldCredential(text)
  );
}

export function storedText(text: string): string {
  const clean = redact(text).replaceAll('\0', '\uFFFD');
  if (clean.length <= STORED_LINE_MAX_CHARACTERS) return clean;
  return clean.slice(0, STORED_LINE_MAX_CHARACTERS - CUT_MARK.length) + CUT_MARK;
}
