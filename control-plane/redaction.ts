/** Blanks well-known credential formats in text that is stored. One cheap look decides whether to look closer. */
/** Some literal of every format below. Kept short of backtracking, since it sees every log line. */
const HINT = /gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-|A[KS]IA|eyJ|rt_|earer |:\/\/[^\s/@]*@/;

const FORMATS: readonly (readonly [RegExp, string])[] = [
  [/\bgh[pousr]_[A-Za-z0-9]{20,255}\b/g, '[redacted]'],
  [/\bgithub_pat_[A-Za-z0-9_]{20,255}\b/g, '[redacted]'],
  [/\bglpat-[A-Za-z0-9_-]{20,255}/g, '[redacted]'],
  [/\bsk-[A-Za-z0-9_-]{20,255}/g, '[redacted]'],
  [/\bxox[abprs]-[A-Za-z0-9-]{10,255}/g, '[redacted]'],
  [/\bA[KS]IA[A-Z0-9]{16}\b/g, '[redacted]'],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g, '[redacted]'],
  [/\brt_[A-Za-z0-9_-]{43}/g, '[redacted]'],
  [/\b([Bb]earer )[A-Za-z0-9._~+/=-]{16,}/g, '$1[redacted]'],
  [/(:\/\/)[^\s/@]{1,512}@/g, '$1[redacted]@'],
];

export function mayHoldCredential(text: string): boolean {
  return HINT.test(text);
}

export function redact(text: string): string {
  if (!mayHoldCredential(text)) return text;
  return FORMATS.reduce((sofar, [format, blank]) => sofar.replace(format, blank), text);
}
