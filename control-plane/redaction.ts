/** Blanks well-known credential formats in text that is stored. One cheap look decides whether to look closer. */
/**
 * What every format below contains, by a character that few lines have: looking for that one first
 * makes the usual answer, none, cheap enough to be asked for every batch.
 */
const HINTS: readonly (readonly [string, readonly string[]])[] = [
  ['_', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'pat_', 'rt_']],
  ['-', ['glpat-', 'sk-', 'xox']],
  ['K', ['AKIA']],
  ['S', ['ASIA']],
  ['J', ['eyJ']],
  ['B', ['Bearer ']],
  [':', ['://']],
];

export function mayHoldCredential(text: string): boolean {
  for (const [sign, hints] of HINTS) {
    if (text.includes(sign) && hints.some((hint) => text.includes(hint))) return true;
  }
  return false;
}

const FORMATS: readonly (readonly [RegExp, string])[] = [
  [/\bgh[pousr]_[A-Za-z0-9]{20,255}\b/g, '[redacted]'],
  [/\bgithub_pat_[A-Za-z0-9_]{20,255}\b/g, '[redacted]'],
  [/\bglpat-[A-Za-z0-9_-]{20,255}/g, '[redacted]'],
  [/\bsk-[A-Za-z0-9_-]{20,255}/g, '[redacted]'],
  [/\bxox[abprs]-[A-Za-z0-9-]{10,255}/g, '[redacted]'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, '[redacted]'],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g, '[redacted]'],
  [/\brt_[A-Za-z0-9_-]{43}/g, '[redacted]'],
  [/\b(Bearer )[A-Za-z0-9._~+/=-]{16,}/g, '$1[redacted]'],
  [/(:\/\/)[^\s/@]{1,512}@/g, '$1[redacted]@'],
];

export function redact(text: string): string {
  if (!mayHoldCredential(text)) return text;
  return FORMATS.reduce((sofar, [format, blank]) => sofar.replace(format, blank), text);
}
